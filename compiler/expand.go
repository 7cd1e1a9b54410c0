package compiler

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
)

// A groundAxis is an index set with its elements.
type groundAxis struct {
	count   int
	mu      []float64 // of a path: the weights of Clenshaw and Curtis; else nil: ones
	nodes   []int32   // of a path: which of its domain's nodes
	rows    [2][]int32
	weights []float64 // of a graph's edges
	labels  [][]int32 // by slot
	domain  *expansion
}

// An expansion is a family's domain with its elements. Axes that ask for the same share it.
type expansion struct {
	key         string
	axis        *axis // the first that asks for it
	nodes       []float64
	values      bool
	derivatives bool
	count       int
	labels      [][]int32
	points      []*source
	slopes      []*source
}

// needs finds out what is asked of families before any is.
type needs struct {
	g     *grounder
	order []*expansion
	axes  []*axis
	seen  map[*axis]bool
}

func newNeeds(g *grounder) *needs { return &needs{g: g, seen: map[*axis]bool{}} }

func (nd *needs) form(f *form) {
	nd.quantifier(f.quant)
	if f.linear != nil {
		nd.node(f.linear)
	}
	for _, k := range f.kids {
		nd.form(k)
	}
}

func (nd *needs) node(n *node) {
	nd.quantifier(n.quant)
	if n.leaf != nil && n.leaf.point.axis.kind == familyAxis {
		x := nd.expansion(n.leaf.point.axis)
		if n.leaf.deriv.kind == pathDeriv {
			x.derivatives = true
		} else {
			x.values = true
		}
		if at := n.leaf.place; at != nil {
			x.nodes = append(x.nodes, at.at)
		}
	}
	for _, k := range n.kids {
		nd.node(k)
	}
}

func (nd *needs) quantifier(q *quantifier) {
	if q == nil {
		return
	}
	nd.quantifier(q.unless)
	for _, a := range q.axes {
		if nd.seen[a] {
			continue
		}
		nd.seen[a] = true
		nd.axes = append(nd.axes, a)
		switch a.kind {
		case familyAxis:
			nd.expansion(a)
		case pathAxis:
			x := nd.expansion(a.path)
			x.nodes = append(x.nodes, nd.g.pathNodes(a)...)
		}
	}
}

// pathNodes are the values of a path's parameter.
func (g *grounder) pathNodes(a *axis) []float64 {
	nodes := curve.Nodes(g.nodes)
	if g.halfway[a] {
		nodes = curve.Halfway(g.nodes)
	}
	for i, t := range nodes {
		nodes[i] = float64((1-t)*a.lo) + float64(t*a.hi)
	}
	return nodes
}

// expansion is what a family's domain is asked for.
func (nd *needs) expansion(a *axis) *expansion {
	key := a.dom.Name + argsKey(a.args)
	if x := nd.g.domains[key]; x != nil {
		return x
	}
	x := &expansion{key: key, axis: a}
	nd.g.domains[key] = x
	nd.order = append(nd.order, x)
	return x
}

// argsKey identifies arguments.
func argsKey(args []*value) string {
	var b strings.Builder
	b.WriteByte('(')
	for _, v := range args {
		if v == nil {
			continue
		}
		fmt.Fprintf(&b, "%s=%v,%q", v.arg.Name, v.quantity, v.text)
		if v.taxonomy != nil {
			fmt.Fprintf(&b, ",%q,%v", v.taxonomy.file, v.taxonomy.ofData)
		}
		b.WriteByte(';')
	}
	b.WriteByte(')')
	return b.String()
}

// expand enumerates all index sets.
func (nd *needs) expand() error {
	g := nd.g
	for _, x := range nd.order {
		slices.Sort(x.nodes)
		x.nodes = slices.Compact(x.nodes)
		if x.axis.hasPath && len(x.nodes) == 0 {
			x.nodes = []float64{0} // nobody asks where on the path
		}
		if err := g.expand(x); err != nil {
			return err
		}
	}
	for _, a := range nd.axes {
		ga, err := g.elements(a)
		if err != nil {
			return err
		}
		if ga.count == 0 {
			return g.fail(a.from, &diag.Diagnostic{Code: EmptyIndexSet, Summary: a.text + " is empty for these data"})
		}
		g.axes[a.id] = ga
	}
	return nil
}

// seed is the seed of a domain's draw: the same call draws the same.
func (g *grounder) seed(key string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // never fails
	return g.data.Seed ^ h.Sum64()
}

