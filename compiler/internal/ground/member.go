package ground

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// The members of a form say what its functionals stand for. The number of a functional determines
// the elements that were bound when it was written, so nothing is stored for each. They outlive the
// grounder: a report asks for the few functionals from which most of a value comes.
type members struct {
	form   *tree.Form
	sizes  map[*tree.Form]int // functionals of a form, without its quantifier
	leaves map[*tree.Form]int // the leaves, numbered from 0
	quants map[*tree.Quantifier]*groundQuant
	axes   []*groundAxis // by id
	labels []string
	rows   func(row int) string         // nil where they have no names
	named  int                          // rows that have
	bodies map[*tree.Form][]*gauge.Node // of maxima over orbits
}

// members gathers what a form's functionals stand for, apart from the grounder and its stores.
func (g *grounder) members(f *tree.Form) *members {
	m := &members{
		form: f, sizes: map[*tree.Form]int{}, leaves: map[*tree.Form]int{}, quants: g.quants, axes: g.axes,
		labels: g.ask.data.LabelNames, rows: g.ask.data.RowID, named: g.ask.data.N(), bodies: bodiesOf(g, f),
	}
	m.count(f)
	return m
}

// count counts the functionals of a form and of each of its parts.
func (m *members) count(f *tree.Form) {
	for _, k := range f.Kids {
		m.count(k)
		m.sizes[f] += m.total(k)
	}
	if f.Linear != nil {
		m.sizes[f], m.leaves[f] = 1, len(m.leaves)
	}
}

// ends returns the rows at which a source evaluates f at the first and the last of an element's
// points: the ends of a path. It is nil if the functionals do not divide evenly among the elements.
func (s *source) ends(elements int) [][]int32 {
	if s.Len() == 0 || elements == 0 || s.Len()%elements != 0 {
		return nil
	}
	nodes := s.Len() / elements
	out := make([][]int32, elements)
	for e := range out {
		for _, i := range []int{e * nodes, (e+1)*nodes - 1} {
			if s.Start[i] == s.Start[i+1] {
				continue
			}
			if pt := s.Point[s.Start[i]]; pt >= 0 && (len(out[e]) == 0 || out[e][0] != pt) {
				out[e] = append(out[e], pt)
			}
		}
	}
	return out
}

// A located is a functional's leaf, and the elements that are bound around it.
type located struct {
	leaf  *tree.Form
	bound []*tree.Axis
	elem  []int // by axis
	group int
}

// find returns where a functional stands.
func (m *members) find(i int) (out located) {
	m.seek(&out, &emitter{elem: make([]int, len(m.axes))}, i)
	return out
}

// seek goes down the form as the emitter did. At each quantifier i div size is the element and i
// mod size the functional within it; at each combination the parts come one after another.
func (m *members) seek(out *located, e *emitter, i int) {
	*out = located{elem: e.elem, bound: out.bound[:0]}
	f := m.form
	for f.Linear == nil {
		if f.Quant != nil {
			q := m.quants[f.Quant]
			q.set(e, q.number(i/m.sizes[f]))
			out.bound = append(out.bound, q.axes...)
			// Labels and transformations make groups of their own, and rows and edges do not: they
			// are many and alike.
			for k, a := range q.axes {
				out.group *= q.sizes[k]
				if a.Names != nil || a.Maps != nil && a.Orbit == nil || m.axes[a.ID].ends == nil && m.axes[a.ID].labels != nil {
					out.group += e.elem[a.ID]
				}
			}
			i %= m.sizes[f]
		}
		next := 0
		for next < len(f.Kids)-1 && i >= m.total(f.Kids[next]) {
			i -= m.total(f.Kids[next])
			next++
		}
		f = f.Kids[next]
	}
	out.leaf, out.group = f, out.group*len(m.leaves)+m.leaves[f]
}

// Group returns a number that differs between the leaves of the form, and between the labels and
// transformations that are bound. Rows share a group.
func (m *members) Group(i int) int { return m.find(i).group }

