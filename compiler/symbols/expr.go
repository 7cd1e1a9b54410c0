package symbols

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A role is what an expression is read as, which decides what a bare name in it stands for. What a quantifier or a definition binds
// comes first in every role. Then, in this order:
//
//	function   f, the spec's declarations, definitions of families and of the standard library
//	value      median and auto, then as a function
//	point      lets, labels
//	column     lets, columns
//	mapping    the spec's declarations, transformations of families
//	argument   the spec's declarations, transformations of families, labels
//
// A label that the data block declares comes before a let of its name, as f(cat) is at the label whatever else cat is.
type role int

const (
	function role = iota // of f
	value                // a number, a text, a taxonomy, a transformation
	point                // or a label
	column
	mapping
	argument // of a definition: any of these
)

// An env is the Γ of the rules: all that names stand for at a place. It is a value, so that what stands beside a quantifier does not
// see its variables.
type env struct {
	to *recorder
	sc *scope // nil where nothing is bound
}

// A scope is what quantifiers and definitions bind, innermost first.
type scope struct {
	up *scope
	*Symbol
}

// lookup returns what the innermost quantifier or definition binds a name to. Nil means that none does.
func (g env) lookup(name string) *Symbol {
	for s := g.sc; s != nil; s = s.up {
		if s.Name == name {
			return s.Symbol
		}
	}
	return nil
}

// bind returns the environment with one more name.
func (g env) bind(sym *Symbol) env { return env{g.to, &scope{g.sc, sym}} }

// within returns the role of an operand, given that of the operation. Functions of f and columns are added and scaled; points
// and transformations are not, and only numbers can be meant there.
func (r role) within() role {
	switch r {
	case argument, function:
		return function
	case column:
		return column
	case value, point, mapping:
	}
	return value
}

// bindHeld binds what a let or a definition stands for: a condition, or an expression that is read in a role. Its form tells which, as a
// comparison is never a function of f.
func bindHeld(g env, e dsl.Expr, as role) {
	if values.IsCondition(e) {
		g.condition(e)
		return
	}
	g.expr(e, as)
}

// expr binds the names of an expression that is read in a role. Brackets keep the role. So does what is derived: d/dλ stands before
// functions of f.
func (g env) expr(e dsl.Expr, as role) {
	switch e := e.(type) {
	case nil:
	case *dsl.Ident:
		g.to.note(e, g.meaning(e, as), false)
	case *dsl.Call:
		g.call(e, as)
	case *dsl.Apply:
		g.call(e.Map, point)
		g.expr(e.To, point)
	case *dsl.Orbit:
		orbit(g, e)
	case *dsl.Deriv:
		if e.Bracketed {
			g.expr(e.With, column)
		} else {
			g.expr(e.With, mapping)
		}
		g.expr(e.Of, function)
	case *dsl.Aggregate:
		g.aggregation(e.Op)
		if as != column {
			as = function
		}
		g.below(e.Set, as)
	case *dsl.Quant:
		g.quantified(e)
	case *dsl.Paren:
		g.expr(e.X, as)
	default:
		g.below(e, as.within())
	}
}

// below binds the expressions directly below one.
func (g env) below(e dsl.Expr, as role) {
	for _, c := range dsl.Children(e) {
		if x, ok := c.(dsl.Expr); ok {
			g.expr(x, as)
		}
	}
}

// aggregation binds the number in norm(p) and top(k).
func (g env) aggregation(op *dsl.Agg) {
	if op != nil {
		g.expr(op.Arg, value)
	}
}

// meaning returns what a bare name stands for. Nil means that nothing of that name is known.
func (g env) meaning(id *dsl.Ident, as role) *Symbol {
	if s := g.lookup(id.Name); s != nil {
		return s
	}
	global := g.to.Global(id.Name)
	switch {
	case as == mapping && global == nil:
		return g.to.Lookup(Map, id.Name)
	case as == column && (global == nil || global.Kind != Let):
		return g.to.named(Column, id, false)
	case as == point || as == argument:
		return g.labelled(id, global, as)
	case id.Name == "f" && as == function, as <= value && (id.Name == tree.OfMedian || id.Name == tree.AutoWord):
		return g.to.external(Function, "", id.Name)
	case as <= value && global == nil:
		return g.to.Lookup(Definition, id.Name)
	}
	return global
}

