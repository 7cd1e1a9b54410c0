package ground

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/draws"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// A groundLeaf is a leaf with its functionals. A source has one for each element of the index set
// of its point, and for each node of its path. There are as many sources as combinations of the
// transformations that are bound:
//
//	source = Σ_k stride_k · element_k,   functional = element · nodes + node.
type groundLeaf struct {
	sources []*source
	choices []choice // which source: Σ stride·element
	axis    int      // of the point
	rows    []int32  // of a graph's end: the row of each edge; else nil
	nodes   int      // functionals for each element
	path    int      // the axis of the path's parameter, −1 where there is none
	place   int      // which of the nodes, where no parameter says
	label   labelMode
	fixed   int32     // the label's number in the store, where it is fixed
	labels  []int32   // the label's number in the store for each element of labelAxis
	over    int       // the axis of the label
	along   [][]slope // of derivatives along columns, by the columns that are bound; nil: as the sources say
	turns   []choice  // which of them: Σ stride·element
}

// A slope is a factor of a derivative along a column, and its number in plugins.Block.Tangent.
type slope struct {
	factor  float64
	tangent int32
}

// A choice is a bound transformation: the axis of its set, and by how much an element moves the
// source on.
type choice struct{ axis, stride int }

// A labelMode says where the label of a leaf's terms comes from.
type labelMode int

const (
	ownLabelMode labelMode = iota
	fixedLabel
	boundLabel
)

// leaf prepares a leaf: its points, then its transformations from the inside out, then derivatives
// along columns, then its label. The order is that of the text, f(s(t(x)), y).
func (g *grounder) leaf(n *tree.Node) error {
	l := n.Leaf
	if g.leaves[l] != nil {
		return nil
	}
	gl := &groundLeaf{axis: l.Point.Axis.ID, nodes: 1, path: -1}
	if err := g.move(gl, n, g.base(gl, l)); err != nil {
		return err
	}
	if err := g.derive(gl, l, n.From); err != nil {
		return err
	}
	if err := g.leafLabel(gl, n); err != nil {
		return err
	}
	if err := g.ask.labelled(gl, n); err != nil {
		return err
	}
	g.leaves[l] = gl
	return nil
}

// base returns the functionals at the points of a leaf before any transformation. Of a path they
// are at all nodes of its domain, values or slopes; leaf then picks the node.
func (g *grounder) base(gl *groundLeaf, l *tree.Leaf) *source {
	switch l.Point.Axis.Kind {
	case tree.RowAxis:
		if l.Point.Axis.Drawn() { // so that nothing is made of other rows
			return g.sources.endSource("of "+tree.ArgsKey(l.Point.Axis.Args), g.axes[gl.axis].rows[0])
		}
	case tree.GraphAxis:
		rows := g.axes[gl.axis].rows[l.Point.Slot]
		if slices.ContainsFunc(l.Maps, func(m *tree.Mapping) bool { return m.Bound != nil && m.Bound.Axis.Orbit != nil }) {
			return g.sources.endSource(fmt.Sprintf("%d.%d", gl.axis, l.Point.Slot), rows) // each edge has moves of its own
		}
		gl.rows = rows
	case tree.FamilyAxis:
		x := g.index.domain(l.Point.Axis)
		switch {
		case l.Node != nil:
			gl.nodes, gl.path = len(x.nodes), l.Node.ID
		case l.Place != nil:
			gl.nodes = len(x.nodes)
			gl.place, _ = slices.BinarySearch(x.nodes, l.Place.At)
		}
		if l.Deriv.Kind == tree.PathDeriv {
			return x.slopes[l.Point.Slot]
		}
		return x.points[l.Point.Slot]
	}
	return g.sources.rowSource()
}

// rowSource returns f at every row, with the row's label: functional i is f(x_i, y_i). It adds no
// point, and is made at the first question, since leaves at pairs need none.
func (ss *sources) rowSource() *source {
	const key = "x"
	if ss.made[key] != nil {
		return ss.made[key]
	}
	src := &source{key: key}
	for i := range ss.ask.data.N() {
		label := int32(plugins.NoLabel)
		if ss.ask.joint() {
			label = ss.store.label(ss.ask.data.Labels[i])
		}
		if only := ss.ask.data.Only; len(only) == 0 || only[i] {
			src.Term(1, int32(i), plugins.Evaluation, label)
		}
		src.End()
	}
	ss.made[key] = src
	return src
}

