package ground

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/draws"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
)

// A groundAxis is an index set with its elements. Which fields are set, the kind of the axis says.
type groundAxis struct {
	axis    *tree.Axis
	count   int
	mu      []float64  // of a path: the weights of Clenshaw and Curtis; of rows: their weights; else nil: ones
	nodes   []int32    // of a path: which of its domain's nodes
	lambda  []float64  // of a path: the values of its parameter
	rows    [2][]int32 // of a graph's edges: their ends; of a sample: its rows
	weights []float64  // of a graph's edges
	columns []*tree.Value
	points  *plugins.Matrix // of a box beside the rows of a file
	names   []string        // of these rows
	labels  [][]int32       // by slot
	moves   *draws.Drawer   // of an orbit; else nil
	ends    [][][]int32     // of a family's points, by slot: the rows among the points of an element
}

// An expansion is a family's domain with its elements. Axes that ask for the same share it, so that
// two quantifiers over pairs(count = 4n, choose = nearest) range over the same pairs. Nodes are all
// places on the path at which some leaf or interval wants f; points[s] then holds, for slot s,
// functional e·|nodes| + k for element e at node k. Slopes hold the derivatives along the path in
// the same order.
type expansion struct {
	key         string
	axis        *tree.Axis // the first that asks for it
	nodes       []float64
	values      bool
	derivatives bool
	count       int
	labels      [][]int32
	points      []*source
	slopes      []*source
}

// A needs finds out what is asked of families before any is. It collects the index sets in the
// order in which the forms meet them, which is the order in which families are asked.
type needs struct {
	g     *grounder
	order []*expansion
	axes  []*tree.Axis
	seen  map[*tree.Axis]bool
}

// newNeeds returns a collection that has seen no form.
func newNeeds(g *grounder) *needs { return &needs{g: g, seen: map[*tree.Axis]bool{}} }

// form takes note of the index sets of a form, outer ones first, and of what its functionals ask of
// families.
func (nd *needs) form(f *tree.Form) {
	for k := range f.All() {
		nd.quantifier(k.Quant)
		if k.Linear == nil {
			continue
		}
		for n := range k.Linear.All() {
			nd.node(n)
		}
	}
}

// node takes note of whether values or slopes are asked for at the points of a domain, and where on
// their paths.
func (nd *needs) node(n *tree.Node) {
	nd.quantifier(n.Quant)
	if n.Leaf != nil && n.Leaf.Point.Axis.Kind == tree.FamilyAxis {
		x := nd.expansion(n.Leaf.Point.Axis)
		if n.Leaf.Deriv.Kind == tree.PathDeriv {
			x.derivatives = true
		} else {
			x.values = true
		}
		if at := n.Leaf.Place; at != nil {
			x.nodes = append(x.nodes, at.At)
		}
	}
}

// quantifier takes note of the axes of an index set. A family's domain is expanded also if no leaf
// stands at its points, since its size counts. An interval adds its nodes to those of its path.
func (nd *needs) quantifier(q *tree.Quantifier) {
	if q == nil {
		return
	}
	nd.quantifier(q.Unless)
	for _, a := range q.Axes {
		if nd.seen[a] {
			continue
		}
		nd.seen[a] = true
		nd.axes = append(nd.axes, a)
		switch a.Kind {
		case tree.FamilyAxis:
			nd.expansion(a)
		case tree.PathAxis:
			x := nd.expansion(a.Path)
			x.nodes = append(x.nodes, nd.g.index.pathNodes(a)...)
		}
	}
}

// pathNodes returns the values of a path's parameter, Lobatto nodes of [0, 1] moved to [lo, hi]: (1
// − t)·lo + t·hi. The conversions keep a processor from fusing product and sum, so that all
// processors find the same nodes.
func (en *enumerator) pathNodes(a *tree.Axis) []float64 {
	nodes := curve.Nodes(en.nodes)
	if en.halfway[a] {
		nodes = curve.Halfway(en.nodes)
	}
	for i, t := range nodes {
		nodes[i] = float64((1-t)*a.Lo) + float64(t*a.Hi)
	}
	return nodes
}

// expansion returns what a family's domain is asked for, one for all axes with equal arguments.
func (nd *needs) expansion(a *tree.Axis) *expansion {
	if x := nd.g.index.domain(a); x != nil {
		return x
	}
	x := &expansion{key: a.Dom.Name + tree.ArgsKey(a.Args), axis: a}
	nd.g.index.domains[x.key] = x
	nd.order = append(nd.order, x)
	return x
}

