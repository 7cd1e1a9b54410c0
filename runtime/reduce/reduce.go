// Package reduce rewrites regularizers to equal ones with fewer functionals, which are what a solver's time and memory grow
// with. R stays the same function of f.
//
// A maximum of positive parts loses functionals that are zero, that occur twice, or that are smaller multiples of others.
// And where its functionals are all sums of two out of k others,
//
//	max_{a<b} [g_a + g_b]₊ = [g₍₁₎ + g₍₂₎]₊,
//
// the sum of the two largest: k functionals take the place of k(k−1)/2. That is what the exclusions among the siblings of a
// taxonomy are, with g_a = f(x, a); an implication f(x, child) − f(x, parent) is a sum of two as well. Several groups
// of siblings in one maximum become the maximum over groups.
package reduce

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// Reduce returns an equal regularizer, with the same invariances in the same order, and r itself where nothing can be saved.
// Points, tangents and labels are shared with r.
func Reduce(r *regularizer.Regularizer) *regularizer.Regularizer {
	if len(r.Invariances) == 0 {
		return r
	}
	in := r.Functionals
	w := &rewriter{
		in: in, plans: map[string]*plan{}, labels: sameLabels(in.Labels),
		out: &plugins.Block{Points: in.Points, Tangents: in.Tangents, Labels: in.Labels},
	}
	out := *r
	out.Functionals, out.Invariances = w.out, nil
	for i := range r.Invariances {
		out.Invariances = append(out.Invariances, w.invariance(&r.Invariances[i]))
	}
	if w.out.Len() == in.Len() {
		return r
	}
	return &out
}

// invariance rewrites one. What its functionals stand for is not said of those that remain.
func (w *rewriter) invariance(inv *regularizer.Invariance) regularizer.Invariance {
	out := regularizer.Invariance{
		Name: inv.Name, Weight: inv.Weight, Kind: inv.Kind, Text: inv.Text,
		Gauge: inv.Gauge, First: w.out.Len(), Curves: inv.Curves, NodesOnly: inv.NodesOnly,
	}
	w.next = inv.First
	if len(inv.Curves) == 0 {
		out.Gauge = w.node(inv.Gauge)
	} else {
		for range inv.Count { // curves name functionals by number
			w.copy()
		}
	}
	out.Count = w.out.Len() - out.First
	return out
}

// sameLabels is for each label the first one that equals it.
func sameLabels(labels []plugins.Label) []int32 {
	first := map[string]int32{}
	out := make([]int32, len(labels))
	var key []byte
	for i, y := range labels {
		key = key[:0]
		for k, c := range y.Index {
			key = binary.LittleEndian.AppendUint32(key, uint32(c)) //nolint:gosec // bits
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(y.Value[k]))
		}
		at, ok := first[string(key)]
		if !ok {
			at = int32(i) //nolint:gosec // labels are counted in 32 bits
			first[string(key)] = at
		}
		out[i] = at
	}
	return out
}

// A rewriter goes through the functionals in the order of the leaves.
type rewriter struct {
	in, out *plugins.Block
	labels  []int32
	next    int // the functional of the next leaf
	plans   map[string]*plan
}

// node rewrites a subtree and its functionals.
func (w *rewriter) node(n *gauge.Node) *gauge.Node {
	switch n.Op {
	case gauge.Abs, gauge.Pos, gauge.Signed:
		w.copy()
		return n
	case gauge.Max:
		if weight, ok := positiveMax(n); ok {
			return w.maximum(n, weight)
		}
	default:
	}
	count := max(n.Repeat, len(n.Children))
	kids := make([]*gauge.Node, count)
	kept, alike := true, true
	for i := range kids {
		old := n.Children[min(i, len(n.Children)-1)]
		kids[i] = w.node(old)
		kept = kept && kids[i] == old
		alike = alike && same(kids[i], kids[0])
	}
	if kept {
		return n
	}
	out := *n
	out.Children = kids
	if n.Repeat > 0 {
		if out.Repeat = 0; alike {
			out.Repeat, out.Children = n.Repeat, kids[:1]
		}
	}
	return &out
}

// copy hands one functional on.
func (w *rewriter) copy() {
	for k := w.in.Start[w.next]; k < w.in.Start[w.next+1]; k++ {
		w.out.Term(w.in.Coef[k], w.in.Point[k], w.in.Tangent[k], w.in.Label[k])
	}
	w.out.End()
	w.next++
}

