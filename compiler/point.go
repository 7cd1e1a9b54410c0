package compiler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/edit"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A place is a point that maps have moved.
type movedPoint struct {
	point *tree.Variable
	place *tree.Station // where on its path, if that is a number
	along *tree.Axis    // the axis of the parameter that says where; nil: the nearest
	maps  []*tree.Mapping
}

// leaf compiles f, f(x), f(label), f(x, label), f(t(x)), f(t(x), label).
func (p *pass) leaf(e dsl.Expr, args []*dsl.Arg, sc *scope) *tree.Node {
	var at *movedPoint
	var label *tree.LabelRef
	for i, a := range args {
		if a.Name != nil || i >= 2 {
			p.report(&diag.Diagnostic{Code: codes.TooManyArguments, Subject: a.Span(), Summary: "f takes a point and a label", Mend: "Write f, f(x), f(label) or f(x, label)."})
			return nil
		}
		pt, lb, ok := p.pointOrLabel(a.Value, sc)
		switch {
		case !ok:
			return nil
		case pt != nil && i == 1, lb != nil && label != nil:
			p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: a.Span(), Summary: "f takes a point and then a label", Mend: "Write f(x, label)."})
			return nil
		case pt != nil:
			at = pt
		default:
			label = lb
		}
	}
	if at == nil {
		point := p.innermost(e, sc)
		if point == nil {
			return nil
		}
		at = &movedPoint{point: point}
	}
	if label != nil && !p.labelAllowed(e.Span(), "") {
		return nil
	}
	l := &tree.Leaf{Point: at.point, Place: at.place, Node: at.parameter(sc), Maps: at.maps, Label: label}
	l.Own = label == nil && p.out.Data.Target.Task.Joint()
	return &tree.Node{Op: tree.OpLeaf, Leaf: l, From: p.origin(e)}
}

// labelAllowed reports a label where f is a function of x alone. The mend is what to write instead; empty: f or f(x).
func (p *pass) labelAllowed(at diag.Span, mend string) bool {
	task := p.out.Data.Target.Task
	if p.broken.data || task == setting.NoTask || task.Joint() {
		return true
	}
	p.report(&diag.Diagnostic{
		Code: codes.LabelRefused, Subject: at, Summary: "f is a function of x alone here, and takes no label",
		Detail: fmt.Sprintf("With a %s target, f is one function; with class and multilabel, it has a value for every label.", task), Mend: cmp.Or(mend, "Write f or f(x)."),
	})
	return false
}

// naming says which points are bound, where a name that stands for none is written in the place of one.
func naming(name string, sc *scope) string {
	var points []string
	for ; sc != nil; sc = sc.up {
		if v := sc.bound.variable; !sc.frame && v != nil && v.Kind == tree.PointVar && !slices.Contains(points, v.Name) {
			points = append(points, v.Name)
		}
	}
	if len(points) == 0 {
		return ""
	}
	slices.Sort(points)
	return fmt.Sprintf("No quantifier binds a point %s. Write f(%s).", name, strings.Join(points, ") or f("))
}

// innermost is the point at which a bare f is.
func (p *pass) innermost(e dsl.Expr, sc *scope) *tree.Variable {
	points := sc.innermost()
	if len(points) == 1 {
		return points[0]
	}
	name := tree.Text(e)
	for in := p.inlined; in != nil; in = in.Up {
		if in.Family != "" {
			name = in.Text()
		}
	}
	if len(points) == 0 {
		p.pointless(e, name)
		return nil
	}
	d := p.report(&diag.Diagnostic{
		Code: codes.AmbiguousPoint, Subject: e.Span(), Summary: fmt.Sprintf("%s may be at %s or at %s", name, points[0].Name, points[1].Name),
		Mend: fmt.Sprintf("Say which: f(%s) or f(%s).", points[0].Name, points[1].Name),
	})
	p.mendBy(d, "write f("+points[0].Name+")", func(*dsl.Invariance) [][]diag.Edit { return edit.AtPoint(e, points[0].Name) })
	return nil
}