// endSource returns f at one end of each edge of a graph, by the rows of these ends.
func (ss *sources) endSource(name string, rows []int32) *source {
	key := "end " + name
	if ss.made[key] != nil {
		return ss.made[key]
	}
	all, src := ss.rowSource(), &source{key: key}
	for _, row := range rows {
		k := all.Start[row]
		src.Term(all.Coef[k], all.Point[k], all.Tangent[k], all.Label[k])
		src.End()
	}
	ss.made[key] = src
	return src
}

// move applies a leaf's transformations. Each bound one multiplies the sources by its elements, so
// that max over t in {rotate(10deg), shift(dx = 2)} has two. A derivative along a transformation is
// its last step, at the identity.
func (g *grounder) move(gl *groundLeaf, n *tree.Node, base *source) error {
	gl.sources = []*source{base}
	step := func(m *tree.Mapping, derivative bool) error {
		all := []*tree.Mapping{m}
		if m.Bound != nil {
			all = m.Bound.Axis.Places(g.axes[m.Bound.Axis.ID].count)
			if k := slices.IndexFunc(gl.choices, func(c choice) bool { return c.axis == m.Bound.Axis.ID }); k >= 0 {
				return moveAgain(g, gl, all, gl.choices[k].stride, derivative)
			}
			gl.choices = append(gl.choices, choice{m.Bound.Axis.ID, len(gl.sources)})
		}
		var next []*source
		for _, one := range all {
			for _, s := range gl.sources {
				moved, err := g.sources.mapped(one, s, derivative)
				if err != nil {
					return err
				}
				next = append(next, moved)
			}
		}
		gl.sources = next
		return nil
	}
	for _, m := range n.Leaf.Maps {
		if err := step(m, false); err != nil {
			return err
		}
	}
	if n.Leaf.Deriv.Kind == tree.MapDeriv {
		return step(n.Leaf.Deriv.Along, true)
	}
	return nil
}

// moveAgain moves each source by the element that moved it before: f(t(t(x))) is moved by one t twice.
func moveAgain(g *grounder, gl *groundLeaf, all []*tree.Mapping, stride int, derivative bool) error {
	next := make([]*source, len(gl.sources))
	for i, s := range gl.sources {
		moved, err := g.sources.mapped(all[i/stride%len(all)], s, derivative)
		if err != nil {
			return err
		}
		next[i] = moved
	}
	gl.sources = next
	return nil
}

// imageOf refuses a transformation of images where the features are a table.
func (ss *sources) imageOf(m *tree.Mapping) error {
	for _, end := range m.Ends() {
		if end.Schema.NeedsImage && ss.ask.data.Height == 0 {
			return ss.ask.fail(m.From, &diag.Diagnostic{Code: codes.NeedsImage, Summary: end.Schema.Name + " acts on images, and the features are a table", Mend: tree.OnTable(ss.ask.data.Columns)})
		}
	}
	return nil
}

// mapped returns a source under a transformation, by one call for all its functionals. A
// transformation is a linear map of functionals, (Tℓ)(f) = ℓ(f∘t), so that sums and derivatives
// pass through it.
func (ss *sources) mapped(m *tree.Mapping, s *source, derivative bool) (*source, error) {
	if m.Drawn != nil {
		return ss.drawn(m, s)
	}
	// What a source was made from, with the transformation, says what comes out: equal keys are
	// equal questions.
	key := fmt.Sprintf("%s>%s%s%v", s.key, m.Schema.Name, tree.ArgsKey(m.Args), derivative)
	if out := ss.made[key]; out != nil {
		return out, nil
	}
	if err := ss.imageOf(m); err != nil {
		return nil, err
	}
	session, err := ss.ask.session(m.From, m.Fam)
	if err != nil {
		return nil, err
	}
	args, err := ss.ask.mapArguments(m)
	if err != nil {
		return nil, err
	}
	at, has := s.filled()
	answered := ss.ask.waits(m.Fam)
	b, err := session.Map(ss.ask.ctx, &plugins.MapCall{Name: m.Schema.Name, Args: args, At: ss.store.block(at), Derivative: derivative})
	answered()
	if err == nil {
		err = ss.validMap(b, at)
	}
	if err != nil {
		return nil, ss.ask.failed(m.From, m.Fam, err)
	}
	out := &source{nodes: s.nodes, bareOf: s.bareOf, bareWhy: s.bareWhy}
	if out.bareOf == nil && ss.ask.bare(b) {
		out.bareOf, out.bareWhy = m.Fam, m.Schema.Name+": "+KeepsLabels
	}
	ss.store.absorb(out, b)
	out = out.spread(has, 1)
	out.key, ss.made[key] = key, out
	return out, ss.fits(m.From, out.Len(), 0)
}

