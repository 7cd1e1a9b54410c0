package symbols

import (
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
)

// unknownVariable is the sort of a variable whose index set is not known. Its binder has more names than the index set binds, or a
// family is missing.
const unknownVariable tree.VarKind = -1

// quantified binds a quantifier: each of its binders in the scope of those before, then the condition and the body. The order matters:
// in `over pairs, λ in [0, 1]`, the interval is of the path that pairs brings.
func (g env) quantified(e *dsl.Quant) {
	g.aggregation(e.Op)
	for _, bind := range append([]*dsl.Binder{e.Bind}, e.More...) {
		if bind != nil {
			g = g.variables(bind)
		}
	}
	g.condition(e.Where)
	g.expr(e.Body, function)
}

// relation binds what a requirement says, in the scope of its region. The region stands behind the
// sides in the text, and around them in meaning: in
//
//	require r = f(x) >= 0 over x in box
//
// both x are one variable.
func relation(g env, r *dsl.Relation) {
	for _, bind := range r.Over {
		g = g.variables(bind)
	}
	for _, side := range r.Sides {
		g.expr(side, function)
	}
	g.condition(r.Where)
}

// variables binds the names of a binder, and those that its index set brings along. A binder gives names to all that its index set
// binds, or to none. The parameter of a path and the weight of an edge may be left out. They then keep their own names and stand in
// scope all the same. That is why `over pairs of |d/dλ f|` has a λ.
func (g env) variables(e *dsl.Binder) env {
	binds, next := g.indexSet(e.In, len(e.Vars)), 0
	for _, v := range binds {
		v.Kind, v.Decl = Variable, e
		given := next < len(e.Vars) && (len(e.Vars) == len(binds) || v.sort != tree.ParamVar && v.sort != tree.WeightVar)
		if given {
			id := e.Vars[next]
			next++
			v.Name, v.At = id.Name, id.Span()
			g.to.note(id, v, true)
		} else {
			v.Name, v.At, v.Implicit = dsl.Spell(v.Name), placeOf(e.In), true
		}
		g = g.bind(v)
	}
	for _, id := range e.Vars[next:] { // more names than the index set binds, or an unknown one
		v := &Symbol{Kind: Variable, Name: id.Name, At: id.Span(), Decl: e, Detail: "bound by a quantifier", sort: unknownVariable}
		g.to.note(id, v, true)
		g = g.bind(v)
	}
	return g
}

// bound returns the symbol of what an index set binds, under the name that it has where the spec gives none. A binder makes it a
// variable with a place.
func bound(name string, sort tree.VarKind, doc string) *Symbol {
	s := &Symbol{Kind: Variable, Name: name, Detail: sort.String(), sort: sort}
	if doc != "" {
		s.Detail += ": " + doc
	}
	return s
}

// indexSet binds the names in an index set, and returns what an element of it binds, given how many names the binder has.
func (g env) indexSet(e dsl.Expr, names int) []*Symbol {
	switch e := dsl.Bare(e).(type) {
	case *dsl.Set:
		g.elements(e)
	case *dsl.Orbit:
		orbit(g, e)
	case *dsl.Interval:
		g.below(e, value)
	case *dsl.Ident, *dsl.Call:
		if g.domain(e) {
			return nil
		}
	}
	return g.bindsOf(e, names, mostLets)
}

// mostLets bounds how many lets are followed from one to the next.
const mostLets = 100

// bindsOf returns what an element of an index set binds, through lets. A literal set and an interval bind one name; with another number of
// them, nothing is known of any.
func (g env) bindsOf(e dsl.Expr, names, lets int) []*Symbol {
	switch e := dsl.Bare(e).(type) {
	case *dsl.Set:
		if sort := tree.LabelVar; names == 1 {
			if g.holdsMaps(e) {
				sort = tree.MapVar
			}
			return []*Symbol{bound("", sort, "one of "+tree.Text(e))}
		}
	case *dsl.Orbit:
		if names == 1 {
			return []*Symbol{bound("", tree.MapVar, "drawn from "+tree.Text(e))}
		}
	case *dsl.Interval:
		if names == 1 {
			return []*Symbol{bound("", tree.ParamVar, "where on the path, in "+tree.Text(e))}
		}
	case *dsl.Ident, *dsl.Call:
		id, args := dsl.Called(e)
		if let, ok := letOf(g, id); ok && len(args) == 0 {
			if lets == 0 {
				return nil
			}
			return env{to: g.to}.bindsOf(let.Value, names, lets-1)
		}
		binds := g.to.Binds(id.Name)
		for _, a := range args {
			if weight, ok := weightOf(id, a); ok {
				binds = append(binds, bound(weight.Name, tree.WeightVar, "the column "+weight.Name+" of the graph's file"))
			}
		}
		return binds
	}
	return nil
}

