// Package plugins is the contract between the language and the families of invariances that extend it.
//
// A family adds domains to the language, the index sets that quantifiers range over. It adds maps of points (such as
// rotate(10deg)) and definitions written in the language itself (such as implies). Asked with rows of data, a family
// answers with bounded linear functionals of the unknown function f, in blocks:
//
//	ℓ(f) = Σ c·f(x, y) + Σ c·Df(x, y)[ẋ]
//
// It knows no kernel and no solver, and does not run inside the solver's loop. The same Family interface serves a family
// that is linked into the program and one that is a separate process behind gRPC. Package host runs such processes, and
// package sdk serves them. Authors in other languages implement the service in proto/family.proto.
package plugins

import "context"

// The versions of this contract that this package speaks, from the oldest to the newest. A host and a family that is
// a process speak the newest version that both know. If there is no such version, the host refuses the family and
// shows both ranges.
const (
	OldestVersion   = 1
	ContractVersion = 1
)

// A Family extends the language. Its methods may be called from several goroutines.
type Family interface {
	// Describe says what the family adds to the language. It needs no data and always answers the same.
	Describe(ctx context.Context) (*Schema, error)
	// Open binds the family to a data set. The data stay unchanged while the session is open.
	Open(ctx context.Context, data *Data) (Session, error)
}

// A Session is a family bound to a data set.
type Session interface {
	// Expand enumerates a domain. It hands the elements to yield in chunks, and stops with yield's error if there is
	// one. Their order may depend only on the call and the data.
	Expand(ctx context.Context, call *DomainCall, yield func(*Chunk) error) error
	// Map moves points. For every functional ℓ of call.At it answers with one functional: f ↦ ℓ(f∘t), or, with
	// call.Derivative, the derivative of that along the map's parameter at the identity. A family that does not see all columns
	// and the rows' labels answers term by term: see View.
	Map(ctx context.Context, call *MapCall) (*Block, error)
	// Close releases what the session holds.
	Close() error
}

// A Schema says what a family adds to the language.
type Schema struct {
	Name        string // as in `use NAME`
	Version     string // the family's own version, semantic
	Doc         string // one paragraph
	Domains     []DomainSchema
	Maps        []MapSchema
	Definitions []Definition
}

// A DomainSchema describes an index set: `pairs(count = 4n)`, `edges(topics)`.
type DomainSchema struct {
	Name  string
	Doc   string
	Args  []Arg
	Binds []Bind // what one element binds, in the order in which a tuple binder names it
	Needs Needs
	// Straight promises that points and labels are affine in the path's parameter. What f does between nodes of such
	// a path is bounded by proof; for other paths it is measured.
	Straight bool
}

// Needs say what a domain or a map has to see of the data. A family is shown what the domains and maps that a spec uses need
// together, and nothing else: see View. The zero value is the number of rows alone.
type Needs struct {
	Columns ColumnNeed
	Names   []string // feature columns that are needed by their names, besides
	Labels  LabelNeed
}

// A ColumnNeed says which feature columns are needed.
type ColumnNeed int

// The needs of columns.
const (
	NoColumns       ColumnNeed = iota // none
	ArgumentColumns                   // those that arguments of kind KindColumn name
	AllColumns                        // all, and the size of the image where they are one
)

// A LabelNeed says what of the labels is needed.
type LabelNeed int

// The needs of labels.
const (
	NoLabels   LabelNeed = iota // nothing
	LabelNames                  // what the labels are called
	RowLabels                   // that, and the label of each row
)

// A BindKind says what a domain's element binds.
type BindKind int

// The kinds of bindings.
const (
	BindLabel     BindKind = iota // a label: usable as f(a), implies(a, b)
	BindPoint                     // a point with its label: usable as f(a), t(a)
	BindParameter                 // the parameter of the path through the element's first point, over [0, 1]
)

// A Bind is one thing that an element of a domain binds.
type Bind struct {
	Name string // the name used where the spec gives none
	Kind BindKind
	Doc  string
}

// A MapSchema describes a map of points: `rotate(10deg)`, `move(area, 0.5)`.
type MapSchema struct {
	Name           string
	Doc            string
	Args           []Arg
	NeedsImage     bool // acts on images only; Needs.Columns is AllColumns
	Differentiable bool // d/dt is available: Map answers calls with Derivative set
	Needs          Needs
}

// A Definition adds a function that is written in the language: "def implies(a, b) = pos(f(a) - f(b))".
type Definition struct {
	Name   string
	Doc    string
	Source string
}

// A ValueKind is the type of an argument.
type ValueKind int

