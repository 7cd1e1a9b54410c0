package ground

import (
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A groundQuant is a quantifier with its elements. These are the elements of the product of its
// axes that satisfy its condition, if that depends on nothing around the quantifier. Otherwise they
// are all elements, and the condition is checked for each while functionals are written.
type groundQuant struct {
	axes    []*tree.Axis
	sizes   []int
	list    []int // numbers of elements in the product, the last axis fastest; nil: all
	count   int
	mu      []float64 // by element of list; nil: ones
	total   float64   // Σ mu
	dynamic func(*emitter) bool
	outer   []*tree.Axis      // that the condition depends on, where it is dynamic
	held    map[int64]float64 // by elements of outer that were met: the measure of those for which the condition holds
	from    tree.Origin       // of the condition
	where   *tree.Condition   // the condition, where it is dynamic
}

// prepare grounds the quantifiers and leaves of a form, outer ones first: a condition within may
// compare what a quantifier around it binds.
func (g *grounder) prepare(f *tree.Form) error {
	for k := range f.All() {
		if err := g.quantifier(k.Quant); err != nil {
			return err
		}
		if err := unweighted(g, k); err != nil {
			return err
		}
		if k.Linear == nil {
			continue
		}
		for n := range k.Linear.All() {
			if err := g.prepareNode(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// unweighted refuses a sum of the largest over rows that have weights: the k-th of w equal rows may lie within one.
func unweighted(g *grounder, f *tree.Form) error {
	if f.Quant == nil || f.Op != gauge.Top || g.ask.data.Weight == nil {
		return nil
	}
	for _, a := range f.Quant.Axes {
		if a.Kind == tree.RowAxis {
			return g.ask.fail(a.From, &diag.Diagnostic{
				Code: codes.WrongOption, Summary: "top(k) cannot take the largest of rows that have weights",
				Detail: "Weights are those of the item weight in the data block. A row counts as several equal ones, and the k-th largest may be a part of it.",
				Mend:   "Write rms, mean, norm(p) or max over the rows.",
			})
		}
	}
	return nil
}

// prepareNode grounds what one part of a linear expression is about.
func (g *grounder) prepareNode(n *tree.Node) error {
	switch err := g.quantifier(n.Quant); {
	case err != nil:
		return err
	case n.Leaf != nil:
		return g.leaf(n)
	case n.By != nil:
		return g.prepareNumber(n.By)
	}
	return nil
}

// quantifier grounds an index set. Its size is checked before each multiplication, as the product
// of a few large sets overflows. A set that is there only where another is empty (Unless) has one
// element.
func (g *grounder) quantifier(q *tree.Quantifier) error {
	if q == nil || g.quants[q] != nil {
		return nil
	}
	gq := &groundQuant{axes: q.Axes, count: 1}
	if q.Unless != nil {
		if err := g.quantifier(q.Unless); err != nil {
			return err
		}
		other := g.quants[q.Unless]
		gq.dynamic = func(e *emitter) bool { return e.holding(other) == 0 }
	}
	for _, a := range q.Axes {
		n := g.axes[a.ID].count
		gq.sizes = append(gq.sizes, n)
		if gq.count > math.MaxInt32/n {
			return g.ask.fail(a.From, &diag.Diagnostic{Code: codes.TooLarge, Summary: "the index set has more than 2³¹ elements", Mend: "Quantify over fewer."})
		}
		gq.count *= n
	}
	if q.Where != nil {
		if err := g.filter(gq, q); err != nil {
			return err
		}
	}
	g.measure(gq)
	for _, a := range q.Axes {
		if a.Orbit != nil && a.Orbit.Worst {
			gq.membersAlone(g.axes[a.ID])
		}
	}
	g.quants[q] = gq
	return nil
}

// filter applies a condition that depends on the quantifier's own variables, once for all. It looks
// at each element of the product, so that it asks the context now and then. A condition that no
// element satisfies is an error with the values that the columns do have.
func (g *grounder) filter(gq *groundQuant, q *tree.Quantifier) error {
	holds, err := g.condition(q.Where)
	if err != nil {
		return err
	}
	gq.outer, gq.from, gq.where = q.Where.Others(q.Axes), q.Where.From, q.Where
	if len(gq.outer) > 0 {
		gq.dynamic, gq.held = holds, map[int64]float64{}
		g.dynamic = append(g.dynamic, gq)
		return nil
	}
	e := &emitter{g: g, elem: make([]int, len(g.axes))}
	gq.list = []int{}
	for i := range gq.count {
		if i%4096 == 0 && g.ask.ctx.Err() != nil {
			return g.ask.ctx.Err()
		}
		gq.set(e, i)
		if holds(e) {
			gq.list = append(gq.list, i)
		}
	}
	gq.count = len(gq.list)
	if gq.count == 0 {
		return g.ask.fail(q.Where.From, &diag.Diagnostic{
			Code: codes.EmptyIndexSet, Summary: "no element satisfies " + q.Where.String(), Detail: compared(g, q.Where), Mend: g.columns.mendEmpty(q.Where),
		})
	}
	return nil
}

// measure gives the elements their weights: products of the weights of Clenshaw and Curtis on
// paths and of the weights of rows, else ones. Σ μ is the number of elements times the lengths of the paths, and a mean
// divides by it.
func (g *grounder) measure(gq *groundQuant) {
	gq.total = float64(gq.count)
	if !slices.ContainsFunc(gq.axes, func(a *tree.Axis) bool { return g.axes[a.ID].mu != nil }) {
		return
	}
	gq.mu = make([]float64, gq.count)
	gq.total = 0
	e := &emitter{g: g, elem: make([]int, len(g.axes))}
	for i := range gq.mu {
		gq.set(e, gq.number(i))
		w := 1.0
		for _, a := range gq.axes {
			if mu := g.axes[a.ID].mu; mu != nil {
				w *= mu[e.elem[a.ID]]
			}
		}
		gq.mu[i] = w
		gq.total += w
	}
}

// number returns the number in the product of the i-th element that the condition left.
func (gq *groundQuant) number(i int) int {
	if gq.list == nil {
		return i
	}
	return gq.list[i]
}

// weight returns the measure of the i-th element.
func (gq *groundQuant) weight(i int) float64 {
	if gq.mu == nil {
		return 1
	}
	return gq.mu[i]
}

// set binds the variables to an element of the product: its digits, the last axis fastest. Axes of
// other quantifiers keep what they are bound to.
func (gq *groundQuant) set(e *emitter, number int) {
	for k := len(gq.axes) - 1; k >= 0; k-- {
		e.elem[gq.axes[k].ID] = number % gq.sizes[k]
		number /= gq.sizes[k]
	}
}

// An emitter writes functionals in the order of the gauge's leaves. It is the state of nested
// loops: elem holds the element that each axis is bound to. Its first error ends all loops.
type emitter struct {
	g     *grounder
	elem  []int // by axis: the element bound
	out   *plugins.Block
	scale float64 // what the gauge around multiplies the functionals by
	ticks int
	err   error
}

// mostFunctionals bounds the functionals of a regularizer: more would fill tens of GiB before the
// first is evaluated.
const mostFunctionals = 1 << 26

// reserve makes room for all functionals, or fails at the invariance with which they become too
// many. It guesses two terms for each, as most invariances are differences.
func (e *emitter) reserve(terms []*tree.Term) error {
	total, most, last := 0, mostFunctionals, tree.Origin{}
	if e.g.ask.data.Most > 0 {
		most = min(most, e.g.ask.data.Most)
	}
	for _, t := range terms {
		total += e.g.size(t.Inv.Form)
		last = tree.Origin{Span: t.Inv.Decl.Name.Span(), Syntax: t.Inv.Decl.Body}
		if total > most {
			return e.g.ask.fail(last, &diag.Diagnostic{
				Code:    codes.TooLarge,
				Summary: fmt.Sprintf("with %s the invariances have more functionals than the %d that fit", t.Inv.Name, most), Mend: "Quantify over fewer elements.",
			})
		}
	}
	if err := e.g.sources.fits(last, total, 0); err != nil {
		return err
	}
	e.out.Start = slices.Grow(e.out.Start, total)
	e.out.Coef = slices.Grow(e.out.Coef, 2*total)
	e.out.Point = slices.Grow(e.out.Point, 2*total)
	e.out.Tangent = slices.Grow(e.out.Tangent, 2*total)
	e.out.Label = slices.Grow(e.out.Label, 2*total)
	return nil
}

// size returns how many leaves a form has, as far as mostFunctionals + 1.
func (g *grounder) size(f *tree.Form) int {
	if f.Linear != nil {
		return 1
	}
	total := 0
	for _, k := range f.Kids {
		total = min(total+g.size(k), mostFunctionals+1)
	}
	if f.Quant != nil {
		total = min(total*g.quants[f.Quant].count, mostFunctionals+1) // a count is below 2³¹
	}
	return total
}

// tick counts steps, and looks now and then at the context and at the number of terms, which are
// indexed by 32 bits. It returns false once the emitter has failed.
func (e *emitter) tick() bool {
	if e.ticks++; e.ticks%4096 == 0 && e.err == nil {
		e.err = e.g.ask.ctx.Err()
		if e.err == nil && e.out != nil && len(e.out.Coef) > math.MaxInt32-(1<<24) { // statements go elsewhere
			e.err = e.g.ask.fail(tree.Origin{Span: diag.Span{File: e.g.ask.in.File}}, &diag.Diagnostic{Code: codes.TooLarge, Summary: "the invariances have more than 2³¹ terms", Mend: "Quantify over fewer."})
		}
	}
	return e.err == nil
}

// form writes the functionals of a form, each times factor ≥ 0. The number of functionals must not
// depend on data: the gauge has its shape already. So excluded elements write zero functionals. If
// the number of elements varies, the mean's factor 1/Σμ goes into the functionals, as the weights
// of the gauge are the same everywhere.
func (e *emitter) form(f *tree.Form, factor float64) {
	if f.Linear != nil {
		if e.tick() && factor != 0 {
			e.linear(f.Linear, factor)
		}
		e.out.End()
		return
	}
	if f.Quant == nil {
		e.kids(f, factor)
		return
	}
	gq := e.g.quants[f.Quant]
	if gq.held != nil && factor != 0 {
		if total := e.holding(gq); total > 0 && f.Mean {
			factor *= tree.Measured(f, 1/total)
		}
	}
	for i := range gq.count {
		if e.err != nil {
			return
		}
		gq.set(e, gq.number(i))
		now := factor
		if gq.dynamic != nil && !gq.dynamic(e) {
			now = 0 // its functionals are zero, and count for nothing in a norm
		}
		e.kids(f, now)
	}
}

// kids writes the functionals of a form's parts. The scale of each is kept for product, which looks
// at all that multiplies a functional in R.
func (e *emitter) kids(f *tree.Form, factor float64) {
	outer := e.scale
	for i, k := range f.Kids {
		if f.Weights != nil {
			e.scale = outer * f.Weights[i]
		}
		e.form(k, factor)
	}
	e.scale = outer
}

// holding returns the measure of the elements for which a condition holds now. It depends on what
// the condition compares outside the quantifier, and is kept by that: rms over b where region ==
// region(a) counts each region once.
func (e *emitter) holding(gq *groundQuant) float64 {
	// The elements that the condition depends on are the digits of one number.
	var key int64
	for _, a := range gq.outer {
		key = key*int64(e.g.axes[a.ID].count) + int64(e.elem[a.ID])
	}
	if total, known := gq.held[key]; known {
		return total
	}
	total := 0.0
	for i := range gq.count {
		gq.set(e, gq.number(i))
		if gq.dynamic(e) {
			total += gq.weight(i)
		}
	}
	gq.held[key] = total
	return total
}

// empty reports conditions that leave index sets empty. That is an error where nothing around gives
// them an element, and a warning where something does: sums and maxima over nothing are then zero.
func (g *grounder) empty() error {
	for _, gq := range g.dynamic {
		none := 0
		for _, total := range gq.held {
			if total == 0 {
				none++
			}
		}
		if none == 0 {
			continue
		}
		around := gq.around(len(gq.held))
		condition := gq.where.String()
		if none == len(gq.held) {
			return g.ask.fail(gq.from, &diag.Diagnostic{
				Code: codes.EmptyIndexSet, Summary: fmt.Sprintf("no element satisfies %s, for any of %s", condition, around), Detail: compared(g, gq.where),
				Mend: g.columns.mendEmpty(gq.where),
			})
		}
		g.ask.warn(gq.from, &diag.Diagnostic{
			Code: codes.EmptyForSome, Summary: fmt.Sprintf("no element satisfies %s for %d of %s", condition, none, around),
			Detail: "Over nothing, sum, mean, max, rms, norm and top are 0.",
		})
	}
	return nil
}

// around returns what is bound around a dynamic condition, counted, for messages: "12 rows".
func (gq *groundQuant) around(count int) string {
	if len(gq.outer) == 1 {
		return tree.Plural(count, gq.outer[0].Word)
	}
	return tree.Plural(count, "element") + " around it"
}

// linear writes the terms of a linear expression, times c. A factor of zero writes nothing, unless
// it varies along a path: the functionals of one curve must have the same terms.
func (e *emitter) linear(n *tree.Node, c float64) {
	switch n.Op {
	case tree.OpLeaf:
		e.leaf(n.Leaf, c)
	case tree.OpNeg:
		e.linear(n.Kids[0], -c)
	case tree.OpScale:
		if v := e.factor(n); v != 0 || n.By != nil && n.By.AlongPath() { // along a path every functional has the same terms
			e.linear(n.Kids[0], e.product(n, v, c))
		}
	case tree.OpAdd, tree.OpSum, tree.OpMean:
		if n.Quant != nil {
			e.linearOver(n, c)
			return
		}
		if n.Op == tree.OpMean {
			c /= float64(len(n.Kids))
		}
		for _, k := range n.Kids {
			e.linear(k, c)
		}
	case tree.OpAbs, tree.OpPos, tree.OpMax, tree.OpNorm, tree.OpTop: // of zero: all others are nonlinear
	}
}

// linearParts are the summands of a linear expression under a quantifier, by whether they vary with
// it. They are found once for each node of the tree.
type linearParts struct{ varying, fixed []*tree.Node }

// parts splits the summands below a quantifier into those that vary with it and those that do not.
// In mean over b of (f(a) − f(b)) the first is written once and not n times.
func (e *emitter) parts(n *tree.Node) *linearParts {
	if lp := e.g.linears[n]; lp != nil {
		return lp
	}
	lp := &linearParts{}
	var split func(k *tree.Node, c float64)
	split = func(k *tree.Node, c float64) {
		switch {
		case k.Op == tree.OpAdd:
			split(k.Kids[0], c)
			split(k.Kids[1], c)
		case k.Op == tree.OpNeg:
			split(k.Kids[0], -c)
		case k.Op == tree.OpScale && k.By == nil:
			split(k.Kids[0], c*k.Num)
		case k.DependsOn(n.Quant.Axes):
			lp.varying = append(lp.varying, tree.Scale(c, k))
		default:
			lp.fixed = append(lp.fixed, tree.Scale(c, k))
		}
	}
	split(n.Kids[0], 1)
	e.g.linears[n] = lp
	return lp
}

// linearOver writes a sum or mean over an index set: Σ_k μ_k v_k + (Σ_k μ_k) w for parts v that
// vary and w that do not. A mean divides by Σ μ. Over nothing both are zero.
func (e *emitter) linearOver(n *tree.Node, c float64) {
	gq := e.g.quants[n.Quant]
	total := gq.total
	if gq.dynamic != nil {
		total = e.holding(gq)
	}
	if total == 0 {
		return
	}
	if n.Op == tree.OpMean {
		c /= total
	}
	lp := e.parts(n)
	for _, k := range lp.fixed {
		e.linear(k, c*total)
	}
	if len(lp.varying) == 0 {
		return
	}
	for i := range gq.count {
		gq.set(e, gq.number(i))
		if gq.dynamic != nil && !gq.dynamic(e) {
			continue
		}
		if !e.tick() {
			return
		}
		for _, k := range lp.varying {
			e.linear(k, c*gq.weight(i))
		}
	}
}

// leaf writes the terms of a functional, times c. The source is chosen by the bound
// transformations, the functional in it by the element and the node of its path. A label that the
// leaf names takes the place of those in the source.
func (e *emitter) leaf(l *tree.Leaf, c float64) {
	gl := e.g.leaves[l]
	which := 0
	for _, ch := range gl.choices {
		which += ch.stride * e.elem[ch.axis]
	}
	src := gl.sources[which]
	i := e.elem[gl.axis]
	if gl.rows != nil {
		i = int(gl.rows[i])
	}
	if gl.nodes > 1 || gl.path >= 0 {
		i = i*gl.nodes + gl.place
		if gl.path >= 0 {
			i += int(e.g.axes[gl.path].nodes[e.elem[gl.path]])
		}
	}
	// A label that the leaf names stands for that of every term, since a point is one point
	// whatever it is a sum of.
	label := gl.fixed
	if gl.label == boundLabel {
		label = gl.labels[e.elem[gl.over]]
	}
	slopes := gl.slopes(e.elem)
	for k := src.Start[i]; k < src.Start[i+1]; k++ {
		lb, tg := src.Label[k], src.Tangent[k]
		if gl.label != ownLabelMode {
			if l.Deriv.Kind == tree.PathDeriv && tg == plugins.Evaluation {
				continue // f at the label's derivative along the path: a fixed label has none
			}
			lb = label
		}
		if slopes == nil {
			e.out.Term(c*src.Coef[k], src.Point[k], tg, lb)
		}
		for _, s := range slopes {
			e.out.Term(c*src.Coef[k]*s.factor, src.Point[k], s.tangent, lb)
		}
	}
}

// gauge returns the gauge of a form: the same tree, with a number of copies in place of each index
// set. Operations on one part, and top(k) of at most k parts, become simpler ones of the same
// value.
func (g *grounder) gauge(f *tree.Form) *gauge.Node {
	if f.Linear != nil {
		return &gauge.Node{Op: f.Op}
	}
	n := &gauge.Node{Op: f.Op, P: f.P, K: f.K}
	for _, k := range f.Kids {
		n.Children = append(n.Children, g.gauge(k))
	}
	n.Weights = f.Weights
	size := len(f.Kids)
	if f.Quant != nil {
		gq := g.quants[f.Quant]
		n.Repeat, size = gq.count, gq.count
		n.Weights = weights(f, gq)
	}
	// top(k) of at most k parts is their sum, and one part without a weight is the whole. The
	// runtime has closed forms for fewer cases then.
	if n.Op == gauge.Top && n.K >= size {
		n.Op = gauge.Sum
	}
	if n.Op != gauge.Top {
		n.K = 0
	}
	if n.Op != gauge.Norm {
		n.P = 0
	}
	if size == 1 && n.Weights == nil {
		return n.Children[0]
	}
	return n
}

// weights returns those of the copies of a form over an index set; nil where all are one. In a sum
// an element counts by its measure, in a p-norm by the p-th root (tree.Measured). A maximum knows
// no measure.
func weights(f *tree.Form, gq *groundQuant) []float64 {
	factor := 1.0
	if f.Weights != nil {
		factor = f.Weights[0]
	}
	norm := 1.0
	if f.Mean && gq.dynamic == nil {
		norm = 1 / gq.total
	}
	// A mean over a fixed index set has its factor here; form writes it into the functionals where
	// the size varies.
	counts := f.Op == gauge.Sum || f.Op == gauge.Norm
	if factor == 1 && norm == 1 && (gq.mu == nil || !counts) {
		return nil
	}
	w := make([]float64, gq.count)
	for i := range w {
		w[i] = factor
		if counts {
			w[i] *= tree.Measured(f, norm*gq.weight(i))
		}
	}
	return w
}
