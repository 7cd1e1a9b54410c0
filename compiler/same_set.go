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
	whole   map[string]bool    // the sets that it ranges over without a condition: what is bound around it is among their elements
	rowName string             // of a variable that is bound to rows
	unclear bool               // elements of two sets would bear one name, and nobody could say which are the same
}

// A setSlot is a place in the elements of an index set: of the edges of a graph the first end or the second.
type setSlot struct {
	set  string
	slot int
}

func newRoster(n *node, size int) *roster {
	r := &roster{size: size, names: map[setSlot]string{}, where: map[*axis]string{}, whole: map[string]bool{}}
	r.bind(n)
	for a, where := range r.where {
		if where == "" {
			r.whole[r.set(a)] = true
		}
	}
	if r.allRows {
		if v := firstRow(n); v != nil {
			r.rowName = v.name
		}
		r.names[setSlot{set: rowsWord}] = r.rowName
	}
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
			if a.kind == rowAxis && n.quant.where == nil && !r.allRows {
				r.allRows, r.rowName = true, "x"
				if len(a.vars) > 0 {
					r.rowName = a.vars[0].name
				}
			}
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
			r.enter(v)
		}
	}
	for _, k := range n.kids {
		r.meet(k)
	}
}

// firstRow is the first variable in the text that stands for a row.
func firstRow(n *node) *variable {
	if n.leaf != nil {
		for _, v := range n.leaf.variables() {
			if v.axis.kind == rowAxis {
				return v
			}
		}
	}
	for _, k := range n.kids {
		if v := firstRow(k); v != nil {
			return v
		}
	}
	return nil
}

// enter names the elements of a variable's set where they have no name. Elements of another set may bear it by then, as those of
// rows under another condition: the same rows or others, the expression does not say. Edges between all rows are shown by the
// rows, so a variable of theirs must not be called as the rows are.
func (r *roster) enter(v *variable) {
	if v.axis.kind == mapAxis || v.axis.kind == namedAxis {
		return // the elements have names of their own
	}
	key, _ := r.slot(v)
	if _, ok := r.names[key]; !ok {
		r.names[key] = v.name
	}
	for other, name := range r.names {
		r.unclear = r.unclear || other != key && (name == v.name || name == r.names[key])
	}
	r.unclear = r.unclear || key.set == rowsWord && v.axis.kind == graphAxis && v.name == r.rowName
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

// set identifies an index set: its domain, with the arguments and the condition. What is bound around the expression is an
// element of the same set within it, else one of its own. Sets of transformations and of labels that are written out have elements with names of their own.
func (r *roster) set(a *axis) string {
	where, bound := r.where[a]
	if domain := r.domain(a) + " where "; bound || r.whole[domain] {
		return domain + where
	}
	return fmt.Sprintf("element %d", a.id)
}

func (r *roster) domain(a *axis) string {
	var b strings.Builder
	switch a.kind {
	case graphAxis:
		fmt.Fprintf(&b, "graph %s %v", a.graph.name, a.graph.ends)
	case familyAxis:
		b.WriteString(a.dom.Name + argsKey(a.args))
	case pathAxis:
		fmt.Fprintf(&b, "path %s from %v to %v", r.set(a.path), a.lo, a.hi)
	case rowAxis, labelAxis, mapAxis, namedAxis:
		fmt.Fprintf(&b, "kind %d", a.kind)
	}
	return b.String()
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