// domain returns what a family's domain was asked for; nil means that it was not.
func (en *enumerator) domain(a *tree.Axis) *expansion {
	return en.domains[a.Dom.Name+tree.ArgsKey(a.Args)]
}

// expand enumerates all index sets, domains of families first: the nodes of a path are found among
// those of its domain. An index set without elements is an error here, before its norm could be
// undefined.
func (nd *needs) expand() error {
	g := nd.g
	for _, x := range nd.order {
		slices.Sort(x.nodes)
		x.nodes = slices.Compact(x.nodes)
		if x.axis.HasPath && len(x.nodes) == 0 {
			x.nodes = []float64{0} // nobody asks where on the path
		}
		if err := g.index.expand(x); err != nil {
			return err
		}
	}
	for _, a := range nd.axes {
		ga, err := g.index.elements(a)
		if err != nil {
			return err
		}
		if ga.count == 0 {
			mend := map[bool]string{true: "Write sample(1), or a larger share."}[a.Drawn()]
			return g.ask.fail(a.From, &diag.Diagnostic{Code: codes.EmptyIndexSet, Summary: a.Text + " is empty for these data", Mend: mend})
		}
		g.axes[a.ID] = ga
	}
	return nil
}

// seed returns the seed of a domain's draw. It is made of the run's seed and of the call, so that
// equal calls draw the same elements and different ones are independent.
func (en *enumerator) seed(key string) uint64 { return draws.Seed(en.ask.data.Seed, key) }

// expand asks a family for its domain. The answer comes in chunks, and is taken chunk by chunk: a
// domain of many pairs is never in memory twice.
func (en *enumerator) expand(x *expansion) error {
	a := x.axis
	session, err := en.ask.session(a.From, a.Fam)
	if err != nil {
		return err
	}
	args, err := en.ask.values(a.From, a.Args)
	if err != nil {
		return err
	}
	call := &plugins.DomainCall{Name: a.Dom.Name, Args: args, Seed: en.seed(x.key), Derivative: x.derivatives}
	if a.HasPath {
		call.Nodes = x.nodes
	}
	// The slots of an element: the two rows of a pair, or the labels of an edge of a taxonomy.
	points, labels := 0, 0
	for _, v := range a.Vars {
		switch v.Kind {
		case tree.PointVar:
			points++
		case tree.LabelVar:
			labels++
		}
	}
	x.labels = make([][]int32, labels)
	x.points, x.slopes = newSources(x.key+"#", points, len(x.nodes)), newSources(x.key+"'", points, len(x.nodes))
	defer en.ask.waits(a.Fam)()
	err = session.Expand(en.ask.ctx, call, func(c *plugins.Chunk) error { return en.take(x, call, c) })
	if err == nil {
		err = en.ask.ctx.Err()
	}
	if err != nil {
		return en.ask.failed(a.From, a.Fam, err)
	}
	return nil
}

// newSources returns empty sources, one for each point of an element, at so many nodes of its path.
func newSources(key string, count, nodes int) []*source {
	s := make([]*source, count)
	for i := range s {
		s[i] = &source{key: fmt.Sprint(key, i), nodes: nodes}
	}
	return s
}

// take appends a chunk after checking it against the contract. No later code checks indices again.
func (en *enumerator) take(x *expansion, call *plugins.DomainCall, c *plugins.Chunk) error {
	if err := en.ask.ctx.Err(); err != nil {
		return err
	}
	if err := c.Validate(x.axis.Dom, call, en.ask.data.N(), en.ask.data.Rows.Cols, len(en.ask.data.LabelNames)); err != nil {
		return &plugins.AnswerError{Err: err}
	}
	x.count += c.Count
	for k, l := range c.Labels {
		x.labels[k] = append(x.labels[k], l...)
	}
	for k := range x.points {
		if x.values {
			en.takeBlock(x, x.points[k], c.Points[k])
		}
		if x.derivatives {
			en.takeBlock(x, x.slopes[k], c.Derivatives[k])
		}
	}
	return en.sources.fits(x.axis.From, x.count*max(1, len(x.nodes)), 0)
}

// takeBlock appends a block to a source, and takes note if it lacks labels. Whether that is a
// fault, the leaf decides (labelled).
func (en *enumerator) takeBlock(x *expansion, to *source, b *plugins.Block) {
	if en.ask.bare(b) {
		to.bareOf, to.bareWhy = x.axis.Fam, x.axis.Dom.Name+": "+plugins.WithoutLabels
	}
	en.sources.store.absorb(to, b)
}

