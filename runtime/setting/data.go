// Package setting holds the settings of a spec as plain values: the compiler fills them in, and the runtime reads them. They are the
// arguments of the chain
//
//	Data → rows;  Kernel, Features → φ;  Method, Learner → f;  Decoding → predictions
//
// A setting may depend on the training rows: a width in multiples of their median distance, landmarks in multiples of their number. The
// package that uses such a setting fixes it for the rows at hand.
package setting

import (
	"fmt"
	"strconv"
)

// A Task is the kind of target. The words are those of the language.
type Task string

// The tasks.
const (
	NoTask     Task = ""           // of a spec whose target is missing or faulty
	Binary     Task = "binary"     // one of two classes, f a function of x whose sign decides
	Class      Task = "class"      // one of several classes, f a function of x and the class
	Real       Task = "real"       // a number, f a function of x
	Multilabel Task = "multilabel" // a set of labels, f a function of x and the label
	// Counts are numbers, none negative, whose log rate is f, a function of x. A real target becomes them by its learner.
	Counts Task = "counts"
	// Quantiles are numbers of which f has one at each level, a function of x and the level. A real target becomes them likewise.
	Quantiles Task = "quantiles"
)

// Joint reports whether f is a function of (x, y).
func (t Task) Joint() bool { return t == Class || t == Multilabel || t == Quantiles }

// Numbers reports whether the target is a column of numbers.
func (t Task) Numbers() bool { return t == Real || t == Counts || t == Quantiles }

// A Data says what to make of a table.
type Data struct {
	Target      Target
	Columns     Columns
	Types       []ColumnType
	Closed      bool    // Types has every feature, as that of a model does
	Ignore      Columns // Names and Globs of columns that are not features
	ID          string  // the column that names the rows; empty stands for one called id, where there is one
	Split       Split
	Unlabelled  Unlabelled
	Missing     Missing
	Outside     Outside   // empty stands for OutsideWarn
	Gaps        []float64 // numbers in numeric columns that stand for gaps
	Weight      string    // the column of the rows' weights; empty stands for ones
	Balanced    bool      // training rows of each class weigh alike in sum
	Standardize bool      // numeric features get mean 0 and standard deviation 1 on the training rows
	Scale       float64   // numeric features are divided by it; 0 stands for 1
	Normalize   bool      // rows get unit length, after everything else
}

// A Target says which columns or labels are predicted. One of Names, Globs, LabelsFile and AllLabels is set.
type Target struct {
	Task  Task
	Names []string // columns; one, but for Multilabel
	Globs []string // patterns of columns, for Multilabel
	// LabelsFile names a file of lines `id code name`, the labels of a LIBSVM file. The spec's reader resolves its path.
	LabelsFile string
	AllLabels  bool      // every label that occurs in a LIBSVM file, called by its number, or that an ARFF class attribute declares
	Classes    [2]string // of Binary: rows of other classes are left out; f > 0 means the second
	Levels     []float64 // of Quantiles: between 0 and 1, ascending
}

// LevelNames returns levels as the labels that they are of f.
func LevelNames(levels []float64) []string {
	out := make([]string, len(levels))
	for k, v := range levels {
		out[k] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return out
}

// CheckLevels returns what is wrong with the levels of quantiles. Nil means nothing.
func CheckLevels(levels []float64) error {
	if len(levels) == 0 || len(levels) > MostLevels {
		return fmt.Errorf("there are %d levels; there may be 1 to %d", len(levels), MostLevels)
	}
	for k, v := range levels {
		switch {
		case !(v > 0 && v < 1):
			return fmt.Errorf("the level %g does not lie between 0 and 1", v)
		case k > 0 && v == levels[k-1]:
			return fmt.Errorf("the level %g stands twice", v)
		case k > 0 && v < levels[k-1]:
			return fmt.Errorf("the level %g stands behind %g, and levels rise", v, levels[k-1])
		}
	}
	return nil
}

// MostLevels bounds the levels of one target.
const MostLevels = 99

// Columns says which columns are features. The zero value takes all but the target and id.
type Columns struct {
	Names []string
	Globs []string
	// Texts are those of Names whose words are features, each by itself.
	Texts []string
	// Height and Width say that the features, all others where no names are given, are an image, row-major. Both or none.
	Height, Width int
}

// A Split says how many rows are drawn at random. A number below 1 is a share, drawn from each class by itself. With a test table 0
// takes all rows. Without one, one number leaves the other the rest, and two zeros hold a quarter out.
// By names the column that says of each row where it belongs; it leaves nothing to draw. So does Drawn, which is not of a spec: it lists
// the rows of each part, and nil lists none.
type Split struct {
	Train, Test float64
	By          string
	Drawn       *Drawn
	// Time names the column by whose values rows are put in order. The test rows are the latest. Values of grids are chosen in folds each of which is
	// predicted from earlier rows.
	Time     string
	Untested bool // without a test table no row is held out for a test, and there are no test rows
}

// Drawn are positions of rows in a table, in ascending order. Without Valid no rows decide about grids but those of folds.
type Drawn struct{ Train, Valid, Test []int }

// An Outside says what becomes of a number outside the box. The box is the interval that `types` declares of a column, else the range
// of the training rows.
type Outside string

// What numbers outside the box get.
const (
	OutsideWarn   Outside = "warn"   // a warning; beyond a declared interval they are an error
	OutsideClip   Outside = "clip"   // the nearest end of the box
	OutsideRefuse Outside = "refuse" // an error, in rows that a model is applied to
)

// The parts of the data that a column may name. Valid rows decide between the values of grids.
const (
	TrainRows = "train"
	ValidRows = "valid"
	TestRows  = "test"
	// UnlabelledRows are such as `unlabelled` lets R see.
	UnlabelledRows = "unlabelled"
)

// Unlabelled says which rows without a label R may see. The zero value lets it see training rows alone.
type Unlabelled struct {
	// Rows says that rows of the data without a target are such; otherwise they are an error.
	Rows bool
	File string // of further rows; empty where there is none. The spec's reader resolves its path.
	Test bool   // features of the test rows
}

// Missing says what becomes of gaps in features.
type Missing string

// Marks reports whether a further column says where gaps are.
func (m Missing) Marks() bool {
	return m == MissingMask || m == MissingMaskMedian || m == MissingMaskFrequent
}

// Treatments returns all treatments of gaps.
func Treatments() []Missing {
	return []Missing{MissingError, MissingMean, MissingMedian, MissingFrequent, MissingMask, MissingMaskMedian, MissingMaskFrequent, MissingDrop}
}

// The treatments of gaps. The zero value refuses them.
const (
	MissingError Missing = "error" // an error that names row and column
	MissingMean  Missing = "mean"  // the mean of the training rows
	MissingMask  Missing = "mask"  // the mean, and a further column that is 1 at gaps and 0 elsewhere
	MissingDrop  Missing = "drop"  // rows with gaps in features or target are left out

	MissingMedian   Missing = "median"   // the median of the training rows
	MissingFrequent Missing = "frequent" // the value that most training rows have, of texts too

	MissingMaskMedian   Missing = "mask(median)"   // the median, and a further column as with MissingMask
	MissingMaskFrequent Missing = "mask(frequent)" // the most frequent value, and a further column as with MissingMask
)
