package calculus

import (
	"fmt"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
)

// An elementNames says how a counterexample calls the elements of index sets. Quantifiers over one
// set range over the same elements, which bear the name of the first variable that is bound to
// them. In max over x of f(x) - max over z in rows of f(z) there are the rows x₁ and x₂ alone.
// Functions that differ between x₁ and z₁ would be functions on no data, and would refute what is
// true.
type elementNames struct {
	size    int
	names   map[setSlot]string    // of the first variable
	allRows bool                  // a quantifier ranges over all rows: the ends of edges are among them, and rows under a condition
	where   map[*tree.Axis]string // the conditions of the axes that the expression binds
	whole   map[string]bool       // the sets that it ranges over without a condition: what is bound around it is among their elements
	rowName string                // of a variable that is bound to rows
	unclear bool                  // elements of two sets would bear one name, and nobody could say which are the same
}

// A setSlot is a place in the elements of an index set: of the edges of a graph the first end or
// the second.
type setSlot struct {
	set  string
	slot int
}

// nameElements finds the names of the elements that an expression speaks of.
func nameElements(n *tree.Node, size int) *elementNames {
	r := &elementNames{size: size, names: map[setSlot]string{}, where: map[*tree.Axis]string{}, whole: map[string]bool{}}
	for k := range n.All() {
		if k.Quant != nil {
			r.bind(k.Quant)
		}
	}
	for a, where := range r.where {
		if where == "" {
			r.whole[r.set(a)] = true
		}
	}
	if r.allRows {
		if v := firstRow(n); v != nil {
			r.rowName = v.Name
		}
		r.names[setSlot{set: tree.RowsWord}] = r.rowName
	}
	for leaf := range n.Leaves() { // the first variable of a set names its elements
		for _, v := range variables(leaf.Leaf) {
			r.nameSet(v)
		}
	}
	return r
}

// bind notes the conditions of index sets, and whether one is that of all rows. Then the ends of
// edges are rows, too, and bear their names.
func (r *elementNames) bind(q *tree.Quantifier) {
	for _, a := range q.Axes {
		r.where[a] = ""
		if q.Where != nil {
			r.where[a] = tree.Text(q.Where.From.Syntax)
		}
		if a.Kind == tree.RowAxis && q.Where == nil && !a.Drawn() && !r.allRows {
			r.allRows, r.rowName = true, "x"
			if len(a.Vars) > 0 {
				r.rowName = a.Vars[0].Name
			}
		}
	}
}

// firstRow returns the first variable in the text that stands for a row. Nil means that none does.
func firstRow(n *tree.Node) *tree.Variable {
	for leaf := range n.Leaves() {
		for _, v := range variables(leaf.Leaf) {
			if v.Axis.Kind == tree.RowAxis {
				return v
			}
		}
	}
	return nil
}

// nameSet names the elements of a variable's set where they have no name. Elements of another set
// may bear it by then, as those of rows under another condition. Whether these are the same rows,
// the expression does not say. Edges between all rows are shown by the rows, so a variable of
// theirs must not be called as the rows are.
func (r *elementNames) nameSet(v *tree.Variable) {
	if v.Axis.Kind == tree.MapAxis || v.Axis.Kind == tree.NamedAxis {
		return // the elements have names of their own
	}
	key, _ := r.slot(v)
	if _, ok := r.names[key]; !ok {
		r.names[key] = v.Name
	}
	for other, name := range r.names {
		r.unclear = r.unclear || other != key && (name == v.Name || name == r.names[key])
	}
	r.unclear = r.unclear || key.set == tree.RowsWord && v.Axis.Kind == tree.GraphAxis && v.Name == r.rowName
}

// variables returns the variables that a functional names: its point, its label, and the place on
// its path.
func variables(l *tree.Leaf) []*tree.Variable {
	vars := []*tree.Variable{l.Point}
	if l.Label != nil && l.Label.Bound != nil {
		vars = append(vars, l.Label.Bound)
	}
	if l.Node != nil {
		vars = append(vars, l.Node.Vars[0])
	}
	return vars
}

// slot returns where a variable stands among the elements of its set. Shift is how far its element
// lies behind that of its axis: the second end of edge 1 is row 2. So edges are shown by rows.
func (r *elementNames) slot(v *tree.Variable) (key setSlot, shift int) {
	if r.allRows && (v.Axis.Kind == tree.RowAxis || v.Axis.Kind == tree.GraphAxis) {
		return setSlot{set: tree.RowsWord}, v.Slot
	}
	return setSlot{r.set(v.Axis), v.Slot}, 0
}

// set identifies an index set: its domain, with the arguments and the condition. An element that is
// bound around the expression belongs to the same set within it, if there is one without a
// condition. Otherwise it is an element by itself.
func (r *elementNames) set(a *tree.Axis) string {
	where, bound := r.where[a]
	if domain := r.domain(a) + " where "; bound || r.whole[domain] {
		return domain + where
	}
	return fmt.Sprintf("element %d", a.ID)
}

// domain identifies an index set without its condition: by its kind, its file or family, and its
// arguments.
func (r *elementNames) domain(a *tree.Axis) string {
	var b strings.Builder
	switch a.Kind {
	case tree.GraphAxis:
		fmt.Fprintf(&b, "graph %s %v", a.Graph.Name, a.Graph.Ends)
	case tree.FamilyAxis:
		b.WriteString(a.Dom.Name + tree.ArgsKey(a.Args))
	case tree.PathAxis:
		fmt.Fprintf(&b, "path %s from %v to %v", r.set(a.Path), a.Lo, a.Hi)
	case tree.ColumnAxis:
		b.WriteString(a.Text)
	case tree.RowAxis, tree.LabelAxis, tree.StepAxis, tree.MapAxis, tree.NamedAxis, tree.BoxAxis:
		fmt.Fprintf(&b, "kind %d%s", a.Kind, tree.ArgsKey(a.Args))
	}
	return b.String()
}

// name returns what element i of a variable's axis is called: with an index, x₁.
func (r *elementNames) name(v *tree.Variable, i int) string {
	key, shift := r.slot(v)
	name, ok := r.names[key]
	if !ok {
		name = v.Name
	}
	if key.set == tree.RowsWord {
		i = (i + shift) % r.size
	}
	return tree.Greek(name) + string('₁'+rune(i))
}
