package compiler

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// members says what the functionals of a form stand for. The number of a functional determines the elements that were bound
// when it was written, so nothing is stored for each.
type members struct {
	form   *form
	sizes  map[*form]int // functionals of a form, without its quantifier
	leaves map[*form]int // the leaves, numbered from 0
	quants map[*quantifier]*groundQuant
	axes   []*memberAxis // by id
	axis   int           // how many index sets there are
	labels []string
	rows   []string
}

// A memberAxis is what is known of an index set's elements.
type memberAxis struct {
	axis    *axis
	labels  [][]int32   // by slot
	rows    [2][]int32  // of a graph
	weights []float64   // of its edges
	ends    [][][]int32 // of a family's points, by slot: the rows among the points of an element
	lambda  []float64   // of a path
}

// members gathers what a form's functionals stand for, apart from the grounder and its stores.
func (g *grounder) members(f *form) *members {
	m := &members{
		form: f, sizes: map[*form]int{}, leaves: map[*form]int{}, quants: map[*quantifier]*groundQuant{}, axes: make([]*memberAxis, len(g.axes)),
		axis: len(g.axes), labels: g.data.LabelNames, rows: g.data.RowID,
	}
	m.gather(g, f)
	return m
}

func (m *members) gather(g *grounder, f *form) {
	if f.quant != nil && m.quants[f.quant] == nil {
		q := g.quants[f.quant]
		m.quants[f.quant] = &groundQuant{axes: q.axes, sizes: q.sizes, list: q.list, count: q.count}
		for _, a := range q.axes {
			m.axes[a.id] = g.memberAxis(a)
		}
	}
	for _, k := range f.kids {
		m.gather(g, k)
		m.sizes[f] += g.size(k)
	}
	if f.linear != nil {
		m.sizes[f], m.leaves[f] = 1, len(m.leaves)
	}
}

func (g *grounder) memberAxis(a *axis) *memberAxis {
	ga := g.axes[a.id]
	out := &memberAxis{axis: a, labels: ga.labels, rows: ga.rows, weights: ga.weights}
	switch {
	case a.kind == pathAxis:
		nodes := g.domains[a.path.dom.Name+argsKey(a.path.args)].nodes
		for _, k := range ga.nodes {
			out.lambda = append(out.lambda, nodes[k])
		}
	case a.kind == familyAxis && ga.domain != nil:
		x := ga.domain
		for k := range x.points {
			src := x.points[k]
			if src.len() == 0 {
				src = x.slopes[k]
			}
			out.ends = append(out.ends, src.ends(x.count))
		}
	}
	return out
}

// ends are the rows at which a source evaluates f at the first and the last of an element's points: the ends of a path.
func (s *source) ends(elements int) [][]int32 {
	if s.len() == 0 || elements == 0 || s.len()%elements != 0 {
		return nil
	}
	nodes := s.len() / elements
	out := make([][]int32, elements)
	for e := range out {
		for _, i := range []int{e * nodes, (e+1)*nodes - 1} {
			if s.start[i] == s.start[i+1] {
				continue
			}
			if pt := s.point[s.start[i]]; pt >= 0 && (len(out[e]) == 0 || out[e][0] != pt) {
				out[e] = append(out[e], pt)
			}
		}
	}
	return out
}

// A located is a functional's leaf, and the elements that are bound around it.
type located struct {
	leaf  *form
	bound []*axis
	elem  []int // by axis
	group int
}

// find finds a functional: it goes down the form as the emitter did.
func (m *members) find(i int) located {
	e := &emitter{elem: make([]int, m.axis)}
	out := located{elem: e.elem}
	f := m.form
	for f.linear == nil {
		if f.quant != nil {
			q := m.quants[f.quant]
			q.set(e, q.number(i/m.sizes[f]))
			out.bound = append(out.bound, q.axes...)
			for k, a := range q.axes {
				out.group *= q.sizes[k]
				if a.names != nil || a.maps != nil || m.axes[a.id].ends == nil && m.axes[a.id].labels != nil {
					out.group += e.elem[a.id]
				}
			}
			i %= m.sizes[f]
		}
		next := 0
		for next < len(f.kids)-1 && i >= m.total(f.kids[next]) {
			i -= m.total(f.kids[next])
			next++
		}
		f = f.kids[next]
	}
	out.leaf, out.group = f, out.group*len(m.leaves)+m.leaves[f]
	return out
}