// take appends a functional of another source.
func (s *source) take(from *source, i int) {
	for k := from.Start[i]; k < from.Start[i+1]; k++ {
		s.Term(from.Coef[k], from.Point[k], from.Tangent[k], from.Label[k])
	}
	s.End()
}

// filled returns the source without its functionals that have no terms, and says of each whether it has some.
func (s *source) filled() (out *source, has []bool) {
	for i := range s.Len() {
		has = append(has, s.Start[i] < s.Start[i+1])
	}
	if !slices.Contains(has, false) {
		return s, has
	}
	out = &source{nodes: s.nodes, bareOf: s.bareOf, bareWhy: s.bareWhy}
	for i, own := range has {
		if own {
			out.take(s, i)
		}
	}
	return out, has
}

// spread returns the source with functionals without terms for elements that have none in it. Each element has so many.
func (s *source) spread(has []bool, per int) *source {
	if !slices.Contains(has, false) {
		return s
	}
	out, i := &source{nodes: s.nodes, bareOf: s.bareOf, bareWhy: s.bareWhy}, 0
	for _, own := range has {
		for range per {
			if own {
				out.take(s, i)
				i++
			} else {
				out.End()
			}
		}
	}
	return out
}

// A composition holds steps of one family that follow each other, as an orbit asks for them.
type composition struct {
	fam   *tree.Family
	from  tree.Origin
	steps []plugins.MoveStep
	first int // of the amounts that are its own
}

// compositions returns what families are asked for by an orbit, in the order in which points go through them.
func compositions(q *asker, o *tree.Orbit) ([]*composition, error) {
	var out []*composition
	first := 0
	for _, s := range o.Steps {
		low, err := q.mapArguments(s.Low)
		if err != nil {
			return nil, err
		}
		high, err := q.mapArguments(s.High)
		if err != nil {
			return nil, err
		}
		if k := len(out); k == 0 || out[k-1].fam != s.Low.Fam {
			out = append(out, &composition{fam: s.Low.Fam, from: s.Low.From, first: first})
		}
		last := out[len(out)-1]
		step := plugins.MoveStep{Name: s.Low.Schema.Name, Args: low}
		for i, v := range low {
			if k := slices.Index(s.Free, v.Name); k >= 0 && v.Number != high[i].Number {
				step.Free = append(step.Free, plugins.FreeAmount{Arg: i, Amount: first - last.first + k, Low: v.Number, High: high[i].Number})
			}
		}
		last.steps = append(last.steps, step)
		first += len(s.Free)
	}
	return out, nil
}

// drawn returns a source under a place in the sample of an orbit. Every element of the source has a move of its own:
//
//	(T_m ℓ_e)(f) = ℓ_e(f ∘ t),   t drawn for place m and element e.
//
// An element's functionals, as those along a path, share its move. Those of elements that have no such member are zero.
func (ss *sources) drawn(m *tree.Mapping, s *source) (*source, error) {
	o := m.Drawn.Orbit
	key := s.key + ">" + m.Identity()
	if out := ss.made[key]; out != nil {
		return out, nil
	}
	if err := ss.imageOf(m); err != nil {
		return nil, err
	}
	all, err := compositions(ss.ask, o)
	if err != nil {
		return nil, err
	}
	per := max(1, s.nodes)
	amounts := plugins.Matrix{Cols: o.Dimension()}
	draw := draws.New(o, ss.ask.data.Sample, ss.ask.data.Seed)
	at, which, has := &source{nodes: s.nodes, bareOf: s.bareOf, bareWhy: s.bareWhy}, []int32(nil), make([]bool, s.Len()/per)
	for e := range has {
		if has[e] = draw.Has(e, m.Drawn.Number) && s.Start[e*per] < s.Start[(e+1)*per]; has[e] {
			for i := e * per; i < (e+1)*per; i++ {
				at.take(s, i)
				which = append(which, int32(amounts.Rows))
			}
			amounts.Data = draw.Amounts(e, m.Drawn.Number, amounts.Data)
			amounts.Rows++
		}
	}
	for _, c := range all {
		if at, err = ss.composed(c, at, which, &amounts); err != nil {
			return nil, err
		}
	}
	at = at.spread(has, per)
	at.key = key
	ss.made[key] = at
	return at, ss.fits(m.From, at.Len(), 0)
}

