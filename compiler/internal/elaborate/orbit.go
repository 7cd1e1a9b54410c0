package elaborate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// orbitAxis compiles t in orbit {rotate([-15deg, 15deg]), …}. Its elements are the places of a
// sample of moves.
func orbitAxis(p *names.Pass, a *tree.Axis, b *dsl.Binder, e *dsl.Orbit, sc *names.Scope) *tree.Axis {
	if len(b.Vars) != 1 {
		p.Report(&diag.Diagnostic{Code: codes.WrongBinder, Subject: b.Span(), Summary: "an orbit binds one variable to its moves", Mend: "Write t in " + tree.Text(e) + "."})
		return nil
	}
	a.Kind, a.Word, a.Orbit = tree.MapAxis, "move", Orbit(p, e, sc)
	if a.Orbit == nil {
		return nil
	}
	a.Maps = a.Orbit.Maps(p.Origin(e))
	a.Vars = []*tree.Variable{{Name: b.Vars[0].Name, Kind: tree.MapVar, Axis: a}}
	return checkNames(p, a, b)
}

// Orbit compiles an orbit with its steps. Nil means that it is faulty, which is reported.
func Orbit(p *names.Pass, e *dsl.Orbit, sc *names.Scope) *tree.Orbit {
	args, ok := values.Arguments(p, tree.OrbitArgs, tree.OrbitWord, e.Args, e.Span(), sc)
	if ok && args[0].Quantity.Unit != tree.NoUnit {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongUnit, Subject: args[0].Place, Summary: "moves is a number of draws for each element, and does not grow with the rows",
			Mend: "Write it without the unit, as in orbit(moves = 64) {…}.",
		})
		ok = false
	}
	out := &tree.Orbit{Text: tree.Text(e)}
	if ok {
		out.Moves, out.Seed = int(args[0].Quantity.Value), args[1]
	}
	for _, elem := range e.Set.Elems {
		s := step(p, elem, sc)
		ok = s != nil && ok
		out.Steps = append(out.Steps, s)
	}
	if !ok {
		return nil
	}
	if out.Dimension() == 0 {
		set := tree.Text(e.Set)
		d := p.Report(&diag.Diagnostic{
			Code: codes.WrongBinder, Subject: e.Span(), Summary: "nothing varies in " + out.Text, Detail: "In an orbit amounts run through intervals, as in rotate([-15deg, 15deg]).",
			Mend: "Give an amount an interval, or write the set " + set + ".",
		})
		p.Offer(d, "write "+set, e.Span(), set)
		return nil
	}
	return out
}

// step compiles one transformation of an orbit. An amount that is an interval runs from its lower to its
// upper end, and both ends are held to what is asked of the amount. Nil means that the step is faulty.
func step(p *names.Pass, e dsl.Expr, sc *names.Scope) *tree.Step {
	call, ok := e.(*dsl.Call)
	if id, isName := e.(*dsl.Ident); isName {
		v, held, at := boundMap(p, id, sc)
		if v == nil && held != nil {
			call, ok, sc = held, true, at.Scope
			values.Use(p, id.Name)
		} else if _, schema := p.PointMap(id.Name); v == nil && schema != nil {
			call, ok = &dsl.Call{At: id.At, Fun: id}, true
		}
	}
	if !ok {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " is not a transformation with its amounts",
			Mend: "An orbit lists transformations, which are done from the first to the last: orbit {rotate([-15deg, 15deg]), shift(dx = [-2, 2])}.",
		})
		return nil
	}
	low, high, runs, inner := ends(p, call, sc)
	s := &tree.Step{Low: Mapping(p, low, inner), Text: tree.Text(inPlace(call, sc))}
	if s.Low == nil {
		return nil
	}
	if s.High = s.Low; len(runs) > 0 {
		s.High = Mapping(p, high, inner)
	}
	if s.High == nil || !running(p, s, runs) {
		return nil
	}
	return s
}

