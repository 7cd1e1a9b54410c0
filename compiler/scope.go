package compiler

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
)

// A scope is what names stand for at a place, innermost first. The nil scope holds nothing.
type scope struct {
	up    *scope
	name  string
	bound binding
	// A frame marks where a quantifier binds its points.
	frame  bool
	points []*tree.Variable
}

// A binding is what a name stands for: a variable of a quantifier, or the argument of a definition being expanded.
type binding struct {
	variable *tree.Variable
	argument *argument
}

// An argument is an expression with the scope in which it is meant.
type argument struct {
	expr    dsl.Expr
	scope   *scope
	inlined *tree.Inlining
}

// lookup finds what a name stands for; nil where no quantifier or definition binds it.
func (s *scope) lookup(name string) *binding {
	for ; s != nil; s = s.up {
		if !s.frame && s.name == name {
			return &s.bound
		}
	}
	return nil
}

// bind adds a name.
func (s *scope) bind(name string, b binding) *scope {
	return &scope{up: s, name: name, bound: b}
}

// innermost is the points that the nearest quantifier with points binds.
func (s *scope) innermost() []*tree.Variable {
	for ; s != nil; s = s.up {
		if s.frame && len(s.points) > 0 {
			return s.points
		}
	}
	return nil
}

// parameter is the nearest variable for the path parameter of a domain, of any domain where of is nil.
func (s *scope) parameter(of *tree.Axis) *tree.Variable {
	for ; s != nil; s = s.up {
		if v := s.bound.variable; !s.frame && v != nil && v.Kind == tree.ParamVar && (of == nil || v.Axis.Path == of) {
			return v
		}
	}
	return nil
}

// names are the names bound, innermost first; of variables, those of the given kinds where any is given.
func (s *scope) names(kinds ...tree.VarKind) []string {
	var names []string
	for ; s != nil; s = s.up {
		v := s.bound.variable
		if !s.frame && (v == nil || len(kinds) == 0 || slices.Contains(kinds, v.Kind)) {
			names = append(names, s.name)
		}
	}
	return names
}
