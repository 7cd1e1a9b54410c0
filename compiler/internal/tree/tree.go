// Package tree holds what an expression e(f) means: a tree of operations on functionals of f and on
// numbers, over index sets, with its names resolved.
//
//	e ::= c | ℓ(f) | e + e | −e | c·e | |e| | [e]₊ | max eᵢ | Σ eᵢ | mean eᵢ | ‖e‖ₚ | topₖ eᵢ
//	ℓ ::= ∂ f(t(x), y)                      f or a derivative of it, at a moved point with a label
//	eᵢ ranges over literal parts, or over an index set D₁ × … × Dₘ with a condition
//
// Definitions are replaced by their bodies before a tree is made, so that the only names left in it
// are those of variables. Each node knows where it comes from in the text (Origin), through how
// many calls of definitions. So a proof, an error and a mend all speak of what the user wrote.
//
// Variables are pointers. Two leaves f(x) are one functional if they hold the same Variable,
// whatever it is called. Two quantifiers over one set have different axes, as their elements vary
// apart. Where such objects have to be compared as values, Identity names them.
//
// Numbers are of two sorts. Those that are known are folded. Those that data decide (OpDatum) are a
// column, a weight, or a place on a path. They have bounds, and are polynomials in what decides
// them. That is enough to compare and to cancel them.
//
// A Form is a gauge before its index sets are known, as gauge.Node is one after. Package calculus
// makes it, package ground unrolls it:
//
//	tree, any convex e(f)  ↦  form, norms over |ℓ| and [ℓ]₊  ↦  gauge.Node and functionals
//
// Trees, forms and conditions are walked by All, from the root down (walk.go). What needs values
// from below recurses by itself.
//
// The package knows how trees are read, compared and printed, and judges nothing.
package tree

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// SignOf returns the sign of a number. That of NaN is not known, so that no rule about signs
// applies to it.
func SignOf(v float64) Sign {
	switch {
	case math.IsNaN(v):
		return UnknownSign
	case v > 0:
		return Nonnegative
	case v < 0:
		return Nonpositive
	}
	return Zero
}

// A Kind is what the calculus proves of an expression.
type Kind = regularizer.Kind

// The kinds, from the strongest to the weakest.
const (
	Linear    = regularizer.Linear
	Seminorm  = regularizer.Seminorm
	Sublinear = regularizer.Sublinear
)

// A Sign is what the calculus proves of an expression's values.
type Sign int

// The signs.
const (
	UnknownSign Sign = iota
	Zero
	Nonnegative
	Nonpositive
)

// String returns the sign's word, as proofs show it.
func (s Sign) String() string {
	return [...]string{"of either sign", "zero", "nonnegative", "nonpositive"}[s]
}

// MarshalText writes the sign as its word.
func (s Sign) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// A Judged holds what the calculus proved of a node. The zero value says nothing: a kind counts
// only where a rule is named. It is embedded in Node, since a proof has the shape of the
// expression.
type Judged struct {
	Kind     Kind
	Sign     Sign
	Constant bool   // holds no f: kind is meaningless unless the sign is zero
	Rule     string // by which it was proved
}

// Zero reports whether the part is zero whatever f is. Zero is linear, nonnegative and nonpositive
// at once, and rules treat it as whatever suits.
func (j Judged) Zero() bool { return j.Sign == Zero }

// AtLeastZero reports whether the part is nonnegative.
func (j Judged) AtLeastZero() bool { return j.Sign == Nonnegative || j.Sign == Zero }

// Flipped returns the sign of the negative. That of zero is zero, and nothing is known where
// nothing was.
func Flipped(s Sign) Sign {
	switch s {
	case Nonnegative:
		return Nonpositive
	case Nonpositive:
		return Nonnegative
	}
	return s
}

// An Op says what a node of an expression does with its parts.
type Op int