// same says whether two gauges are.
func same(a, b *gauge.Node) bool {
	return a == b || (a.Op == b.Op && a.P == b.P && a.K == b.K && a.Repeat == b.Repeat &&
		slices.Equal(a.Weights, b.Weights) && slices.EqualFunc(a.Children, b.Children, same))
}

// positiveMax says whether a maximum, or a maximum of such, is of positive parts of functionals alone, all with the same weight.
func positiveMax(n *gauge.Node) (weight float64, ok bool) {
	return commonWeight(n, 1, math.NaN())
}

// commonWeight is the weight of all leaves below a maximum that has a factor itself; have is that of the leaves before, NaN where
// there is none.
func commonWeight(n *gauge.Node, factor, have float64) (weight float64, ok bool) {
	for i := range max(len(n.Children), len(n.Weights)) {
		f, child := factor, n.Children[min(i, len(n.Children)-1)]
		if n.Weights != nil {
			f *= n.Weights[i]
		}
		switch child.Op {
		case gauge.Pos:
			if !math.IsNaN(have) && f != have {
				return 0, false
			}
			have = f
		case gauge.Max:
			if have, ok = commonWeight(child, f, have); !ok {
				return 0, false
			}
		default:
			return 0, false
		}
	}
	return have, true
}

// maximum rewrites a maximum of positive parts, however it is nested. Maxima of the same shape, such as those of the rows of a data set, share a
// plan.
func (w *rewriter) maximum(n *gauge.Node, weight float64) *gauge.Node {
	leaves, points, shape := w.shape(n.Size())
	shape = binary.LittleEndian.AppendUint64(shape, math.Float64bits(weight))
	p := w.plans[string(shape)]
	if p == nil {
		p = newPlan(leaves, weight)
		w.plans[string(shape)] = p
	}
	if p.node == nil {
		for range leaves {
			w.copy()
		}
		return n
	}
	for _, terms := range p.functionals {
		for _, t := range terms {
			w.out.Term(t.coef, points[t.point], t.tangent, t.label)
		}
		w.out.End()
	}
	w.next += len(leaves)
	return p.node
}

// A term is one of a functional, the point numbered within the maximum.
type term struct {
	coef                  float64
	point, tangent, label int32
}

// append adds the term's bytes to a key.
func (t term) append(key []byte) []byte {
	key = binary.LittleEndian.AppendUint64(key, math.Float64bits(t.coef))
	for _, v := range [...]int32{t.point, t.tangent, t.label} {
		key = binary.LittleEndian.AppendUint32(key, uint32(v)) //nolint:gosec // bits
	}
	return key
}

// shape reads the functionals of a maximum, each with its terms in order and none of them twice, the points that they
// name, and all that as a key but for the points.
func (w *rewriter) shape(count int) (leaves [][]term, points []int32, key []byte) {
	number := map[int32]int32{}
	for i := range count {
		var terms []term
		for k := w.in.Start[w.next+i]; k < w.in.Start[w.next+i+1]; k++ {
			at, ok := number[w.in.Point[k]]
			if !ok {
				at = int32(len(points)) //nolint:gosec // points are counted in 32 bits
				number[w.in.Point[k]] = at
				points = append(points, w.in.Point[k])
			}
			label := w.in.Label[k]
			if label != plugins.NoLabel {
				label = w.labels[label]
			}
			terms = append(terms, term{w.in.Coef[k], at, w.in.Tangent[k], label})
		}
		terms = gathered(terms)
		for _, t := range terms {
			key = t.append(key)
		}
		key = append(key, '\n')
		leaves = append(leaves, terms)
	}
	return leaves, points, key
}

// gathered sorts terms, adds those of one place up, and drops zeros.
func gathered(terms []term) []term {
	slices.SortStableFunc(terms, compare)
	out := terms[:0]
	for _, t := range terms {
		if n := len(out); n > 0 && compare(out[n-1], t) == 0 {
			out[n-1].coef += t.coef
			continue
		}
		out = append(out, t)
	}
	return slices.DeleteFunc(out, func(t term) bool { return t.coef == 0 })
}

// compare orders terms by their places.
func compare(a, b term) int {
	for _, d := range []int32{a.point - b.point, a.label - b.label, a.tangent - b.tangent} {
		if d != 0 {
			return int(d)
		}
	}
	return 0
}
