package elaborate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
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

// differentiable reports a transformation without a derivative at the identity, such as a flip, and
// returns false then. Of a variable, all elements of its set must have one. Moves of an
// orbit have none.
func differentiable(p *names.Pass, m *tree.Mapping, id *dsl.Ident) bool {
	if m.Bound != nil && m.Bound.Axis.Orbit != nil {
		p.Report(&diag.Diagnostic{
			Code: codes.NoDerivative, Subject: id.Span(), Summary: names.Shown(id) + " is composed of transformations with amounts of their own, and f has no one derivative along it",
			Mend: "List the transformations: rms over " + names.Shown(id) + " in {rotate(1deg), scale(0.01)} of |d/d" + names.Shown(id) + " f|.",
		})
		return false
	}
	all := []*tree.Mapping{m}
	if m.Bound != nil {
		all = m.Bound.Axis.Maps
	}
	for _, m := range all {
		if !m.Schema.Differentiable {
			p.Report(&diag.Diagnostic{Code: codes.NoDerivative, Subject: id.Span(), Summary: m.Text + " has no derivative", Mend: "Write a difference: f(t(x)) - f(x)."})
			return false
		}
	}
	return true
}

// orbitAxis compiles t in orbit {rotate([-15deg, 15deg]), …}. Its elements are the places of a
// sample of moves, as data decide neither how many there are nor what they are called. Each place is a
// transformation with a draw in place of its amounts. What is done to points by it, the grounder asks
// of the families of its steps.
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

// Orbit compiles an orbit with its steps. Nil means that it is faulty, which is reported. The codes are
//
//	codes.WrongBinder    an interval is reversed or holds one number, or nothing varies
//	codes.WrongType      what is listed is no transformation, or what runs is no number
//	codes.WrongUnit      the number of moves is a multiple of the rows
//
// and those of the transformations, which are compiled at both ends of their intervals.
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
		set, example := tree.Text(e.Set), "rotate([-15deg, 15deg])"
		if m := out.Steps[0].Low; m.Schema.Name == "move" {
			example = "move(" + tree.ColumnText(m.Args[0].Text) + ", [-1, 1])"
		}
		d := p.Report(&diag.Diagnostic{Code: codes.WrongBinder, Subject: e.Span(), Summary: "nothing varies in " + out.Text, Detail: "In an orbit amounts run through intervals, as in " + example + "."})
		d.Mend = "Give an amount an interval, or write the set " + set + "."
		if write := bracketed(e.Set); write != "" {
			set, d.Mend = write, "Write "+write+"."
		}
		p.Offer(d, "write "+set, e.Span(), set)
		return nil
	}
	return out
}

// step compiles one transformation of an orbit. It is written as a call, or is the name of a let that
// holds one:
//
//	rotate([-15deg, 15deg])    turned by an angle between the two
//	shift(dx = [-2, 2])        dy has its default, and no move changes it
//	tilt                       of let tilt = rotate(10deg), which is fixed
//
// An amount that is an interval runs from its lower to its
// upper end. Both ends are held to what is asked of the amount. Nil means that the step is faulty.
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
	if unbracketed(p, call) {
		return nil
	}
	low, high, runs, inner := ends(p, call, sc)
	s := &tree.Step{Low: mapping(p, low, inner), Text: tree.Text(inPlace(call, sc))}
	if s.Low == nil {
		return nil
	}
	if s.High = s.Low; len(runs) > 0 {
		s.High = mapping(p, high, inner)
	}
	if s.High == nil || !running(p, s, runs) {
		return nil
	}
	outOfReach(p, s)
	return s
}

// ends returns a call at the lower and at the upper ends of its intervals. It also returns these, by the places of the arguments, and the
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
// where its ends are meant. Nil means that it is none. In a condition an interval is asked whether it
// holds a number, and a path's parameter runs along a part of [0, 1]. Only an amount of an orbit takes
// every number of an interval.
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
			d.Mend = "Write an interval with a smaller and a larger end."
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

