package elaborate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/edit"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A movedPoint is a point that maps have moved, or a place on its path.
type movedPoint struct {
	point *tree.Variable
	place *tree.Station // where on its path, if that is a number
	along *tree.Axis    // the axis of the parameter that says where; nil: the nearest
	maps  []*tree.Mapping
}

// leaf compiles f, f(x), f(label), f(x, label), f(t(x)) and f(t(x), label): a functional ℓ(f) =
// f(t(x), y), the leaf of every tree. Where f is a function of the label too and none is given, the
// label is the point's own. codes.WrongType says that the order is wrong: the point comes first,
// then the label.
func leaf(p *names.Pass, e dsl.Expr, args []*dsl.Arg, sc *names.Scope) *tree.Node {
	var at *movedPoint
	var label *tree.LabelRef
	if !asked(p, e, args, sc) {
		return nil
	}
	for i, a := range args {
		if a.Name != nil || i >= 2 {
			p.Report(&diag.Diagnostic{Code: codes.TooManyArguments, Subject: a.Span(), Summary: "f takes a point and a label", Mend: "Write f, f(x), f(label) or f(x, label)."})
			return nil
		}
		pt, lb, ok := pointOrLabel(p, a.Value, sc)
		switch {
		case !ok:
			return nil
		case pt != nil && i == 1, lb != nil && label != nil:
			p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: a.Span(), Summary: "f takes a point and then a label", Mend: "Write f(x, label)."})
			return nil
		case pt != nil:
			at = pt
		default:
			label = lb
		}
	}
	if at == nil {
		point := innermost(p, e, sc)
		if point == nil {
			return nil
		}
		at = &movedPoint{point: point}
	}
	if !labelFits(p, e, label, at) {
		return nil
	}
	l := &tree.Leaf{Point: at.point, Place: at.place, Node: at.parameter(sc), Maps: at.maps, Label: label}
	l.Own = label == nil && p.Out.Data.Target.Task.Joint()
	return &tree.Node{Op: tree.OpLeaf, Leaf: l, From: p.Origin(e)}
}

// labelFits reports a label where f takes none, and none where f is at a level, and returns false then.
func labelFits(p *names.Pass, e dsl.Expr, label *tree.LabelRef, at *movedPoint) bool {
	if label == nil {
		return !levelLacks(p, e, at)
	}
	return labelAllowed(p, e.Span(), "")
}

// asked reports f(), f(x) where nothing binds x, and a label after a point where f takes none. It returns false
// then, before the arguments are looked at one by one.
func asked(p *names.Pass, e dsl.Expr, args []*dsl.Arg, sc *names.Scope) bool {
	if call, ok := e.(*dsl.Call); ok && len(call.Args) == 0 {
		p.Report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: e.Span(), Summary: "f() names neither a point nor a label", Mend: "Write f, or f(x)."})
		return false
	}
	return len(args) == 0 || secondAllowed(p, args, sc) && !nowhere(p, e, args[0].Value, sc)
}

// nowhere reports f(x), f(x, label) and t(x) where no quantifier binds a point, and returns true then. Any other
// name that is not a point is a label; x is a word for rows, and never meant as one.
func nowhere(p *names.Pass, e, arg dsl.Expr, sc *names.Scope) bool {
	id, ok := arg.(*dsl.Ident)
	if !ok || id.Name != "x" || len(sc.Innermost()) > 0 || sc.Lookup("x") != nil || sc.Hides("x") {
		return false
	}
	innermost(p, e, sc)
	return true
}

// secondAllowed reports what follows a point in f(x, north) where f is a function of x alone, and
// returns false then. Behind a point a name can only be a label, so no point is offered in its place.
func secondAllowed(p *names.Pass, args []*dsl.Arg, sc *names.Scope) bool {
	if len(args) != 2 || args[1].Name != nil || !isPoint(p, args[0].Value, sc) {
		return true
	}
	return labelAllowed(p, args[1].Span(), "Write f("+tree.Text(args[0].Value)+").")
}

// labelAllowed reports a label where f is a function of x alone, and returns false then. The mend
// is what to write instead; empty means f or f(x). A data block with a fault allows all, as the
// task is not known. The code is codes.LabelRefused.
func labelAllowed(p *names.Pass, at diag.Span, mend string) bool {
	if !withoutLabels(p) {
		return true
	}
	p.Report(&diag.Diagnostic{
		Code: codes.LabelRefused, Subject: at, Summary: "f is a function of x alone here, and takes no label",
		Detail: fmt.Sprintf("With a %s target, f is one function; with class and multilabel, it has a value for every label.", p.Out.Data.Target.Task), Mend: cmp.Or(mend, "Write f or f(x)."),
	})
	return false
}

