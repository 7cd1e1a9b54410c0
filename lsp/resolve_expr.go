package lsp

import (
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
)

// expr resolves an expression in f.
func (r *resolver) expr(e dsl.Expr, sc *scope) {
	switch e := e.(type) {
	case *dsl.Ident:
		r.ident(e, sc, wantFunction)
	case *dsl.Call:
		r.call(e, sc)
	case *dsl.Deriv:
		r.along(e, sc)
		r.expr(e.Of, sc)
	case *dsl.Aggregate:
		r.aggregation(e.Op, sc)
		for _, x := range e.Set.Elems {
			r.expr(x, sc)
		}
	case *dsl.Quant:
		r.aggregation(e.Op, sc)
		inner := sc
		for _, b := range append([]*dsl.Binder{e.Bind}, e.More...) {
			inner = r.binder(b, inner)
		}
		r.condition(e.Where, inner)
		r.expr(e.Body, inner)
	case nil:
	default:
		for _, c := range dsl.Children(e) {
			if x, ok := c.(dsl.Expr); ok {
				r.expr(x, sc)
			}
		}
	}
}

func (r *resolver) aggregation(op *dsl.Agg, sc *scope) {
	if op != nil && op.Arg != nil {
		r.value(op.Arg, sc)
	}
}

// along resolves what f is derived along.
func (r *resolver) along(e *dsl.Deriv, sc *scope) {
	w := wantMap
	if e.Bracketed {
		w = wantColumn
	}
	r.ident(e.With, sc, w)
}

func (r *resolver) call(e *dsl.Call, sc *scope) {
	name := e.Fun.Name
	bound := sc.lookup(name)
	if bound == nil {
		bound = r.names.globals[name]
	}
	switch name {
	case "f":
		r.met(e.Fun, r.builtin(name, functionDocs[name]), false)
		for _, a := range e.Args {
			r.point(a.Value, sc)
		}
	case "pos", "hypot":
		r.met(e.Fun, r.builtin(name, functionDocs[name]), false)
		for _, a := range e.Args {
			r.expr(a.Value, sc)
		}
	case wordGrid:
		r.value(e, sc)
	default:
		if bound == nil {
			bound = r.definition(name)
		}
		r.met(e.Fun, bound, false)
		for _, a := range e.Args {
			r.any(bound, a, sc)
		}
	}
}

// any resolves an argument of a definition: a label, a point, a transformation, a number, or a function of f.
func (r *resolver) any(of *symbol, a *dsl.Arg, sc *scope) {
	if a.Name != nil && of != nil {
		r.met(a.Name, r.parameter(of, a.Name.Name), false)
	}
	switch e := a.Value.(type) {
	case *dsl.Ident:
		r.ident(e, sc, wantAny)
	case *dsl.Call:
		if r.movesPoints(e, sc) {
			r.point(e, sc)
			return
		}
		r.expr(e, sc)
	default:
		r.expr(a.Value, sc)
	}
}

// parameter is the symbol of a definition's parameter, as it was declared.
func (r *resolver) parameter(of *symbol, name string) *symbol {
	def, ok := of.decl.(*dsl.Def)
	if !ok {
		return nil
	}
	for _, p := range def.Params {
		if p.Name == name {
			return r.declared[p]
		}
	}
	return nil
}

// movesPoints reports whether a call is that of a transformation.
func (r *resolver) movesPoints(e *dsl.Call, sc *scope) bool {
	if s := sc.lookup(e.Fun.Name); s != nil {
		return true
	}
	g := r.names.globals[e.Fun.Name]
	return g != nil && g.kind == letSymbol || g == nil && r.names.families.maps[e.Fun.Name] != nil
}

// point resolves an argument of f: a point, a moved one, or a label.
func (r *resolver) point(e dsl.Expr, sc *scope) {
	switch e := e.(type) {
	case *dsl.Paren:
		r.point(e.X, sc)
	case *dsl.Ident:
		r.ident(e, sc, wantLabel)
	case *dsl.Call:
		r.moved(e, sc)
	}
}