// elements returns an axis's index set. Domains were expanded before, so that only graphs and names
// of labels can fail.
func (en *enumerator) elements(a *tree.Axis) (*groundAxis, error) {
	if err := en.refused(a); err != nil {
		return nil, err
	}
	ga := &groundAxis{axis: a}
	switch a.Kind {
	case tree.RowAxis:
		ga.count, ga.mu = en.ask.data.N(), en.ask.data.Weight
		if a.Drawn() {
			en.draw(a, ga)
		}
	case tree.BoxAxis:
		return ga, en.points(a, ga)
	case tree.MapAxis:
		ga.count = len(a.Maps)
		if a.Orbit != nil {
			ga.count, ga.moves = en.ask.data.Sample.Of(a.Orbit), draws.New(a.Orbit, en.ask.data.Sample, en.ask.data.Seed)
		}
	case tree.GraphAxis:
		return ga, en.edges(a, ga)
	case tree.FamilyAxis:
		x := en.domain(a)
		ga.count, ga.labels = x.count, x.labels
		for k, src := range x.points {
			if src.Len() == 0 {
				src = x.slopes[k]
			}
			ga.ends = append(ga.ends, src.ends(x.count))
		}
	case tree.ColumnAxis:
		ga.columns = en.ask.columnsOf(a)
		ga.count = len(ga.columns)
	case tree.PathAxis:
		en.path(a, ga)
	case tree.LabelAxis, tree.StepAxis, tree.NamedAxis:
		return ga, en.labels(a, ga)
	}
	return ga, nil
}

// draw draws the rows of a sample. They are the first of an order of all rows that the seed shuffles:
//
//	order   r_1 … r_k | r_k+1 … r_n     sample(k), and behind it the rows of which Data.Rest asks for some, less those of Data.Held
//
// So equal seeds draw the same rows, and those of a smaller sample are among those of a larger one. Rows are put in
// ascending order, as a sample of all rows is to be what all rows are.
func (en *enumerator) draw(a *tree.Axis, ga *groundAxis) {
	data, n := en.ask.data, en.ask.data.N()
	all := Shuffled(a, data)
	drawn := all[:a.Draws(n)]
	switch {
	case data.Rest > 0:
		drawn = slices.DeleteFunc(all, func(i int) bool { return data.Held[i] })
		drawn = drawn[:min(len(drawn), data.Rest)]
	case data.Rest < 0:
		drawn = all
	}
	slices.Sort(drawn)
	ga.count, ga.mu = len(drawn), nil
	for _, i := range drawn {
		ga.rows[0] = append(ga.rows[0], int32(i))
		if data.Weight != nil {
			ga.mu = append(ga.mu, data.Weight[i])
		}
	}
}

// Shuffled returns the order of all rows of which a sample has the first.
func Shuffled(a *tree.Axis, data *Data) []int {
	seed := data.Seed
	if own := a.Args[1]; own != nil {
		seed = uint64(own.Quantity.Value)
	}
	return rand.New(rand.NewPCG(draws.Seed(seed, tree.SampleWord), uint64(data.N()))).Perm(data.N())
}

// labels finds the labels of an axis, by their numbers in the data: all, those that are listed, or each level and the next one.
func (en *enumerator) labels(a *tree.Axis, ga *groundAxis) error {
	if a.Kind == tree.NamedAxis {
		ga.count, ga.labels = len(a.Names), [][]int32{make([]int32, len(a.Names))}
		for i, name := range a.Names {
			c, err := en.ask.label(name, a.From)
			if err != nil {
				return err
			}
			ga.labels[0][i] = c
		}
		return nil
	}
	all := make([]int32, len(en.ask.data.LabelNames))
	for i := range all {
		all[i] = int32(i)
	}
	ga.labels = [][]int32{all}
	if a.Kind == tree.StepAxis && len(all) > 0 {
		ga.labels = [][]int32{all[:len(all)-1], all[1:]}
	}
	ga.count = len(ga.labels[0])
	return nil
}

// refused returns the error of rows as an index set, where none are given, or where their name is that of a column. Nil means that it may stand.
func (en *enumerator) refused(a *tree.Axis) error {
	if en.ask.data.Rowless && overRows(a) {
		return en.ask.fail(a.From, &diag.Diagnostic{
			Code: codes.WrongRegion, Summary: "the statement is about rows, and none are given", Mend: "Give a file of rows, --data FILE, or name one: rows(\"file.csv\"). A box needs no rows: over x in box.",
		})
	}
	return en.calledAsColumn(a)
}

