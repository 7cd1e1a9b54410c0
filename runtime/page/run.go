package page

import (
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/report"
)

// A Run is all that a page tells of a run. Report must be given; what else is absent is left out.
type Run struct {
	Report  *report.Report
	Program string   // sipc 0.1.0
	Command []string // the arguments that repeat the run, the program first
	Target  string   // what is learnt, as the data name it
	Columns []string // the features
	Image   [2]int   // height and width, where rows are images
	Sources []Source // the spec, and then what it includes
	Sets    []Set    // what the call set in it

	Alone    string     // why there is no free function beside the run's own; empty where there is one
	Weighted bool       // test rows have weights
	Declared []Declared // invariances and then measures, in the order of the report
	Machines []Machine  // the run's own, and then the baseline and the rivals
	Draws    int        // of rows, behind the intervals
	Asked    int        // draws that were asked for; more than Draws where the time was over
	Normal   bool       // intervals are 1.96 standard deviations of few draws, not between their quantiles
	Classes  []string   // in their order, of a task that has such
	Gaps     []float64  // of all embeddings, or of the one problem
	Numbers  *Numbers   // nil for targets that are no numbers
	Effects  *Effects   // nil where nothing is drawn
	Pulls    []Pull     // by invariance; may be empty
	Memory   uint64     // the most bytes that the process took; 0: not known
}

// A Set is a value of the spec that the call replaced.
type Set struct{ Name, Value, Before string }

// A Source is a text of the language, cut into lines of tokens.
type Source struct {
	Name  string
	Lines [][]Token
}

// A Token is a piece of a line. Kind is "c" for comments, "n" for numbers, "s" for texts, "k" for words of the language, and empty for others. It is "del"
// for what the call replaced, and "ins" for what took its place.
type Token struct{ Kind, Text string }

// A Declared is an invariance or a measure as the spec has it.
type Declared struct {
	Name, Text string
	Words      string // the expression in words; may be empty
	Comment    string // what the spec says of it; may be empty
	Line       int    // in the spec, from 1; 0 where it is declared elsewhere
	Theory     string // what was proved of it
	Conditions []string
	Measure    bool // nothing regularizes it
}

// A Machine was fitted to the rows: the run's own, the baseline or a rival.
type Machine struct {
	Name    string // risk, plain, augment
	About   string // its setting; may be empty
	Figures []Figure
	// Violations has the share of test rows that violate each invariance which decisions can judge. Moved has the figure that matters most on
	// test rows under each transformation.
	Violations, Moved []Figure
}

// A Figure is one of a machine's on the test rows, with what the run's own lies above it.
type Figure struct {
	Name     string
	Value    float64
	Interval metric.Interval // not known where there is none
	Exact    bool            // the interval is Wilson's, not that of draws
	More     float64         // the run's own less this; NaN where it has none
	Between  metric.Interval // of More, on the same draws of rows
}

// figure returns that of a name; nil where there is none.
func (m *Machine) figure(name string) *Figure {
	for k := range m.Figures {
		if m.Figures[k].Name == name {
			return &m.Figures[k]
		}
	}
	return nil
}

// Numbers are those of the test rows, beside what was predicted.
type Numbers struct {
	Truth, Predicted []float64 // at most so many as are drawn
	Of               int       // test rows
	Levels           []float64 // of quantiles; nil for others
	Coverage         []float64
	Intervals        []metric.Interval // of coverages
}

// Effects are pictures of what the columns do.
type Effects struct {
	Sum      bool // f is a sum of curves and surfaces, and these are all of it
	Note     string
	Pictures []Picture
	Left     int // further pictures that --draw draws
}

// A Picture is SVG with what is said of it.
type Picture struct {
	Title, Note string
	SVG         []byte
	Wide        bool
}

// A Pull is an invariance with those of its members that pull most.
type Pull struct {
	report.Witness
	Images []Pair // of members, where rows are images
}

// A Pair shows the rows of a member, such as an image and its transformed copy. Each is a data URI.
type Pair struct {
	Part, Row     string
	Value, Share  float64
	Before, After string
	FBefore       float64 // f at both; NaN where it is not known
	FAfter        float64
}