// moved resolves t(x), s(t(x)), scale(x) and rotate(10deg).
func (r *resolver) moved(e *dsl.Call, sc *scope) {
	if s := sc.lookup(e.Fun.Name); s != nil || r.names.globals[e.Fun.Name] != nil {
		r.ident(e.Fun, sc, wantMap)
	} else if r.names.families.maps[e.Fun.Name] != nil {
		if len(e.Args) != 1 || !r.isPoint(e.Args[0].Value, sc) {
			r.mapping(e, sc)
			return
		}
		r.ident(e.Fun, sc, wantMap)
	}
	for _, a := range e.Args {
		r.point(a.Value, sc)
	}
}

func (r *resolver) isPoint(e dsl.Expr, sc *scope) bool {
	switch e := e.(type) {
	case *dsl.Ident:
		return sc.lookup(e.Name) != nil
	case *dsl.Call:
		return r.movesPoints(e, sc)
	}
	return false
}

// mapping resolves a transformation with its arguments: rotate(10deg).
func (r *resolver) mapping(e *dsl.Call, sc *scope) {
	m := r.names.families.maps[e.Fun.Name]
	if m == nil {
		return
	}
	r.met(e.Fun, r.mapSymbol(m), false)
	r.arguments(m.Name, m.Args, e.Args, sc)
}

// set resolves a set of transformations, or of labels.
func (r *resolver) set(e *dsl.Set, sc *scope) {
	for _, x := range e.Elems {
		switch x := x.(type) {
		case *dsl.Call:
			r.mapping(x, sc)
		case *dsl.Ident:
			if sc.lookup(x.Name) != nil || r.names.globals[x.Name] != nil || r.names.families.maps[x.Name] != nil {
				r.ident(x, sc, wantMap)
			} else {
				r.ident(x, sc, wantLabel)
			}
		}
	}
}

// condition resolves what stands after where.
func (r *resolver) condition(e dsl.Expr, sc *scope) {
	switch e := e.(type) {
	case *dsl.Paren:
		r.condition(e.X, sc)
	case *dsl.Not:
		r.condition(e.X, sc)
	case *dsl.Binary:
		if e.Op == "and" || e.Op == "or" {
			r.condition(e.X, sc)
			r.condition(e.Y, sc)
			return
		}
		labels := r.isLabelVariable(e.X, sc) || r.isLabelVariable(e.Y, sc)
		r.operand(e.X, sc, labels)
		r.operand(e.Y, sc, labels)
	case *dsl.Ident:
		r.ident(e, sc, wantColumn)
	}
}

func (r *resolver) isLabelVariable(e dsl.Expr, sc *scope) bool {
	id, ok := e.(*dsl.Ident)
	if !ok {
		return false
	}
	s := sc.lookup(id.Name)
	return s != nil && strings.HasPrefix(s.detail, "a label")
}

// operand resolves one side of a comparison: a column, a column at a point, a label, a number.
func (r *resolver) operand(e dsl.Expr, sc *scope, labels bool) {
	switch e := e.(type) {
	case *dsl.Paren:
		r.operand(e.X, sc, labels)
	case *dsl.Ident:
		if labels {
			r.ident(e, sc, wantLabel)
		} else {
			r.ident(e, sc, wantColumn)
		}
	case *dsl.Call:
		if e.Fun.Name == wordGrid {
			r.value(e, sc)
			return
		}
		r.met(e.Fun, r.named(columnSymbol, e.Fun, false), false)
		for _, a := range e.Args {
			if id, ok := a.Value.(*dsl.Ident); ok {
				r.ident(id, sc, wantValue)
			}
		}
	default:
		r.value(e, sc)
	}
}

// binder binds the names of a binder, those that its index set brings along among them.
func (r *resolver) binder(b *dsl.Binder, sc *scope) *scope {
	if b == nil {
		return sc
	}
	binds := r.indexSet(b.In, sc)
	if set, ok := b.In.(*dsl.Set); ok && len(b.Vars) == 1 {
		binds = []plugins.Bind{{Kind: plugins.BindLabel, Doc: "one of " + flat(set)}}
		if r.holdsMaps(set, sc) {
			binds[0] = plugins.Bind{Kind: bindMap, Doc: "one of " + flat(set)}
		}
	}
	if _, ok := b.In.(*dsl.Interval); ok && len(b.Vars) == 1 {
		binds = []plugins.Bind{{Kind: plugins.BindParameter, Doc: "where on the path, in " + flat(b.In)}}
	}
	next := 0
	for _, bind := range binds {
		optional := bind.Kind == plugins.BindParameter || bind.Kind == bindWeight
		given := next < len(b.Vars) && (len(b.Vars) == len(binds) || !optional)
		s := &symbol{kind: variableSymbol, decl: b, detail: bindDetail(bind)}
		if given {
			id := b.Vars[next]
			next++
			s.name, s.def = id.Name, id.Span()
			r.met(id, s, true)
		} else {
			s.name, s.def, s.implicit = dsl.Spell(bind.Name), spanOf(b.In), true
		}
		sc = sc.bind(s)
	}
	for _, id := range b.Vars[min(next, len(b.Vars)):] { // more names than the index set binds, or an unknown one
		s := &symbol{kind: variableSymbol, name: id.Name, def: id.Span(), decl: b, detail: "bound by a quantifier"}
		r.met(id, s, true)
		sc = sc.bind(s)
	}
	return sc
}