// The operations. max, sum, mean and norm combine several parts, or one part over an index set.
const (
	OpConst Op = iota // a number
	OpLeaf            // f or a derivative of it at a point
	OpAdd
	OpNeg
	OpScale // num, or by, times the part
	OpMul   // of two parts that hold f
	OpDiv   // by a part that holds f
	OpAbs
	OpPos
	OpMax
	OpSum
	OpMean
	OpNorm // the p-norm of the parts; with mean set, their power mean: rms is the power mean for p = 2
	OpTop
	OpMin
	OpDatum // a number that data or what is bound decide
	OpSqrt  // of a number
)

// A Node is an expression with its names resolved: a function of f. Numbers are those of the pass's
// choice. Which fields count, Op says. Nodes are not changed once they are made, but for what is
// proved of them: several expressions may share a part.
type Node struct {
	Op    Op
	Num   float64 // of opConst and opScale
	By    *Node   // of opScale: the number in place of num, where data decide it
	P     float64 // of opNorm
	K     int     // of opTop
	Mean  bool    // of opNorm
	Kids  []*Node
	Leaf  *Leaf
	Datum *Datum
	Data  bool // it is a number, and data decide it
	// required says of a number that it must not be negative: grounding looks at it.
	Required bool
	Quant    *Quantifier // of an aggregation over an index set
	// difference is what the sign of opNeg belongs to, nil where it stands alone.
	Difference *dsl.Binary
	Word       string // as the user wrote the operation: rms, hypot, norm(3)
	From       Origin
	Judged
}

// A Quantifier is an index set, a product of axes, with a condition. The elements of an axis may
// depend on those of the axes before it, as the path of a pair does.
type Quantifier struct {
	Axes   []*Axis
	Where  *Condition
	Unless *Quantifier // one element and no axes, there only where that other index set is empty
}

// Varies reports whether what is bound around the quantifier decides which elements it has. Then it
// is enumerated once for each element around it, and no weight in the gauge can hold its size.
func (q *Quantifier) Varies() bool {
	return len(q.Where.Others(q.Axes)) > 0
}

// An Axis is one factor of an index set. Its number identifies it, as two quantifiers may range
// over equal sets and mean different elements. Which of the other fields are set, its kind says.
type Axis struct {
	ID      int
	Kind    axisKind
	From    Origin
	Text    string
	Word    string // what one element is called in messages
	Graph   *GraphFile
	Fam     *Family
	Dom     *plugins.DomainSchema
	Args    []*Value   // of a family's domain, and of a sample of rows
	Maps    []*Mapping // of setAxis over transformations
	Orbit   *Orbit     // that Maps are draws from; nil: they are listed
	Names   []*Value   // of setAxis over labels
	Columns []*Value   // of columnAxis: names of columns, and patterns
	Box     *Box       // of BoxAxis
	Path    *Axis      // of pathAxis: the axis whose point moves; of familyAxis with a path: the whole path
	Lo      float64    // of pathAxis
	Hi      float64
	HasPath bool // the domain binds a parameter, and path is its axis
	Vars    []*Variable
}

// Listed returns how many elements a set has that the spec lists. Ok is false for all other index
// sets: data decide how many elements those have, or they are paths or drawn from an orbit.
func (a *Axis) Listed() (count int, ok bool) {
	ok = a.Kind == MapAxis && a.Orbit == nil || a.Kind == NamedAxis || a.Kind == ColumnAxis && !slices.ContainsFunc(a.Columns, (*Value).Pattern)
	return len(a.Maps) + len(a.Names) + len(a.Columns), ok
}

// SampleArgs are the arguments of a sample of rows.
var SampleArgs = []plugins.Arg{
	{Name: "count", Kind: plugins.KindCount, Min: 1, Max: math.MaxInt32, Unit: "rows", Doc: "how many rows are drawn, 1 or more, or a share of all as 0.1n"},
	SeedArg,
}

// Drawn reports whether an index set is a sample of rows.
func (a *Axis) Drawn() bool { return a.Kind == RowAxis && a.Args != nil }

