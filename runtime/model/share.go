package model

import (
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// tied is how far below the largest of some parts another one may lie to count as equally large. Fits are good to
// about the root of their certified gap. Where maxima tie at the optimum, they tie up to that.
const tied = 0.01

// shares sets dst to what each leaf contributes to ρ(t), as shares that sum to 1 where ρ(t) > 0, and to zeros
// elsewhere.
//
// As ρ is homogeneous, ρ(t) = Σ g_i t_i for every subgradient g (Euler), and leaf i contributes g_i t_i. Of a sum
// that is the part itself, of a p-norm its p-th power over all p-th powers. Of a maximum or a sum of the largest,
// g may be chosen where several parts are equally large. They then share in proportion to their sizes.
func shares(root *gauge.Node, dst, t []float64) {
	clear(dst)
	if v := root.Value(t); v > 0 && !math.IsInf(v, 0) {
		share(root, dst, t, 1)
	}
}

// share hands out what falls to a node whose value is positive.
func share(n *gauge.Node, dst, t []float64, whole float64) {
	switch n.Op {
	case gauge.Abs, gauge.Pos:
		dst[0] = whole
		return
	case gauge.Max, gauge.Sum, gauge.Norm, gauge.Top:
	}
	parts, at := gauge.Parts(n, t)
	for i, f := range fractions(n, parts) {
		if f != 0 {
			share(gauge.Child(n, i), dst[at[i]:at[i+1]], t[at[i]:at[i+1]], whole*f)
		}
	}
}

// fractions returns the parts' fractions of what falls to their node. Powers are taken of parts divided by the
// largest, so that none overflows.
func fractions(n *gauge.Node, parts []float64) []float64 {
	out := make([]float64, len(parts))
	switch n.Op {
	case gauge.Norm:
		most := slices.Max(parts)
		for i, v := range parts {
			out[i] = math.Pow(v/most, n.P)
		}
	case gauge.Max:
		largest(out, parts, 1)
	case gauge.Top:
		largest(out, parts, n.K)
	case gauge.Sum, gauge.Abs, gauge.Pos:
		copy(out, parts)
	}
	total := 0.0
	for _, v := range out {
		total += v
	}
	for i := range out {
		out[i] /= total
	}
	return out
}

// largest sets out to the k largest parts, and to zero elsewhere. Those that are as large as the k-th have the
// places that are left to them in equal measure.
func largest(out, parts []float64, k int) {
	if k >= len(parts) {
		copy(out, parts)
		return
	}
	sorted := slices.Clone(parts)
	slices.Sort(sorted)
	least := sorted[len(sorted)-k]
	slack := tied * math.Abs(least)
	above, equal := 0, 0
	for _, v := range parts {
		switch {
		case v > least+slack:
			above++
		case v >= least-slack:
			equal++
		}
	}
	for i, v := range parts {
		switch {
		case v > least+slack:
			out[i] = v
		case v >= least-slack:
			out[i] = v * float64(k-above) / float64(equal)
		}
	}
}
