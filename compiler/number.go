package compiler

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
)

// A datum is a number that the elements bound around it decide: a column of the data file at a point, the parameter of a path, or the weight of an edge.
type datum struct {
	column string // at a point
	of     *variable
}

// text writes the datum, with names for its variables.
func (d *datum) text(name func(*variable) string) string {
	if d.of.kind != pointVar {
		return name(d.of)
	}
	return d.column + "(" + name(d.of) + ")"
}

// number reports whether the expression holds no f.
func (n *node) number() bool { return n.op == opConst || n.data }

// calculated returns an operation on numbers, of which data decide some.
func calculated(o op, from origin, kids ...*node) *node {
	return &node{op: o, data: true, kids: kids, from: from}
}

// datums visits the data that a number is made of.
func (n *node) datums(visit func(*datum)) {
	if n.datum != nil {
		visit(n.datum)
	}
	for _, k := range n.kids {
		k.datums(visit)
	}
}

// ofColumns reports whether columns of the data or weights of edges decide a number, whose values the rows alone tell.
func (n *node) ofColumns() bool {
	found := false
	n.datums(func(d *datum) { found = found || d.of.kind != paramVar })
	return found
}

// alongPath reports whether a number varies along a path.
func (n *node) alongPath() bool {
	found := false
	n.datums(func(d *datum) { found = found || d.of.kind == paramVar })
	return found
}

// A bounds is an interval in which a number lies.
type bounds struct{ lo, hi float64 }

// sign returns what the bounds say of a number's sign.
func (b bounds) sign() Sign {
	switch {
	case b.lo == 0 && b.hi == 0:
		return Zero
	case b.lo >= 0:
		return Nonnegative
	case b.hi <= 0:
		return Nonpositive
	}
	return UnknownSign
}

// known returns what the spec alone says of a datum.
func (d *datum) known() bounds {
	switch a := d.of.axis; d.of.kind {
	case paramVar:
		return bounds{a.lo, a.hi}
	case weightVar:
		return bounds{0, math.Inf(1)}
	}
	return bounds{math.Inf(-1), math.Inf(1)}
}

// bounds returns bounds of a number, by those of its data.
func (n *node) bounds(of func(*datum) bounds) bounds {
	switch n.op {
	case opConst:
		return bounds{n.num, n.num}
	case opDatum:
		return of(n.datum)
	}
	parts := make([]bounds, len(n.kids))
	for i, k := range n.kids {
		parts[i] = k.bounds(of)
	}
	switch b := parts[0]; n.op {
	case opNeg:
		return bounds{-b.hi, -b.lo}
	case opMul:
		if n.kids[0].identity() == n.kids[1].identity() {
			m := b.magnitude()
			return bounds{m.lo * m.lo, m.hi * m.hi}
		}
		return b.times(parts[1])
	case opDiv:
		return b.times(parts[1].inverse())
	case opAbs:
		return b.magnitude()
	case opSqrt:
		return bounds{math.Sqrt(max(b.lo, 0)), math.Sqrt(max(b.hi, 0))}
	}
	return n.monotone(parts)
}

// monotone returns the bounds of an operation that grows with each of its parts, a norm with their magnitudes.
func (n *node) monotone(parts []bounds) bounds {
	lo, hi := make([]float64, len(parts)), make([]float64, len(parts))
	for i, b := range parts {
		if n.op == opNorm {
			b = b.magnitude()
		}
		lo[i], hi[i] = b.lo, b.hi
	}
	return bounds{n.combined(lo), n.combined(hi)}
}

// inverse returns the bounds of 1/c for a c that is not zero.
func (b bounds) inverse() bounds {
	switch {
	case b.lo >= 0:
		return bounds{1 / math.Abs(b.hi), 1 / math.Abs(b.lo)} // of −0 as of 0
	case b.hi <= 0:
		return bounds{-1 / math.Abs(b.hi), -1 / math.Abs(b.lo)}
	}
	return bounds{math.Inf(-1), math.Inf(1)}
}

func (b bounds) magnitude() bounds {
	switch {
	case b.lo >= 0:
		return b
	case b.hi <= 0:
		return bounds{-b.hi, -b.lo}
	}
	return bounds{0, max(-b.lo, b.hi)}
}

func (b bounds) times(c bounds) bounds {
	ends := []float64{timesEnd(b.lo, c.lo), timesEnd(b.lo, c.hi), timesEnd(b.hi, c.lo), timesEnd(b.hi, c.hi)}
	return bounds{slices.Min(ends), slices.Max(ends)}
}

// timesEnd is a product of ends, zero where one of them is.
func timesEnd(x, y float64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return x * y
}

// judgeNumber says of a number, and of what it is made of, what its sign is.
func judgeNumber(n *node) {
	for _, k := range n.kids {
		judgeNumber(k)
	}
	n.constant, n.rule, n.sign = true, aNumber, signOf(n.num)
	if n.data {
		n.rule, n.sign = "a number that the data decide", n.bounds((*datum).known).sign()
	}
}

// factor returns the sign of what a part is multiplied by.
func (n *node) factor() Sign {
	if n.by != nil {
		return n.by.sign
	}
	return signOf(n.num)
}

