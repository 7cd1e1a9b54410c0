package fuzz

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// allowance is what an exact gap may exceed the reported one by, relative to the bounds. Embeddings are scaled after their
// bounds are known, which rounds every number of them.
const allowance = 1e-13

// A norm is J(V) = α‖V‖² + ρ(AV)². Functionals are sums of terms, each a number times a row at a label.
type norm struct {
	alpha  float64
	gauge  *gauge.Node // nil where ρ = 0
	rows   [][]float64
	terms  [][]term
	labels int
}

type term struct {
	label, row int
	value      float64
}

// normOf takes a problem as it is stored. ok is false for operators of other kinds.
func normOf(p polar.Problem) (n *norm, ok bool) {
	n = &norm{alpha: p.Alpha, gauge: p.Gauge, labels: 1}
	switch a := p.A.(type) {
	case nil:
		return n, p.Gauge == nil
	case *polar.Dense:
		r, _ := a.Dims()
		for i := range r {
			n.rows, n.terms = append(n.rows, a.Matrix().RawRowView(i)), append(n.terms, []term{{row: i, value: 1}})
		}
	case *operator.Operator:
		state := a.State()
		n.labels = state.Labels
		for i := range state.Psi.Rows {
			n.rows = append(n.rows, state.Psi.Row(i))
		}
		n.terms = make([][]term, state.Functionals)
		for i := range n.terms {
			a.Terms(i, func(label, row int32, value float64) {
				n.terms[i] = append(n.terms[i], term{int(label), int(row), value})
			})
		}
	default:
		return nil, false
	}
	return n, true
}

// size returns about how many products a certificate takes.
func (n *norm) size() int {
	if len(n.rows) == 0 {
		return 0
	}
	return len(n.rows) * n.labels * len(n.rows[0])
}

// apply returns AV.
func (n *norm) apply(v []float64) []*big.Float {
	known, dim := map[[2]int]*big.Float{}, len(v)/n.labels
	whole := exacts(v)
	out := make([]*big.Float, len(n.terms))
	for i, terms := range n.terms {
		out[i] = zero()
		for _, t := range terms {
			at := [2]int{t.label, t.row}
			if known[at] == nil {
				known[at] = dot(n.rows[t.row], whole[t.label*dim:(t.label+1)*dim])
			}
			out[i].Add(out[i], times(exact(t.value), known[at]))
		}
	}
	return out
}

// combine returns Aᵀc.
func (n *norm) combine(c []float64, dim int) []*big.Float {
	shares := map[[2]int]*big.Float{}
	var order [][2]int
	for i, terms := range n.terms {
		for _, t := range terms {
			at := [2]int{t.label, t.row}
			if shares[at] == nil {
				shares[at], order = zero(), append(order, at)
			}
			shares[at].Add(shares[at], times(exact(t.value), exact(c[i])))
		}
	}
	out := exacts(make([]float64, dim))
	for _, at := range order {
		if shares[at].Sign() == 0 {
			continue
		}
		for j, x := range n.rows[at[1]] {
			place := out[at[0]*(dim/n.labels)+j]
			place.Add(place, times(shares[at], exact(x)))
		}
	}
	return out
}

// lower returns ⟨a, V⟩²/J(V), 0 where ⟨a, V⟩ is not positive.
func (n *norm) lower(a, v []float64) *big.Float {
	along := dot(a, exacts(v))
	if along.Sign() <= 0 {
		return zero()
	}
	return over(times(along, along), n.value(v))
}

// value returns J(V).
func (n *norm) value(v []float64) *big.Float {
	out := times(exact(n.alpha), square(exacts(v)))
	if n.gauge != nil {
		rho, _ := gaugeOf(n.gauge, n.apply(v), false)
		out.Add(out, times(rho, rho))
	}
	return out
}