// withoutLabels reports whether f is known to be a function of x alone.
func withoutLabels(p *names.Pass) bool {
	task := p.Out.Data.Target.Task
	return !p.Broken.Data && task != setting.NoTask && !task.Joint()
}

// naming says what to write where a name stands in the place of a point and no point is called so.
// Points have short names, so that a long one is more likely a column. It is empty where no point
// is bound.
func naming(p *names.Pass, name string, sc *names.Scope) string {
	var points []string
	for ; sc != nil && sc.Body == nil; sc = sc.Up {
		if v := sc.Bound.Variable; v != nil && v.Kind == tree.PointVar && !slices.Contains(points, v.Name) {
			points = append(points, v.Name)
		}
	}
	if len(points) == 0 {
		return ""
	}
	slices.Sort(points)
	column := slices.Contains(p.Out.Data.Columns.Names, name)
	if column || len([]rune(name)) > 2 {
		return asColumn(name, column)
	}
	bound := points[0] + " in rows"
	if points[0] == "x" {
		bound = "x"
	}
	return fmt.Sprintf("No quantifier binds a point %[1]s. Bind it, as in rms over %[2]s, %[1]s in rows of …, or write f(%[3]s).", name, bound, strings.Join(points, ") or f("))
}

// asColumn says how f is asked about a column. Certain says that the data block names it.
func asColumn(name string, certain bool) string {
	text := name
	if !dsl.IsName(name) {
		text = strconv.Quote(name)
	}
	write := fmt.Sprintf("for its effect write d/d(%[1]s) f, or increasing(%[1]s)", text)
	if certain {
		return fmt.Sprintf("%s is a column; %s.", name, write)
	}
	return fmt.Sprintf("f takes points, and no point is called %s. If it is a column, %s.", name, write)
}

// innermost returns the point at which a bare f is: the only one that the nearest quantifier over
// points binds. Nil means that there is none or that there are two, which is reported. Inside a
// definition of a family the error names the user's call, since nobody sees the body. The codes are
// codes.NoPoint and codes.AmbiguousPoint; both come with what to write.
func innermost(p *names.Pass, e dsl.Expr, sc *names.Scope) *tree.Variable {
	points := sc.Innermost()
	if len(points) == 1 {
		return points[0]
	}
	name := tree.Text(e)
	for in := p.Inlined; in != nil; in = in.Up {
		if in.Family != "" {
			name = in.Text()
		}
	}
	if len(points) == 0 {
		pointless(p, e, name)
		return nil
	}
	d := p.Report(&diag.Diagnostic{
		Code: codes.AmbiguousPoint, Subject: e.Span(), Summary: fmt.Sprintf("%s may be at %s or at %s", name, points[0].Name, points[1].Name),
		Mend: fmt.Sprintf("Say which: f(%s) or f(%s).", points[0].Name, points[1].Name),
	})
	p.MendBy(d, "write f("+points[0].Name+")", func(*dsl.Invariance) [][]diag.Edit { return edit.AtPoint(e, points[0].Name) })
	return nil
}

// pointOrLabel resolves an argument of f. Exactly one of point and label is set where ok is true. A
// name that nothing binds is a label: only labels need no declaration.
func pointOrLabel(p *names.Pass, e dsl.Expr, sc *names.Scope) (*movedPoint, *tree.LabelRef, bool) {
	outer := p.Inlined
	defer func() { p.Inlined = outer }()
	written, v := sc.Resolve(e, outer)
	e, sc, p.Inlined = written.Expr, written.Scope, written.Inlined
	if call, ok := e.(*dsl.Call); ok {
		at := moved(p, call, sc)
		return at, nil, at != nil
	}
	if applies, ok := e.(*dsl.Apply); ok {
		m := Mapping(p, applies.Map, sc)
		if m == nil {
			return nil, nil, false
		}
		at := applied(p, m, applies.To, sc)
		return at, nil, at != nil
	}
	switch {
	case v == nil:
	case v.Kind == tree.PointVar:
		return &movedPoint{point: v}, nil, true
	case v.Kind == tree.LabelVar:
		return nil, &tree.LabelRef{Bound: v}, true
	default:
		mend := ""
		switch points := sc.Innermost(); {
		case v.Kind == tree.ParamVar:
			mend = "A path binds one point, which runs along it; for two rows write over a in rows, b in rows."
		case v.Kind == tree.MapVar && len(points) == 1:
			mend = fmt.Sprintf("A transformation moves a point: write f(%s(%s)).", tree.Text(e), points[0].Name)
		}
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: fmt.Sprintf("%s is %s, not a point or a label", tree.Greek(tree.Text(e)), v.Kind), Mend: mend})
		return nil, nil, false
	}
	if displaced(p, e, sc) || unseenPoint(p, e, sc) {
		return nil, nil, false
	}
	name := labelName(p, e, sc)
	return nil, &tree.LabelRef{Name: name}, name != nil
}