// composed returns a source under a composition of one family, each functional by the row of amounts that which names. A
// family that composes by itself, as that of images does, is asked once. Any other is asked for each row of
// amounts and each step. So a family need not know of orbits to stand in one.
func (ss *sources) composed(c *composition, s *source, which []int32, amounts *plugins.Matrix) (*source, error) {
	session, err := ss.ask.session(c.from, c.fam)
	if err != nil {
		return nil, err
	}
	answered := ss.ask.waits(c.fam)
	b, err := plugins.Move(ss.ask.ctx, session, &plugins.MoveCall{Steps: c.steps, At: ss.store.block(s), Which: which, Amounts: amounts.Columns(c.first, amounts.Cols)})
	answered()
	if err == nil {
		err = ss.validMap(b, s)
	}
	if err != nil {
		return nil, ss.ask.failed(c.from, c.fam, err)
	}
	out := &source{nodes: s.nodes, bareOf: s.bareOf, bareWhy: s.bareWhy}
	if out.bareOf == nil && ss.ask.bare(b) {
		out.bareOf, out.bareWhy = c.fam, c.steps[0].Name+": "+KeepsLabels
	}
	ss.store.absorb(out, b)
	return out, nil
}

// validMap returns what is wrong with a family's answer to a call of a map; nil means that it fits.
func (ss *sources) validMap(b *plugins.Block, s *source) error {
	if b == nil || b.Len() != s.Len() {
		return &plugins.AnswerError{Err: fmt.Errorf("it answered with another number of functionals than the %d that it was asked for", s.Len())}
	}
	if err := b.Validate(ss.ask.data.N(), ss.ask.data.Rows.Cols, len(ss.ask.data.LabelNames)); err != nil {
		return &plugins.AnswerError{Err: err}
	}
	return nil
}

// derive finds the derivatives along columns of a leaf. Each variable that is bound to a column
// multiplies them by the elements of its set, so that
//
//	max over c in columns(area, age) of |d/d(c) f(x)|
//
// has the slopes along area and along age at one source. A variable that stands in both places of a
// second derivative is one choice, and the derivative is never mixed. The directions of k columns are
// k·p numbers in p features. So they are counted before they are made: all columns of a wide table
// would take p².
func (g *grounder) derive(gl *groundLeaf, l *tree.Leaf, from tree.Origin) error {
	if l.Deriv.Kind != tree.ColumnDeriv {
		return nil
	}
	all := []*tree.Leaf{l}
	for _, over := range []*tree.Variable{l.Deriv.Over, l.Again.Over} {
		if over == nil || slices.ContainsFunc(gl.turns, func(c choice) bool { return c.axis == over.Axis.ID }) {
			continue
		}
		gl.turns = append(gl.turns, choice{over.Axis.ID, len(all)})
		columns := g.axes[over.Axis.ID].columns
		if err := g.sources.fits(from, 0, len(all)*len(columns)); err != nil {
			return err
		}
		var next []*tree.Leaf
		for _, column := range columns {
			for _, k := range all {
				next = append(next, k.Along(over, column))
			}
		}
		all = next
	}
	for _, k := range all {
		s, err := g.sources.slopes(k, from)
		if err != nil {
			return err
		}
		gl.along = append(gl.along, s)
	}
	return nil
}

// slopes returns the derivatives along columns of a leaf; nil means that it has none. A mixed one
// is a difference of two along sums and differences of directions,
//
//	D²f[u, v] = ¼(D²f[u+v, u+v] − D²f[u−v, u−v]),
//
// as blocks hold derivatives twice along one direction alone. Both directions are equally long in
// standard deviations: otherwise the two terms would be large and cancel.
func (ss *sources) slopes(l *tree.Leaf, from tree.Origin) ([]slope, error) {
	if l.Deriv.Kind != tree.ColumnDeriv {
		return nil, nil
	}
	one, err := ss.columnStep(&l.Deriv, from)
	if err != nil {
		return nil, err
	}
	if l.Again.Kind == tree.NoDeriv {
		return []slope{{1, ss.tangent(one.length, one.column, 0, one.column)}}, nil
	}
	two, err := ss.columnStep(&l.Again, from)
	if err != nil {
		return nil, err
	}
	// Per unit of the file the product of the lengths counts, and not each: u and v may share it
	// evenly.
	size := 1.0 // in standard deviations
	if one.length != one.deviation || two.length != two.deviation {
		size = math.Sqrt(one.length / one.deviation * (two.length / two.deviation))
	}
	u, v := size*one.deviation, size*two.deviation
	if one.column == two.column {
		return []slope{{1, plugins.Twice(ss.tangent(u, one.column, 0, one.column))}}, nil
	}
	along := func(v float64) int32 { return plugins.Twice(ss.tangent(u, one.column, v, two.column)) }
	return []slope{{0.25, along(v)}, {-0.25, along(-v)}}, nil
}