// upper returns the least of ‖a − f·Aᵀc‖²/α + (f·ρ°(c))² over all f ≥ 0. Multipliers of the wrong sign prove nothing
// beyond ‖a‖²/α.
func (n *norm) upper(a, c []float64) *big.Float {
	most := square(exacts(a))
	if n.gauge != nil {
		if dual, _ := gaugeOf(n.gauge, exacts(c), true); dual != nil {
			q := n.combine(c, len(a))
			along := dot(a, q)
			size := sum(square(q), times(exact(n.alpha), times(dual, dual)))
			if along.Sign() > 0 && size.Sign() > 0 {
				most = less(most, over(times(along, along), size))
			}
		}
	}
	return over(most, exact(n.alpha))
}

// gaugeOf returns ρ of the first of some values, or its polar, and how many values that took. The polar is nil where it
// is infinite.
func gaugeOf(n *gauge.Node, t []*big.Float, dual bool) (v *big.Float, used int) {
	switch n.Op {
	case gauge.Abs:
		return zero().Abs(t[0]), 1
	case gauge.Pos:
		if t[0].Sign() < 0 && dual {
			return nil, 1
		}
		return larger(t[0], zero()), 1
	}
	count := max(n.Repeat, len(n.Children))
	parts, finite := make([]*big.Float, count), true
	for i := range parts {
		child, weight := n.Children[min(i, len(n.Children)-1)], exact(1)
		if n.Weights != nil {
			weight = exact(n.Weights[i])
		}
		part, took := gaugeOf(child, t[used:], dual)
		used += took
		switch {
		case part == nil:
			finite = false
		case dual:
			parts[i] = over(part, weight)
		default:
			parts[i] = times(part, weight)
		}
	}
	if !finite {
		return nil, used
	}
	return together(n, parts, dual), used
}

// together joins parts by a node's norm or by its dual.
func together(n *gauge.Node, parts []*big.Float, dual bool) *big.Float {
	slices.SortFunc(parts, func(x, y *big.Float) int { return y.Cmp(x) })
	first := func(k int) *big.Float {
		total := zero()
		for _, p := range parts[:min(k, len(parts))] {
			total.Add(total, p)
		}
		return total
	}
	switch {
	case n.Op == gauge.Norm:
		return powerNorm(parts, n.P, dual)
	case n.Op == gauge.Top && dual:
		return larger(parts[0], over(first(len(parts)), exact(float64(n.K))))
	case n.Op == gauge.Top:
		return first(n.K)
	case (n.Op == gauge.Max) == dual:
		return first(len(parts))
	}
	return parts[0]
}

// powerNorm returns the p-norm of numbers in falling order, or the q-norm, 1/p + 1/q = 1.
func powerNorm(parts []*big.Float, p float64, dual bool) *big.Float {
	if parts[0].Sign() == 0 {
		return zero()
	}
	exponent := exact(p)
	if dual {
		exponent = over(exponent, less(exponent, exact(1)))
	}
	total := zero()
	for _, part := range parts {
		total.Add(total, power(over(part, parts[0]), exponent))
	}
	if p == 2 {
		return times(parts[0], total.Sqrt(total))
	}
	return times(parts[0], power(total, over(exact(1), exponent)))
}

// exceeds reports by how much upper/lower − 1 exceeds a gap; a text is empty where it does not.
func exceeds(what string, lower, upper *big.Float, gap float64) string {
	if math.IsInf(gap, 1) {
		return ""
	}
	if lower.Sign() <= 0 {
		return fmt.Sprintf("%s: the gap %v of an embedding that proves nothing", what, gap)
	}
	ratio := over(upper, lower)
	bound := sum(exact(1), times(sum(exact(gap), exact(allowance)), exact(1+allowance)))
	if ratio.Cmp(bound) <= 0 {
		return ""
	}
	true1, _ := less(ratio, exact(1)).Float64()
	return fmt.Sprintf("%s: the gap %v, and exactly %v", what, gap, true1)
}