// labelName returns a label by name. Nil means that f takes none here or that the target has no
// such label, which is reported. Where a quantifier binds points, the mend names them: who writes
// f(y) often means a point.
func labelName(p *names.Pass, e dsl.Expr, sc *names.Scope) *tree.Value {
	if setOfPoints(p, e) {
		return nil
	}
	if values.OfLevels(p) {
		return values.Level(p, e, sc)
	}
	name, ok := values.Literal(p, e, sc, "a point or a label", true)
	if !ok || !labelAllowed(p, e.Span(), naming(p, name, sc)) || !values.KnownLabel(p, name, e.Span()) {
		return nil
	}
	return &tree.Value{Text: name, Place: e.Span()}
}

// moved resolves t(x), s(t(x)), and rotate(10deg), which moves the innermost point. Transformations
// of families come with their amounts, those that a name is bound to without. A transformation that
// takes amounts and is given a point has defaults for them. An unknown name is codes.UnknownMap.
func moved(p *names.Pass, call *dsl.Call, sc *names.Scope) *movedPoint {
	if arg := values.Sole(call); arg != nil && nowhere(p, call, arg, sc) {
		return nil
	}
	if m := BareMap(p, call.Fun, sc); m != nil {
		arg := values.Sole(call)
		if arg == nil {
			p.Report(&diag.Diagnostic{Code: codes.TooManyArguments, Subject: call.Span(), Summary: names.Shown(call.Fun) + " moves one point", Mend: "Write " + names.Shown(call.Fun) + "(x)."})
			return nil
		}
		return applied(p, m, arg, sc)
	}
	if at, ok := onPath(p, call, sc); ok {
		return at
	}
	_, schema := p.PointMap(call.Fun.Name)
	if schema == nil {
		if !p.Unknown(call.Fun.Name) && !namesCall(p, call.Fun.Name) && !unseen(p, call.Fun, sc) {
			unknownMap(p, call.Fun, append(p.MapNames(), sc.Names(tree.MapVar)...))
		}
		return nil
	}
	if len(call.Args) == 1 && isPoint(p, call.Args[0].Value, sc) {
		if m := Mapping(p, &dsl.Call{At: call.At, Fun: call.Fun}, sc); m != nil {
			m.Name = call.Fun.Name
			return applied(p, m, call.Args[0].Value, sc)
		}
		return nil
	}
	m := Mapping(p, call, sc)
	point := innermost(p, call, sc)
	if m == nil || point == nil {
		return nil
	}
	m.Alone = true
	return &movedPoint{point: point, maps: []*tree.Mapping{m}}
}

// namesCall reports whether a let stands for a call that is not a transformation. That is said of the
// let, once, and not at each use. Taxonomies, grids and index sets are no such calls.
func namesCall(p *names.Pass, name string) bool {
	let := p.Decls.Lets[name]
	if let == nil {
		return false
	}
	call, ok := let.Value.(*dsl.Call)
	return ok && call.Fun.Name != tree.TaxonomyWord && call.Fun.Name != tree.GridWord && !values.IsIndexSet(p, call.Fun.Name)
}

// isPoint reports whether an argument is certainly a point: a bound one, or one that is moved.
func isPoint(p *names.Pass, e dsl.Expr, sc *names.Scope) bool {
	at, v := sc.Resolve(e, nil)
	if _, applies := at.Expr.(*dsl.Apply); applies {
		return true
	}
	call, ok := at.Expr.(*dsl.Call)
	if !ok {
		return v != nil && v.Kind == tree.PointVar
	}
	_, schema := p.PointMap(call.Fun.Name)
	point := variableOf(tree.PointVar, call.Fun, at.Scope)
	return schema != nil || mapName(p, call.Fun, at.Scope) || point != nil && point.Axis.HasPath
}