// Amounts of an orbit that run without the brackets of an interval, and those that run too far.
//
//	rotate(-15deg, 15deg)         two numbers, and one amount
//	shift(dx = -2, 2)             a move by two numbers, in which nothing runs
//	rotate({-15deg, 15deg})       two turns, and none between them
//	shift(dx = [-200, 200])       of an image of 28 pixels, which leaves nothing of it
//	rotate([-1500deg, 1500deg])   each turn several times
//
// The first three are errors that come with the brackets in their places. The others are warnings: they are what they say,
// and hardly what is meant.

// asIntervals returns a call with intervals in the place of pairs of numbers that follow each other, and of sets of two. The smaller end comes
// first:
//
//	rotate(15deg, -15deg)   rotate([-15deg, 15deg])
//
// It is nil where there is no such pair. The second of a pair has no name.
func asIntervals(call *dsl.Call) *dsl.Call {
	out := &dsl.Call{At: call.At, Fun: call.Fun}
	found := false
	for i := 0; i < len(call.Args); i++ {
		a := call.Args[i]
		lo, hi := a.Value, dsl.Expr(nil)
		if set, ok := lo.(*dsl.Set); ok && len(set.Elems) == 2 {
			lo, hi = set.Elems[0], set.Elems[1]
		} else if i+1 < len(call.Args) && call.Args[i+1].Name == nil {
			if hi = call.Args[i+1].Value; written(lo) && written(hi) {
				i++
			}
		}
		if hi == nil || !written(lo) || !written(hi) {
			out.Args = append(out.Args, a)
			continue
		}
		found = true
		if amount(lo) > amount(hi) {
			lo, hi = hi, lo
		}
		out.Args = append(out.Args, &dsl.Arg{At: a.At, Name: a.Name, Value: &dsl.Interval{Lo: lo, Hi: hi}})
	}
	if !found {
		return nil
	}
	return out
}

// amount returns the number that is written, whatever its unit.
func amount(e dsl.Expr) float64 {
	switch e := e.(type) {
	case *dsl.Neg:
		return -amount(e.X)
	case *dsl.Number:
		return e.Value
	}
	return 0
}

// written reports whether an expression is a number, with or without a minus sign.
func written(e dsl.Expr) bool {
	if n, ok := e.(*dsl.Neg); ok {
		e = n.X
	}
	_, ok := e.(*dsl.Number)
	return ok
}

// unbracketed reports a transformation of an orbit that has more numbers than amounts, or a set of two in the place of one
// (codes.WrongBinder). It returns true then. Their brackets are missing.
func unbracketed(p *names.Pass, call *dsl.Call) bool {
	_, schema := p.PointMap(call.Fun.Name)
	in := asIntervals(call)
	isSet := func(a *dsl.Arg) bool { _, ok := a.Value.(*dsl.Set); return ok }
	if schema == nil || in == nil || len(in.Args) > len(schema.Args) || len(call.Args) <= len(schema.Args) && !slices.ContainsFunc(call.Args, isSet) {
		return false
	}
	write := tree.Text(in)
	d := p.Report(&diag.Diagnostic{
		Code: codes.WrongBinder, Subject: call.Span(), Summary: tree.Text(call) + " has an interval without its brackets",
		Detail: "In an orbit amounts run through intervals, as in rotate([-15deg, 15deg]).", Mend: "Write " + write + ".",
	})
	p.Offer(d, "write "+write, call.Span(), write)
	return true
}

// bracketed returns an orbit's transformations with the brackets that their intervals lack. It is empty where none lacks them.
func bracketed(set *dsl.Set) string {
	found := false
	steps := tree.Each(set.Elems, func(e dsl.Expr) string {
		if call, ok := e.(*dsl.Call); ok {
			if in := asIntervals(call); in != nil {
				found = true
				return tree.Text(in)
			}
		}
		return tree.Text(e)
	})
	if !found {
		return ""
	}
	return tree.OrbitWord + " {" + strings.Join(steps, ", ") + "}"
}

// Beyond these amounts hardly anything of an image is left. A move by half of its side leaves half of it in sight. Enlarged fourfold it shows
// a sixteenth of itself, and shrunk to a quarter it has a sixteenth of its pixels. A slope of 2 moves its outermost rows by its side.
const (
	mostShifted  = 0.5
	mostEnlarged = 3
	leastShrunk  = -0.75
	mostSlanted  = 2
)