// ends returns a call at the lower and at the upper ends of its intervals, these by the places of the arguments, and the
// scope in which both calls are meant. An interval that was written elsewhere keeps the scope of that place.
func ends(p *names.Pass, call *dsl.Call, sc *names.Scope) (low, high *dsl.Call, runs map[int]*dsl.Interval, inner *names.Scope) {
	low, high = &dsl.Call{At: call.At, Fun: call.Fun}, &dsl.Call{At: call.At, Fun: call.Fun}
	runs, inner = map[int]*dsl.Interval{}, sc
	end := func(a *dsl.Arg, e dsl.Expr, at names.Argument) *dsl.Arg {
		if at.Scope != sc {
			id := &dsl.Ident{At: dsl.At{Place: e.Span()}, Name: fmt.Sprintf("end %d of %s", e.Span().Start.Offset, call.Fun.Name)}
			inner = inner.Bind(id.Name, names.Binding{Argument: &names.Argument{Expr: e, Scope: at.Scope, Inlined: at.Inlined}})
			e = id
		}
		return &dsl.Arg{At: a.At, Name: a.Name, Value: e}
	}
	for i, a := range call.Args {
		in, at := intervalOf(p, a.Value, sc)
		if in == nil {
			low.Args, high.Args = append(low.Args, a), append(high.Args, a)
			continue
		}
		runs[i] = in
		low.Args, high.Args = append(low.Args, end(a, in.Lo, at)), append(high.Args, end(a, in.Hi, at))
	}
	return low, high, runs, inner
}

// intervalOf returns the interval that an argument is, through lets and parameters of definitions, and
// where its ends are meant. Nil means that it is none.
func intervalOf(p *names.Pass, e dsl.Expr, sc *names.Scope) (*dsl.Interval, names.Argument) {
	at, v := sc.Resolve(e, nil)
	written := at.Expr
	if id, ok := written.(*dsl.Ident); ok && v == nil && p.Decls.Lets[id.Name] != nil {
		if written, ok = values.Held(p, id.Name).(*dsl.Interval); ok {
			values.Use(p, id.Name)
			at.Scope = nil
		}
	}
	in, _ := written.(*dsl.Interval)
	return in, at
}

// running finds the arguments of a step that run, and reports intervals through which none can run. It returns false then.
func running(p *names.Pass, s *tree.Step, runs map[int]*dsl.Interval) bool {
	for _, i := range slices.Sorted(maps.Keys(runs)) {
		in := runs[i]
		k := slices.IndexFunc(s.Low.Args, func(v *tree.Value) bool { return v != nil && v.Place == in.Lo.Span() })
		if k < 0 {
			return false
		}
		low, high := s.Low.Args[k], s.High.Args[k]
		arg := low.Arg
		d := &diag.Diagnostic{Code: codes.WrongBinder, Subject: in.Span(), Detail: values.About(arg)}
		switch {
		case arg.Kind != plugins.KindNumber && arg.Kind != plugins.KindAngle, low.Textual, high.Textual:
			d.Code, d.Summary, d.Mend = codes.WrongType, arg.Name+" does not run through an interval", "Numbers and angles do; give one value."
		case low.Quantity.Value == high.Quantity.Value:
			d.Summary = fmt.Sprintf("the interval %s holds one amount", tree.Text(in))
			d.Mend = "Write an interval with a smaller and a larger end, or " + tree.Text(in.Lo) + " alone, which varies nothing."
		case low.Quantity.Value > high.Quantity.Value:
			write := "[" + tree.Text(in.Hi) + ", " + tree.Text(in.Lo) + "]"
			d.Summary, d.Mend = fmt.Sprintf("nothing is in the interval %s, as its ends are in the wrong order", tree.Text(in)), "Write "+write+"."
			p.Offer(d, "write "+write, in.Span(), write)
		default:
			s.Free = append(s.Free, arg.Name)
			continue
		}
		p.Report(d)
		return false
	}
	return true
}