// pointless reports an f that is at no point. What lacks a quantifier is most often a whole invariance, and all of it in one error.
func (p *pass) pointless(e dsl.Expr, name string) {
	first, at := p.noPoint, e.Span()
	own := p.inlined == nil && edit.Encloses(p.decl, at)
	if own && first != nil {
		first.Related = append(first.Related, diag.Related{Span: at, Message: "nor for this one"})
		return
	}
	d := p.report(&diag.Diagnostic{
		Code: codes.NoPoint, Subject: at, Summary: "there is no point at which " + name + " could be evaluated",
		Detail: "No quantifier around it binds one. A quantifier reaches to the next + or -; brackets extend it.", Mend: "Put it under a quantifier: rms over x of ….",
	})
	p.mendPointless(d, e)
	if own {
		p.noPoint = d
	}
}

// pointOrLabel resolves an argument of f.
func (p *pass) pointOrLabel(e dsl.Expr, sc *scope) (*movedPoint, *tree.LabelRef, bool) {
	switch e := e.(type) {
	case *dsl.Paren:
		return p.pointOrLabel(e.X, sc)
	case *dsl.Call:
		at := p.moved(e, sc)
		return at, nil, at != nil
	case *dsl.Ident:
		b := sc.lookup(e.Name)
		switch {
		case b == nil:
		case b.argument != nil:
			inlined := p.inlined
			p.inlined = b.argument.inlined
			pt, lb, ok := p.pointOrLabel(b.argument.expr, b.argument.scope)
			p.inlined = inlined
			return pt, lb, ok
		case b.variable.Kind == tree.PointVar:
			return &movedPoint{point: b.variable}, nil, true
		case b.variable.Kind == tree.LabelVar:
			return nil, &tree.LabelRef{Bound: b.variable}, true
		default:
			mend := ""
			if b.variable.Kind == tree.ParamVar {
				mend = "A path binds one point, which runs along it; for two rows write over a in x, b in x."
			}
			p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: fmt.Sprintf("%s is %s, not a point or a label", tree.Greek(shown(e)), b.variable.Kind), Mend: mend})
			return nil, nil, false
		}
	}
	if p.displaced(e) {
		return nil, nil, false
	}
	v := p.labelName(e, sc)
	return nil, &tree.LabelRef{Name: v}, v != nil
}

// labelName is a label by name; nil where it is faulty.
func (p *pass) labelName(e dsl.Expr, sc *scope) *tree.Value {
	name, ok := p.literal(e, sc, "a point or a label", true)
	if !ok || !p.labelAllowed(e.Span(), naming(name, sc)) || !p.knownLabel(name, e.Span()) {
		return nil
	}
	return &tree.Value{Text: name, Place: e.Span()}
}

// moved resolves t(x), s(t(x)), and rotate(10deg), which moves the innermost point.
func (p *pass) moved(call *dsl.Call, sc *scope) *movedPoint {
	if m := p.bareMap(call.Fun, sc); m != nil {
		if len(call.Args) != 1 || call.Args[0].Name != nil {
			p.report(&diag.Diagnostic{Code: codes.TooManyArguments, Subject: call.Span(), Summary: shown(call.Fun) + " moves one point", Mend: "Write " + shown(call.Fun) + "(x)."})
			return nil
		}
		return p.applied(m, call.Args[0].Value, sc)
	}
	if at, ok := p.onPath(call, sc); ok {
		return at
	}
	_, schema := p.pointMap(call.Fun.Name)
	if schema == nil {
		if !p.unknown(call.Fun.Name) && !p.namesCall(call.Fun.Name) {
			p.misnamed(call.Fun.Name, append(p.mapNames(), sc.names(tree.MapVar)...), &diag.Diagnostic{Code: codes.UnknownMap, Subject: call.Fun.Span(), Summary: shown(call.Fun) + " is no transformation"})
		}
		return nil
	}
	if len(call.Args) == 1 && p.isPoint(call.Args[0].Value, sc) {
		if m := p.mapping(&dsl.Call{At: call.At, Fun: call.Fun}, sc); m != nil {
			return p.applied(m, call.Args[0].Value, sc)
		}
		return nil
	}
	m := p.mapping(call, sc)
	point := p.innermost(call, sc)
	if m == nil || point == nil {
		return nil
	}
	return &movedPoint{point: point, maps: []*tree.Mapping{m}}
}