// overRows reports whether the elements of an index set are rows of the data, or a box beside each.
func overRows(a *tree.Axis) bool {
	return a.Kind == tree.RowAxis || a.Kind == tree.GraphAxis || a.Kind == tree.BoxAxis && a.Box.Others == tree.OthersOfRows
}

// calledAsColumn refuses rows that are called as a column is: over area in x of |f(area)| would hold
// for rows, and hide the column that is meant. Short names may be both, as x is one of many data.
func (en *enumerator) calledAsColumn(a *tree.Axis) error {
	for _, v := range a.Vars {
		if v.Kind == tree.PointVar && len(v.Name) > 2 && slices.Contains(en.ask.data.Columns, v.Name) {
			return en.ask.fail(a.From, &diag.Diagnostic{
				Code: codes.WrongBinder, Summary: v.Name + " is a column, and would name rows here", Detail: "f takes rows.",
				Mend: fmt.Sprintf("For the effect of the column write d/d(%[1]s) f, or increasing(%[1]s); for a row choose another name.", v.Name),
			})
		}
	}
	return nil
}

// edges resolves the ends of a graph's edges to rows. Edges with an end outside the rows that R sees
// are left out with a warning: a graph usually covers test rows too. A graph without any edge
// between rows that R sees is an error.
func (en *enumerator) edges(a *tree.Axis, ga *groundAxis) error {
	from, to, weights, leftOut := a.Graph.Resolve(en.ask.rows(), en.ask.data.Numbered)
	ga.count, ga.rows, ga.weights = len(from), [2][]int32{from, to}, weights
	if len(from) == 0 {
		return en.ask.fail(a.From, &diag.Diagnostic{
			Code: codes.EmptyIndexSet, Summary: fmt.Sprintf("%s has no edge between rows that R sees", a.Graph.Name),
			Detail: fmt.Sprintf("It has %s; the rows are %s.", tree.Plural(len(a.Graph.Edges), "line"), tree.Listed(en.ask.rowNames(), named)), Mend: "Edges name rows by the column id, or else by their numbers from 1, or from 0 if one is 0.",
		})
	}
	if leftOut > 0 {
		en.ask.warn(a.From, &diag.Diagnostic{
			Code: codes.EdgesLeftOut, Summary: fmt.Sprintf("%d of %d edges of %s end outside the rows that R sees", leftOut, leftOut+len(from), a.Graph.Name),
			Detail: "They are left out. R sees the training rows, and those without a label that `unlabelled` names.",
		})
	}
	return nil
}

// rowNames returns the ids of rows, or the first few numbers where rows have no ids, for messages.
func (q *asker) rowNames() []string {
	var names []string
	for i := range q.data.N() {
		switch {
		case q.data.RowID != nil:
			names = append(names, q.data.RowID(i))
		case i < 8:
			names = append(names, strconv.Itoa(i+1))
		}
	}
	return names
}

// path finds an interval's nodes among those of its domain, and their weights μ_k (hi − lo) in an
// integral. The domain was expanded with all of them, so that each is found exactly.
func (en *enumerator) path(a *tree.Axis, ga *groundAxis) {
	nodes := en.domain(a.Path).nodes
	ga.lambda = en.pathNodes(a)
	for _, t := range ga.lambda {
		k, _ := slices.BinarySearch(nodes, t)
		ga.nodes = append(ga.nodes, int32(k))
	}
	ga.count = len(ga.nodes)
	ga.mu = curve.Weights(ga.count)
	for i := range ga.mu {
		ga.mu[i] *= a.Hi - a.Lo
	}
}

// columnsOf returns the columns of a set, each once, in the order of the text and of the data. A
// pattern takes columns of numbers. It leaves out those that are the same in every training row, as
// f has no slope along them. Names are looked up where a slope asks for them.
func (q *asker) columnsOf(a *tree.Axis) []*tree.Value {
	var out []*tree.Value
	seen := map[string]bool{}
	add := func(v *tree.Value) {
		if !seen[v.Text] {
			out = append(out, v)
		}
		seen[v.Text] = true
	}
	for _, v := range a.Columns {
		if !v.Pattern() {
			add(v)
			continue
		}
		for j, name := range q.data.Columns {
			made := strings.HasPrefix(name, "missing(") || strings.Contains(name, "=")
			varies := q.data.Constant == nil || !q.data.Constant(j)
			if ok, _ := path.Match(v.Text, name); ok && varies && (!made || strings.ContainsAny(v.Text, "=(")) {
				add(&tree.Value{Arg: v.Arg, Text: name, Place: v.Place})
			}
		}
	}
	return out
}