// outOfReach warns of a step whose amounts run too far, or look like factors of scale (codes.FarAmount). Where only the data tell how large an
// image is, the step is noted for them. Amounts of tables are in units of their columns.
func outOfReach(p *names.Pass, s *tree.Step) {
	if !s.Low.Schema.NeedsImage {
		return
	}
	image := &p.Out.Data.Columns
	if d := cmp.Or(asFactor(p, s), Far(s, image.Height, image.Width)); d != nil {
		p.Warn(d)
	} else if image.Height == 0 && len(s.Free) > 0 {
		p.Out.Unsized = append(p.Out.Unsized, s)
	}
}

// Far warns of a step of an orbit whose amounts run too far on an image of so many pixels (codes.FarAmount). It then shows hardly anything, or
// is the same several times. Nil means that none does, or that only the data tell, of an image of height 0 here.
func Far(s *tree.Step, height, width int) *diag.Diagnostic {
	for k, low := range s.Low.Args {
		if low == nil || !slices.Contains(s.Free, low.Arg.Name) {
			continue
		}
		if d := far(s.Low.Schema, low.Arg, low.Quantity.Value, s.High.Args[k].Quantity.Value, height, width); d != nil {
			d.Code, d.Subject, d.Summary = codes.FarAmount, s.Low.From.Span, s.Text+" "+d.Summary
			return d
		}
	}
	return nil
}

// far says why an amount runs too far from one end to the other; nil means that it does not. How large an image is, the
// data block says, columns image(28, 28), or a file of images.
func far(schema *plugins.MapSchema, arg *plugins.Arg, low, high float64, height, width int) *diag.Diagnostic {
	most := max(math.Abs(low), math.Abs(high))
	side := map[string]int{"dx": width, "dy": height}[arg.Name]
	switch {
	case arg.Kind == plugins.KindAngle && high-low > 2*math.Pi*(1+1e-9):
		return &diag.Diagnostic{
			Summary: "turns an image more than once around", Detail: "Turns that differ by 360deg are the same.",
			Mend: fmt.Sprintf("Write %s([-180deg, 180deg]) for all turns, or those that leave the class as it is, as in %[1]s([-15deg, 15deg]).", schema.Name),
		}
	case schema.Name == "scale" && high > mostEnlarged:
		return &diag.Diagnostic{
			Summary: "leaves hardly anything of an image", Detail: fmt.Sprintf("Enlarged %.4g-fold it shows %.2g %% of its area.", 1+high, 100/((1+high)*(1+high))),
			Mend: "Write how much larger it may be at most: scale([-0.1, 0.1]) is by 10 %.",
		}
	case schema.Name == "scale" && low < leastShrunk:
		return &diag.Diagnostic{
			Summary: "leaves hardly anything of an image", Detail: fmt.Sprintf("Shrunk to %.2g of its side it has %.2g %% of its area.", 1+low, 100*(1+low)*(1+low)),
			Mend: "Write how much smaller it may be at most: scale([-0.1, 0.1]) is by 10 %.",
		}
	case schema.Name == "shift" && side > 0 && most > mostShifted*float64(side):
		return &diag.Diagnostic{
			Summary: fmt.Sprintf("moves an image of %d × %d pixels out of sight", height, width),
			Detail:  fmt.Sprintf("Moved by %.4g pixels, %.0f %% of it are left. f is then compared with f at a picture that is nearly empty.", most, 100*max(0, 1-most/float64(side))),
			Mend:    fmt.Sprintf("Write a few pixels, as in shift(%s = [-2, 2]).", arg.Name),
		}
	case schema.Name == "shear" && most > mostSlanted:
		return &diag.Diagnostic{
			Summary: "slants an image out of sight", Detail: fmt.Sprintf("Its outermost pixels move by %.2g sides.", most/2),
			Mend: fmt.Sprintf("Write a smaller slope, as in shear(%s = [-0.1, 0.1]).", arg.Name),
		}
	}
	return nil
}