// namesCall reports whether a let stands for a call that is no transformation, which is said of the let.
func (p *pass) namesCall(name string) bool {
	let := p.decls.lets[name]
	if let == nil {
		return false
	}
	call, ok := let.Value.(*dsl.Call)
	return ok && call.Fun.Name != tree.TaxonomyWord && call.Fun.Name != tree.GridWord
}

// isPoint reports whether an argument is certainly a point: a bound one, or one that is moved.
func (p *pass) isPoint(e dsl.Expr, sc *scope) bool {
	switch e := e.(type) {
	case *dsl.Ident:
		b := sc.lookup(e.Name)
		for b != nil && b.argument != nil {
			return p.isPoint(b.argument.expr, b.argument.scope)
		}
		return b != nil && b.variable.Kind == tree.PointVar
	case *dsl.Call:
		_, schema := p.pointMap(e.Fun.Name)
		point := boundPoint(e.Fun, sc)
		return schema != nil || p.mapName(e.Fun, sc) || point != nil && point.Axis.HasPath
	}
	return false
}

func (p *pass) applied(m *tree.Mapping, to dsl.Expr, sc *scope) *movedPoint {
	at, label, ok := p.pointOrLabel(to, sc)
	if !ok {
		return nil
	}
	if label != nil {
		p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: to.Span(), Summary: m.Text + " moves a point, and " + tree.Text(to) + " is none"})
		return nil
	}
	out := *at
	out.maps = append(append([]*tree.Mapping(nil), at.maps...), m)
	return &out
}

// mapName reports whether a name is bound to a transformation.
func (p *pass) mapName(id *dsl.Ident, sc *scope) bool {
	if b := sc.lookup(id.Name); b != nil {
		if b.variable != nil {
			return b.variable.Kind == tree.MapVar
		}
		switch e := b.argument.expr.(type) {
		case *dsl.Ident:
			return p.mapName(e, b.argument.scope)
		case *dsl.Call:
			_, schema := p.pointMap(e.Fun.Name)
			return schema != nil
		}
		return false
	}
	if let := p.decls.lets[id.Name]; let != nil {
		if call, ok := let.Value.(*dsl.Call); ok {
			_, schema := p.pointMap(call.Fun.Name)
			return schema != nil
		}
	}
	return false
}

// bareMap is the transformation that a name is bound to: by a quantifier, a definition or a let; nil where it is none.
func (p *pass) bareMap(id *dsl.Ident, sc *scope) *tree.Mapping {
	if !p.mapName(id, sc) {
		return nil
	}
	b := sc.lookup(id.Name)
	switch {
	case b == nil:
		p.used[id.Name] = true
		return p.mappingOf(p.decls.lets[id.Name].Value, nil)
	case b.variable != nil:
		return &tree.Mapping{Bound: b.variable, Text: b.variable.Name, From: p.origin(id)}
	}
	if inner, ok := b.argument.expr.(*dsl.Ident); ok {
		return p.bareMap(inner, b.argument.scope)
	}
	return p.mappingOf(b.argument.expr, b.argument.scope)
}

// mappingOf compiles an expression that mapName has found to be a call of a map.
func (p *pass) mappingOf(e dsl.Expr, sc *scope) *tree.Mapping {
	call, ok := e.(*dsl.Call)
	if !ok {
		return nil
	}
	return p.mapping(call, sc)
}