// The kinds of arguments.
const (
	KindNumber   ValueKind = iota // a plain number
	KindAngle                     // an angle (`10deg`); Value.Number holds radians
	KindCount                     // a whole number, or a multiple of the number of rows (`4n`); Value.Number holds the count
	KindText                      // a string
	KindChoice                    // a bare word, one of Arg.Choices; Value.Text holds it
	KindColumn                    // a feature column; Value.Index holds its index among those that are seen, Value.Text its name
	KindLabel                     // a label; Value.Index holds its index, Value.Text its name
	KindTaxonomy                  // edges child → parent between labels
	KindFile                      // a path of a file relative to the spec; Value.Text holds it, Value.Bytes its content
)

// An Arg describes an argument of a domain or a map.
type Arg struct {
	Name     string
	Kind     ValueKind
	Doc      string
	Default  string   // as a spec writes it: 0.5, 10deg, 4n, "text", word; empty: the argument must be given
	Optional bool     // may be left out without a default
	Choices  []string // for Choice
	Min, Max float64  // inclusive bounds for numbers, where Min < Max; radians for angles
	Unit     string   // "pixels", "rows", "degrees", Cells; empty where none fits
}

// Cells is the Unit of a map's arguments that are columns of the file, and of a value of such a column. Preparation
// makes several features of a column: one for each of its texts, and one that marks gaps. The arguments of a call are then
// repeated, once for each feature. A text is given as 1 for its own feature and 0 for the others. Of two columns, features that
// both have come first, in pairs. Those follow that the second alone has, then those that the first alone has. So an argument a that
// stands just before an argument b is one of a pair.
const Cells = "as in the file"

// A Value is an argument as the spec gives it, checked against its Arg.
type Value struct {
	Name   string // the argument's name
	Kind   ValueKind
	Number float64
	Text   string
	Index  int
	Edges  []Edge // for Taxonomy
	Bytes  []byte // for File
}

// An Edge of a taxonomy: Child implies Parent. Both are label indices.
type Edge struct{ Child, Parent int32 }

// A DomainCall asks for the elements of a domain.
type DomainCall struct {
	Name string
	Args []Value // every argument of the schema that has a value, defaults filled in, in the schema's order
	Seed uint64  // the only source of randomness
	// Nodes are the values in [0, 1] of the path's parameter at which functionals are wanted; nil where the domain
	// binds no parameter. Which elements there are does not depend on them: the same elements may be asked for at other nodes.
	Nodes []float64
	// Derivative asks for the derivative along the path beside the value.
	Derivative bool
}

// A Chunk is a run of consecutive elements of a domain.
type Chunk struct {
	Count int
	// Labels[k][e] is the label that element e binds to the k-th BindLabel.
	Labels [][]int32
	// Points[k] holds the functionals "f at the point that the k-th BindPoint is bound to", one per element. If the
	// domain binds a parameter, there is one per element and node, nodes fastest.
	Points []*Block
	// Derivatives[k] holds the derivatives of Points[k] along the path; nil unless they were asked for.
	Derivatives []*Block
}

// A MapCall asks where a map takes the points of functionals.
type MapCall struct {
	Name       string
	Args       []Value
	At         *Block // evaluations only; see Session.Map
	Derivative bool
}

// Data is what a family sees of the data set: training rows, or the rows on which a model is evaluated. Columns and labels
// that it did not ask for are not there: see Needs. Rows.Rows is the number of rows even where no column is seen.
type Data struct {
	Rows    Matrix   // n×p prepared features, of the columns that are seen
	Columns []string // p names
	// Offset and Scale undo the preparation: raw = Offset[j] + Scale[j]·prepared. Nil stands for zeros and ones.
	Offset, Scale []float64
	Height, Width int      // of an image, row-major; 0 where the features are a table
	LabelNames    []string // m names; empty where f is a function of x alone
	Labels        []Label  // one per row where f is a function of (x, y), else empty
}

// N returns the number of rows.
func (d *Data) N() int { return d.Rows.Rows }

// A Matrix is dense and row-major: element (i, j) is Data[i*Cols+j].
type Matrix struct {
	Rows, Cols int
	Data       []float64
}

// Row returns a view of row i.
func (m *Matrix) Row(i int) []float64 { return m.Data[i*m.Cols : (i+1)*m.Cols] }

// Append adds a row and returns its index. The first row sets the number of columns of an empty matrix.
func (m *Matrix) Append(row []float64) int {
	if m.Rows == 0 {
		m.Cols = len(row)
	}
	m.Data = append(m.Data, row...)
	m.Rows++
	return m.Rows - 1
}