// expand enumerates a family's domain.
func (g *grounder) expand(x *expansion) error {
	a := x.axis
	session, err := g.session(a.from, a.fam)
	if err != nil {
		return err
	}
	args, err := g.values(a.from, a.args)
	if err != nil {
		return err
	}
	call := &plugins.DomainCall{Name: a.dom.Name, Args: args, Seed: g.seed(x.key), Derivative: x.derivatives}
	if a.hasPath {
		call.Nodes = x.nodes
	}
	points, labels := 0, 0
	for _, v := range a.vars {
		switch v.kind {
		case pointVar:
			points++
		case labelVar:
			labels++
		}
	}
	x.labels = make([][]int32, labels)
	x.points, x.slopes = newSources(x.key+"#", points), newSources(x.key+"'", points)
	err = session.Expand(g.ctx, call, func(c *plugins.Chunk) error { return g.take(x, call, c) })
	if err == nil {
		err = g.ctx.Err()
	}
	if err != nil {
		return g.failed(a.from, a.fam, err)
	}
	return nil
}

func newSources(key string, count int) []*source {
	s := make([]*source, count)
	for i := range s {
		s[i] = &source{key: fmt.Sprint(key, i)}
	}
	return s
}

// take appends a chunk.
func (g *grounder) take(x *expansion, call *plugins.DomainCall, c *plugins.Chunk) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	if err := c.Validate(x.axis.dom, call, g.data.N(), g.data.Rows.Cols, len(g.data.LabelNames)); err != nil {
		return &plugins.AnswerError{Err: err}
	}
	x.count += c.Count
	for k, l := range c.Labels {
		x.labels[k] = append(x.labels[k], l...)
	}
	for k := range x.points {
		if x.values {
			g.takeBlock(x, x.points[k], c.Points[k])
		}
		if x.derivatives {
			g.takeBlock(x, x.slopes[k], c.Derivatives[k])
		}
	}
	return nil
}

// takeBlock appends a block to a source, and takes note if it lacks labels.
func (g *grounder) takeBlock(x *expansion, to *source, b *plugins.Block) {
	if g.bare(b) {
		to.bareOf, to.bareWhy = x.axis.fam, x.axis.dom.Name+": "+plugins.WithoutLabels
	}
	g.store.absorb(to, b)
}

// elements is an axis's index set.
func (g *grounder) elements(a *axis) (*groundAxis, error) {
	ga := &groundAxis{}
	switch a.kind {
	case rowAxis:
		ga.count = g.data.N()
	case mapAxis:
		ga.count = len(a.maps)
	case graphAxis:
		return ga, g.edges(a, ga)
	case familyAxis:
		ga.domain = g.domains[a.dom.Name+argsKey(a.args)]
		ga.count, ga.labels = ga.domain.count, ga.domain.labels
	case pathAxis:
		g.path(a, ga)
	case labelAxis:
		all := make([]int32, len(g.data.LabelNames))
		for i := range all {
			all[i] = int32(i)
		}
		ga.count, ga.labels = len(all), [][]int32{all}
	case namedAxis:
		ga.count, ga.labels = len(a.names), [][]int32{make([]int32, len(a.names))}
		for i, name := range a.names {
			c, err := g.label(name, a.from)
			if err != nil {
				return nil, err
			}
			ga.labels[0][i] = c
		}
	}
	return ga, nil
}

func (g *grounder) edges(a *axis, ga *groundAxis) error {
	from, to, weights, leftOut := a.graph.resolve(g.rows())
	ga.count, ga.rows, ga.weights = len(from), [2][]int32{from, to}, weights
	if len(from) == 0 {
		return g.fail(a.from, &diag.Diagnostic{
			Code: EmptyIndexSet, Summary: fmt.Sprintf("%s has no edge between training rows", a.graph.name),
			Detail: fmt.Sprintf("It has %s; the rows are %s.", plural(len(a.graph.edges), "line"), few(g.rowNames())), Mend: "Edges name rows by the column id, or else by their numbers from 1.",
		})
	}
	if leftOut > 0 {
		g.warn(a.from, &diag.Diagnostic{
			Code: EdgesLeftOut, Summary: fmt.Sprintf("%d of %d edges of %s end outside the training rows", leftOut, leftOut+len(from), a.graph.name),
			Detail: "They are left out.",
		})
	}
	return nil
}

func (g *grounder) rowNames() []string {
	names := slices.Clone(g.data.RowID)
	for i := len(names); i < min(g.data.N(), 8); i++ {
		names = append(names, strconv.Itoa(i+1))
	}
	return names
}

// path finds an interval's nodes among those of its domain, and their weights in an integral.
func (g *grounder) path(a *axis, ga *groundAxis) {
	x := g.domains[a.path.dom.Name+argsKey(a.path.args)]
	for _, t := range g.pathNodes(a) {
		k, _ := slices.BinarySearch(x.nodes, t)
		ga.nodes = append(ga.nodes, int32(k))
	}
	ga.count = len(ga.nodes)
	ga.mu = curve.Weights(ga.count)
	for i := range ga.mu {
		ga.mu[i] *= a.hi - a.lo
	}
}