// labelled returns what a name stands for where a label may stand. A label of the target comes first. Then come a let and, as an
// argument, any other declaration and a transformation. What is none of these is a label that only the data know.
func (g env) labelled(id *dsl.Ident, global *Symbol, as role) *Symbol {
	isLabel := g.to.data.Target.Task == setting.Multilabel && slices.Contains(g.to.data.Target.Names, values.RawName(id))
	if global != nil && (global.Kind == Let || as == argument) && !isLabel {
		return global
	}
	if m := g.to.Lookup(Map, id.Name); m != nil && as == argument {
		return m
	}
	return g.to.named(Label, id, false)
}

// call binds a call by its role. In a condition, the word before the bracket is a column at a point. Where points stand, it is a
// transformation. Elsewhere it is a function of the language or a definition.
func (g env) call(e *dsl.Call, as role) {
	name := e.Fun.Name
	switch {
	case as == column && name != tree.GridWord:
		columnCall(g, e)
	case as == point, as == argument && g.moves(e):
		g.moved(e)
	case as == value && g.to.Lookup(Map, name) != nil:
		g.transformation(e)
	case as == value || name == tree.GridWord:
		if slices.Contains(functions, name) {
			g.to.note(e.Fun, g.to.external(Function, "", name), false)
		}
		g.each(e.Args, value)
	case name == "f":
		g.to.note(e.Fun, g.to.external(Function, "", name), false)
		g.each(e.Args, point)
	case name == "pos" || name == "hypot":
		g.to.note(e.Fun, g.to.external(Function, "", name), false)
		g.each(e.Args, function)
	default:
		g.applied(e)
	}
}

// columnCall binds a call in a condition. A definition or a function of numbers may be called there. Any other word before a
// bracket is the name of a column, COLUMN(a).
func columnCall(g env, e *dsl.Call) {
	name := e.Fun.Name
	s := g.lookup(name)
	switch {
	case s == nil && calculates(g, name):
		g.applied(e)
		return
	case name == "sqrt" || name == "pos" || name == "hypot":
		g.each(e.Args, column)
		return
	case s == nil:
		s = g.to.named(Column, e.Fun, false)
	}
	g.to.note(e.Fun, s, false)
	g.each(e.Args, value)
}

// calculates reports whether a definition stands before a bracket in a condition. It may be one of
// the spec, of a family or of the standard library.
func calculates(g env, name string) bool {
	global := g.to.Global(name)
	return global != nil && global.Kind == Def || g.to.Lookup(Definition, name) != nil
}

// each binds arguments in a role.
func (g env) each(args []*dsl.Arg, as role) {
	for _, a := range args {
		g.expr(a.Value, as)
	}
}

// applied binds the call of a definition. Arguments that name a parameter are occurrences of it, so that a rename reaches them.
func (g env) applied(e *dsl.Call) {
	s := g.lookup(e.Fun.Name)
	if s == nil {
		s = g.to.Global(e.Fun.Name)
	}
	if s == nil {
		s = g.to.Lookup(Definition, e.Fun.Name)
	}
	g.to.note(e.Fun, s, false)
	for _, a := range e.Args {
		if a.Name != nil && s != nil {
			g.to.note(a.Name, g.to.parameter(s, a.Name.Name), false)
		}
	}
	g.each(e.Args, argument)
}

// moves reports whether a call is that of a transformation: it then stands for a moved point.
func (g env) moves(e *dsl.Call) bool {
	if g.lookup(e.Fun.Name) != nil {
		return true
	}
	d := g.to.Global(e.Fun.Name)
	return d != nil && d.Kind == Let || d == nil && g.to.Lookup(Map, e.Fun.Name) != nil
}

// moved binds t(x), s(t(x)), scale(x) and rotate(10deg). A transformation of a family is given its amounts, unless its one argument is
// a point: `scale(x)` moves x, `scale(2)` moves the innermost point.
func (g env) moved(e *dsl.Call) {
	free := g.lookup(e.Fun.Name) == nil && g.to.Global(e.Fun.Name) == nil
	if free && g.to.Lookup(Map, e.Fun.Name) != nil && (len(e.Args) != 1 || !g.isPoint(e.Args[0].Value)) {
		g.transformation(e)
		return
	}
	g.expr(e.Fun, mapping)
	g.each(e.Args, point)
}

