package model

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
)

// A thinning draws elements from the outermost index set of each part, alike at every call.
type thinning struct {
	cost       int // how many embeddings all of them need, or values of a linear function
	few, told  int // how many may be made, and how many are enough where the spread of elements tells the error
	invariance int
	// factors are by what each functional is to be multiplied: 0 for those that are not looked at. The gauge of
	// the values so multiplied estimates that of all, and is at most that where the largest count.
	factors []float64
	drawn   []draw
	of      report.Sampled
}

// A draw is the elements that were drawn from one index set.
type draw struct {
	node  *gauge.Node
	first int   // the first functional
	order []int // the elements, as they were drawn
	drawn []bool
}

// sample returns a thinning of the elements of a two-sided invariance where all of them would cost much; nil takes
// all.
func (s *scorer) sample(at *site, k int) *thinning {
	inv := &at.reg.Invariances[k]
	t := &thinning{invariance: k, of: report.Sampled{AtLeast: true}}
	switch {
	case inv.Kind == regularizer.Sublinear:
		return nil
	case s.linear == nil:
		t.cost = s.cost(at, demandOf(at.reg, k, nil, 0, inv.Count))
		t.few, t.told = s.few()
	case at.few:
		t.cost = cmp.Or(at.reg.Looks, at.reg.Functionals.Points.Rows)
		t.few, t.told = t.cost, fewEvaluated
	default:
		return nil
	}
	t.thin(inv.Gauge)
	if t.of.Elements == t.of.Of {
		return nil
	}
	return t
}

// thin appends the factors of a gauge's leaves.
func (t *thinning) thin(n *gauge.Node) {
	switch {
	case len(n.Children) == 0:
		t.factors = append(t.factors, 1)
		return
	case n.Repeat < 2: // parts that are not alike count each
		for _, c := range n.Children {
			t.thin(c)
		}
		return
	}
	elements := t.elements(n)
	order := drawnFrom(n.Repeat, t.invariance, elements)
	d := draw{node: n, first: len(t.factors), order: order, drawn: make([]bool, n.Repeat)}
	d.mark(0, 1, true)
	t.factors = append(t.factors, make([]float64, n.Repeat*n.Children[0].Size())...)
	d.fill(t.factors)
	t.of.Elements, t.of.Of = t.of.Elements+elements, t.of.Of+n.Repeat
	t.of.AtLeast = t.of.AtLeast && !tells(n)
	t.drawn = append(t.drawn, d)
}

// drawnFrom draws so many of all elements, for an invariance of some number.
func drawnFrom(all, invariance, elements int) []int {
	return rand.New(rand.NewPCG(uint64(all), uint64(invariance))).Perm(all)[:elements]
}

// DrawnElsewhere says by which of some rows Elsewhere measures a mean over rows at a linear function. The functionals of all look at so many points. Nil
// stands for all rows.
func DrawnElsewhere(rows, points int) []bool {
	t := &thinning{cost: points, few: points, told: fewEvaluated}
	elements := t.elements(&gauge.Node{Op: gauge.Norm, P: 2, Repeat: rows})
	if elements == rows {
		return nil
	}
	out := make([]bool, rows)
	for _, i := range drawnFrom(rows, 0, elements) {
		out[i] = true
	}
	return out
}

// elements returns how many are drawn from the elements of a gauge.
func (t *thinning) elements(n *gauge.Node) int {
	share := func(embeddings int) int {
		if t.cost <= embeddings {
			return n.Repeat
		}
		return n.Repeat * embeddings / t.cost
	}
	most := max(1, share(t.few))
	if tells(n) {
		return min(most, max(leastTold, share(t.told)))
	}
	return most
}

// tells reports whether the spread of a gauge's elements tells by how much a sample of them may be off: all of
// them count.
func tells(n *gauge.Node) bool { return n.Op == gauge.Norm || n.Op == gauge.Sum }

