package anova

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Share says how much a part counts at some rows. Over labels it sums variances.
type Share struct {
	// Part counts curves first, and then surfaces in the order of Pairs.
	Part int
	// Deviation is the root of the variance of the part.
	Deviation float64
	// Together is the share of the variance of f that this part and all of larger variance explain: 1 − Var(f − Σ parts)/Var(f). The last is 1.
	Together float64
}

// Shares returns how much each part counts at rows, those of larger variance first, and the deviation of f. Values are those of
// [Decomposition.Values] for m labels, and weights count rows; nil means ones. Together is NaN where f is constant at the rows.
func Shares(values *mat.Dense, m int, weight []float64) (out []Share, deviation float64) {
	n, cols := values.Dims()
	w, total := make([]float64, n), 0.0
	for i := range w {
		w[i] = 1
		if weight != nil {
			w[i] = weight[i]
		}
		total += w[i]
	}
	of, left := make([][]float64, cols), make([][]float64, m) // of f, without the parts so far
	out = make([]Share, cols/m)
	for k := range cols {
		of[k] = mat.Col(nil, k, values)
		center(of[k], w, total)
		left[k%m] = addScaled(left[k%m], 1, of[k])
		out[k/m].Part = k / m
		out[k/m].Deviation += square(of[k], w) / total
	}
	variance := 0.0
	for y := range m {
		variance += square(left[y], w) / total
	}
	slices.SortStableFunc(out, func(a, b Share) int { return cmp.Compare(b.Deviation, a.Deviation) })
	for k := range out {
		rest := 0.0
		for y := range m {
			left[y] = addScaled(left[y], -1, of[out[k].Part*m+y])
			rest += square(left[y], w) / total
		}
		out[k].Together = 1 - rest/variance
		out[k].Deviation = math.Sqrt(out[k].Deviation)
	}
	return out, math.Sqrt(variance)
}

// center subtracts the mean.
func center(v, w []float64, total float64) {
	mean := 0.0
	for i, t := range v {
		mean += w[i] * t / total
	}
	for i := range v {
		v[i] -= mean
	}
}

// square returns Σ w_i v_i².
func square(v, w []float64) (sum float64) {
	for i, t := range v {
		sum += w[i] * t * t
	}
	return sum
}