// Group tells apart the leaves of the form, and the labels and transformations that are bound.
func (m *members) Group(i int) int { return m.find(i).group }

// At is what functional i stands for.
func (m *members) At(i int) regularizer.Member {
	at := m.find(i)
	out := regularizer.Member{}
	replaced := map[string]string{}
	for _, a := range at.bound {
		for _, v := range a.vars {
			out.Bindings = append(out.Bindings, m.binding(v, at.elem, replaced)...)
		}
	}
	out.Part = at.leaf.part(replaced)
	return out
}

// total is how many functionals a form has.
func (m *members) total(f *form) int {
	if f.quant == nil {
		return m.sizes[f]
	}
	return m.sizes[f] * m.quants[f.quant].count
}

// binding says what a variable is bound to. Labels and transformations take its place in the part's text.
func (m *members) binding(v *variable, elem []int, replaced map[string]string) []regularizer.Binding {
	b := regularizer.Binding{Variable: greek(v.name)}
	a := m.axes[v.axis.id]
	if a == nil {
		return nil // a path's parameter that nothing ranges over
	}
	i := elem[v.axis.id]
	switch {
	case v.kind == labelVar:
		b.Value = m.labels[a.labels[v.slot][i]]
		replaced[v.name] = b.Value
	case v.kind == mapVar:
		b.Value = a.axis.maps[i].text
		replaced[v.name] = b.Value
	case v.kind == paramVar:
		if a.axis.kind != pathAxis {
			return nil
		}
		b.Value = strconv.FormatFloat(a.lambda[i], 'f', 3, 64)
	case v.kind == weightVar:
		b.Value = strconv.FormatFloat(a.weights[i], 'g', 4, 64)
	case a.axis.kind == rowAxis:
		b.Rows = []int32{int32(i)}
	case a.axis.kind == graphAxis:
		b.Rows = []int32{a.rows[v.slot][i]}
	case len(a.ends) > 0 && a.ends[v.slot] != nil:
		b.Rows = a.ends[v.slot][i]
	}
	if b.Value == "" {
		b.Value = m.rowNames(b.Rows)
	}
	if b.Value == "" {
		b.Value = "number " + strconv.Itoa(i+1) + " of " + a.axis.text
	}
	return []regularizer.Binding{b}
}

// rowNames names rows: one, or the ends of a path.
func (m *members) rowNames(rows []int32) string {
	names := make([]string, len(rows))
	for k, r := range rows {
		names[k] = "row " + strconv.Itoa(int(r)+1)
		if int(r) < len(m.rows) {
			names[k] = "row " + m.rows[r]
		}
	}
	return strings.Join(names, " to ")
}