// applied returns a point moved by one more transformation. Transformations are kept innermost
// first, in the order in which rows go through them: s(t(x)) is moved by t, then by s. What is no
// point is codes.WrongType.
func applied(p *names.Pass, m *tree.Mapping, to dsl.Expr, sc *names.Scope) *movedPoint {
	at, label, ok := pointOrLabel(p, to, sc)
	if !ok {
		return nil
	}
	if label != nil {
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: to.Span(), Summary: m.Text + " moves a point, and " + tree.Text(to) + " is none"})
		return nil
	}
	if !drawn(p, m, at, to) {
		return nil
	}
	out := *at
	out.maps = append(append([]*tree.Mapping(nil), at.maps...), m)
	return &out
}

// boundMap finds the transformation that a name is bound to: by a quantifier, as an argument, or by
// a let. It is a variable, or a call with its scope; both are nil where it is none.
func boundMap(p *names.Pass, id *dsl.Ident, sc *names.Scope) (v *tree.Variable, call *dsl.Call, at names.Argument) {
	at, v = sc.Resolve(id, nil)
	if v != nil {
		if v.Kind != tree.MapVar {
			v = nil
		}
		return v, nil, at
	}
	written := at.Expr
	if name, ok := written.(*dsl.Ident); ok && p.Decls.Lets[name.Name] != nil {
		written, at.Scope = values.Held(p, name.Name), nil
	}
	if call, _ = written.(*dsl.Call); call == nil {
		return nil, nil, at
	}
	if _, schema := p.PointMap(call.Fun.Name); schema == nil {
		call = nil
	}
	return nil, call, at
}

// mapName reports whether a name is bound to a transformation.
func mapName(p *names.Pass, id *dsl.Ident, sc *names.Scope) bool {
	v, call, _ := boundMap(p, id, sc)
	return v != nil || call != nil
}

// BareMap returns the transformation that a name is bound to by a quantifier, a definition or a
// let. Nil means that it is bound to none, in silence, or that its amounts are faulty.
func BareMap(p *names.Pass, id *dsl.Ident, sc *names.Scope) *tree.Mapping {
	v, call, at := boundMap(p, id, sc)
	switch {
	case v != nil:
		return &tree.Mapping{Bound: v, Text: v.Name, From: p.Origin(at.Expr)}
	case call == nil:
		return nil
	}
	m := Mapping(p, call, at.Scope)
	if name, ok := at.Expr.(*dsl.Ident); ok { // a let
		if values.Use(p, name.Name); m != nil {
			m.Name = names.Shown(name)
		}
	}
	return m
}

// Mapping compiles a transformation with its arguments: rotate(10deg). Nil means that it is faulty,
// which is reported. One that acts on images is refused where the features are columns of a table,
// before any data are read. The codes are codes.UnknownMap, codes.NeedsImage, codes.FarAmount and those of
// arguments.
func Mapping(p *names.Pass, call *dsl.Call, sc *names.Scope) *tree.Mapping {
	m := mapping(p, call, sc)
	if m != nil {
		outOfReach(p, &tree.Step{Low: m, High: m, Text: m.Text})
	}
	return m
}

// mapping compiles a transformation as Mapping does, without a warning: it may be one end of a step.
func mapping(p *names.Pass, call *dsl.Call, sc *names.Scope) *tree.Mapping {
	fam, schema := p.PointMap(call.Fun.Name)
	if schema == nil {
		if !p.Unknown(call.Fun.Name) {
			unknownMap(p, call.Fun, p.MapNames())
		}
		return nil
	}
	if overInterval(p, call, sc) {
		return nil
	}
	args, ok := values.Arguments(p, schema.Args, schema.Name, call.Args, call.Span(), sc)
	if !ok || !values.Cells(p, schema, args, call.Span()) {
		return nil
	}
	if c := &p.Out.Data.Columns; schema.NeedsImage && len(c.Names)+len(c.Globs) > 0 && c.Height == 0 {
		p.Report(&diag.Diagnostic{Code: codes.NeedsImage, Subject: call.Span(), Summary: schema.Name + " acts on images, and the features are the columns of a table", Mend: tree.OnTable(c.Names)})
		return nil
	}
	return &tree.Mapping{Fam: fam, Schema: schema, Args: args, From: p.Origin(call), Text: tree.Text(inPlace(call, sc))}
}