// Draws returns how many of n rows a sample has.
func (a *Axis) Draws(n int) int {
	count := a.Args[0].Quantity
	if count.Unit == PerRow {
		count.Value *= float64(n)
	}
	return min(int(count.Value), n)
}

// An axisKind says where the elements of an index set come from.
type axisKind int

// The kinds of index sets.
const (
	RowAxis    axisKind = iota // the training rows
	LabelAxis                  // all labels
	GraphAxis                  // the edges of a graph
	FamilyAxis                 // a domain of a family
	MapAxis                    // a literal set of transformations
	NamedAxis                  // a literal set of labels
	StepAxis                   // each level of quantiles and the next above it
	ColumnAxis                 // feature columns, by names and patterns
	PathAxis                   // λ in [lo, hi]
	BoxAxis                    // points of a box, of a requirement's region alone
)

// A VarKind is what a variable is bound to.
type VarKind int

// The kinds of variables.
const (
	PointVar VarKind = iota
	LabelVar
	ParamVar
	MapVar
	WeightVar
	ColumnVar
)

// String returns what a variable is, for messages: "a is a point".
func (k VarKind) String() string {
	return [...]string{"a point", "a label", "a path's parameter", "a transformation", "an edge's weight", "a column that varies"}[k]
}

// A Variable is bound by an axis. Slot tells several points or labels of one element apart, as the
// two rows of a pair.
type Variable struct {
	Name string
	Kind VarKind
	Axis *Axis
	Slot int // which of the axis's points, or which of its labels
}

// A Mapping is a transformation of points: a fixed one of a family with its amounts, or the element
// that a variable is bound to. Its rows are asked of its family when data are there.
type Mapping struct {
	Fam    *Family
	Schema *plugins.MapSchema
	Args   []*Value
	From   Origin
	Text   string
	Name   string    // of the let that holds it, or of one that needs no amounts; empty elsewhere
	Alone  bool      // it stands without its point, which is the innermost one
	Bound  *Variable // the element of a mapAxis; the rest is nil then
	Drawn  *Draw     // a place in the sample of an orbit; Fam, Schema and Args are nil then
}

// OrbitWord begins a set of transformations whose amounts run through intervals.
const OrbitWord = "orbit"

// The numbers of moves that an orbit is drawn by.
const (
	MovesUnlessTold = 24
	MostMoves       = 4096
)

// OrbitArgs are the arguments of an orbit.
var OrbitArgs = []plugins.Arg{
	{Name: "moves", Kind: plugins.KindCount, Default: strconv.Itoa(MovesUnlessTold), Min: 1, Max: MostMoves, Doc: "how many moves are drawn for each element"},
	SeedArg,
}

// An Orbit is a set of compositions t = t_k ∘ … ∘ t_1 of transformations, whose amounts run through
// intervals. It has as many members as there are numbers, and a sample of moves stands for it:
//
//	rms over x of rms over t in orbit {rotate([-15deg, 15deg]), shift(dx = [-2, 2])} of |f(t(x)) - f(x)|
//
// Each x has draws of its own. So the axis of t lists places of a sample, and not transformations.
type Orbit struct {
	Steps []*Step
	Moves int    // of the sample
	Seed  *Value // nil: the run's own
	Text  string
	Point *Axis // whose elements have draws of their own; nil while the orbit moves no point of an expression
	Worst bool  // a maximum is taken over it: members stand for it, and no sample
}

// A Step is a transformation whose amounts run from those of Low to those of High. Both have the
// same arguments otherwise.
type Step struct {
	Low, High *Mapping
	Free      []string // the arguments that run
	Text      string
}

// A Draw is a place in the sample of an orbit.
type Draw struct {
	Orbit  *Orbit
	Number int
}

// Maps returns the places of the orbit's sample, as transformations.
func (o *Orbit) Maps(from Origin) []*Mapping { return o.places(o.Moves, from) }