// orbitWithin reports an orbit among the elements of a set.
func orbitWithin(p *names.Pass, e dsl.Expr) {
	p.Report(&diag.Diagnostic{
		Code: codes.WrongType, Subject: e.Span(), Summary: "an orbit is a set by itself, and no element of one", Mend: "Write t in " + tree.Text(e) + ", with all transformations in its braces.",
	})
}

// drawn notes which points a variable of an orbit moves, and reports those that it cannot move; it returns false then. A move
// is drawn for each element of one index set, so that all points which it moves are those of that element:
//
//	rms over x of rms over t in orbit {…} of |f(t(x)) - f(x)|         each row has moves of its own
//	rms over (a, b) in graph("…"), t in orbit {…} of |f(t(a)) - f(t(b))|   and so has each edge
func drawn(p *names.Pass, m *tree.Mapping, at *movedPoint, e dsl.Expr) bool {
	if m.Bound == nil || m.Bound.Axis.Orbit == nil {
		return true
	}
	t, point := m.Bound, at.point
	orbit := t.Axis.Orbit
	d := &diag.Diagnostic{Code: codes.WrongBinder, Subject: e.Span()}
	switch {
	case orbit.Point != nil && orbit.Point != point.Axis:
		d.Summary = fmt.Sprintf("%s moves points of %s, and cannot move %s, too", t.Name, orbit.Point.Text, point.Name)
		d.Detail, d.Mend = "A move is drawn for each element of one index set.", "Bind another variable to the orbit for the other points, or list the transformations."
	case point.Axis.ID > t.Axis.ID:
		d.Summary = fmt.Sprintf("%s is bound outside of %s, and is drawn anew for each %[2]s", t.Name, point.Name)
		d.Mend = fmt.Sprintf("Bind %s first, as in rms over %[1]s of rms over %s in %s of …. For moves that are the same for all, list them.", point.Name, t.Name, orbit.Text)
	default:
		orbit.Point = point.Axis
		return true
	}
	p.Report(d)
	return false
}

// sampled reports an aggregation that no sample of an orbit stands for, and returns false then. Means have the same
// value over a set and, but for an error, over a sample of it. Sums count elements, of which an orbit has no number.
func sampled(p *names.Pass, n *tree.Node, e *dsl.Quant) bool {
	i := slices.IndexFunc(n.Quant.Axes, func(a *tree.Axis) bool { return a.Orbit != nil })
	if i < 0 || n.Op == tree.OpMean || n.Op == tree.OpNorm && n.Mean {
		return true
	}
	d := &diag.Diagnostic{Code: codes.WrongBinder, Subject: e.Op.Span()}
	switch n.Op {
	case tree.OpMax, tree.OpMin:
		d.Summary = n.Word + " over an orbit is not known from a sample of it"
		d.Mend = "Write rms or mean over it, or list transformations: t in {rotate(-15deg), rotate(15deg)}."
	default:
		d.Summary = fmt.Sprintf("%s counts elements, and an orbit has no number of them", n.Word)
		d.Mend = "Write rms or mean over the orbit."
	}
	p.Report(d)
	return false
}

// overInterval reports an amount that is an interval where it is one number, and returns true then.
func overInterval(p *names.Pass, call *dsl.Call, sc *names.Scope) bool {
	for _, a := range call.Args {
		if in, _ := intervalOf(p, a.Value, sc); in != nil {
			orbit := tree.OrbitWord + " {" + tree.Text(inPlace(call, sc)) + "}"
			p.Report(&diag.Diagnostic{
				Code: codes.WrongType, Subject: a.Value.Span(), Summary: "an amount is one number here, not the interval " + tree.Text(in), Mend: "In an orbit amounts run through intervals: t in " + orbit + ".",
			})
			return true
		}
	}
	return false
}