// mapping compiles a map with its arguments: rotate(10deg).
func (p *pass) mapping(call *dsl.Call, sc *scope) *tree.Mapping {
	fam, schema := p.pointMap(call.Fun.Name)
	if schema == nil {
		if !p.unknown(call.Fun.Name) {
			p.misnamed(call.Fun.Name, p.mapNames(), &diag.Diagnostic{Code: codes.UnknownMap, Subject: call.Fun.Span(), Summary: shown(call.Fun) + " is no transformation"})
		}
		return nil
	}
	args, ok := p.arguments(schema.Args, schema.Name, call.Args, call.Span(), sc)
	if !ok {
		return nil
	}
	if c := &p.out.Data.Columns; schema.NeedsImage && len(c.Names)+len(c.Globs) > 0 && c.Height == 0 {
		p.report(&diag.Diagnostic{Code: codes.NeedsImage, Subject: call.Span(), Summary: schema.Name + " acts on images, and the features are the columns of a table", Mend: "Say columns image(h, w) in the data block."})
		return nil
	}
	return &tree.Mapping{Fam: fam, Schema: schema, Args: args, From: p.origin(call), Text: tree.Text(call)}
}

// derivative compiles d/dλ e, d/d(column) e and d/dt e, for linear e.
func (p *pass) derivative(e *dsl.Deriv, sc *scope) *tree.Node {
	of := p.expr(e.Of, sc)
	d, node := p.along(e, sc)
	if of == nil || d == nil {
		return nil
	}
	v := &calculus.Deriver{From: p.origin(e), Along: d, Path: node}
	if bad := calculus.Nonlinear(of); bad != nil {
		refusal := p.report(&diag.Diagnostic{
			Code: codes.DerivativeOfNonlinear, Subject: e.Of.Span(), Summary: fmt.Sprintf("d/d%s stands before %s, which is not linear in f", d.Text, tree.Text(e.Of)),
			Detail: "The derivative of what is not linear in f need not be convex in f.", Mend: "Derive f itself, and apply " + calculus.WordOr(bad, "the rest") + " to the derivative.",
		})
		if p.shows() {
			if refusal.Values = v.Violation(of); refusal.Values == nil {
				refusal.Values = []string{calculus.NoneFound}
			}
		}
		p.mendBy(refusal, "", edit.DerivedInside(e))
		return nil
	}
	n := v.Derive(of)
	p.tell(v.Found)
	if n == nil {
		return nil
	}
	if !v.Varies {
		p.report(&diag.Diagnostic{
			Code: codes.NoDerivative, Subject: e.Span(), Summary: fmt.Sprintf("%s does not vary with %s", tree.Text(e.Of), d.Text),
			Detail: "Its derivative is zero whatever f is.", Mend: "Derive an f that stands where " + d.Text + " says: d/d" + d.Text + " f under the quantifier that binds " + d.Text + ".",
		})
		return nil
	}
	p.derives = append(p.derives, p.origin(e))
	if calculus.DerivedTwice(n) {
		p.bends = append(p.bends, p.origin(e))
	}
	return calculus.WithoutZeros(n)
}

// along says along what f is derived. For a path it also gives the axis of its parameter.
func (p *pass) along(e *dsl.Deriv, sc *scope) (*tree.Derivative, *tree.Axis) {
	if e.Bracketed {
		return p.alongColumn(e, sc), nil
	}
	id := e.With
	if b := sc.lookup(id.Name); b != nil && b.argument != nil {
		if inner, ok := b.argument.expr.(*dsl.Ident); ok {
			return p.along(&dsl.Deriv{At: e.At, With: inner, Of: e.Of}, b.argument.scope)
		}
	}
	if b := sc.lookup(id.Name); b != nil && b.variable != nil && b.variable.Kind == tree.ParamVar {
		return &tree.Derivative{Kind: tree.PathDeriv, Text: tree.Greek(b.variable.Name)}, b.variable.Axis
	}
	m := p.bareMap(id, sc)
	if _, schema := p.pointMap(id.Name); m == nil && schema != nil {
		if m = p.generator(id); m == nil {
			return nil, nil
		}
	}
	if m == nil {
		p.unknownParameter(e)
		return nil, nil
	}
	if !p.differentiable(m, id) {
		return nil, nil
	}
	return &tree.Derivative{Kind: tree.MapDeriv, Along: m, Text: shown(id)}, nil
}