// places returns so many places of a sample, or of members, as transformations.
func (o *Orbit) places(count int, from Origin) []*Mapping {
	out := make([]*Mapping, count)
	for i := range out {
		out[i] = &Mapping{Drawn: &Draw{Orbit: o, Number: i}, From: from, Text: fmt.Sprintf("move %d of %s", i+1, o.Text)}
	}
	return out
}

// Places returns so many of the axis's transformations. Those of an orbit over which a maximum is taken are its members.
func (a *Axis) Places(count int) []*Mapping {
	if a.Orbit == nil || !a.Orbit.Worst {
		return a.Maps[:count]
	}
	return a.Orbit.places(count, a.From)
}

// Key identifies what an orbit draws: equal keys draw the same moves. Of a maximum it identifies the members, which elements of another index
// set do not share.
func (o *Orbit) Key() string {
	var b strings.Builder
	b.WriteString(OrbitWord)
	for _, s := range o.Steps {
		fmt.Fprintf(&b, " %s.%s%s%s", s.Low.Fam.Name, s.Low.Schema.Name, ArgsKey(s.Low.Args), ArgsKey(s.High.Args))
	}
	if o.Seed != nil {
		fmt.Fprintf(&b, " by %v", o.Seed.Quantity.Value)
	}
	if o.Worst {
		b.WriteString(" at worst")
		if o.Point != nil {
			b.WriteString(" of " + o.Point.Text)
		}
	}
	return b.String()
}

// Dimension returns how many amounts a move has.
func (o *Orbit) Dimension() int {
	n := 0
	for _, s := range o.Steps {
		n += len(s.Free)
	}
	return n
}

// Ends returns the transformations of which a mapping is made: itself, or for one drawn from an
// orbit those between whose amounts its steps run.
func (m *Mapping) Ends() []*Mapping {
	if m.Drawn == nil {
		return []*Mapping{m}
	}
	var out []*Mapping
	for _, s := range m.Drawn.Orbit.Steps {
		out = append(out, s.Low, s.High)
	}
	return out
}

// Named returns what a reader is told of a mapping: an orbit in the place of its draws.
func (m *Mapping) Named() string {
	if m.Drawn != nil {
		return m.Drawn.Orbit.Text
	}
	return m.Text
}

// NamedMaps returns what a reader is told of transformations, each orbit once.
func NamedMaps(maps []*Mapping) []string {
	var out []string
	for _, m := range maps {
		if m.Drawn == nil || m.Drawn.Number == 0 {
			out = append(out, m.Named())
		}
	}
	return out
}

// A Leaf is a functional, D f(t(x), y): f or a derivative of it, at a point that was moved by maps,
// with a label. Two leaves are one functional if Identity says so, whatever definition they came
// through.
type Leaf struct {
	Point *Variable
	Place *Station   // where on its path the point is; nil: where node says
	Node  *Axis      // the axis that gives the node of the point's path; nil where there is none
	Maps  []*Mapping // the innermost first
	Label *LabelRef  // nil: the point's own, where f is a function of the label too
	Own   bool       // f is a function of the label too, and the label is the point's own
	Deriv Derivative
	Again Derivative // of a column, where the derivative along a column is derived again
}

// A LabelRef is a label: of a variable, or by name.
type LabelRef struct {
	Bound *Variable
	Name  *Value
}

// A derivKind says along what f is derived.
type derivKind int

// The kinds of derivatives.
const (
	NoDeriv     derivKind = iota
	PathDeriv             // along the path's parameter
	ColumnDeriv           // along a feature column
	MapDeriv              // along a transformation at the identity
)

// A Derivative says along what f is derived. The amount of a transformation does not enter: it is
// the derivative at the identity. Along a column it is per standard deviation, so that columns
// compare; Raw makes it per unit of the file.
type Derivative struct {
	Kind   derivKind
	Column *Value    // a column by name
	Over   *Variable // in its place: the column that a variable is bound to
	Raw    bool      // a column's, in the unit of the file
	Along  *Mapping
	Text   string // λ, (area), t
}

