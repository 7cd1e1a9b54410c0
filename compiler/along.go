package compiler

import (
	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// onPath compiles x(1) and x(μ) for a point x that runs along a path. Ok is false where the call is of no such point.
func (p *pass) onPath(call *dsl.Call, sc *scope) (at *movedPoint, ok bool) {
	point := boundPoint(call.Fun, sc)
	if point == nil || !point.Axis.HasPath {
		return nil, false
	}
	if len(call.Args) != 1 || call.Args[0].Name != nil {
		p.report(&diag.Diagnostic{Code: codes.TooManyArguments, Subject: call.Span(), Summary: shown(call.Fun) + " is at one place of its path", Mend: "Write " + shown(call.Fun) + "(1), " + shown(call.Fun) + "(0) or " + shown(call.Fun) + "(λ)."})
		return nil, true
	}
	arg := call.Args[0].Value
	if v := boundParameter(arg, sc); v != nil {
		if v.Axis.Path != point.Axis {
			p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: arg.Span(), Summary: tree.Greek(v.Name) + " is the parameter of another path than that of " + point.Name})
			return nil, true
		}
		return &movedPoint{point: point, along: v.Axis}, true
	}
	q, known := p.quantity(arg, sc)
	switch {
	case !known:
		return nil, true
	case q.Unit != tree.NoUnit:
		p.report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: arg.Span(), Summary: "a plain number is wanted here"})
		return nil, true
	case !(q.Value >= 0 && q.Value <= 1):
		p.report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: arg.Span(), Summary: q.String() + " is no place on a path", Detail: "A path runs from 0 to 1.", Mend: "Write a number from 0 to 1."})
		return nil, true
	}
	return &movedPoint{point: point, place: &tree.Station{At: q.Value}}, true
}

// parameter is the axis of the parameter that says where on its path the point is, nil where none does.
func (at *movedPoint) parameter(sc *scope) *tree.Axis {
	if at.along != nil || !at.point.Axis.HasPath || at.place != nil {
		return at.along
	}
	return sc.parameter(at.point.Axis).Axis
}

// boundParameter is the parameter of a path that a name is bound to, nil where it is none.
func boundParameter(e dsl.Expr, sc *scope) *tree.Variable {
	switch e := e.(type) {
	case *dsl.Paren:
		return boundParameter(e.X, sc)
	case *dsl.Ident:
		switch b := sc.lookup(e.Name); {
		case b == nil:
		case b.argument != nil:
			return boundParameter(b.argument.expr, b.argument.scope)
		case b.variable.Kind == tree.ParamVar:
			return b.variable
		}
	}
	return nil
}

// slope is the derivative of a number along a path; nil where it has none, which has been reported then.
func (p *pass) slope(n *tree.Node, path *tree.Axis, e *dsl.Deriv) *tree.Node {
	zero := &tree.Node{Op: tree.OpConst, From: n.From}
	if !n.Uses([]*tree.Axis{path}) {
		return zero
	}
	if n.Op == tree.OpDatum {
		return &tree.Node{Op: tree.OpConst, Num: 1, From: n.From}
	}
	kids := make([]*tree.Node, len(n.Kids))
	for i, k := range n.Kids {
		if kids[i] = p.slope(k, path, e); kids[i] == nil {
			return nil
		}
	}
	switch n.Op {
	case tree.OpMul:
		return plusNumber(timesNumber(kids[0], n.Kids[1]), timesNumber(n.Kids[0], kids[1]))
	case tree.OpDiv: // u/v has the derivative u′/v − (u/v)·v′/v
		v := n.Kids[1]
		return plusNumber(overNumber(kids[0], v), timesNumber(&tree.Node{Op: tree.OpConst, Num: -1, From: n.From}, overNumber(timesNumber(n, kids[1]), v)))
	case tree.OpAdd, tree.OpNeg, tree.OpSum, tree.OpMean:
		out := *n
		out.Kids = kids
		return &out
	}
	p.report(&diag.Diagnostic{
		Code: codes.NoDerivative, Subject: e.Span(), Summary: tree.Text(n.From.Syntax) + " has no derivative everywhere", Detail: "It is a factor of what is derived.",
		Mend: "Multiply by sums, products and quotients of the parameter alone.",
	})
	return nil
}

func plusNumber(x, y *tree.Node) *tree.Node {
	switch {
	case x.Op == tree.OpConst && x.Num == 0:
		return y
	case y.Op == tree.OpConst && y.Num == 0:
		return x
	}
	return numberOf(tree.OpAdd, x, y)
}

func timesNumber(x, y *tree.Node) *tree.Node {
	switch {
	case x.Op == tree.OpConst && x.Num == 0, y.Op == tree.OpConst && y.Num == 1:
		return x
	case y.Op == tree.OpConst && y.Num == 0, x.Op == tree.OpConst && x.Num == 1:
		return y
	}
	return numberOf(tree.OpMul, x, y)
}

func overNumber(x, y *tree.Node) *tree.Node {
	if x.Op == tree.OpConst && x.Num == 0 {
		return x
	}
	return numberOf(tree.OpDiv, x, y)
}

// numberOf is an operation on two numbers, worked out where both are constants.
func numberOf(o tree.Op, x, y *tree.Node) *tree.Node {
	n := tree.Calculated(o, x.From, x, y)
	if x.Op == tree.OpConst && y.Op == tree.OpConst {
		return &tree.Node{Op: tree.OpConst, Num: n.Combined([]float64{x.Num, y.Num}), From: x.From}
	}
	return n
}

// derivedProduct is the derivative of a part times a number that data decide, of which of is the part's derivative.
func (p *pass) derivedProduct(n, of *tree.Node, e *dsl.Deriv, path *tree.Axis, found *bool) *tree.Node {
	out := *n
	out.Kids = []*tree.Node{of}
	if path == nil || !n.By.Uses([]*tree.Axis{path}) {
		return &out
	}
	by := p.slope(n.By, path, e)
	if by == nil {
		return nil
	}
	*found = true
	steeper := product(by, n.Kids[0], n.From)
	return &tree.Node{Op: tree.OpAdd, Kids: []*tree.Node{steeper, &out}, From: n.From}
}
