package curve_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/curve"
)

// lagrange is the polynomial through values at n nodes.
func lagrange(values []float64, l float64) float64 {
	x, sum := curve.Nodes(len(values)), 0.0
	for j := range x {
		term := values[j]
		for m := range x {
			if m != j {
				term *= (l - x[m]) / (x[j] - x[m])
			}
		}
		sum += term
	}
	return sum
}

// Norms are never below what a fine rule finds and little above, and densities weigh no more than their dual norm says.
func TestIntegralLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, oneSided := rapid.IntRange(2, 14).Draw(t, "nodes"), rapid.Bool().Draw(t, "one-sided")
		p := rapid.SampledFrom([]float64{1, 1.5, 2, 7}).Draw(t, "p")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		values, c := make([]float64, n), make([]float64, n)
		for k := range n {
			values[k], c[k] = rng.NormFloat64(), rng.NormFloat64()
			if oneSided {
				c[k] = math.Abs(c[k])
			}
		}
		in := curve.NewIntegral(n, p, oneSided)
		dst := make([]float64, 1)
		in.Norms(dst, blas64.General{Rows: 1, Cols: n, Stride: n, Data: values}, make([]float64, in.Size(1)))
		const steps = 4000
		fine := 0.0
		for i := range steps {
			v := lagrange(values, (float64(i)+0.5)/steps)
			if oneSided {
				v = max(v, 0)
			}
			fine += math.Pow(math.Abs(v), p) / steps
		}
		fine = math.Pow(fine, 1/p)
		if dst[0] < fine*(1-1e-4)-1e-4 || dst[0] > fine*1.02+0.05*float64(n*n)/100 {
			t.Errorf("norm %v, by a fine rule %v", dst[0], fine)
		}
		rows := make([]float64, n)
		factor, mass := in.Density(rows, c)
		// ∫γq ≤ ‖γ‖° ‖q‖.
		dual, q := 0.0, p/(p-1)
		for k, w := range curve.Weights(n) {
			if p == 1 {
				dual = max(dual, math.Abs(c[k])/w)
			} else {
				dual += w * math.Pow(math.Abs(c[k])/w, q)
			}
		}
		if p != 1 {
			dual = math.Pow(dual, 1/q)
		}
		if got := floats.Dot(rows, values); got > factor*dual*dst[0]*(1+1e-9)+1e-12 {
			t.Errorf("∫γp = %v exceeds %v·%v·%v", got, factor, dual, dst[0])
		}
		if got := floats.Sum(rows); math.Abs(got) > mass*(1+1e-9) {
			t.Errorf("∫γ = %v exceeds the mass %v", got, mass)
		}
		if floats.Sum(rows)-floats.Sum(c) > 1e-9 || floats.Sum(rows)-floats.Sum(c) < -1e-9 {
			t.Errorf("∫γ = %v, the multipliers sum to %v", floats.Sum(rows), floats.Sum(c))
		}
	})
}

// ∫|λ − 1/3| is 5/18, which eleven nodes miss by more than a thousandth, and Norms do not.
func TestIntegralOfAKink(t *testing.T) {
	values := curve.Nodes(11)
	for k := range values {
		values[k] -= 1.0 / 3
	}
	in := curve.NewIntegral(11, 1, false)
	dst := make([]float64, 1)
	in.Norms(dst, blas64.General{Rows: 1, Cols: 11, Stride: 11, Data: values}, make([]float64, in.Size(1)))
	if want := 5.0 / 18; dst[0] < want || dst[0] > want+1e-4 || math.Abs(in.AtNodes(values)-want) < 1e-3 {
		t.Errorf("%v, at the nodes %v, want %v", dst[0], in.AtNodes(values), want)
	}
}
