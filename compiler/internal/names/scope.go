package names

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
)

// A Scope says what names stand for at a place, innermost first. The nil scope holds nothing.
// Scopes are never changed: each binding makes a new one, so that an argument can keep the scope of
// its call.
type Scope struct {
	Up    *Scope
	name  string
	Bound Binding
	// A frame marks where a quantifier binds its points.
	Frame  bool
	Points []*tree.Variable
	// Body is the call in whose body the scope begins. Names bound around the call are hidden in it.
	Body *tree.Inlining
}

// A Binding is what a name stands for: a variable of a quantifier, or the argument of a definition
// being expanded. Exactly one of them is set.
type Binding struct {
	Variable *tree.Variable
	Argument *Argument
}

// An Argument is an expression with the scope in which it is meant.
type Argument struct {
	Expr    dsl.Expr
	Scope   *Scope
	Inlined *tree.Inlining
}

// Within returns the scope in which the body of a definition begins, for a call in s. The body sees
// no name that is bound around the call. It does see the point and the path there: a bare f is at
// that point.
func (s *Scope) Within(call *tree.Inlining) *Scope { return &Scope{Up: s, Body: call} }

// Calls returns the call in whose body the scope is, nil where it is in none.
func (s *Scope) Calls() *tree.Inlining {
	for ; s != nil; s = s.Up {
		if s.Body != nil {
			return s.Body
		}
	}
	return nil
}

// Lookup finds what a name stands for. Nil means that no quantifier or definition binds it; the
// name may still be declared.
func (s *Scope) Lookup(name string) *Binding {
	for ; s != nil && s.Body == nil; s = s.Up {
		if !s.Frame && s.name == name {
			return &s.Bound
		}
	}
	return nil
}

// Hides reports whether a name is bound around the call in whose body the scope is, and not in the body.
func (s *Scope) Hides(name string) bool {
	if s.Lookup(name) != nil {
		return false
	}
	for ; s != nil; s = s.Up {
		if (s.Bound.Variable != nil || s.Bound.Argument != nil) && s.name == name {
			return true
		}
	}
	return false
}

// Resolve follows an expression through brackets and arguments of definitions to what was written
// there, with the scope in which that is meant. The variable is the one that a name is then bound
// to; nil means that it is none.
func (s *Scope) Resolve(e dsl.Expr, in *tree.Inlining) (Argument, *tree.Variable) {
	for e = dsl.Bare(e); ; e = dsl.Bare(e) {
		at := Argument{e, s, in}
		id, ok := e.(*dsl.Ident)
		if !ok {
			return at, nil
		}
		b := s.Lookup(id.Name)
		switch {
		case b == nil:
			return at, nil
		case b.Argument == nil:
			return at, b.Variable
		}
		e, s, in = b.Argument.Expr, b.Argument.Scope, b.Argument.Inlined
	}
}

// Bind returns the scope with one more name.
func (s *Scope) Bind(name string, b Binding) *Scope {
	return &Scope{Up: s, name: name, Bound: b}
}

// Innermost returns the points that the nearest quantifier with points binds. A bare f and a bare
// column are there, if it is one. A quantifier over labels or transformations between does not
// count, as it binds no point.
func (s *Scope) Innermost() []*tree.Variable {
	for ; s != nil; s = s.Up {
		if s.Frame && len(s.Points) > 0 {
			return s.Points
		}
	}
	return nil
}

// Parameter returns the nearest variable for the path parameter of an axis, of any axis where of is
// nil. A path's point is where that parameter says.
func (s *Scope) Parameter(of *tree.Axis) *tree.Variable {
	for ; s != nil; s = s.Up {
		if v := s.Bound.Variable; v != nil && v.Kind == tree.ParamVar && (of == nil || v.Axis.Path == of) {
			return v
		}
	}
	return nil
}

// Names returns the names bound, innermost first; of variables, those of the given kinds where any
// is given. Misspelt names are compared with them.
func (s *Scope) Names(kinds ...tree.VarKind) []string {
	var names []string
	for ; s != nil && s.Body == nil; s = s.Up {
		v := s.Bound.Variable
		if !s.Frame && (v == nil || len(kinds) == 0 || slices.Contains(kinds, v.Kind)) {
			names = append(names, s.name)
		}
	}
	return names
}
