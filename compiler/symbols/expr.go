package symbols

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
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

// within returns the role of an operand, given that of the operation. Functions of f are added and scaled; points, columns
// and transformations are not, and only numbers can be meant there.
func (r role) within() role {
	if r == argument || r == function {
		return function
	}
	return value
}

// expr binds the names of an expression that is read in a role. Brackets keep the role. So does what is derived: d/dλ stands before
// functions of f.
func (b *binder) expr(e dsl.Expr, as role, sc *scope) {
	switch e := e.(type) {
	case nil:
	case *dsl.Ident:
		b.note(e, b.meaning(e, as, sc), false)
	case *dsl.Call:
		b.call(e, as, sc)
	case *dsl.Deriv:
		if e.Bracketed {
			b.expr(e.With, column, sc)
		} else {
			b.expr(e.With, mapping, sc)
		}
		b.expr(e.Of, function, sc)
	case *dsl.Aggregate:
		b.aggregation(e.Op, sc)
		b.below(e.Set, function, sc)
	case *dsl.Quant:
		b.quantified(e, sc)
	case *dsl.Paren:
		b.expr(e.X, as, sc)
	default:
		b.below(e, as.within(), sc)
	}
}

// below binds the expressions directly below one.
func (b *binder) below(e dsl.Expr, as role, sc *scope) {
	for _, c := range dsl.Children(e) {
		if x, ok := c.(dsl.Expr); ok {
			b.expr(x, as, sc)
		}
	}
}

// aggregation binds the number in norm(p) and top(k).
func (b *binder) aggregation(op *dsl.Agg, sc *scope) {
	if op != nil {
		b.expr(op.Arg, value, sc)
	}
}

// meaning returns what a bare name stands for. Nil means that nothing of that name is known.
func (b *binder) meaning(id *dsl.Ident, as role, sc *scope) *Symbol {
	if s := sc.lookup(id.Name); s != nil {
		return s
	}
	global := b.Global(id.Name)
	switch {
	case as == mapping && global == nil:
		return b.Lookup(Map, id.Name)
	case as == column && (global == nil || global.Kind != Let):
		return b.named(Column, id, false)
	case as == point || as == argument:
		return b.labelled(id, global, as)
	case id.Name == "f" && as == function, as <= value && (id.Name == tree.OfMedian || id.Name == tree.AutoWord):
		return b.external(Function, "", id.Name)
	case as <= value && global == nil:
		return b.Lookup(Definition, id.Name)
	}
	return global
}

// labelled returns what a name stands for where a label may stand. A label of the target comes first. Then come a let and, as an
// argument, any other declaration and a transformation. What is none of these is a label that only the data know.
func (b *binder) labelled(id *dsl.Ident, global *Symbol, as role) *Symbol {
	isLabel := b.target.Task == setting.Multilabel && slices.Contains(b.target.Names, values.RawName(id))
	if global != nil && (global.Kind == Let || as == argument) && !isLabel {
		return global
	}
	if m := b.Lookup(Map, id.Name); m != nil && as == argument {
		return m
	}
	return b.named(Label, id, false)
}

// call binds a call by its role. In a condition, the word before the bracket is a column at a point. Where points stand, it is a
// transformation. Elsewhere it is a function of the language or a definition.
func (b *binder) call(e *dsl.Call, as role, sc *scope) {
	name := e.Fun.Name
	switch {
	case as == column && name != tree.GridWord: // COLUMN(a)
		s := sc.lookup(name)
		if s == nil {
			s = b.named(Column, e.Fun, false)
		}
		b.note(e.Fun, s, false)
		b.each(e.Args, value, sc)
	case as == point, as == argument && b.moves(e, sc):
		b.moved(e, sc)
	case as == value && b.Lookup(Map, name) != nil:
		b.transformation(e, sc)
	case as == value || name == tree.GridWord:
		if slices.Contains(functions, name) {
			b.note(e.Fun, b.external(Function, "", name), false)
		}
		b.each(e.Args, value, sc)
	case name == "f":
		b.note(e.Fun, b.external(Function, "", name), false)
		b.each(e.Args, point, sc)
	case name == "pos" || name == "hypot":
		b.note(e.Fun, b.external(Function, "", name), false)
		b.each(e.Args, function, sc)
	default:
		b.applied(e, sc)
	}
}

// each binds arguments in a role.
func (b *binder) each(args []*dsl.Arg, as role, sc *scope) {
	for _, a := range args {
		b.expr(a.Value, as, sc)
	}
}