// String returns the leaf as a user would write it.
func (l *Leaf) String() string { return l.Text(func(v *Variable) string { return v.Name }) }

// PointText writes the leaf's point as a spec may, with names for its variables: t(x(1)) for a point on a path
// that a transformation moves.
func (l *Leaf) PointText(name func(*Variable) string) string {
	point := name(l.Point)
	if l.Node != nil && l.Deriv.Kind != PathDeriv {
		point += "(" + Greek(l.Node.Vars[0].Name) + ")"
	}
	point += l.Place.Text()
	for _, m := range l.Maps {
		switch {
		case m.Alone && name(l.Point) == l.Point.Name: // and no element of a counterexample
			point = m.Text
		case m.Bound != nil:
			point = name(m.Bound) + "(" + point + ")"
		default:
			point = cmp.Or(m.Name, m.Text) + "(" + point + ")"
		}
	}
	return point
}

// Text writes the leaf, with names for its variables. It shows the own label of x as y, and that of
// another point a as y(a).
func (l *Leaf) Text(name func(*Variable) string) string {
	args := []string{l.PointText(name)}
	switch {
	case l.Own && l.Point.Name == "x":
		args = append(args, "y")
	case l.Own:
		args = append(args, "y("+name(l.Point)+")")
	case l.Label == nil:
	case l.Label.Bound != nil:
		args = append(args, name(l.Label.Bound))
	default:
		args = append(args, LabelText(l.Label.Name.Text))
	}
	s := "f(" + strings.Join(args, ", ") + ")"
	for _, d := range []*Derivative{&l.Deriv, &l.Again} {
		if d.Kind != NoDeriv {
			s = "d/d" + d.text(name) + " " + s
		}
	}
	return s
}

// text writes what is derived along, with names for variables.
func (d *Derivative) text(name func(*Variable) string) string {
	if d.Over == nil {
		return d.Text
	}
	return d.Of(name(d.Over))
}

// Along returns the leaf with a column in place of the variable that is bound to it.
func (l *Leaf) Along(v *Variable, column *Value) *Leaf {
	out := *l
	for _, d := range []*Derivative{&out.Deriv, &out.Again} {
		if d.Over == v {
			d.Column, d.Over, d.Text = column, nil, d.Of(ColumnText(column.Text))
		}
	}
	return &out
}

// Of writes a derivative along a column, with its unit.
func (d *Derivative) Of(column string) string {
	if d.Raw {
		column += ", unit = raw"
	}
	return "(" + column + ")"
}

// Greek returns a name with its Greek letter, where it spells one out.
func Greek(name string) string {
	if name == "lambda" {
		return "λ"
	}
	return name
}

// DependsOn reports whether the node's value varies with one of the axes, through its functionals,
// its numbers or its conditions. What does not vary may be taken out of a quantifier.
func (n *Node) DependsOn(axes []*Axis) bool {
	return Find(n.All(), func(n *Node) bool {
		return n.Leaf != nil && n.Leaf.dependsOn(axes) || n.Quant != nil && n.Quant.Where.dependsOn(axes) ||
			n.By != nil && n.By.Uses(axes) || n.Datum != nil && slices.Contains(axes, n.Datum.Of.Axis)
	}) != nil
}

// dependsOn reports whether one of the axes decides at which point, moved how, with which label or
// along what a functional is.
func (l *Leaf) dependsOn(axes []*Axis) bool {
	on := func(a *Axis) bool { return slices.Contains(axes, a) }
	bound := func(m *Mapping) bool { return m.Bound != nil && on(m.Bound.Axis) }
	return on(l.Point.Axis) || l.Node != nil && on(l.Node) || l.Label != nil && l.Label.Bound != nil && on(l.Label.Bound.Axis) ||
		slices.ContainsFunc(l.Maps, bound) || l.Deriv.Along != nil && bound(l.Deriv.Along) ||
		l.Deriv.Over != nil && on(l.Deriv.Over.Axis) || l.Again.Over != nil && on(l.Again.Over.Axis)
}