func (p *pass) alongColumn(e *dsl.Deriv, sc *scope) *tree.Derivative {
	arg := &plugins.Arg{Name: "column", Kind: plugins.KindColumn}
	v := p.argument(arg, e.With, sc)
	if v == nil {
		return nil
	}
	name := v.Text
	if e.RawUnit {
		name += ", unit = raw"
	}
	return &tree.Derivative{Kind: tree.ColumnDeriv, Column: v, Raw: e.RawUnit, Text: "(" + name + ")"}
}

// generator is the map of that name with those arguments alone that have defaults: its derivative at the identity does
// not need the amount.
func (p *pass) generator(id *dsl.Ident) *tree.Mapping {
	fam, schema := p.pointMap(id.Name)
	m := &tree.Mapping{Fam: fam, Schema: schema, Args: make([]*tree.Value, len(schema.Args)), From: p.origin(id), Text: id.Name}
	amounts := 0
	for i := range schema.Args {
		arg := &schema.Args[i]
		amount := arg.Kind == plugins.KindNumber || arg.Kind == plugins.KindAngle
		if amount {
			amounts++
		}
		switch {
		case amounts > 1:
			p.report(&diag.Diagnostic{
				Code: codes.MissingArgument, Subject: id.Span(), Summary: id.Name + " goes in several directions", Detail: "Along which of them f is derived, only its arguments say.",
				Mend: "Bind it with its arguments: let t = " + signature(id.Name, schema.Args) + ", and d/dt f.",
			})
			return nil
		case arg.Default != "":
			m.Args[i] = p.argument(arg, p.defaultOf(arg), nil)
		case !arg.Optional && !amount:
			p.report(&diag.Diagnostic{
				Code: codes.MissingArgument, Subject: id.Span(), Summary: fmt.Sprintf("%s needs %s", id.Name, arg.Name), Detail: about(arg),
				Mend: "Bind it with its arguments: let t = " + signature(id.Name, schema.Args) + ", and d/dt f.",
			})
			return nil
		}
	}
	return m
}

func (p *pass) differentiable(m *tree.Mapping, id *dsl.Ident) bool {
	all := []*tree.Mapping{m}
	if m.Bound != nil {
		all = m.Bound.Axis.Maps
	}
	for _, m := range all {
		if !m.Schema.Differentiable {
			p.report(&diag.Diagnostic{Code: codes.NoDerivative, Subject: id.Span(), Summary: m.Text + " has no derivative", Mend: "Write a difference: f(t(x)) - f(x)."})
			return false
		}
	}
	return true
}

func (p *pass) unknownParameter(e *dsl.Deriv) {
	name := tree.Greek(shown(e.With))
	switch {
	case e.With.Name == "lambda":
		p.report(&diag.Diagnostic{Code: codes.NoDerivative, Subject: e.Span(), Summary: "no path is bound here: λ stands for nothing", Mend: "Put it under a quantifier that brings a path: max over pairs of |d/dλ f|."})
	case p.unknown(e.With.Name):
	default:
		p.report(&diag.Diagnostic{
			Code: codes.NoDerivative, Subject: e.With.Span(), Summary: name + " is neither a path's parameter nor a transformation",
			Mend: fmt.Sprintf("Bind it: max over %[1]s in {rotate(10deg)} of |d/d%[1]s f(x)|, say, or a path's: over (x, %[1]s) in …. Along a column, write d/d(%[1]s) f.", name),
		})
	}
}
