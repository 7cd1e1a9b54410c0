package compiler

import (
	"fmt"
	"slices"

	"github.com/sipc-ml/sipc/plugins"
)

// A groundLeaf is a leaf with its functionals: one for each element of the index set of its point (and node of its path),
// in each of the sources among which bound transformations choose.
type groundLeaf struct {
	sources []*source
	choices []choice // which source: Σ stride·element
	axis    int      // of the point
	rows    []int32  // of a graph's end: the row of each edge; else nil
	nodes   int      // functionals for each element
	path    int      // the axis of the path's parameter, −1 where there is none
	place   int      // which of the nodes, where no parameter says
	label   labelMode
	fixed   int32   // the label's number in the store, where it is fixed
	labels  []int32 // the label's number in the store for each element of labelAxis
	over    int     // the axis of the label
	tangent int32   // of a column's derivative, else −1
}

type choice struct{ axis, stride int }

type labelMode int

const (
	ownLabelMode labelMode = iota
	fixedLabel
	boundLabel
)

// leaf prepares a leaf.
func (g *grounder) leaf(n *node) error {
	l := n.leaf
	if g.leaves[l] != nil {
		return nil
	}
	gl := &groundLeaf{axis: l.point.axis.id, nodes: 1, path: -1, tangent: -1}
	if err := g.move(gl, n, g.base(gl, l)); err != nil {
		return err
	}
	if l.deriv.kind == columnDeriv {
		j, err := g.column(l.deriv.column, n.from)
		if err != nil {
			return err
		}
		if g.data.Constant != nil && g.data.Constant(j) {
			return g.fail(placed(l.deriv.column, n.from), ConstantColumn, "d/d("+l.deriv.column.text+") is along a feature that is the same in every training row",
				"No training row tells how f changes along it: the derivative is that of the kernel alone, and its value says nothing.", "")
		}
		gl.tangent = g.columnTangent(j, l.deriv.raw)
	}
	if err := g.leafLabel(gl, n); err != nil {
		return err
	}
	if err := g.labelled(gl, n); err != nil {
		return err
	}
	g.leaves[l] = gl
	return nil
}

// base is where the points of a leaf come from, before any transformation.
func (g *grounder) base(gl *groundLeaf, l *leaf) *source {
	ga := g.axes[gl.axis]
	switch l.point.axis.kind {
	case graphAxis:
		gl.rows = ga.rows[l.point.slot]
	case familyAxis:
		switch {
		case l.node != nil:
			gl.nodes, gl.path = len(ga.domain.nodes), l.node.id
		case l.place != nil:
			gl.nodes = len(ga.domain.nodes)
			gl.place, _ = slices.BinarySearch(ga.domain.nodes, l.place.at)
		}
		if l.deriv.kind == pathDeriv {
			return ga.domain.slopes[l.point.slot]
		}
		return ga.domain.points[l.point.slot]
	}
	return g.rowSource()
}

func (g *grounder) rowSource() *source {
	if g.sources["x"] == nil {
		g.sources["x"] = g.store.rowSource()
	}
	return g.sources["x"]
}

// move applies a leaf's transformations. Each bound one multiplies the sources by its elements.
func (g *grounder) move(gl *groundLeaf, n *node, base *source) error {
	gl.sources = []*source{base}
	step := func(m *mapping, derivative bool) error {
		all := []*mapping{m}
		if m.bound != nil {
			all = m.bound.axis.maps
			gl.choices = append(gl.choices, choice{m.bound.axis.id, len(gl.sources)})
		}
		var next []*source
		for _, one := range all {
			for _, s := range gl.sources {
				moved, err := g.mapped(one, s, derivative)
				if err != nil {
					return err
				}
				next = append(next, moved)
			}
		}
		gl.sources = next
		return nil
	}
	for _, m := range n.leaf.maps {
		if err := step(m, false); err != nil {
			return err
		}
	}
	if n.leaf.deriv.kind == mapDeriv {
		return step(n.leaf.deriv.along, true)
	}
	return nil
}

// mapped is a source under a transformation: one call for all its functionals.
func (g *grounder) mapped(m *mapping, s *source, derivative bool) (*source, error) {
	key := fmt.Sprintf("%s>%s%s%v", s.key, m.schema.Name, argsKey(m.args), derivative)
	if out := g.sources[key]; out != nil {
		return out, nil
	}
	if m.schema.NeedsImage && g.data.Height == 0 {
		return nil, g.fail(m.from, NeedsImage, m.schema.Name+" acts on images, and the features are a table", "", "Say columns image(h, w) in the data block.")
	}
	session, err := g.session(m.from, m.fam)
	if err != nil {
		return nil, err
	}
	args, err := g.values(m.from, m.args)
	if err != nil {
		return nil, err
	}
	b, err := session.Map(g.ctx, &plugins.MapCall{Name: m.schema.Name, Args: args, At: g.store.block(s), Derivative: derivative})
	if err == nil {
		err = g.validMap(b, s)
	}
	if err != nil {
		return nil, g.failed(m.from, m.fam, err)
	}
	out := &source{key: key, bareOf: s.bareOf, bareWhy: s.bareWhy}
	if out.bareOf == nil && g.bare(b) {
		out.bareOf, out.bareWhy = m.fam, m.schema.Name+": "+keepsLabels
	}
	g.store.absorb(out, b)
	g.sources[key] = out
	return out, nil
}

func (g *grounder) validMap(b *plugins.Block, s *source) error {
	if b == nil || b.Len() != s.len() {
		return &plugins.AnswerError{Err: fmt.Errorf("it answered with another number of functionals than the %d that it was asked for", s.len())}
	}
	if err := b.Validate(g.data.N(), g.data.Rows.Cols, len(g.data.LabelNames)); err != nil {
		return &plugins.AnswerError{Err: err}
	}
	return nil
}

// columnTangent returns the direction in which a feature column grows by one standard deviation, or by one raw unit.
func (g *grounder) columnTangent(j int, raw bool) int32 {
	row := make([]float64, g.data.Rows.Cols)
	row[j] = 1
	if g.data.Unit != nil && !raw {
		row[j] = g.data.Unit[j]
	}
	if g.data.Scale != nil {
		row[j] /= g.data.Scale[j]
	}
	return int32(g.store.tangents.add(plugins.Matrix{Rows: 1, Cols: len(row), Data: row}))
}

// leafLabel resolves a leaf's label.
func (g *grounder) leafLabel(gl *groundLeaf, n *node) error {
	ref := n.leaf.label
	switch {
	case ref == nil:
	case ref.bound == nil:
		c, err := g.label(ref.name, n.from)
		if err != nil {
			return err
		}
		gl.label, gl.fixed = fixedLabel, g.store.oneHot(c)
	default:
		gl.label, gl.over = boundLabel, ref.bound.axis.id
		for _, c := range g.axes[gl.over].labels[ref.bound.slot] {
			gl.labels = append(gl.labels, g.store.oneHot(c))
		}
	}
	return nil
}
