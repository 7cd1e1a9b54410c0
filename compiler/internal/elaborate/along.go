package elaborate

import (
	"fmt"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// onPath compiles x(1) and x(μ) for a point x that runs along a path. Ok is false where the call is
// of no such point. A path is a curve x : [0, 1] → rows' space with x(0) and x(1) at its ends. A
// number beyond them is codes.OutOfRange. The parameter of another path is codes.WrongType, since
// places on two paths have nothing to do with each other.
func onPath(p *names.Pass, call *dsl.Call, sc *names.Scope) (at *movedPoint, ok bool) {
	point := variableOf(tree.PointVar, call.Fun, sc)
	if point == nil || !point.Axis.HasPath {
		return nil, false
	}
	arg := values.Sole(call)
	if arg == nil {
		p.Report(&diag.Diagnostic{
			Code: codes.TooManyArguments, Subject: call.Span(), Summary: names.Shown(call.Fun) + " is at one place of its path",
			Mend: fmt.Sprintf("Write %[1]s(1), %[1]s(0) or %[1]s(λ).", names.Shown(call.Fun)),
		})
		return nil, true
	}
	if v := variableOf(tree.ParamVar, arg, sc); v != nil {
		if v.Axis.Path != point.Axis {
			p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: arg.Span(), Summary: tree.Greek(v.Name) + " is the parameter of another path than that of " + point.Name})
			return nil, true
		}
		return &movedPoint{point: point, along: v.Axis}, true
	}
	q, known := values.Plain(p, arg, sc)
	switch {
	case !known:
		return nil, true
	case !(q.Value >= 0 && q.Value <= 1):
		p.Report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: arg.Span(), Summary: q.String() + " is no place on a path", Detail: "A path runs from 0 to 1.", Mend: "Write a number from 0 to 1."})
		return nil, true
	}
	return &movedPoint{point: point, place: &tree.Station{At: q.Value}}, true
}

// parameter returns the axis of the parameter that says where on its path the point is. Nil means
// that the point is on no path, or at a place that a number gives. Where the expression names no
// parameter, the nearest one of this path counts.
func (at *movedPoint) parameter(sc *names.Scope) *tree.Axis {
	if at.along != nil || !at.point.Axis.HasPath || at.place != nil {
		return at.along
	}
	return sc.Parameter(at.point.Axis).Axis
}

// variableOf returns the variable of a kind that an expression names, also through the arguments of
// definitions. Nil means that it names none. A definition's parameter is looked through: in def
// g(a) = f(a), the call g(x) makes a the variable x. Nothing is reported, as the callers go on to
// read the name in another way.
func variableOf(kind tree.VarKind, e dsl.Expr, sc *names.Scope) *tree.Variable {
	if _, v := sc.Resolve(e, nil); v != nil && v.Kind == kind {
		return v
	}
	return nil
}