// letOf returns the let that a name stands for.
func letOf(g env, id *dsl.Ident) (*dsl.Let, bool) {
	d := g.to.Global(id.Name)
	if d == nil || g.lookup(id.Name) != nil {
		return nil, false
	}
	let, ok := d.Decl.(*dsl.Let)
	return let, ok
}

// weightOf returns the column of weights that an argument of graph(…, weight = w) names by a bare word.
func weightOf(fun *dsl.Ident, a *dsl.Arg) (*dsl.Ident, bool) {
	weight, bare := a.Value.(*dsl.Ident)
	return weight, bare && fun.Name == graphWord && a.Name != nil && a.Name.Name == weightWord
}

// holdsMaps reports whether a set is one of transformations, by its first element. A set never mixes transformations and labels.
func (g env) holdsMaps(set *dsl.Set) bool {
	if len(set.Elems) == 0 {
		return false
	}
	switch e := set.Elems[0].(type) {
	case *dsl.Call:
		return true
	case *dsl.Ident:
		d := g.to.Global(e.Name)
		return g.lookup(e.Name) == nil && d != nil && d.Kind == Let && d.Detail == aMap
	}
	return false
}

// domain binds the names of an index set that has a name. It returns true for a parameter of a definition, which may stand for any, so
// that nothing is known of what it binds. The column of weights in graph(…, weight = w) is a name of its own, unless a let or a variable has
// that name.
func (g env) domain(e dsl.Expr) (unknown bool) {
	id, args := dsl.Called(e)
	if s := g.lookup(id.Name); s != nil && s.Kind == Parameter {
		g.to.note(id, s, false)
		return true
	}
	if _, ok := letOf(g, id); ok && len(args) == 0 {
		g.to.note(id, g.to.Global(id.Name), false)
		return false
	}
	d := g.to.Lookup(IndexSet, id.Name)
	if d == nil && g.to.Binds(id.Name) != nil {
		d = g.to.external(IndexSet, "", id.Name)
	}
	g.to.note(id, d, false)
	if d != nil && d.Family != nil {
		g.arguments(d.Name, d.Args, args)
		return false
	}
	for _, a := range args {
		if id.Name == tree.BoxWord {
			side(g, a)
			continue
		}
		if id.Name == names.ColumnsWord {
			g.expr(a.Value, column)
			continue
		}
		if weight, ok := weightOf(id, a); ok && g.lookup(weight.Name) == nil && g.to.Global(weight.Name) == nil {
			continue
		}
		g.expr(a.Value, value)
	}
	return false
}

// side binds a side of a box: a column with what it runs through, or what the others are. The word
// others in quotes is a column. Bare words among values are lets, as values of columns stand in
// quotes.
func side(g env, a *dsl.Arg) {
	if a.Name != nil && (a.Name.Name != tree.OthersWord || a.Name.Raw != a.Name.Name) {
		g.to.note(a.Name, g.to.named(Column, a.Name, false), false)
	}
	switch e := dsl.Bare(a.Value).(type) {
	case *dsl.Ident, *dsl.Call:
		g.domain(e)
	default:
		g.expr(a.Value, value)
	}
}

// The index set of a file's edges, and its argument for their weights.
const (
	graphWord  = "graph"
	weightWord = "weight"
)

// Binds returns the variables that an element of an index set binds, under the names that they have where the spec gives none. Nil
// means that the index set binds none, or is not known.
func (t *Table) Binds(domain string) []*Symbol {
	switch domain {
	case "x", tree.RowsWord:
		return []*Symbol{bound("x", tree.PointVar, "a training row")}
	case tree.SampleWord:
		return []*Symbol{bound("x", tree.PointVar, "a training row of the sample")}
	case tree.LevelsWord:
		return []*Symbol{bound("q", tree.LabelVar, "a level of learn quantile")}
	case tree.LabelsWord:
		return []*Symbol{bound("label", tree.LabelVar, "")}
	case names.ColumnsWord:
		return []*Symbol{bound("c", tree.ColumnVar, "one of the columns listed")}
	case tree.BoxWord:
		return []*Symbol{bound("x", tree.PointVar, "a point of the box")}
	case graphWord:
		return []*Symbol{bound("a", tree.PointVar, "the row at one end of an edge"), bound("b", tree.PointVar, "the row at the other end")}
	}
	d := t.Lookup(IndexSet, domain)
	if d == nil || d.Family == nil {
		return nil
	}
	var out []*Symbol
	for _, v := range d.Family.Domain(domain).Binds {
		out = append(out, bound(v.Name, sortOf[v.Kind], v.Doc))
	}
	return out
}

// sortOf is what a family's index set binds, in the words of the language. A family binds no transformations and no weights: those come
// from literal sets and from files of edges alone.
var sortOf = map[plugins.BindKind]tree.VarKind{
	plugins.BindLabel: tree.LabelVar, plugins.BindPoint: tree.PointVar, plugins.BindParameter: tree.ParamVar,
}
