package tree

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/internal/limits"
)

// Operation completes an operation by its parts. It is a number where all of them are: worked out
// where all are known.
func Operation(n *Node, kids ...*Node) *Node {
	known := true
	n.Kids, n.Data = kids, true
	for _, k := range kids {
		known, n.Data = known && k.Op == OpConst, n.Data && k.Number()
	}
	if known {
		return &Node{Op: OpConst, Num: n.Combined(Each(kids, func(k *Node) float64 { return k.Num })), From: n.From}
	}
	return n
}

// Product returns the product of two parts: a multiple if one of them is a number. The number is
// always the factor, whichever side it was written on, so that c·e and e·c have one form.
func Product(x, y *Node, from Origin) *Node {
	switch {
	case x.Number() == y.Number():
		return Operation(&Node{Op: OpMul, From: from}, x, y)
	case y.Number():
		x, y = y, x
	}
	n := &Node{Op: OpScale, Num: x.Num, Kids: []*Node{y}, From: from}
	if x.Data {
		n.By = x
	}
	return n
}

// A Datum is a number that the elements bound around it decide. It is a column of the data file at
// a point, the parameter of a path, or the weight of an edge. As a factor it must not turn convex
// into concave, which its sign decides.
type Datum struct {
	Column string // at a point
	Of     *Variable
	Within *Bounds // of a column whose type is declared; nil elsewhere
}

// Text writes the datum, with names for its variables.
func (d *Datum) Text(name func(*Variable) string) string {
	if d.Of.Kind != PointVar {
		return name(d.Of)
	}
	return ColumnText(d.Column) + "(" + name(d.Of) + ")"
}

// Number reports whether the expression holds no f.
func (n *Node) Number() bool { return n.Op == OpConst || n.Data }

// ofColumns reports whether columns of the data or weights of edges decide a number. Only the rows
// know the values of these.
func (n *Node) ofColumns() bool {
	return Find(n.Datums(), func(d *Datum) bool { return d.Of.Kind != ParamVar }) != nil
}

// AlongPath reports whether a number varies along a path.
func (n *Node) AlongPath() bool {
	return Find(n.Datums(), func(d *Datum) bool { return d.Of.Kind == ParamVar }) != nil
}

// A Bounds is an interval in which a number lies, by interval arithmetic over what the spec alone
// tells. A place on a path is in [0, 1], a weight is not negative, and a column may be anything.
type Bounds struct{ Lo, Hi float64 }

// sign returns what the bounds say of a number's sign.
func (b Bounds) sign() Sign {
	switch {
	case b.Lo == 0 && b.Hi == 0:
		return Zero
	case b.Lo >= 0:
		return Nonnegative
	case b.Hi <= 0:
		return Nonpositive
	}
	return UnknownSign
}

// Known returns what the spec alone says of a datum.
func (d *Datum) Known() Bounds {
	switch a := d.Of.Axis; d.Of.Kind {
	case ParamVar:
		return Bounds{a.Lo, a.Hi}
	case WeightVar:
		return Bounds{0, math.Inf(1)}
	}
	if d.Within != nil {
		return *d.Within
	}
	return Bounds{math.Inf(-1), math.Inf(1)}
}

// Bounds returns bounds of a number by those of its data, by interval arithmetic. Each occurrence
// of a datum counts by itself, so that bounds may be wide: λ − λ is in [−1, 1]. Only a square is
// seen as one, as in λ·λ ≥ 0.
func (n *Node) Bounds(of func(*Datum) Bounds) Bounds {
	switch n.Op {
	case OpConst:
		return Bounds{n.Num, n.Num}
	case OpDatum:
		return of(n.Datum)
	}
	parts := Each(n.Kids, func(k *Node) Bounds { return k.Bounds(of) })
	switch b := parts[0]; n.Op {
	case OpNeg:
		return Bounds{-b.Hi, -b.Lo}
	case OpMul:
		if n.Kids[0].identity() == n.Kids[1].identity() {
			m := b.magnitude()
			return Bounds{m.Lo * m.Lo, m.Hi * m.Hi}
		}
		return b.times(parts[1])
	case OpDiv:
		return b.times(parts[1].Inverse())
	case OpAbs:
		return b.magnitude()
	case OpSqrt:
		return Bounds{math.Sqrt(max(b.Lo, 0)), math.Sqrt(max(b.Hi, 0))}
	}
	return n.monotone(parts)
}

// monotone returns the bounds of an operation that grows with each of its parts, a norm with their
// magnitudes. The bounds of the whole are then its values at the bounds of the parts.
func (n *Node) monotone(parts []Bounds) Bounds {
	lo, hi := make([]float64, len(parts)), make([]float64, len(parts))
	for i, b := range parts {
		if n.Op == OpNorm {
			b = b.magnitude()
		}
		lo[i], hi[i] = b.Lo, b.Hi
	}
	return Bounds{n.Combined(lo), n.Combined(hi)}
}