// applied binds the call of a definition. Arguments that name a parameter are occurrences of it, so that a rename reaches them.
func (b *binder) applied(e *dsl.Call, sc *scope) {
	s := sc.lookup(e.Fun.Name)
	if s == nil {
		s = b.Global(e.Fun.Name)
	}
	if s == nil {
		s = b.Lookup(Definition, e.Fun.Name)
	}
	b.note(e.Fun, s, false)
	for _, a := range e.Args {
		if a.Name != nil && s != nil {
			b.note(a.Name, b.parameter(s, a.Name.Name), false)
		}
	}
	b.each(e.Args, argument, sc)
}

// parameter returns the symbol of a definition's parameter.
func (b *binder) parameter(of *Symbol, name string) *Symbol {
	if def, ok := of.Decl.(*dsl.Def); ok {
		for _, p := range def.Params {
			if p.Name == name {
				return b.declared[p]
			}
		}
	}
	return nil
}

// moves reports whether a call is that of a transformation: it then stands for a moved point.
func (b *binder) moves(e *dsl.Call, sc *scope) bool {
	if sc.lookup(e.Fun.Name) != nil {
		return true
	}
	g := b.Global(e.Fun.Name)
	return g != nil && g.Kind == Let || g == nil && b.Lookup(Map, e.Fun.Name) != nil
}

// moved binds t(x), s(t(x)), scale(x) and rotate(10deg). A transformation of a family is given its amounts, unless its one argument is
// a point: `scale(x)` moves x, `scale(2)` moves the innermost point.
func (b *binder) moved(e *dsl.Call, sc *scope) {
	free := sc.lookup(e.Fun.Name) == nil && b.Global(e.Fun.Name) == nil
	if free && b.Lookup(Map, e.Fun.Name) != nil && (len(e.Args) != 1 || !b.isPoint(e.Args[0].Value, sc)) {
		b.transformation(e, sc)
		return
	}
	b.expr(e.Fun, mapping, sc)
	b.each(e.Args, point, sc)
}

// isPoint reports whether an argument is certainly a point: a bound one, or one that is moved.
func (b *binder) isPoint(e dsl.Expr, sc *scope) bool {
	switch e := e.(type) {
	case *dsl.Ident:
		return sc.lookup(e.Name) != nil
	case *dsl.Call:
		return b.moves(e, sc)
	}
	return false
}

// transformation binds a call of a family's transformation: rotate(10deg).
func (b *binder) transformation(e *dsl.Call, sc *scope) {
	if m := b.Lookup(Map, e.Fun.Name); m != nil {
		b.note(e.Fun, m, false)
		b.arguments(m.Name, m.Args, e.Args, sc)
	}
}

// elements binds a set of transformations or labels. A name that is neither bound nor declared is a label.
func (b *binder) elements(set *dsl.Set, sc *scope) {
	for _, e := range set.Elems {
		switch e := e.(type) {
		case *dsl.Call:
			b.transformation(e, sc)
		case *dsl.Ident:
			as := point
			if sc.lookup(e.Name) != nil || b.Global(e.Name) != nil || b.Lookup(Map, e.Name) != nil {
				as = mapping
			}
			b.expr(e, as, sc)
		}
	}
}

// condition binds what stands behind where. A bare name is a column, unless it is compared with a variable that stands for labels.
func (b *binder) condition(e dsl.Expr, sc *scope) {
	switch e := e.(type) {
	case *dsl.Binary:
		if e.Op == "and" || e.Op == "or" {
			b.condition(e.X, sc)
			b.condition(e.Y, sc)
			return
		}
		labels := isLabelVariable(e.X, sc) || isLabelVariable(e.Y, sc)
		for _, side := range []dsl.Expr{e.X, e.Y} {
			if _, isName := side.(*dsl.Ident); isName && labels {
				b.expr(side, point, sc)
			} else {
				b.expr(side, column, sc)
			}
		}
	case *dsl.Paren:
		b.condition(e.X, sc)
	case *dsl.Not:
		b.condition(e.X, sc)
	case *dsl.Ident:
		b.expr(e, column, sc)
	}
}

// isLabelVariable reports whether one side of a comparison is a variable that stands for labels.
func isLabelVariable(e dsl.Expr, sc *scope) bool {
	id, ok := e.(*dsl.Ident)
	if !ok {
		return false
	}
	s := sc.lookup(id.Name)
	return s != nil && s.Kind == Variable && s.sort == tree.LabelVar
}
