package active

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// loose is by what share values and lengths may be off that are kept in single precision, beside what bounds of rounding add. least is by how much, where they
// are too small for that.
const loose, least = 0x1p-20, 2 * math.SmallestNonzeroFloat32

// A part is what is known of the functionals of a part.
type part struct {
	value []float32
	reach []float32 // at least their lengths; infinite where these or value are not known
	when  []uint8   // the function of value
	group []uint64  // which they share with those that differ in their labels alone
}

// values are those of the functionals of a part at a function. Each is off by off at most.
type values struct {
	value, off []float64
	own        []bool // which are at hand
}

// A span says where the magnitudes of leaves lie: |t|, or [t]₊ where the leaf is one-sided.
type span struct{ low, high []float64 }

// spans returns where the magnitudes of a gauge's leaves lie.
func (v *values) spans(root *gauge.Node) span {
	s := span{make([]float64, len(v.value)), make([]float64, len(v.value))}
	j := 0
	root.Leaves(func(op gauge.Op) {
		t := v.value[j]
		if op == gauge.Abs {
			t = math.Abs(t)
		}
		s.low[j], s.high[j] = max(0, t-v.off[j]), max(0, t+v.off[j])
		j++
	})
	return s
}

// known returns what is known of a part's functionals at a function before any is evaluated there. Those at hand have values, and others are known from
// earlier functions.
func (s *Set) known(k int, reg *regularizer.Regularizer, at At) *values {
	p, far := &s.parts[k], s.distances(at.V)
	v := &values{make([]float64, len(p.value)), make([]float64, len(p.value)), make([]bool, len(p.value))}
	for j, t := range p.value {
		if v.off[j] = math.Inf(1); math.IsInf(float64(p.reach[j]), 1) {
			continue
		}
		v.value[j] = float64(t)
		v.off[j] = least + math.Abs(v.value[j])*loose + float64(p.reach[j])*far[p.when[j]][labelOf(reg.Functionals, j, s.labels)]
	}
	for i := range reg.Invariances {
		q := &s.pieces[i][k]
		for n, j := range q.kept {
			if h := q.at[n]; h >= 0 {
				j := reg.Invariances[i].First + int(j)
				v.value[j], v.off[j], v.own[j] = at.Values[h], at.Errors[h], true
			}
		}
	}
	return v
}

// distances returns at least how far a function is from each of those that were looked at. It does so for each label, and last for all of them together.
func (s *Set) distances(v []float64) [][]float64 {
	out, d, size := make([][]float64, len(s.looked)), len(v)/s.labels, floats.Norm(v, 2)
	for i, w := range s.looked {
		for y := range s.labels {
			out[i] = append(out[i], floats.Distance(v[y*d:(y+1)*d], w[y*d:(y+1)*d], 2)*(1+loose)+size*loose)
		}
		out[i] = append(out[i], floats.Norm(out[i], 2)*(1+loose))
	}
	return out
}

// labelOf returns the only label at which a functional looks, or how many there are where it looks at several.
func labelOf(b *plugins.Block, functional, labels int) int {
	if labels == 1 {
		return 0
	}
	only := -1
	for t := b.Start[functional]; t < b.Start[functional+1]; t++ {
		y := b.Labels[b.Label[t]].Index
		if len(y) != 1 || only >= 0 && int(y[0]) != only {
			return labels
		}
		only = int(y[0])
	}
	return max(0, only)
}

// screened returns which functionals of a part are to be evaluated. Others that are not at hand are taken for 0.
func (s *Set) screened(k int, root *gauge.Node, v *values) []bool {
	asked := make([]bool, len(v.value))
	screen(root, asked, v.spans(root))
	beside(s.parts[k].group, asked)
	for j := range asked {
		if asked[j] = asked[j] && !v.own[j]; !asked[j] && !v.own[j] {
			v.value[j], v.off[j] = 0, 0
		}
	}
	return asked
}

// screen marks the leaves on which a gauge may depend, given where they lie. Others may be taken for 0: some maximum or sum of the largest above them
// is at least as large by its other parts.
func screen(n *gauge.Node, dst []bool, s span) {
	if leaf(n) {
		dst[0] = true
		return
	}
	low, at := gauge.Parts(n, s.low)
	high, enough := low, 0.0
	if k := taken(n, len(low)); k < len(low) {
		high, _ = gauge.Parts(n, s.high)
		enough = largest(low, k)
	}
	for i, v := range high {
		if !(v*(1+loose) < enough) { // nothing may be known
			screen(gauge.Child(n, i), dst[at[i]:at[i+1]], span{s.low[at[i]:at[i+1]], s.high[at[i]:at[i+1]]})
		}
	}
}

// attain marks the leaves that have multipliers where a gauge has some values, and those that are within a share of having some.
func attain(n *gauge.Node, dst []bool, t []float64, share float64) {
	if leaf(n) {
		dst[0] = true
		return
	}
	values, at := gauge.Parts(n, t)
	enough := 0.0
	if k := taken(n, len(values)); k < len(values) {
		enough = largest(values, k) * (1 - share)
	}
	for i, v := range values {
		if v > 0 && v >= enough {
			attain(gauge.Child(n, i), dst[at[i]:at[i+1]], t[at[i]:at[i+1]], share)
		}
	}
}

// Few reports whether few functionals of a gauge may have multipliers: there are maxima or one-sided leaves, of which some have none.
func Few(n *gauge.Node) bool {
	children := max(n.Repeat, len(n.Children))
	return n.Op == gauge.Pos || taken(n, children) < children || slices.ContainsFunc(n.Children, Few)
}

// leaf reports whether a node is a leaf.
func leaf(n *gauge.Node) bool { return n.Op == gauge.Abs || n.Op == gauge.Pos }

// taken returns how many of its children a node takes: the largest ones, or all.
func taken(n *gauge.Node, children int) int {
	switch n.Op {
	case gauge.Max:
		return 1
	case gauge.Top:
		return min(n.K, children)
	}
	return children
}

// largest returns the k-th largest of some numbers.
func largest(of []float64, k int) float64 {
	sorted := slices.Clone(of)
	slices.Sort(sorted)
	return sorted[len(sorted)-k]
}