// At returns what functional i stands for: the text of its part and what each variable is bound to.
func (m *members) At(i int) regularizer.Member {
	at := m.find(i)
	out := regularizer.Member{}
	replaced := map[string]string{}
	for _, a := range at.bound {
		for _, v := range a.Vars {
			out.Bindings = append(out.Bindings, m.binding(v, at.elem, replaced)...)
		}
	}
	out.Part = leafPart(at.leaf, replaced)
	return out
}

// Rows returns what tells the rows of a functional, without the words for it.
func (m *members) Rows() func(i int) [][]int32 {
	var at located
	var out [][]int32
	e := &emitter{elem: make([]int, len(m.axes))}
	return func(i int) [][]int32 {
		m.seek(&at, e, i)
		out = out[:0]
		for _, a := range at.bound {
			for _, v := range a.Vars {
				if rows := m.rowsOf(v, at.elem); rows != nil {
					out = append(out, rows)
				}
			}
		}
		return out
	}
}

// rowsOf returns the rows that a variable stands for: one, or the two ends of a path. Nil says that it stands for something else.
func (m *members) rowsOf(v *tree.Variable, elem []int) []int32 {
	a := m.axes[v.Axis.ID]
	if a == nil || a.moves != nil {
		return nil
	}
	switch v.Kind {
	case tree.LabelVar, tree.MapVar, tree.ColumnVar, tree.ParamVar, tree.WeightVar:
		return nil
	default:
	}
	i := elem[v.Axis.ID]
	switch {
	case a.axis.Kind == tree.GraphAxis || a.axis.Drawn():
		return a.rows[v.Slot][i : i+1 : i+1]
	case a.axis.Kind == tree.RowAxis:
		return []int32{int32(i)}
	case len(a.ends) > 0 && a.ends[v.Slot] != nil:
		return a.ends[v.Slot][i]
	}
	return nil
}

// total returns how many functionals a form has, with its quantifier.
func (m *members) total(f *tree.Form) int {
	if f.Quant == nil {
		return m.sizes[f]
	}
	return m.sizes[f] * m.quants[f.Quant].count
}

// binding returns what a variable is bound to. Labels and transformations take its place in the
// part's text. Points are rows, the two ends of an edge or of a path; any other element has only
// its number.
func (m *members) binding(v *tree.Variable, elem []int, replaced map[string]string) []regularizer.Binding {
	b := regularizer.Binding{Variable: tree.Greek(v.Name)}
	a := m.axes[v.Axis.ID]
	if a == nil {
		return nil // a path's parameter that nothing ranges over
	}
	i := elem[v.Axis.ID]
	switch {
	case v.Kind == tree.LabelVar:
		b.Value = m.labels[a.labels[v.Slot][i]]
		replaced[v.Name] = b.Value
	case a.moves != nil:
		b.Value = a.moveText(elem, i)
	case v.Kind == tree.MapVar:
		b.Value = a.axis.Maps[i].Text
		replaced[v.Name] = b.Value
	case v.Kind == tree.ColumnVar:
		b.Value = a.columns[i].Text
		replaced[v.Name] = b.Value
	case v.Kind == tree.ParamVar:
		if a.axis.Kind != tree.PathAxis {
			return nil
		}
		b.Value = strconv.FormatFloat(a.lambda[i], 'f', 3, 64)
	case v.Kind == tree.WeightVar:
		b.Value = strconv.FormatFloat(a.weights[i], 'g', 4, 64)
	default:
		b.Rows = m.rowsOf(v, elem)
	}
	if b.Value == "" {
		b.Value = m.rowNames(b.Rows)
	}
	if b.Value == "" {
		b.Value = "number " + strconv.Itoa(i+1) + " of " + a.axis.Text
	}
	return []regularizer.Binding{b}
}

// moveText returns what a reader sees of a move of an orbit, where the axes are bound to some elements.
func (a *groundAxis) moveText(elem []int, move int) string {
	if point := a.axis.Orbit.Point; point != nil && a.moves.Has(elem[point.ID], move) {
		return a.moves.Text(elem[point.ID], move)
	}
	return a.axis.Orbit.Text
}

