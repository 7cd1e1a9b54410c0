package polar

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Fewer functionals than dimensions are factored in their own number, and either way the system is solved.
func TestDenseFactorsTheSmallerSide(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	random := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
		return m
	}
	for _, shape := range [][2]int{{3, 40}, {40, 40}, {60, 7}} {
		r, dim := shape[0], shape[1]
		a, b := random(r, dim), random(2, dim)
		w := make([]float64, r)
		for i := range w {
			w[i] = float64(i % 3)
		}
		const alpha = 1e-3
		f, err := (&Dense{a: a}).Factor(t.Context(), alpha, w)
		if err != nil {
			t.Fatal(err)
		}
		if _, small := f.(*woodbury); small != (r < dim) {
			t.Errorf("%d functionals in %d dimensions are factored as %T", r, dim, f)
		}
		x := mat.NewDense(2, dim, nil)
		if err := f.Solve(t.Context(), x, b); err != nil {
			t.Fatal(err)
		}
		var values, back mat.Dense
		values.Mul(x, a.T())
		values.Apply(func(_, j int, v float64) float64 { return w[j] * v }, &values)
		back.Mul(&values, a)
		x.Scale(alpha, x)
		back.Add(&back, x)
		back.Sub(&back, b)
		if err := mat.Norm(&back, math.Inf(1)); err > 1e-8 {
			t.Errorf("%d functionals in %d dimensions: the residual is %g", r, dim, err)
		}
	}
}
