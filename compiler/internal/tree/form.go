package tree

import (
	"math"
	"slices"
	"strconv"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A Station is where on its path a point is, whatever the path's parameter is: x(1) is the end of
// the path of x. Nil means that the parameter says where.
type Station struct{ At float64 }

// Text writes the station after the point's name, in full: it also identifies functionals.
func (at *Station) Text() string {
	if at == nil {
		return ""
	}
	return "(" + strconv.FormatFloat(at.At, 'g', -1, 64) + ")"
}

// degree returns the degree in a path's parameter of what multiplies the functionals of a linear
// expression. The runtime needs it to bound a curve between its nodes: w(λ) f(x(λ)) is as smooth as
// f times a polynomial. Ok is false where a factor is not a polynomial.
func (n *Node) degree(path *Axis) (degree int, ok bool) {
	if n.By != nil {
		if degree, ok = n.By.degreeIn(path); !ok {
			return 0, false
		}
	}
	most := 0
	for _, k := range n.Kids {
		d, ok := k.degree(path)
		if !ok {
			return 0, false
		}
		most = max(most, d)
	}
	return degree + most, true
}

// degreeIn returns the degree of a number as a polynomial in a path's parameter.
func (n *Node) degreeIn(path *Axis) (degree int, ok bool) {
	if !n.Uses([]*Axis{path}) {
		return 0, true
	}
	if n.Op == OpDatum {
		return 1, true
	}
	for i, k := range n.Kids {
		d, ok := k.degreeIn(path)
		switch {
		case !ok:
			return 0, false
		case n.Op == OpMul:
			degree += d
		default:
			degree = max(degree, d)
		}
		if n.Op == OpDiv && i == 1 && d > 0 {
			return 0, false
		}
	}
	return degree, slices.Contains([]Op{OpAdd, OpNeg, OpMul, OpDiv, OpSum, OpMean}, n.Op)
}

// Degree returns the largest degree of a polynomial in a path's parameter by which a functional of
// the form is multiplied. Ok is false where one is not a polynomial.
func (f *Form) Degree(path *Axis) (degree int, ok bool) {
	if f.Linear != nil {
		return f.Linear.degree(path)
	}
	for _, k := range f.Kids {
		d, ok := k.Degree(path)
		if !ok {
			return 0, false
		}
		degree = max(degree, d)
	}
	return degree, true
}

// Paths returns the parameters of paths over which a quantifier ranges.
func (q *Quantifier) Paths() []*Axis {
	if q == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(q.Axes), func(a *Axis) bool { return a.Kind != PathAxis })
}

// Intervals returns the parameters over whose interval a maximum or an integral of the gauge is
// taken. Integrals of f itself are linear, and not among them.
func (f *Form) Intervals() []*Axis {
	var all []*Axis
	for k := range f.All() {
		all = append(all, k.Quant.Paths()...)
	}
	return all
}

// Integrates reports whether functionals of a form are integrals along a path.
func (f *Form) Integrates() bool {
	return Find(f.All(), func(f *Form) bool { return f.Linear != nil && f.Linear.Integrates() }) != nil
}

// Integrates reports whether functionals of the expression are integrals along a path.
func (n *Node) Integrates() bool {
	return Find(n.All(), func(n *Node) bool { return len(n.Quant.Paths()) > 0 }) != nil
}

// Describable reports whether curves describe what stands under a quantifier over one path. They do
// for a maximum of leaves, max over λ of max_j |ℓ_j(λ)|, and for a norm of one leaf.
func (f *Form) Describable() bool {
	switch f.Op {
	case gauge.Max:
		return f.flat()
	case gauge.Sum, gauge.Norm:
		return len(f.Kids) == 1 && f.Kids[0].Linear != nil
	default:
		return false
	}
}

// Straight reports whether all functionals of a form run along straight paths, or stand still, as a
// path's parameter varies. On a straight path derivatives in λ are bounded by those of the kernel
// and the distance of its ends.
func (f *Form) Straight(path *Axis) bool {
	bent := func(n *Node) bool {
		l := n.Leaf
		return l.Node == path && (!path.Path.Dom.Straight || len(l.Maps) > 0 || l.Deriv.Kind == MapDeriv)
	}
	return Find(f.All(), func(f *Form) bool { return f.Linear != nil && Find(f.Linear.Leaves(), bent) != nil }) == nil
}

// flat reports whether what stands under a quantifier is a maximum of leaves, over no further path.
func (f *Form) flat() bool {
	for _, k := range f.Kids {
		if k.Linear == nil && (k.Op != gauge.Max || len(k.Quant.Paths()) > 0 || !k.flat()) {
			return false
		}
	}
	return true
}