// unknownMap reports a call of what is not a transformation (codes.UnknownMap), with the nearest of those known.
func unknownMap(p *names.Pass, id *dsl.Ident, known []string) {
	p.Misnamed(id.Name, known, &diag.Diagnostic{Code: codes.UnknownMap, Subject: id.Span(), Summary: names.Shown(id) + " is not a transformation"})
}

// derivative compiles d/dλ e, d/d(column) e and d/dt e. The derivative goes to the leaves: it is
// linear, and D(Σ c ℓ)(f) = Σ c Dℓ(f). That needs an e that is linear in f: the derivative of |f|
// need not be convex. A derivative of what does not vary is zero for every f, which nobody means.
// The codes are codes.DerivativeOfNonlinear, with two functions that show why, and
// codes.NoDerivative.
func derivative(p *names.Pass, e *dsl.Deriv, sc *names.Scope) *tree.Node {
	d, node := along(p, e, sc)
	of := Expr(p, e.Of, sc)
	if of == nil || d == nil {
		return nil
	}
	v := &calculus.Deriver{From: p.Origin(e), Along: d, Path: node}
	if bad := calculus.Nonlinear(of); bad != nil {
		refusal := p.Report(&diag.Diagnostic{
			Code: codes.DerivativeOfNonlinear, Subject: e.Of.Span(), Summary: fmt.Sprintf("d/d%s stands before %s, which is not linear in f", d.Text, tree.Text(e.Of)),
			Detail: "The derivative of what is not linear in f need not be convex in f.", Mend: "Differentiate f itself, and apply " + calculus.WordOr(bad, "the rest") + " to the derivative.",
		})
		if p.Shows() {
			if refusal.Values = v.Violation(of); refusal.Values == nil {
				refusal.Values = []string{calculus.NoneFound}
			}
		}
		p.MendBy(refusal, "", edit.DerivedInside(e))
		return nil
	}
	n := v.Derive(of)
	Tell(p, v.Found)
	if n == nil {
		return nil
	}
	if !v.Varies {
		p.Report(&diag.Diagnostic{
			Code: codes.NoDerivative, Subject: e.Span(), Summary: fmt.Sprintf("%s does not vary with %s", tree.Text(e.Of), d.Text),
			Detail: "Its derivative is zero whatever f is.", Mend: "Differentiate an f that stands where " + d.Text + " says: d/d" + d.Text + " f under the quantifier that binds " + d.Text + ".",
		})
		return nil
	}
	p.Derives = append(p.Derives, p.Origin(e))
	if calculus.DerivedTwice(n) {
		p.Bends = append(p.Bends, p.Origin(e))
	}
	return calculus.WithoutZeros(n)
}

// along says along what f is derived: a path's parameter, a column or a transformation. For a path
// it also returns the axis of its parameter. Nil means that the name is none of these, which is
// reported.
func along(p *names.Pass, e *dsl.Deriv, sc *names.Scope) (*tree.Derivative, *tree.Axis) {
	if e.Bracketed {
		return alongColumn(p, e, sc), nil
	}
	id := e.With
	if b := sc.Lookup(id.Name); b != nil && b.Argument != nil {
		if inner, ok := b.Argument.Expr.(*dsl.Ident); ok {
			return along(p, &dsl.Deriv{At: e.At, With: inner, Of: e.Of}, b.Argument.Scope)
		}
	}
	if b := sc.Lookup(id.Name); b != nil && b.Variable != nil && b.Variable.Kind == tree.ParamVar {
		return &tree.Derivative{Kind: tree.PathDeriv, Text: tree.Greek(b.Variable.Name)}, b.Variable.Axis
	}
	m := BareMap(p, id, sc)
	if _, schema := p.PointMap(id.Name); m == nil && schema != nil {
		if m = generator(p, id); m == nil {
			return nil, nil
		}
	}
	if m == nil {
		if !unseen(p, id, sc) {
			unknownParameter(p, e, sc)
		}
		return nil, nil
	}
	if !differentiable(p, m, id) {
		return nil, nil
	}
	return &tree.Derivative{Kind: tree.MapDeriv, Along: m, Text: names.Shown(id)}, nil
}

