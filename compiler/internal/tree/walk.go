package tree

import (
	"iter"

	"github.com/sipc-ml/sipc/plugins"
)

// All yields an expression and its parts, each before those that it is made of, in the order of the
// text. The number By that a part is multiplied by is an expression of its own and not among them.
func (n *Node) All() iter.Seq[*Node] {
	return preorder(n, func(n *Node) []*Node { return n.Kids })
}

// All yields a form and its parts, each before those that it is made of: in the order in which
// functionals are written.
func (f *Form) All() iter.Seq[*Form] {
	return preorder(f, func(f *Form) []*Form { return f.Kids })
}

// All yields a condition and its parts, each before those that it is made of. Nil means no
// condition, which yields nothing.
func (c *Condition) All() iter.Seq[*Condition] {
	return preorder(c, func(c *Condition) []*Condition { return c.Kids })
}

// preorder yields a tree from the root down. One yield serves all levels, so that a step costs the
// same at every depth: chains of thousands of summands are nested that deeply.
func preorder[T any](root *T, kids func(*T) []*T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		var from func(*T) bool
		from = func(t *T) bool {
			if !yield(t) {
				return false
			}
			for _, k := range kids(t) {
				if !from(k) {
					return false
				}
			}
			return true
		}
		if root != nil {
			from(root)
		}
	}
}

// Leaves yields the leaves of an expression in the order of the text. Those of numbers are data,
// and are not among them.
func (n *Node) Leaves() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for k := range n.All() {
			if k.Leaf != nil && !yield(k) {
				return
			}
		}
	}
}

// Datums yields the data that a number is made of.
func (n *Node) Datums() iter.Seq[*Datum] {
	return func(yield func(*Datum) bool) {
		for k := range n.All() {
			if k.Datum != nil && !yield(k.Datum) {
				return
			}
		}
	}
}

// Operands yields both sides of every comparison in a condition.
func (c *Condition) Operands() iter.Seq[*Operand] {
	return func(yield func(*Operand) bool) {
		for k := range c.All() {
			if len(k.Kids) == 0 && (!yield(&k.X) || !yield(&k.Y)) {
				return
			}
		}
	}
}

// Find returns the first that a condition holds of. Nil means that it holds of none.
func Find[T any](all iter.Seq[*T], holds func(*T) bool) *T {
	for t := range all {
		if holds(t) {
			return t
		}
	}
	return nil
}

// Each returns what f makes of each of several parts.
func Each[T, U any](parts []T, f func(T) U) []U {
	out := make([]U, len(parts))
	for i, p := range parts {
		out[i] = f(p)
	}
	return out
}

// A Call is what a family is asked for: a domain or a transformation, with its arguments.
type Call struct {
	Fam   *Family
	Name  string
	Needs *plugins.Needs
	Args  []*Value
}

// Calls lists what families are asked for to evaluate some expressions and move points by some
// transformations. An index set counts once, however many quantifiers and leaves stand over it.
func Calls(roots []*Node, moved []*Mapping) []*Call {
	w := &callWalk{seen: map[*Axis]bool{}}
	for _, root := range roots {
		for n := range root.All() {
			w.node(n)
		}
	}
	w.mappings(moved)
	return w.calls
}

// A callWalk goes from expressions to the index sets and transformations that they are about.
type callWalk struct {
	seen  map[*Axis]bool
	calls []*Call
}

// node takes note of what one part of an expression asks of families: through its index sets, its
// point, and what moves or derives it.
func (w *callWalk) node(n *Node) {
	if n.Quant != nil {
		for _, a := range n.Quant.Axes {
			w.axis(a)
		}
	}
	if l := n.Leaf; l != nil {
		w.axis(l.Point.Axis)
		w.mappings(l.Maps)
		if l.Deriv.Along != nil {
			w.mappings([]*Mapping{l.Deriv.Along})
		}
	}
}

// axis follows an index set to the transformations that it lists and to the path that it runs along.
func (w *callWalk) axis(a *Axis) {
	if a == nil || w.seen[a] {
		return
	}
	w.seen[a] = true
	if a.Kind == FamilyAxis {
		w.calls = append(w.calls, &Call{a.Fam, a.Dom.Name, &a.Dom.Needs, a.Args})
	}
	w.mappings(a.Maps)
	w.axis(a.Path)
}

// mappings follows a bound transformation to the set that it is an element of.
func (w *callWalk) mappings(maps []*Mapping) {
	for _, m := range maps {
		switch {
		case m.Bound != nil:
			w.axis(m.Bound.Axis)
		case m.Drawn != nil && m.Drawn.Number > 0: // all draws from an orbit ask for the same
		case m.Drawn != nil:
			w.mappings(m.Ends())
		default:
			w.calls = append(w.calls, &Call{m.Fam, m.Schema.Name, &m.Schema.Needs, m.Args})
		}
	}
}
