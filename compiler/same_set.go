package compiler

import (
	"fmt"
	"strings"
)

// A roster says how a counterexample calls the elements of index sets. Quantifiers over one set range over the same elements, which
// bear the name of the first variable that is bound to them: in max over x of f(x) - max over z in rows of f(z) there are the rows
// x₁ and x₂ alone. Functions that differ between x₁ and z₁ would be functions on no data.
type roster struct {
	size    int
	names   map[setSlot]string // of the first variable
	allRows bool               // a quantifier ranges over all rows: the ends of edges are among them, and rows under a condition
	where   map[*axis]string   // the conditions of the axes that the expression binds
}

// A setSlot is a place in the elements of an index set: of the edges of a graph the first end or the second.
type setSlot struct {
	set  string
	slot int
}

func newRoster(n *node, size int) *roster {
	r := &roster{size: size, names: map[setSlot]string{}, where: map[*axis]string{}}
	r.bind(n)
	r.meet(n)
	return r
}

// bind notes the conditions of index sets, and whether one is that of all rows.
func (r *roster) bind(n *node) {
	if n.quant != nil {
		for _, a := range n.quant.axes {
			r.where[a] = ""
			if n.quant.where != nil {
				r.where[a] = text(n.quant.where.from.syntax)
			}
			r.allRows = r.allRows || a.kind == rowAxis && n.quant.where == nil
		}
	}
	for _, k := range n.kids {
		r.bind(k)
	}
}

// meet names elements by the variables in the order of the text.
func (r *roster) meet(n *node) {
	if n.leaf != nil {
		for _, v := range n.leaf.variables() {
			key, _ := r.slot(v)
			if _, ok := r.names[key]; !ok {
				r.names[key] = v.name
			}
		}
	}
	for _, k := range n.kids {
		r.meet(k)
	}
}

// variables are those that a functional depends on by name.
func (l *leaf) variables() []*variable {
	vars := []*variable{l.point}
	if l.label != nil && l.label.bound != nil {
		vars = append(vars, l.label.bound)
	}
	if l.node != nil {
		vars = append(vars, l.node.vars[0])
	}
	return vars
}

// slot is where a variable stands among the elements of its set, and by how much its element is moved on from that of its axis.
func (r *roster) slot(v *variable) (key setSlot, shift int) {
	if r.allRows && (v.axis.kind == rowAxis || v.axis.kind == graphAxis) {
		return setSlot{set: rowsWord}, v.slot
	}
	return setSlot{r.set(v.axis), v.slot}, 0
}

// set identifies an index set: its domain, with the arguments and the condition. What is bound around the expression is one element
// of its own. Sets of transformations and of labels that are written out have elements with names of their own.
func (r *roster) set(a *axis) string {
	where, bound := r.where[a]
	if !bound {
		return fmt.Sprintf("element %d", a.id)
	}
	var b strings.Builder
	switch a.kind {
	case graphAxis:
		b.WriteString("graph " + a.graph.name)
	case familyAxis:
		b.WriteString(a.dom.Name + argsKey(a.args))
	case pathAxis:
		fmt.Fprintf(&b, "path %s from %v to %v", r.set(a.path), a.lo, a.hi)
	case rowAxis, labelAxis, mapAxis, namedAxis:
		fmt.Fprintf(&b, "kind %d", a.kind)
	}
	return b.String() + " where " + where
}

// name is what element i of a variable's axis is called: with an index, x₁.
func (r *roster) name(v *variable, i int) string {
	key, shift := r.slot(v)
	name, ok := r.names[key]
	if !ok {
		name = v.name
	}
	if key.set == rowsWord {
		i = (i + shift) % r.size
	}
	return greek(name) + string('₁'+rune(i))
}