// alongColumn returns the derivative along a feature column, per standard deviation of it unless
// the unit is raw. Features are standardized or not as the data block says; the derivative means
// the same in both cases.
func alongColumn(p *names.Pass, e *dsl.Deriv, sc *names.Scope) *tree.Derivative {
	d := &tree.Derivative{Kind: tree.ColumnDeriv, Raw: e.RawUnit}
	if d.Over = boundColumn(e.With, sc); d.Over != nil {
		d.Text = d.Of(d.Over.Name)
		return d
	}
	arg := &plugins.Arg{Name: "column", Kind: plugins.KindColumn}
	var name dsl.Expr = e.With
	if quoted(e.With) {
		name = &dsl.String{At: e.With.At, Value: e.With.Name}
	}
	if d.Column = values.Argument(p, arg, name, sc); d.Column == nil {
		return nil
	}
	d.Text = d.Of(tree.ColumnText(d.Column.Text))
	return d
}

// generator returns the transformation of a name without its amount: the derivative along it is at
// the identity, D_s f(t_s(x)) at s = 0, which no amount enters. It must go in one direction and
// take nothing else without a default. Otherwise the error is codes.MissingArgument, and shows how
// the transformation is bound with its arguments. rotate has one direction, shift(dx, dy) has two.
func generator(p *names.Pass, id *dsl.Ident) *tree.Mapping {
	fam, schema := p.PointMap(id.Name)
	m := &tree.Mapping{Fam: fam, Schema: schema, Args: make([]*tree.Value, len(schema.Args)), From: p.Origin(id), Text: id.Name}
	amounts := 0
	for i := range schema.Args {
		arg := &schema.Args[i]
		amount := arg.Kind == plugins.KindNumber || arg.Kind == plugins.KindAngle
		if amount {
			amounts++
		}
		switch {
		case amounts > 1:
			p.Report(&diag.Diagnostic{
				Code: codes.MissingArgument, Subject: id.Span(), Summary: id.Name + " goes in several directions", Detail: "Along which of them f is differentiated, only its arguments say.",
				Mend: "Bind it with its arguments: let t = " + values.Signature(id.Name, schema.Args) + ", and d/dt f.",
			})
			return nil
		case arg.Default != "":
			m.Args[i] = values.Argument(p, arg, values.DefaultOf(p, arg), nil)
		case !arg.Optional && !amount:
			p.Report(&diag.Diagnostic{
				Code: codes.MissingArgument, Subject: id.Span(), Summary: fmt.Sprintf("%s needs %s", id.Name, arg.Name), Detail: values.About(arg),
				Mend: "Bind it with its arguments: let t = " + values.Signature(id.Name, schema.Args) + ", and d/dt f.",
			})
			return nil
		}
	}
	return m
}

// unknownParameter reports a derivative along nothing known, and says how each kind is bound. λ is
// told apart: it is nearly always meant to be the parameter of a path that is missing.
func unknownParameter(p *names.Pass, e *dsl.Deriv, sc *names.Scope) {
	name := tree.Greek(names.Shown(e.With))
	switch {
	case e.With.Name == "lambda":
		d := p.Report(&diag.Diagnostic{Code: codes.NoDerivative, Subject: e.Span(), Summary: "no path is bound here: λ stands for nothing", Mend: "Put it under a quantifier that brings a path: max over pairs of |d/dλ f|."})
		if p.NoPoint == nil && p.Inlined == nil {
			p.NoPoint = d // a path brings the points that f lacks, too
		}
	case p.Unknown(e.With.Name):
	default:
		d := &diag.Diagnostic{
			Code: codes.NoDerivative, Subject: e.With.Span(), Summary: name + " is neither a path's parameter nor a transformation",
			Mend: fmt.Sprintf("Along a column, write d/d(%[1]s) f. Else bind it: max over %[1]s in {rotate(10deg)} of |d/d%[1]s f(x)|, say.", name),
		}
		if len([]rune(name)) > 2 && tree.Nearest(name, p.MapNames()) == "" { // names of bound transformations are short
			d.Summary, d.Mend = "the column "+name+" of a derivative has no brackets", fmt.Sprintf("Write d/d(%s) f.", name)
			p.Spell(d, "write d/d("+name+")", e.With.Span(), "("+name+")")
		}
		if variableOf(tree.PointVar, e.With, sc) != nil {
			d.Detail = name + " is a point, and f is differentiated along one column of it."
			d.Mend = "Name the column, as in d/d(area) f."
		}
		p.Report(d)
	}
}
