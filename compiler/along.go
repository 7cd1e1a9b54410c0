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
