package compiler

import (
	"slices"
	"strconv"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A station is where on its path a point is, whatever the path's parameter is: x(1) is the end of the path of x.
type station struct{ at float64 }

// onPath compiles x(1) and x(μ) for a point x that runs along a path. Ok is false where the call is of no such point.
func (p *pass) onPath(call *dsl.Call, sc *scope) (at *movedPoint, ok bool) {
	point := boundPoint(call.Fun, sc)
	if point == nil || !point.axis.hasPath {
		return nil, false
	}
	if len(call.Args) != 1 || call.Args[0].Name != nil {
		p.report(&diag.Diagnostic{Code: TooManyArguments, Subject: call.Span(), Summary: shown(call.Fun) + " is at one place of its path", Mend: "Write " + shown(call.Fun) + "(1), " + shown(call.Fun) + "(0) or " + shown(call.Fun) + "(λ)."})
		return nil, true
	}
	arg := call.Args[0].Value
	if v := boundParameter(arg, sc); v != nil {
		if v.axis.path != point.axis {
			p.report(&diag.Diagnostic{Code: WrongType, Subject: arg.Span(), Summary: greek(v.name) + " is the parameter of another path than that of " + point.name})
			return nil, true
		}
		return &movedPoint{point: point, along: v.axis}, true
	}
	q, known := p.quantity(arg, sc)
	switch {
	case !known:
		return nil, true
	case q.unit != plain:
		p.report(&diag.Diagnostic{Code: WrongUnit, Subject: arg.Span(), Summary: "a plain number is wanted here"})
		return nil, true
	case !(q.value >= 0 && q.value <= 1):
		p.report(&diag.Diagnostic{Code: OutOfRange, Subject: arg.Span(), Summary: q.String() + " is no place on a path", Detail: "A path runs from 0 to 1.", Mend: "Write a number from 0 to 1."})
		return nil, true
	}
	return &movedPoint{point: point, place: &station{q.value}}, true
}

// parameter is the axis of the parameter that says where on its path the point is, nil where none does.
func (at *movedPoint) parameter(sc *scope) *axis {
	if at.along != nil || !at.point.axis.hasPath || at.place != nil {
		return at.along
	}
	return sc.parameter(at.point.axis).axis
}

// boundParameter is the parameter of a path that a name is bound to, nil where it is none.
func boundParameter(e dsl.Expr, sc *scope) *variable {
	switch e := e.(type) {
	case *dsl.Paren:
		return boundParameter(e.X, sc)
	case *dsl.Ident:
		switch b := sc.lookup(e.Name); {
		case b == nil:
		case b.argument != nil:
			return boundParameter(b.argument.expr, b.argument.scope)
		case b.variable.kind == paramVar:
			return b.variable
		}
	}
	return nil
}

// text writes the station after the point's name, in full: it also identifies functionals.
func (at *station) text() string {
	if at == nil {
		return ""
	}
	return "_" + strconv.FormatFloat(at.at, 'g', -1, 64)
}

// slope is the derivative of a number along a path; nil where it has none, which has been reported then.
func (p *pass) slope(n *node, path *axis, e *dsl.Deriv) *node {
	zero := &node{op: opConst, from: n.from}
	if !n.uses([]*axis{path}) {
		return zero
	}
	if n.op == opDatum {
		return &node{op: opConst, num: 1, from: n.from}
	}
	kids := make([]*node, len(n.kids))
	for i, k := range n.kids {
		if kids[i] = p.slope(k, path, e); kids[i] == nil {
			return nil
		}
	}
	switch n.op {
	case opMul:
		return plusNumber(timesNumber(kids[0], n.kids[1]), timesNumber(n.kids[0], kids[1]))
	case opDiv: // u/v has the derivative u′/v − (u/v)·v′/v
		v := n.kids[1]
		return plusNumber(overNumber(kids[0], v), timesNumber(&node{op: opConst, num: -1, from: n.from}, overNumber(timesNumber(n, kids[1]), v)))
	case opAdd, opNeg, opSum, opMean:
		out := *n
		out.kids = kids
		return &out
	}
	p.report(&diag.Diagnostic{
		Code: NoDerivative, Subject: e.Span(), Summary: text(n.from.syntax) + " has no derivative everywhere", Detail: "It is a factor of what is derived.",
		Mend: "Multiply by sums, products and quotients of the parameter alone.",
	})
	return nil
}

func plusNumber(x, y *node) *node {
	switch {
	case x.op == opConst && x.num == 0:
		return y
	case y.op == opConst && y.num == 0:
		return x
	}
	return numberOf(opAdd, x, y)
}

func timesNumber(x, y *node) *node {
	switch {
	case x.op == opConst && x.num == 0, y.op == opConst && y.num == 1:
		return x
	case y.op == opConst && y.num == 0, x.op == opConst && x.num == 1:
		return y
	}
	return numberOf(opMul, x, y)
}

func overNumber(x, y *node) *node {
	if x.op == opConst && x.num == 0 {
		return x
	}
	return numberOf(opDiv, x, y)
}

// numberOf is an operation on two numbers, worked out where both are constants.
func numberOf(o op, x, y *node) *node {
	n := calculated(o, x.from, x, y)
	if x.op == opConst && y.op == opConst {
		return &node{op: opConst, num: n.combined([]float64{x.num, y.num}), from: x.from}
	}
	return n
}

// derivedProduct is the derivative of a part times a number that data decide, of which of is the part's derivative.
func (p *pass) derivedProduct(n, of *node, e *dsl.Deriv, path *axis, found *bool) *node {
	out := *n
	out.kids = []*node{of}
	if path == nil || !n.by.uses([]*axis{path}) {
		return &out
	}
	by := p.slope(n.by, path, e)
	if by == nil {
		return nil
	}
	*found = true
	steeper := product(by, n.kids[0], n.from)
	return &node{op: opAdd, kids: []*node{steeper, &out}, from: n.from}
}

// degree is that of the polynomial in a path's parameter by which the functionals of a linear expression are multiplied. Ok is false where that is
// no polynomial.
func (n *node) degree(path *axis) (degree int, ok bool) {
	if n.by != nil {
		if degree, ok = n.by.degreeIn(path); !ok {
			return 0, false
		}
	}
	most := 0
	for _, k := range n.kids {
		d, ok := k.degree(path)
		if !ok {
			return 0, false
		}
		most = max(most, d)
	}
	return degree + most, true
}

// degreeIn is the degree of a number as a polynomial in a path's parameter.
func (n *node) degreeIn(path *axis) (degree int, ok bool) {
	if !n.uses([]*axis{path}) {
		return 0, true
	}
	if n.op == opDatum {
		return 1, true
	}
	for i, k := range n.kids {
		d, ok := k.degreeIn(path)
		switch {
		case !ok:
			return 0, false
		case n.op == opMul:
			degree += d
		default:
			degree = max(degree, d)
		}
		if n.op == opDiv && i == 1 && d > 0 {
			return 0, false
		}
	}
	return degree, slices.Contains([]op{opAdd, opNeg, opMul, opDiv, opSum, opMean}, n.op)
}

// degree is the largest among the functionals of a form.
func (f *form) degree(path *axis) (degree int, ok bool) {
	if f.linear != nil {
		return f.linear.degree(path)
	}
	for _, k := range f.kids {
		d, ok := k.degree(path)
		if !ok {
			return 0, false
		}
		degree = max(degree, d)
	}
	return degree, true
}