// word is a name in an expression.
var word = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_]*`)

// part is a leaf as the spec writes it, with labels and transformations in place of variables: the call of a definition, or
// the expression under |…| or pos(…).
func (f *form) part(replaced map[string]string) string {
	from := f.linear.from
	s := text(from.syntax)
	switch in := from.inlined; {
	case from.syntax == nil || in != nil && in.up != nil:
		s = linearText(f.linear, func(v *variable) string { return greek(v.name) })
	case in != nil:
		s = in.text()
	}
	s = word.ReplaceAllStringFunc(s, func(w string) string {
		if r, ok := replaced[w]; ok {
			return r
		}
		return w
	})
	if from.syntax == nil || from.inlined == nil || from.inlined.up != nil {
		s = f.wrapped(s)
	}
	return s
}

// wrapped writes the leaf around its expression.
func (f *form) wrapped(s string) string {
	if f.op == gauge.Pos {
		return "pos(" + s + ")"
	}
	return "|" + s + "|"
}

// linearText writes a linear expression, with names for its variables: 2·f(x, cat) − f(x, dog).
func linearText(n *node, name func(*variable) string) string {
	return linearAtoms(n, func(k *node) string {
		if k.leaf != nil {
			return k.leaf.text(name)
		}
		return "(" + k.word + " over " + k.over() + " of " + linearText(k.kids[0], name) + ")"
	})
}

// linearAtoms writes a linear expression of functionals, and of sums and means of them over index sets.
func linearAtoms(n *node, atom func(*node) string) string {
	var terms []string
	var add func(n *node, c float64)
	add = func(n *node, c float64) {
		switch {
		case n.op == opAdd || n.op == opSum && n.quant == nil:
			for _, k := range n.kids {
				add(k, c)
			}
		case n.op == opMean && n.quant == nil:
			for _, k := range n.kids {
				add(k, c/float64(len(n.kids)))
			}
		case n.op == opNeg:
			add(n.kids[0], -c)
		case n.op == opScale && n.by == nil:
			add(n.kids[0], c*n.num)
		case n.op == opConst || n.zero() || c == 0:
		default:
			terms = append(terms, signedTerm(c, atomOr(n, atom), len(terms) == 0))
		}
	}
	add(n, 1)
	if len(terms) == 0 {
		return "0"
	}
	return strings.Join(terms, " ")
}

// atomOr writes a summand: a functional, one over an index set, or a multiple by a number that data decide.
func atomOr(n *node, atom func(*node) string) string {
	if n.by != nil {
		return factored(n, atom)
	}
	return atom(n)
}

// factored writes a linear expression times a number that data decide.
func factored(n *node, atom func(*node) string) string {
	of := linearAtoms(n.kids[0], atom)
	if strings.Contains(of, " + ") || strings.Contains(of, " − ") || strings.HasPrefix(of, "−") {
		of = "(" + of + ")"
	}
	by := factorText(n.by)
	if n.by.op == opAdd || n.by.op == opNeg {
		by = "(" + by + ")"
	}
	return by + "·" + of
}

// signedTerm writes c·s as a summand.
func signedTerm(c float64, s string, first bool) string {
	sign := "+ "
	switch {
	case c < 0 && first:
		sign = "−"
	case c < 0:
		sign = "− "
	case first:
		sign = ""
	}
	if c = max(c, -c); c != 1 {
		sign += strconv.FormatFloat(c, 'g', 4, 64) + "·"
	}
	return sign + s
}

// over is what a sum or mean ranges over.
func (n *node) over() string {
	if q, ok := n.from.syntax.(*dsl.Quant); ok {
		return binders(q)
	}
	return n.quant.text()
}

// text is the quantifier as a reader sees it: x where region == "north".
func (q *quantifier) text() string {
	var parts []string
	for _, a := range q.axes {
		parts = append(parts, a.binderText())
	}
	s := strings.Join(parts, ", ")
	if q.where != nil {
		s += " where " + text(q.where.from.syntax)
	}
	return s
}

// binderText is an index set with its variables: (a, b) in edges(topics).
func (a *axis) binderText() string {
	names := make([]string, 0, len(a.vars))
	for _, v := range a.vars {
		named := v.kind != weightVar || v.name != asciiName(a.graph.weight)
		if named && (v.kind != paramVar || a.kind == pathAxis) {
			names = append(names, greek(v.name))
		}
	}
	switch {
	case a.kind == rowAxis && (a.text == "x" || len(names) == 0 || names[0] == a.text):
		return "x"
	case a.kind == rowAxis && a.text == rowsWord && names[0] == "x":
		return "x"
	case len(names) == 1:
		return names[0] + " in " + a.text
	case len(names) == 0:
		return a.text
	}
	return "(" + strings.Join(names, ", ") + ") in " + a.text
}