// mayBeAtLeastZero reports whether a number is not negative, or columns decide whether it is: where they make it so, grounding refuses it.
func (n *node) mayBeAtLeastZero() bool {
	b := n.bounds((*datum).known)
	return b.lo >= 0 || b.hi > 0 && n.ofColumns()
}

// conditions lists the numbers that data must not make negative for the expression to be what was proved of it.
func (n *node) conditions(out []string) []string {
	if n.by != nil && n.by.required && !n.by.atLeastZero() {
		if s := factorText(n.by) + " ≥ 0"; !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, k := range n.kids {
		out = k.conditions(out)
	}
	return out
}

// factorText writes a number as a factor of a product: with brackets where it is a sum.
func factorText(n *node) string {
	return numberText(n, func(v *variable) string { return greek(v.name) })
}

// numberText writes a number, with names for its variables.
func numberText(n *node, name func(*variable) string) string {
	part := func(i int) string {
		s := numberText(n.kids[i], name)
		if o := n.kids[i].op; o == opAdd || o == opNeg || o == opMul || o == opDiv {
			return "(" + s + ")"
		}
		return s
	}
	switch n.op {
	case opConst:
		return number(n.num)
	case opDatum:
		return n.datum.text(name)
	case opAdd:
		return sumText(n, name)
	case opNeg:
		return "−" + part(0)
	case opMul:
		return part(0) + "·" + part(1)
	case opDiv:
		return part(0) + "/" + part(1)
	case opAbs:
		return "|" + numberText(n.kids[0], name) + "|"
	case opPos:
		return "pos(" + numberText(n.kids[0], name) + ")"
	case opSqrt:
		return "√" + part(0)
	}
	parts := make([]string, len(n.kids))
	for i := range n.kids {
		parts[i] = numberText(n.kids[i], name)
	}
	return n.word + " {" + strings.Join(parts, ", ") + "}"
}

// sumText writes a sum of two numbers, or their difference.
func sumText(n *node, name func(*variable) string) string {
	first := numberText(n.kids[0], name)
	switch k := n.kids[1]; {
	case k.op == opConst && k.num < 0:
		return first + " − " + number(-k.num)
	case k.op == opNeg:
		return first + " − " + bracketed(k.kids[0], numberText(k.kids[0], name))
	default:
		return first + " + " + numberText(k, name)
	}
}

func bracketed(n *node, s string) string {
	if n.op == opAdd {
		return "(" + s + ")"
	}
	return s
}

// identity names a number: two of one name are equal for all data.
func (n *node) identity() string {
	switch n.op {
	case opConst:
		return fmt.Sprint(n.num)
	case opDatum:
		return strconv.QuoteToASCII(n.datum.column) + "@" + n.datum.of.identity() // without the signs that join identities
	}
	parts := make([]string, len(n.kids))
	for i, k := range n.kids {
		parts[i] = k.identity()
	}
	return fmt.Sprintf("%d.%v.%d.%v(%s)", n.op, n.p, n.k, n.mean, strings.Join(parts, ","))
}

// A polynomial holds coefficients of products of data, by the identities of these in order; the empty product is the number itself.
type polynomial map[string]float64

// polynomial returns a number as one in what data decide; nil where it has too many terms.
func (n *node) polynomial() polynomial {
	var kids []polynomial
	switch n.op {
	case opConst:
		return polynomial{"": n.num}
	case opAdd, opNeg, opMul, opSum, opMean:
		for _, k := range n.kids {
			p := k.polynomial()
			if p == nil {
				return nil
			}
			kids = append(kids, p)
		}
	case opDiv:
		if by := n.kids[1]; by.op == opConst && by.num != 0 {
			return n.kids[0].polynomial().times(polynomial{"": 1 / by.num})
		}
	}
	switch n.op {
	case opNeg:
		return kids[0].times(polynomial{"": -1})
	case opMul:
		return kids[0].times(kids[1])
	case opAdd, opSum, opMean:
		total := polynomial{}
		for _, p := range kids {
			for product, c := range p {
				if n.op == opMean {
					c /= float64(len(kids))
				}
				total[product] += c
			}
		}
		return total
	}
	return polynomial{n.identity(): 1}
}

func (a polynomial) times(b polynomial) polynomial {
	if a == nil || b == nil || len(a)*len(b) > mostTerms {
		return nil
	}
	out := polynomial{}
	for x, c := range a {
		for y, d := range b {
			factors := slices.DeleteFunc(append(strings.Split(x, "·"), strings.Split(y, "·")...), func(s string) bool { return s == "" })
			slices.Sort(factors)
			out[strings.Join(factors, "·")] += c * d
		}
	}
	return out
}

// uses reports whether a number varies with one of the axes.
func (n *node) uses(axes []*axis) bool {
	found := false
	n.datums(func(d *datum) { found = found || slices.Contains(axes, d.of.axis) })
	return found
}

// quotedColumn returns a text that names a column, as a factor "living area" does.
func quotedColumn(e dsl.Expr) (*dsl.String, bool) {
	for {
		paren, ok := e.(*dsl.Paren)
		if !ok {
			break
		}
		e = paren.X
	}
	s, ok := e.(*dsl.String)
	return s, ok
}

// stands returns a number that stands for one that data decide: nothing but an equal one has it, so nothing else cancels it.
func (n *node) stands() float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(n.identity())) // never fails
	return 1 + float64(h.Sum64()>>11)/(1<<53)
}