// A Form is a gauge ρ before its index sets are known. Its leaves |t| and [t]₊ hold linear
// expressions, and its other nodes are norms that grow with their parts. A part over an index set
// is one Form, which grounding copies for each element.
type Form struct {
	Op      gauge.Op
	Linear  *Node // of Abs and Pos
	Kids    []*Form
	Weights []float64 // one for each kid; of a form over an index set one for all
	P       float64
	K       int
	Mean    bool        // the weights are divided by the size of the index set
	Quant   *Quantifier // nil: a literal combination of kids
	From    Origin      // of the expression that it stands for
	Outer   []*Node     // of Abs and Pos: the multiples around it that Linear took, the outermost first
}

// Times returns the gauge times the number of a multiple, which is not negative. A leaf's linear
// expression takes it, an inner node's weights or parts: ρ(ct) = cρ(t), so that all are the same.
func (f *Form) Times(multiple *Node) *Form {
	out := *f
	switch {
	case f.Linear != nil:
		return f.within(multiple, multiple.Multiple(f.Linear))
	case multiple.By != nil:
		out.Kids = Each(f.Kids, func(k *Form) *Form { return k.Times(multiple) })
		return &out
	}
	out.Weights = slices.Repeat([]float64{multiple.Num}, len(f.Kids))
	for i, w := range f.Weights {
		out.Weights[i] *= w
	}
	return &out
}

// within returns a leaf inside a multiple that its linear expression took.
func (f *Form) within(multiple, linear *Node) *Form {
	out := *f
	if linear != f.Linear {
		out.Linear, out.Outer = linear, append([]*Node{multiple}, f.Outer...)
	}
	return &out
}

// Multiple returns a linear expression times the number by which the node multiplies its part.
func (n *Node) Multiple(of *Node) *Node {
	if of.Op == OpConst && of.Num == 0 {
		return of
	}
	return &Node{Op: OpScale, Num: n.Num, By: n.By, Kids: []*Node{of}, From: of.From, Judged: Judged{Kind: Linear}}
}

// Measured returns the weight in the form of an element whose measure is mu: mu itself in a sum,
// its p-th root in a p-norm,
//
//	‖(μ_k^(1/p) g_k)‖ₚ = (Σ μ_k |g_k|ᵖ)^(1/p) → (∫ |g|ᵖ)^(1/p).
//
// So a norm over a finer grid of a path tends to the integral.
func Measured(f *Form, mu float64) float64 {
	if f.Op == gauge.Norm {
		return math.Pow(mu, 1/f.P)
	}
	return mu
}

// Scale returns c times a linear expression.
func Scale(c float64, n *Node) *Node { return (&Node{Num: c}).Multiple(n) }

// Quadratic reports whether the square of the gauge is a quadratic function: sums of squares of
// |linear| alone. Method warp has a closed form for these, and for no other.
func (f *Form) Quadratic() bool {
	return f.madeOf(func(leaf *Form) bool { return leaf.Op == gauge.Abs }, func(f *Form) bool { return f.Op == gauge.Norm && f.P == 2 })
}

// Smooth reports whether the square of the gauge is differentiable everywhere. |t|² and [t]₊² are,
// and a p-norm with 1 < p < ∞ keeps it. A maximum or sum of several parts has kinks.
func (f *Form) Smooth() bool {
	return f.madeOf(func(*Form) bool { return true }, func(f *Form) bool { return f.Op == gauge.Norm })
}

// madeOf reports whether a form is made of certain leaves by certain operations. A combination of
// one part is that part, whatever its operation.
func (f *Form) madeOf(leaf, operation func(*Form) bool) bool {
	return Find(f.All(), func(f *Form) bool {
		if f.Linear != nil {
			return !leaf(f)
		}
		return !operation(f) && (len(f.Kids) != 1 || f.Quant != nil)
	}) == nil
}

// Axes returns the index sets that a form ranges over, outer ones first.
func (f *Form) Axes() []*Axis {
	var out []*Axis
	add := func(q *Quantifier) {
		if q != nil {
			out = append(out, q.Axes...)
		}
	}
	for k := range f.All() {
		add(k.Quant)
		if k.Linear == nil {
			continue
		}
		for n := range k.Linear.All() {
			add(n.Quant)
		}
	}
	return out
}

// Orbits returns the orbits that a form ranges over, outer ones first.
func (f *Form) Orbits() []*Orbit {
	var out []*Orbit
	for _, a := range f.Axes() {
		if a.Orbit != nil && !slices.Contains(out, a.Orbit) {
			out = append(out, a.Orbit)
		}
	}
	return out
}