// isPoint reports whether an argument is certainly a point: a bound one, or one that is moved.
func (g env) isPoint(e dsl.Expr) bool {
	switch e := e.(type) {
	case *dsl.Ident:
		return g.lookup(e.Name) != nil
	case *dsl.Call:
		return g.moves(e)
	}
	return false
}

// transformation binds a call of a family's transformation: rotate(10deg).
func (g env) transformation(e *dsl.Call) {
	if m := g.to.Lookup(Map, e.Fun.Name); m != nil {
		g.to.note(e.Fun, m, false)
		g.arguments(m.Name, m.Args, e.Args)
	}
}

// orbit binds the word of an orbit, its arguments and its transformations.
func orbit(g env, e *dsl.Orbit) {
	g.to.note(e.Word, g.to.external(IndexSet, "", tree.OrbitWord), false)
	g.arguments(tree.OrbitWord, tree.OrbitArgs, e.Args)
	g.elements(e.Set)
}

// elements binds a set of transformations or labels. A name that is neither bound nor declared is a label.
func (g env) elements(set *dsl.Set) {
	for _, e := range set.Elems {
		switch e := e.(type) {
		case *dsl.Call:
			g.transformation(e)
		case *dsl.Ident:
			as := point
			if g.lookup(e.Name) != nil || g.to.Global(e.Name) != nil || g.to.Lookup(Map, e.Name) != nil {
				as = mapping
			}
			g.expr(e, as)
		}
	}
}

// condition binds what stands behind where, or what a let or a definition holds to stand there. A bare name is a column, unless it
// is compared with a variable that stands for labels.
func (g env) condition(e dsl.Expr) {
	switch e := e.(type) {
	case *dsl.Binary:
		if e.Op == "and" || e.Op == "or" {
			g.condition(e.X)
			g.condition(e.Y)
			return
		}
		labels := g.isLabelVariable(e.X) || g.isLabelVariable(e.Y)
		if set, ok := e.Y.(*dsl.Set); ok && labels {
			g.elements(set)
			g.expr(e.X, point)
			return
		}
		for _, side := range []dsl.Expr{e.X, e.Y} {
			if _, isName := side.(*dsl.Ident); isName && labels {
				g.expr(side, point)
			} else {
				g.expr(side, column)
			}
		}
	case *dsl.Paren:
		g.condition(e.X)
	case *dsl.Not:
		g.condition(e.X)
	case *dsl.Ident, *dsl.Call:
		g.expr(e, column)
	}
}

// isLabelVariable reports whether one side of a comparison is a variable that stands for labels.
func (g env) isLabelVariable(e dsl.Expr) bool {
	id, ok := e.(*dsl.Ident)
	if !ok {
		return false
	}
	s := g.lookup(id.Name)
	return s != nil && s.Kind == Variable && s.sort == tree.LabelVar
}

// arguments binds the arguments of a call by its schema, which gives each its role. What the schema does not know is read as a value.
func (g env) arguments(call string, schema []plugins.Arg, args []*dsl.Arg) {
	for i, a := range args {
		if a.Name != nil {
			i = slices.IndexFunc(schema, func(s plugins.Arg) bool { return s.Name == a.Name.Name })
		}
		if i < 0 || i >= len(schema) {
			g.expr(a.Value, value)
			continue
		}
		arg := &schema[i]
		if a.Name != nil {
			s := g.to.external(Argument, call, arg.Name)
			s.Args, s.Detail = schema[i:i+1], "an argument of "+call
			g.to.note(a.Name, s, false)
		}
		g.argument(arg, a.Value)
	}
}

// argument binds one argument. Only a bare name depends on its kind: a word that the argument takes comes first, unless a variable
// hides it.
func (g env) argument(arg *plugins.Arg, e dsl.Expr) {
	id, isName := e.(*dsl.Ident)
	switch {
	case isName && g.lookup(id.Name) == nil && slices.Contains(values.Fills(arg), id.Name):
		g.to.note(id, g.to.external(Filler, arg.Name, id.Name), false)
	case isName && arg.Kind == plugins.KindColumn:
		g.expr(id, column)
	case isName && arg.Kind == plugins.KindLabel:
		g.expr(id, point)
	default:
		g.expr(e, value)
	}
}
