package dataset

import (
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Set is n rows of a table, their features prepared and their targets read.
type Set struct {
	X       *mat.Dense // n×p prepared features
	Columns []string   // p names; region=north for a category of a text column, missing(area) for the mask of a column
	// Offset and Scale, of length p, undo the preparation: raw = Offset[j] + Scale[j]·prepared; with Lengths, that times the
	// row's length first.
	Offset, Scale []float64
	// Unit, of length p, is the unit of derivatives along a column, in the unit of the file: the standard deviation
	// of the training rows. It is 1 if the column is constant, and for categories and masks.
	Unit          []float64
	Lengths       []float64       // n lengths by which `normalize` divided the rows; nil without it
	Constant      []bool          // p flags: of columns that are the same in every training row
	Groups        []setting.Group // of each feature its prepared columns
	Height, Width int             // of an image, row-major; 0 where the features are a table

	Task       setting.Task
	HasTarget  bool
	Lacking    []bool     // of each row, whether it lacks a target that others have; nil where none does
	LabelNames []string   // the classes or labels; of Binary two, f > 0 meaning the second; of Quantiles the levels
	Class      []int      // of Binary and Class: positions in LabelNames; −1 for a class that training never saw
	Strange    []string   // of Binary and Class: the class as the file has it where training never saw it; nil where it saw all
	Real       []float64  // of targets of numbers
	Levels     []float64  // of Quantiles, one for each label
	Multi      *mat.Dense // of Multilabel: n×m, 0 or 1
	Weight     []float64  // n weights: a row counts as so many equal ones; nil means ones
	Times      []float64  // of training rows that are split by time: n numbers that rise with it; nil of others

	Rows     []int    // positions in the table, ascending
	IDs      []string // the values of column id; nil where rows are numbered
	Named    bool     // there is such a column
	Unseen   []Unseen // what no training row holds; of training rows none
	Warnings []string
	// Clipped says of each row whether numbers of it were moved to the ends of the box; nil where none were.
	Clipped []bool

	table   *Table
	target  string   // the name that the spec gives an unnamed label
	targets []string // the columns that hold the target
	untold  bool     // nobody is told the targets
	joined  []*Set   // the sets whose rows these are; nil for those of one table
}

// Len returns the number of rows.
func (s *Set) Len() int { return len(s.Rows) }

// ID returns what row i is called: the value of column id, else the row's number in the file, from 1.
func (s *Set) ID(i int) string {
	if s.IDs != nil {
		return s.IDs[i]
	}
	return strconv.Itoa(s.Rows[i] + 1)
}

// AllIDs returns what each row is called.
func AllIDs(s *Set) []string {
	if s.IDs != nil {
		return s.IDs
	}
	return numbered(s.Rows)
}

// ClassName returns the class of row i of a binary target or one of classes as the file has it, whether or not training saw it. It is empty where the row
// has none.
func ClassName(s *Set, i int) string {
	switch {
	case s.Class[i] >= 0:
		return s.LabelNames[s.Class[i]]
	case s.Strange != nil:
		return s.Strange[i]
	}
	return ""
}

// Lacks reports whether row i has no target, where others have one.
func (s *Set) Lacks(i int) bool { return len(s.Lacking) > i && s.Lacking[i] }

// Total returns the sum of the rows' weights: their number, if each counts once.
func (s *Set) Total() float64 {
	if s.Weight == nil {
		return float64(s.Len())
	}
	var sum float64
	for _, w := range s.Weight {
		sum += w
	}
	return sum
}

// Column returns any column of the file at the set's rows, as the file holds it; ok is false if there is no such
// column.
func (s *Set) Column(name string) (raw Raw, ok bool) {
	switch {
	case s.joined != nil:
		return s.joinedColumn(name)
	case s.untold && s.isTarget(name):
		return Raw{}, false
	}
	if raw, ok = s.table.Column(name, s.Rows); !ok && name == s.target && name != "" {
		return s.table.Column(LabelName, s.Rows)
	}
	return raw, ok
}

// ColumnNames returns the names that Column knows.
func (s *Set) ColumnNames() []string {
	names := s.table.ColumnNames()
	if s.table.HasLabels() {
		names = append(names[:len(names):len(names)], LabelName)
	}
	return names
}

// Signs returns −1 for the first class of a binary target, +1 for the second, and 0 for neither.
func (s *Set) Signs() []float64 {
	signs := make([]float64, len(s.Class))
	for i, c := range s.Class {
		if c >= 0 {
			signs[i] = float64(2*c - 1)
		}
	}
	return signs
}

// Subset returns the set of some of the rows, by position, in the order given.
func (s *Set) Subset(positions []int) *Set {
	sub := *s
	_, p := s.X.Dims()
	sub.X = mat.NewDense(len(positions), p, nil)
	sub.Rows, sub.IDs, sub.Class, sub.Strange = chosen(s.Rows, positions), chosen(s.IDs, positions), chosen(s.Class, positions), chosen(s.Strange, positions)
	sub.Real, sub.Lengths = chosen(s.Real, positions), chosen(s.Lengths, positions)
	sub.Lacking = chosen(s.Lacking, positions)
	sub.Weight, sub.Times = chosen(s.Weight, positions), chosen(s.Times, positions)
	if s.Multi != nil {
		_, m := s.Multi.Dims()
		sub.Multi = mat.NewDense(len(positions), m, nil)
	}
	for k, i := range positions {
		sub.X.SetRow(k, s.X.RawRowView(i))
		if s.Multi != nil {
			sub.Multi.SetRow(k, s.Multi.RawRowView(i))
		}
	}
	return &sub
}

// WithCopies returns the set's rows and, after them, copies of them. Each matrix has the features of a copy of every row, in
// order. All else of a copy is its row's.
func (s *Set) WithCopies(copies []*mat.Dense) *Set {
	n, p := s.X.Dims()
	var positions []int
	for range 1 + len(copies) {
		for i := range n {
			positions = append(positions, i)
		}
	}
	out := s.Subset(positions)
	for k, x := range copies {
		out.X.Slice((k+1)*n, (k+2)*n, 0, p).(*mat.Dense).Copy(x) //nolint:forcetypeassert // a slice of a Dense is one
	}
	return out
}

// chosen returns the elements at some positions, nil of none at all.
func chosen[T any](from []T, positions []int) []T {
	if from == nil {
		return nil
	}
	out := make([]T, len(positions))
	for k, i := range positions {
		out[k] = from[i]
	}
	return out
}

// An Unseen says of a column what some rows hold and no training row does. These are further texts, or numbers
// outside the range of the training rows. A model knows nothing there. An unknown text has 0 in all its features, and
// beyond the range f is a guess.
type Unseen struct {
	Column  string         `json:"column"`          // Pixels for those of an image
	Rows    int            `json:"rows"`            // how many rows hold such a text or number
	Of      int            `json:"of"`              // how many rows there are
	ID      string         `json:"row"`             // the id of the first of them, or of the one with the farthest number
	Line    int            `json:"-"`               // that row's in its file, 0 if there are no lines
	Texts   []UnseenText   `json:"texts,omitempty"` // most frequent first; none for numbers
	Known   []string       `json:"known,omitempty"` // the texts of the training rows, in order
	Numbers *UnseenNumbers `json:"numbers,omitempty"`
}

// An UnseenText is a text that no training row has.
type UnseenText struct {
	Text string `json:"text"`
	Rows int    `json:"rows"`
}

// UnseenNumbers lie outside the range of the training rows.
type UnseenNumbers struct {
	Worst float64 `json:"worst"` // the farthest outside
	Low   float64 `json:"low"`   // of the training rows
	High  float64 `json:"high"`
}