// Inverse returns the bounds of 1/c for a c that is not zero. If c may have either sign, nothing is
// known of it.
func (b Bounds) Inverse() Bounds {
	switch {
	case b.Lo >= 0:
		return Bounds{1 / math.Abs(b.Hi), 1 / math.Abs(b.Lo)} // of −0 as of 0
	case b.Hi <= 0:
		return Bounds{-1 / math.Abs(b.Hi), -1 / math.Abs(b.Lo)}
	}
	return Bounds{math.Inf(-1), math.Inf(1)}
}

// magnitude returns the bounds of |c|.
func (b Bounds) magnitude() Bounds {
	switch {
	case b.Lo >= 0:
		return b
	case b.Hi <= 0:
		return Bounds{-b.Hi, -b.Lo}
	}
	return Bounds{0, max(-b.Lo, b.Hi)}
}

// times returns the bounds of a product: the least and the largest of the products of ends.
func (b Bounds) times(c Bounds) Bounds {
	ends := []float64{timesEnd(b.Lo, c.Lo), timesEnd(b.Lo, c.Hi), timesEnd(b.Hi, c.Lo), timesEnd(b.Hi, c.Hi)}
	return Bounds{slices.Min(ends), slices.Max(ends)}
}

// timesEnd returns a product of ends, zero where one of them is.
func timesEnd(x, y float64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return x * y
}

// JudgeNumber notes the sign of a number and of its parts, so that a proof shows why a factor may
// stand where it does.
func JudgeNumber(n *Node) {
	for k := range n.All() {
		k.Constant, k.Rule, k.Sign = true, ANumber, SignOf(k.Num)
		if k.Data {
			k.Rule, k.Sign = "a number that the data decide", k.Bounds((*Datum).Known).sign()
		}
	}
}

// Factor returns the sign of what a part is multiplied by. A negative factor flips a sign and makes
// convex concave.
func (n *Node) Factor() Sign {
	if n.By != nil {
		return n.By.Sign
	}
	return SignOf(n.Num)
}

// MayBeAtLeastZero reports whether a number is not negative, or columns decide whether it is. Where
// they make it negative, grounding refuses it.
func (n *Node) MayBeAtLeastZero() bool {
	b := n.Bounds((*Datum).Known)
	return b.Lo >= 0 || b.Hi > 0 && n.ofColumns()
}

// Conditions lists the numbers that data must not make negative for the expression to be what was
// proved of it. Grounding looks at each of them.
func (n *Node) Conditions() []string {
	var out []string
	for k := range n.All() {
		if k.By == nil || !k.By.Required || k.By.AtLeastZero() {
			continue
		}
		if s := k.By.Formula() + " ≥ 0"; !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// identity names a number: two of one name are equal for all data. It names operations with all
// that they depend on, so that norm(2) and norm(3) differ.
func (n *Node) identity() string {
	switch n.Op {
	case OpConst:
		return fmt.Sprint(n.Num)
	case OpDatum:
		return strconv.QuoteToASCII(n.Datum.Column) + "@" + n.Datum.Of.identity() // without the signs that join identities
	}
	parts := Each(n.Kids, (*Node).identity)
	return fmt.Sprintf("%d.%v.%d.%v(%s)", n.Op, n.P, n.K, n.Mean, strings.Join(parts, ","))
}

// Factors splits a number into a known factor and the names of what else it is a product of. Equal
// names are equal numbers for all data, so that w·f − f·w cancels.
func Factors(n *Node) (c float64, names []string) {
	switch n.Op {
	case OpConst:
		return n.Num, nil
	case OpNeg:
		c, names = Factors(n.Kids[0])
		return -c, names
	case OpMul:
		c, names = Factors(n.Kids[0])
		d, more := Factors(n.Kids[1])
		return c * d, append(names, more...)
	}
	return 1, []string{n.identity()}
}

// Uses reports whether a number varies with one of the axes.
func (n *Node) Uses(axes []*Axis) bool {
	return Find(n.Datums(), func(d *Datum) bool { return slices.Contains(axes, d.Of.Axis) }) != nil
}

// QuotedColumn returns a text that names a column, as a factor "living area" does.
func QuotedColumn(e dsl.Expr) (*dsl.String, bool) {
	s, ok := dsl.Bare(e).(*dsl.String)
	return s, ok
}

// Stands returns a number that stands for one that data decide. It is drawn from the number's
// identity, by a hash into [1, 2). So equal numbers get equal values, and unequal ones cancel only
// by an accident of the hash.
func (n *Node) Stands() float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(n.identity())) // never fails
	return 1 + float64(h.Sum64()>>11)/(1<<53)
}