// Worst returns the orbits over which a form takes maxima.
func (f *Form) Worst() []*Orbit {
	return slices.DeleteFunc(f.Orbits(), func(o *Orbit) bool { return !o.Worst })
}

// MeansOfSquares reports whether the square of a form is linear in its means over orbits. What stands around these is then
// made of roots of sums or means of squares.
func (f *Form) MeansOfSquares() bool {
	if f.Linear == nil && f.Op == gauge.Norm && f.P == 2 {
		return !slices.ContainsFunc(f.Kids, func(k *Form) bool { return !k.MeansOfSquares() })
	}
	return len(f.Orbits()) == 0
}

// A GridSet is a set of grids by index. The nil set takes none in, so that a pass which asks for
// nothing pays nothing.
type GridSet map[int]bool

// Add takes in the grids of another set.
func (s GridSet) Add(other GridSet) {
	for i := range other {
		if s != nil {
			s[i] = true
		}
	}
}

// Within reports whether another set holds all of this one's grids.
func (s GridSet) Within(other GridSet) bool {
	for i := range s {
		if !other[i] {
			return false
		}
	}
	return true
}

// Counts reports whether a term is a part of R.
func (t *Term) Counts() bool { return t.Weight > 0 && t.Inv.Form != nil }

// Searched reports whether a term is a part of R that takes a maximum over an orbit.
func (t *Term) Searched() bool { return t.Counts() && t.Inv.Searched() }

// Searched reports whether an invariance takes a maximum over an orbit, whose worst moves are to be searched.
func (inv *Invariance) Searched() bool { return inv.Form != nil && len(inv.Form.Worst()) > 0 }

// An Invariance is a declared one, compiled. Tried is its tree, whatever was proved of it; Root and
// Form are there if it may stand in R.
type Invariance struct {
	Name  string
	Decl  *dsl.Invariance
	Tried *Node // the body, whether or not it was proved convex
	Root  *Node // the body, proved convex; nil where it is not
	Form  *Form
	Grids GridSet // that it is made of
}

// Text returns the invariance as the spec writes it.
func (inv *Invariance) Text() string { return Text(inv.Decl.Body) }

// A Term is a weighted invariance in regularize: w·R_k of R² = Σ (w_k R_k)².
type Term struct {
	Weight float64
	Auto   bool // the weight has the factor auto
	Inv    *Invariance
	Place  diag.Span
}

// A Requirement is `require NAME = RELATION over REGION`, compiled: comparisons that are to hold for each element of the region. Region is
// an index set in which one axis may be a box.
type Requirement struct {
	Name   string
	Decl   *dsl.Require
	Region *Quantifier
	Parts  []*Comparison
}

// Text returns what is required and where, as the spec has it.
func (r *Requirement) Text() string { return dsl.RelationString(r.Decl.Holds) }

// A Comparison is smaller ≤ larger, or smaller = larger. Excess is smaller − larger, proved convex in f, with constants.
// Pieces writes it as a maximum of affine parts; nil means that it was not proved.
type Comparison struct {
	Text    string
	Smaller *Node
	Larger  *Node
	Equal   bool
	From    Origin
	Excess  *Node
	Pieces  *Node
}

// Proved reports whether all comparisons of a requirement were.
func (r *Requirement) Proved() bool {
	return !slices.ContainsFunc(r.Parts, func(c *Comparison) bool { return c.Pieces == nil })
}

// A Box is what a point of a region runs through: named columns through sides, the others through what Others says.
type Box struct {
	Sides  []*BoxSide
	Types  []*BoxSide // of columns whose type is declared, and that no side names
	Others Others
	File   string // of OthersOfFile
}

// Others says what the columns run through that no side names.
type Others int

// The others.
const (
	OthersBox    Others = iota // their types, or the ranges of the training rows
	OthersOfRows               // each training row
	OthersOfFile               // each row of a file
)

// A BoxSide is what a column runs through, in units of the file: an interval, or cells.
type BoxSide struct {
	Column    *Value
	Low, High float64  // Low > High means that there is no interval
	Whole     bool     // of the interval, the integers alone
	Cells     []*Value // values of the column
}

// NewBoxSide returns a side without an interval and without cells.
func NewBoxSide(column *Value) *BoxSide {
	return &BoxSide{Column: column, Low: math.Inf(1), High: math.Inf(-1)}
}

// Box returns the axis of a quantifier that is a box. Nil means that none is.
func (q *Quantifier) Box() *Axis {
	if i := slices.IndexFunc(q.Axes, func(a *Axis) bool { return a.Kind == BoxAxis }); i >= 0 {
		return q.Axes[i]
	}
	return nil
}