// A columnStep says what a derivative along a column is per, and the standard deviation of the
// column, both in units of the feature.
type columnStep struct {
	column            int
	length, deviation float64
}

// columnStep returns the step of a derivative: one standard deviation, or one unit of the file. A
// feature that never varies in training is refused, as no row says how f changes along it.
func (ss *sources) columnStep(d *tree.Derivative, from tree.Origin) (columnStep, error) {
	j, err := ss.ask.column(d.Column, from)
	if err != nil {
		return columnStep{}, err
	}
	if ss.ask.data.Constant != nil && ss.ask.data.Constant(j) {
		return columnStep{}, ss.ask.fail(tree.Placed(d.Column, from), &diag.Diagnostic{
			Code: codes.ConstantColumn, Summary: "d/d(" + d.Column.Text + ") is along a feature that is the same in every training row",
			Detail: "No training row tells how f changes along it: the derivative is that of the kernel alone, and its value says nothing.",
		})
	}
	out := columnStep{j, 1, 1}
	if ss.ask.data.Unit != nil {
		out.deviation = ss.ask.data.Unit[j]
	}
	if !d.Raw {
		out.length = out.deviation
	}
	if ss.ask.data.Scale != nil {
		out.length /= ss.ask.data.Scale[j]
		out.deviation /= ss.ask.data.Scale[j]
	}
	return out, nil
}

// tangent returns the number of the direction in which feature j grows by u, and feature k by v.
func (ss *sources) tangent(u float64, j int, v float64, k int) int32 {
	row := make([]float64, ss.ask.data.Rows.Cols)
	row[j] += u
	row[k] += v
	return int32(ss.store.tangents.add(plugins.Matrix{Rows: 1, Cols: len(row), Data: row}))
}

// leafLabel resolves a leaf's label: fixed by name, bound by a quantifier, or the point's own.
func (g *grounder) leafLabel(gl *groundLeaf, n *tree.Node) error {
	ref := n.Leaf.Label
	switch {
	case ref == nil:
	case ref.Bound == nil:
		c, err := g.ask.label(ref.Name, n.From)
		if err != nil {
			return err
		}
		gl.label, gl.fixed = fixedLabel, g.sources.store.oneHot(c)
	default:
		gl.label, gl.over = boundLabel, ref.Bound.Axis.ID
		for _, c := range g.axes[gl.over].labels[ref.Bound.Slot] {
			gl.labels = append(gl.labels, g.sources.store.oneHot(c))
		}
	}
	return nil
}

// Move returns all rows of data moved by a transformation, in one call, for `evaluate under`. Moves of an
// orbit are drawn by the seed, each row its own. A map may answer with any functionals. Only those that are f at one point move a row, and all others
// are the family's fault.
func (in *Problem) Move(ctx context.Context, m *tree.Mapping, data *plugins.Data, seed uint64) (out plugins.Matrix, err error) {
	g := newGrounder(ctx, in, &Data{Data: data, Seed: seed})
	defer func() { err = errors.Join(err, g.ask.close()) }()
	moved, err := g.sources.mapped(m, g.sources.rowSource(), false)
	if err != nil {
		return plugins.Matrix{}, err
	}
	p := data.Rows.Cols
	out = plugins.Matrix{Rows: data.N(), Cols: p, Data: make([]float64, 0, data.N()*p)}
	for i := range data.N() {
		k := moved.Start[i]
		if moved.Start[i+1] != k+1 || moved.Coef[k] != 1 || moved.Tangent[k] != plugins.Evaluation {
			return plugins.Matrix{}, g.ask.fail(m.From, &diag.Diagnostic{Code: codes.FamilyFailed, Summary: fmt.Sprintf("the family %s failed: %s answers with functionals that are not points, and rows cannot be moved by it", m.Ends()[0].Fam.Name, m.Named()), Mend: "Name maps that move a point to a point."})
		}
		if pt := moved.Point[k]; pt >= 0 {
			out.Data = append(out.Data, data.Rows.Row(int(pt))...)
		} else {
			out.Data = append(out.Data, g.sources.store.points.row(int(^pt))...)
		}
	}
	return out, nil
}

// slopes returns the derivatives along columns for the elements that are bound. Nil means that the
// leaf has none.
func (gl *groundLeaf) slopes(elem []int) []slope {
	if gl.along == nil {
		return nil
	}
	which := 0
	for _, c := range gl.turns {
		which += elem[c.axis] * c.stride
	}
	return gl.along[which]
}