// mark says of every so manieth element, from some place of the order on, whether it is drawn.
func (d *draw) mark(from, step int, drawn bool) {
	for k := from; k < len(d.order); k += step {
		d.drawn[d.order[k]] = drawn
	}
}

// fill sets the factors of the functionals that elements were drawn from.
func (d *draw) fill(factors []float64) {
	size, factor := d.node.Children[0].Size(), scaleUp(d.node, d.drawn)
	own := factors[d.first : d.first+len(d.drawn)*size]
	clear(own)
	for i, drawn := range d.drawn {
		if drawn {
			for j := range size {
				own[i*size+j] = factor
			}
		}
	}
}

// scaleUp returns by what a gauge of the elements drawn is to be multiplied to estimate that of all. The p-th
// power of a p-norm is a sum with the p-th powers of the weights. The elements drawn stand for it by their share
// of these powers. A sum is the case p = 1.
func scaleUp(n *gauge.Node, drawn []bool) float64 {
	power := 1.0
	switch n.Op {
	case gauge.Norm:
		power = n.P
	case gauge.Sum:
	default:
		return 1
	}
	all, own := 0.0, 0.0
	for i, d := range drawn {
		weight := 1.0
		if n.Weights != nil {
			weight = math.Pow(n.Weights[i], power)
		}
		all += weight
		if d {
			own += weight
		}
	}
	if own == 0 {
		return 1
	}
	return math.Pow(all/own, 1/power)
}

// mostGroups bounds how often the value of a sample is taken anew for its error.
const mostGroups = 64

// standardError returns the standard error of a gauge's value by the values of all functionals, of which those not
// drawn are 0. It is the jackknife's (Efron and Stein 1981), by what the value is as elements are left out, one by
// one or in groups.
//
// With g groups, the variance is (g − 1) times that of the g values, times the share of the elements that were not
// drawn. Parts over as many elements are drawn alike, so that an element is left out of all of them at once. The
// result is 0 where the error is not known, as where the largest elements alone count.
func (t *thinning) standardError(root *gauge.Node, values []float64) float64 {
	variance := 0.0
	alike := map[int][]*draw{}
	for k := range t.drawn {
		d := &t.drawn[k]
		all, elements := len(d.drawn), len(d.order)
		switch {
		case elements == all:
			continue
		case elements < 2 || !tells(d.node):
			return 0
		}
		alike[all] = append(alike[all], d)
	}
	drawn, kept := t.restricted(root)
	factors, weighed := slices.Clone(t.factors), make([]float64, len(kept))
	value := func() float64 {
		for k, i := range kept {
			weighed[k] = factors[i] * values[i]
		}
		return drawn.Value(weighed)
	}
	for _, all := range slices.Sorted(maps.Keys(alike)) {
		elements := len(alike[all][0].order)
		without := make([]float64, min(elements, mostGroups))
		for g := range without {
			for _, d := range alike[all] {
				d.mark(g, len(without), false)
				d.fill(factors)
			}
			without[g] = value()
			for _, d := range alike[all] {
				d.mark(g, len(without), true)
				d.fill(factors)
			}
		}
		rest := 1 - float64(elements)/float64(all)
		variance += rest * float64(len(without)-1) * stat.PopVariance(without, nil)
	}
	return math.Sqrt(variance)
}

// restricted returns a gauge of the functionals that were drawn, and their numbers. The others are 0, so that for values t and factors f
//
//	ρ(f·t) = ρ_drawn((f_i t_i)_i drawn).
//
// A sample of few rows among many takes as much less to evaluate. The error asks for that many times.
func (t *thinning) restricted(root *gauge.Node) (drawn *gauge.Node, kept []int32) {
	class := make([]int32, len(t.factors))
	for i, f := range t.factors {
		if class[i] = -1; f != 0 {
			class[i] = int32(i) //nolint:gosec // functionals are counted in 32 bits
		}
	}
	return root.Restrict(class)
}