// Combined returns the value of the node's operation on those of its parts. Counterexamples,
// numbers of the data and folded constants all use it, so that they cannot disagree. It may reorder
// v.
func (n *Node) Combined(v []float64) float64 {
	switch n.Op {
	case OpAdd, OpSum:
		return Sum(v)
	case OpNeg:
		return -v[0]
	case OpScale:
		return n.Num * v[0]
	case OpMul:
		return v[0] * v[1]
	case OpDiv:
		return v[0] / v[1]
	case OpAbs:
		return math.Abs(v[0])
	case OpPos:
		return max(v[0], 0)
	case OpMax:
		return slices.Max(v)
	case OpMin:
		return slices.Min(v)
	case OpMean:
		return Sum(v) / float64(len(v))
	case OpSqrt:
		return math.Sqrt(v[0])
	case OpNorm:
		return PNorm(v, n.P, n.Mean)
	}
	if slices.ContainsFunc(v, math.IsNaN) { // of gaps, which would be sorted to the smallest
		return math.NaN()
	}
	slices.Sort(v)
	return Sum(v[max(0, len(v)-n.K):])
}

// Sum returns the sum of some numbers.
func Sum(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x
	}
	return s
}

// PNorm returns the p-norm of v, or with mean the root of the mean of the powers. It scales by the
// largest value, whose power may be out of range: ‖v‖ₚ = m ‖v/m‖ₚ with m = max |vᵢ|.
func PNorm(v []float64, p float64, mean bool) float64 {
	var top float64
	for _, x := range v {
		top = max(top, math.Abs(x))
	}
	if top == 0 || math.IsInf(top, 0) || math.IsNaN(top) {
		return top
	}
	var s float64
	for _, x := range v {
		s += math.Pow(math.Abs(x)/top, p)
	}
	if mean {
		s /= float64(len(v))
	}
	return top * math.Pow(s, 1/p)
}

// ANumber is the rule by which constants are judged.
const ANumber = "a number"

// MostTerms bounds the terms of a linear expression that are compared with each other.
const MostTerms = 64

// Identity names a functional: its point, where on a path, moved by what, its label and its
// derivative. Two functionals of one name have equal values at every f.
func (l *Leaf) Identity() string {
	var b strings.Builder
	b.WriteString(l.Point.identity())
	if l.Node != nil {
		fmt.Fprintf(&b, "@%d", l.Node.ID)
	}
	b.WriteString(l.Place.Text())
	for _, m := range l.Maps {
		b.WriteString(" " + m.Identity())
	}
	switch {
	case l.Label == nil:
	case l.Label.Bound != nil:
		b.WriteString(" of " + l.Label.Bound.identity())
	default:
		fmt.Fprintf(&b, " of %q", l.Label.Name.Text)
	}
	derived := []string{l.Deriv.identity(), l.Again.identity()}
	slices.Sort(derived) // in any order
	return b.String() + " differentiated " + strings.Join(derived, " and ")
}

// identity names what is derived along.
func (d *Derivative) identity() string {
	s := strconv.Itoa(int(d.Kind))
	if d.Column != nil {
		s += fmt.Sprintf(" %q %v", d.Column.Text, d.Raw)
	}
	if d.Over != nil {
		s += fmt.Sprintf(" %s %v", d.Over.identity(), d.Raw)
	}
	if d.Along != nil {
		s += " " + d.Along.Identity()
	}
	return s
}

// identity names a variable by its index set and its place in an element of that.
func (v *Variable) identity() string { return fmt.Sprintf("%d.%d", v.Axis.ID, v.Slot) }

// Identity names a transformation: two of one name move points alike.
func (m *Mapping) Identity() string {
	if m.Bound != nil {
		return m.Bound.identity()
	}
	if m.Drawn != nil {
		return fmt.Sprintf("%s#%d", m.Drawn.Orbit.Key(), m.Drawn.Number)
	}
	return m.Schema.Name + ArgsKey(m.Args)
}

// The bounds of what multiplies a part: R holds its square.
const (
	LeastFactor = 1e-150
	MostFactor  = limits.LargestNumber // which a block of functionals may hold
)

// BoundedFactor says what is wrong with a factor whose square overflows or vanishes in float64. It
// is empty where nothing is. The bounds leave room for sums of many squares.
func BoundedFactor(c float64) string {
	if c = math.Abs(c); c >= LeastFactor && c <= MostFactor {
		return ""
	}
	return fmt.Sprintf("R holds the square of what is multiplied, and products of that of %.3g leave the range of floating point.", c)
}