// These are what a set of transformations binds, and a graph with weights.
const (
	bindMap plugins.BindKind = 100 + iota
	bindWeight
)

func bindDetail(b plugins.Bind) string {
	kind := map[plugins.BindKind]string{
		plugins.BindLabel: "a label", plugins.BindPoint: "a point", plugins.BindParameter: "a path's parameter", bindMap: "a transformation", bindWeight: "an edge's weight",
	}[b.Kind]
	if b.Doc == "" {
		return kind
	}
	return kind + ": " + b.Doc
}

func flat(e dsl.Expr) string { return strings.Join(strings.Fields(dsl.ExprString(e)), " ") }

func (r *resolver) holdsMaps(set *dsl.Set, sc *scope) bool {
	if len(set.Elems) == 0 {
		return false
	}
	switch e := set.Elems[0].(type) {
	case *dsl.Call:
		return true
	case *dsl.Ident:
		g := r.names.globals[e.Name]
		let, isLet := (*dsl.Let)(nil), false
		if g != nil {
			let, isLet = g.decl.(*dsl.Let)
		}
		return sc.lookup(e.Name) == nil && isLet && valueDetail(let.Value) == "a transformation"
	}
	return false
}

// indexSet resolves an index set and says what its elements bind.
func (r *resolver) indexSet(e dsl.Expr, sc *scope) []plugins.Bind {
	switch e := e.(type) {
	case *dsl.Paren:
		return r.indexSet(e.X, sc)
	case *dsl.Set:
		r.set(e, sc)
	case *dsl.Interval:
		r.value(e.Lo, sc)
		r.value(e.Hi, sc)
	case *dsl.Ident, *dsl.Call:
		return r.domain(e, sc)
	}
	return nil
}

func (r *resolver) domain(e dsl.Expr, sc *scope) []plugins.Bind {
	id, args := callOf(e)
	if s := sc.lookup(id.Name); s != nil && s.kind == parameterSymbol {
		r.met(id, s, false)
		return nil
	}
	r.met(id, r.domainSymbol(id.Name), false)
	if d := r.names.families.domains[id.Name]; d != nil {
		r.arguments(d.Name, d.Args, args, sc)
		return d.Binds
	}
	binds := r.names.families.binds(id.Name)
	for _, a := range args {
		column, bare := a.Value.(*dsl.Ident)
		if id.Name == wordGraph && a.Name != nil && a.Name.Name == wordWeight && bare {
			binds = append(binds, plugins.Bind{Name: column.Name, Kind: bindWeight, Doc: "the column " + column.Name + " of the graph's file"})
			if sc.lookup(column.Name) == nil && r.names.globals[column.Name] == nil {
				continue
			}
		}
		r.value(a.Value, sc)
	}
	return binds
}

// binds are what an index set binds, of a family or of the language.
func (w *familyWords) binds(domain string) []plugins.Bind {
	if d := w.domains[domain]; d != nil {
		return d.Binds
	}
	switch domain {
	case "x", "rows":
		return []plugins.Bind{{Name: "x", Kind: plugins.BindPoint, Doc: "a training row"}}
	case wordLabels:
		return []plugins.Bind{{Name: "label", Kind: plugins.BindLabel}}
	case wordGraph:
		return []plugins.Bind{
			{Name: "a", Kind: plugins.BindPoint, Doc: "the row at one end of an edge"},
			{Name: "b", Kind: plugins.BindPoint, Doc: "the row at the other end"},
		}
	}
	return nil
}
