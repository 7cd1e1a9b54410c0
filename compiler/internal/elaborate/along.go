package elaborate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
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
		p.Report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: arg.Span(), Summary: q.String() + " is not a place on a path", Detail: "A path runs from 0 to 1.", Mend: "Write a number from 0 to 1."})
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

// columnAxis compiles c in columns(income, age) and c in columns("x_*"). A text with *, ? or [ is a
// pattern, whose columns only the data tell. A column that is listed again is a slip.
func columnAxis(p *names.Pass, a *tree.Axis, b *dsl.Binder, call *dsl.Call, sc *names.Scope) *tree.Axis {
	const mend = `Write c in columns(income, age), or c in columns("x_*").`
	a.Kind, a.Word = tree.ColumnAxis, "column"
	if call == nil || len(call.Args) == 0 || len(b.Vars) != 1 {
		p.Report(&diag.Diagnostic{Code: codes.WrongBinder, Subject: b.Span(), Summary: "columns binds one variable to the columns that it lists", Mend: mend})
		return nil
	}
	ok := true
	for _, arg := range call.Args {
		if arg.Name != nil {
			p.Report(&diag.Diagnostic{Code: codes.UnknownArgument, Subject: arg.Name.Span(), Summary: "columns has no argument " + names.Shown(arg.Name), Mend: mend})
			return nil
		}
		v := listedColumn(p, arg.Value, sc)
		if v == nil {
			ok = false
			continue
		}
		if slices.ContainsFunc(a.Columns, func(known *tree.Value) bool { return known.Text == v.Text }) {
			p.Warn(calculus.Listed(arg.Span(), v.Text))
		}
		a.Columns = append(a.Columns, v)
	}
	if !ok {
		return nil
	}
	a.Vars = []*tree.Variable{{Name: b.Vars[0].Name, Kind: tree.ColumnVar, Axis: a}}
	return checkNames(p, a, b)
}

// listedColumn returns a column or a pattern of a set of columns. Nil means that it is faulty, which
// is reported.
func listedColumn(p *names.Pass, e dsl.Expr, sc *names.Scope) *tree.Value {
	at, _ := sc.Resolve(e, nil)
	s, isText := at.Expr.(*dsl.String)
	if !isText || !strings.ContainsAny(s.Value, "*?[") {
		return values.Argument(p, &plugins.Arg{Name: "column", Kind: plugins.KindColumn}, e, sc)
	}
	if _, err := path.Match(s.Value, ""); err != nil {
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " is not a pattern", Mend: "In a pattern * stands for any letters, ? for one, [a-c] for one of several."})
		return nil
	}
	return &tree.Value{Arg: &tree.PatternArg, Text: s.Value, Place: e.Span()}
}

// boundColumn returns the variable that a bare name in d/d(c) is bound to, if that stands for a
// column. Quotes force the column of that name.
func boundColumn(id *dsl.Ident, sc *names.Scope) *tree.Variable {
	if quoted(id) {
		return nil
	}
	return variableOf(tree.ColumnVar, id, sc)
}

// quoted reports whether a name is written in quotes.
func quoted(id *dsl.Ident) bool { return strings.HasPrefix(id.Raw, `"`) }

// inPlace returns a call with what the parameters of definitions stand for in their places: twin(gender, "f", "m") puts "f" and not a.
func inPlace(call *dsl.Call, sc *names.Scope) *dsl.Call {
	out := &dsl.Call{At: call.At, Fun: call.Fun}
	for _, arg := range call.Args {
		at, _ := sc.Resolve(arg.Value, nil)
		out.Args = append(out.Args, &dsl.Arg{At: arg.At, Name: arg.Name, Value: at.Expr})
	}
	return out
}