// rowNames names rows: one, or the ends of a path.
func (m *members) rowNames(rows []int32) string {
	names := make([]string, len(rows))
	for k, r := range rows {
		names[k] = "row " + strconv.Itoa(int(r)+1)
		if m.rows != nil && int(r) < m.named {
			names[k] = "row " + m.rows(int(r))
		}
	}
	return strings.Join(names, " to ")
}

// word is a name in an expression.
var word = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_]*`)

// leafPart returns a leaf as the spec writes it, with labels and transformations in place of
// variables. That is the call of a definition, or the expression under |…| or pos(…). What
// multiplies it stands before it.
func leafPart(f *tree.Form, replaced map[string]string) string {
	linear := f.Linear
	// The form multiplied these into its linear expression; the text is that of the expression before.
	for range f.Outer {
		linear = linear.Kids[0]
	}
	from := linear.From
	called := from.Syntax != nil && from.Inlined != nil && from.Inlined.Up == nil
	s := ""
	switch {
	case called:
		s = from.Inlined.Text()
	case from.Syntax == nil || from.Inlined != nil:
		s = wrapped(f, linear.Formula())
	default:
		s = wrapped(f, tree.Text(from.Syntax))
	}
	for _, n := range slices.Backward(f.Outer) {
		if !called || n.From.Inlined == nil { // what stands in a definition is part of its call
			s = n.FactorText() + "·" + s
		}
	}
	return word.ReplaceAllStringFunc(s, func(w string) string { return cmp.Or(replaced[w], w) })
}

// wrapped writes the leaf around its expression: |e| or pos(e).
func wrapped(f *tree.Form, s string) string {
	if f.Op == gauge.Pos {
		return "pos(" + s + ")"
	}
	return "|" + s + "|"
}

// curves lists the functionals of a form that are the values of one function along a path. It does
// so for every maximum, integral and norm over a path's interval, and the runtime bounds each such
// function between its nodes. nodesOnly reports that the form also has something over an interval
// which no curve describes:
//
//	max over λ of a norm or a sum   its parts reach their maxima at different λ
//	a norm of several values        its integrand is not a curve of one functional
//	two paths at once               a surface
//	an integral of f itself         one functional, whose error is the rule's
func (g *grounder) curves(f *tree.Form) (runs []curve.Run, nodesOnly bool) {
	switch {
	case f.Linear != nil:
		return nil, f.Linear.Integrates()
	case len(f.Quant.Paths()) > 0:
		if len(f.Quant.Paths()) > 1 || !f.Describable() {
			return nil, true
		}
		runs, nodesOnly = g.alongPath(f)
		return runs, nodesOnly || f.Integrates()
	case f.Quant == nil:
		at := 0
		for _, k := range f.Kids {
			inner, only := g.curves(k)
			nodesOnly = nodesOnly || only
			for _, r := range inner {
				runs = curve.Append(runs, r.Moved(at))
			}
			at += g.size(k)
		}
		return runs, nodesOnly
	}
	// Without a path of its own, an index set repeats the curves of what stands under it.
	inner, nodesOnly := g.curves(f.Kids[0])
	if len(inner) == 0 {
		return nil, nodesOnly
	}
	size := g.size(f.Kids[0])
	for i := range g.quants[f.Quant].count {
		for _, r := range inner {
			runs = curve.Append(runs, r.Moved(i*size))
		}
	}
	return runs, nodesOnly
}

// alongPath lists the curves of a maximum of leaves, or of a norm, over a path's interval and over
// other index sets beside it. There is one for each leaf and each of their elements. A curve's
// functionals lie equally far apart, by the stride of the path's axis in the product.
func (g *grounder) alongPath(f *tree.Form) (runs []curve.Run, nodesOnly bool) {
	gq := g.quants[f.Quant]
	path := slices.IndexFunc(gq.axes, func(a *tree.Axis) bool { return a.Kind == tree.PathAxis })
	nodes, stride := gq.sizes[path], 1
	for _, n := range gq.sizes[path+1:] {
		stride *= n
	}
	degree, ok := f.Degree(gq.axes[path])
	if !ok {
		return nil, true
	}
	one := curve.Run{Nodes: nodes, Count: 1, Straight: f.Straight(gq.axes[path]), Degree: degree}
	switch f.Op {
	case gauge.Sum:
		one.P = 1
	case gauge.Norm:
		one.P = f.P
	default:
	}
	// A curve begins at each element whose place on the path is the first node. Its next values lie
	// stride elements on, and an element has one functional for each leaf.
	sides := g.oneSided(f.Kids[0], nil)
	size := len(sides)
	for i := range gq.count {
		number := gq.number(i)
		if number/stride%nodes != 0 {
			continue
		}
		step, ok := gq.stepOf(i, number, stride, nodes)
		if !ok {
			nodesOnly = true
			continue
		}
		for j, oneSided := range sides {
			one.First, one.Stride, one.OneSided = i*size+j, step*size, oneSided
			runs = curve.Append(runs, one)
		}
	}
	return runs, nodesOnly
}

// stepOf returns how far apart the elements of a curve lie that begins with the i-th. Ok is false
// where they are not equally far. A condition does not depend on a path's parameter, so that it
// keeps curves whole.
func (gq *groundQuant) stepOf(i, number, stride, nodes int) (step int, ok bool) {
	if gq.list == nil {
		return stride, true
	}
	for k := 1; k < nodes; k++ {
		at, found := slices.BinarySearch(gq.list, number+k*stride)
		if k == 1 {
			step = at - i
		}
		if !found || at != i+k*step {
			return 0, false
		}
	}
	return step, true
}

// oneSided appends, for each leaf of a maximum of leaves, whether it is a positive part. Between
// nodes such a leaf needs a bound on one side alone.
func (g *grounder) oneSided(f *tree.Form, out []bool) []bool {
	if f.Linear != nil {
		return append(out, f.Op == gauge.Pos)
	}
	copies := 1
	if f.Quant != nil {
		copies = g.quants[f.Quant].count
	}
	for range copies {
		for _, k := range f.Kids {
			out = g.oneSided(k, out)
		}
	}
	return out
}

// A maxima walks a form as the emitter did, with the values of its functionals. It notes what moves come to wherever a maximum is taken
// over an orbit. The functionals of a form over an index set lie element by element, each with those of the parts one after
// another:
//
//	rms over x of max over t in orbit {…} of |f(t(x)) - f(x)|     row 1: member 1, member 2, …; row 2: member 1, …
//
// So the walk counts functionals as it goes, and asks the gauges of the bodies for what a member comes to. Members that an element
// lacks have functionals, too. These are zero, and their place in the order stays.
type maxima struct {
	*members
	values []float64
	e      *emitter
	found  []regularizer.Maximum
}

// bodiesOf returns the gauges of what maxima over orbits are taken of, by their forms. Nil means that there are none.
func bodiesOf(g *grounder, f *tree.Form) map[*tree.Form][]*gauge.Node {
	var out map[*tree.Form][]*gauge.Node
	for k := range f.All() {
		if worstOf(k.Quant) != nil {
			if out == nil {
				out = map[*tree.Form][]*gauge.Node{}
			}
			out[k] = tree.Each(k.Kids, g.gauge)
		}
	}
	return out
}

// worstOf returns the axis of an orbit over which a quantifier takes a maximum. Nil means that it takes none.
func worstOf(q *tree.Quantifier) *tree.Axis {
	if q == nil {
		return nil
	}
	if i := slices.IndexFunc(q.Axes, func(a *tree.Axis) bool { return a.Orbit != nil && a.Orbit.Worst }); i >= 0 {
		return q.Axes[i]
	}
	return nil
}

// Maxima returns what moves come to where the expression takes maxima over orbits, given the values of all functionals. Each place of
// a maximum, as that of a row and a label, has one for each element of the orbit's point.
func (m *members) Maxima(values []float64) []regularizer.Maximum {
	if m.bodies == nil {
		return nil
	}
	w := &maxima{members: m, values: values, e: &emitter{elem: make([]int, len(m.axes))}}
	w.form(m.form, 0)
	return w.found
}

// form walks a form whose first functional has a number, and returns the number behind its last.
func (w *maxima) form(f *tree.Form, at int) int {
	switch a := worstOf(f.Quant); {
	case f.Linear != nil:
		return at + 1
	case f.Quant == nil:
		return w.kids(f, at)
	case a != nil:
		w.overOrbit(f, a, at)
		return at + w.total(f)
	}
	q := w.quants[f.Quant]
	for i := range q.count {
		q.set(w.e, q.number(i))
		at = w.kids(f, at)
	}
	return at
}

// kids walks the parts of a form.
func (w *maxima) kids(f *tree.Form, at int) int {
	for _, k := range f.Kids {
		at = w.form(k, at)
	}
	return at
}

// overOrbit notes what the members of an orbit come to in a maximum whose first functional has a number. Of what else the maximum is taken over,
// the largest counts. Where the axis of the orbit's point stands beside that of the orbit, as in
//
//	max over x, t in orbit {…} of |f(t(x)) - f(x)|
//
// each x is a place by itself, as each has members of its own.
func (w *maxima) overOrbit(f *tree.Form, a *tree.Axis, at int) {
	q, axis, number := w.quants[f.Quant], w.axes[a.ID], map[int]int{}
	for i := range q.count {
		q.set(w.e, q.number(i))
		element, place := w.e.elementOf(a.Orbit), w.e.elem[a.ID]
		own, known := number[element]
		if !known { // members or not, so that places are the same for all members
			own = len(w.found)
			number[element] = own
			w.found = append(w.found, regularizer.Maximum{Orbit: a.Orbit.Key(), Element: element})
		}
		if axis.moves.Has(element, place) {
			w.found[own].Note(place, w.body(f, at+i*w.sizes[f]))
		}
	}
}

// body returns what a maximum is taken of, at an element whose first functional has a number.
func (w *maxima) body(f *tree.Form, from int) (value float64) {
	for k, body := range w.bodies[f] {
		n := w.total(f.Kids[k])
		value = max(value, body.Value(w.values[from:from+n]))
		from += n
	}
	return value
}

// Orbits returns the orbits over which the expression takes maxima, each once, with the members at hand.
func (m *members) Orbits() []regularizer.Orbit {
	var out []regularizer.Orbit
	for f := range m.form.All() {
		a := worstOf(f.Quant)
		if a == nil || slices.ContainsFunc(out, func(o regularizer.Orbit) bool { return o.Key == a.Orbit.Key() }) {
			continue
		}
		axis, elements := m.axes[a.ID], 1
		if p := a.Orbit.Point; p != nil {
			elements = m.axes[p.ID].count
		}
		o := regularizer.Orbit{Key: a.Orbit.Key(), Dimension: a.Orbit.Dimension(), Moves: a.Orbit.Moves, Members: make([][]float64, elements)}
		for e := range elements {
			for place := 0; place < axis.count && axis.moves.Has(e, place); place++ {
				o.Members[e] = axis.moves.Amounts(e, place, o.Members[e])
			}
		}
		out = append(out, o)
	}
	return out
}

// membersAlone leaves out the places of an orbit at which an element has no member. Elements may have different numbers of members, and
// the shape of a gauge holds for all elements. So all have as many places as the one with most members, and the functionals of places
// without a member are zero. They count for nothing in a maximum of nonnegative parts.
func (gq *groundQuant) membersAlone(a *groundAxis) {
	holds := gq.dynamic
	gq.dynamic = func(e *emitter) bool {
		return a.moves.Has(e.elementOf(a.axis.Orbit), e.elem[a.axis.ID]) && (holds == nil || holds(e))
	}
}

// elementOf returns the element whose points an orbit moves. The axis of its point is bound around that of the orbit, or beside it.
// An orbit that moves no point has the members of the first.
func (e *emitter) elementOf(o *tree.Orbit) int {
	if o.Point == nil {
		return 0
	}
	return e.elem[o.Point.ID]
}
