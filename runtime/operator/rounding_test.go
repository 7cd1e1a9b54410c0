package operator

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// What products round to is within the bounds of Rounding of what A as it is stored makes in exact arithmetic.
func TestRoundingBoundsProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	const rows, labels, d = 30, 3, 8
	plain, points, block := mat.NewDense(rows, labels*d, nil), mat.NewDense(rows, d, nil), &plugins.Block{}
	for i := range rows {
		for j := range d {
			x := rng.NormFloat64()
			points.Set(i, j, x)
			plain.Set(i, j, x) // shared by two labels, with opposite signs
			plain.Set(i, (1+i%2)*d+j, -3*x)
		}
		block.Term(1, int32(i), plugins.Evaluation, 0)
		block.Term(-3, int32(i), plugins.Evaluation, int32(1+i%2))
		block.End()
	}
	a := plainOperator(t, points, labels, block)
	sizes, apply, applyT := a.Rounding()
	v, c := mat.NewDense(1, labels*d, nil), mat.NewDense(1, rows, nil)
	for k := range 50 {
		for i := range labels * d {
			v.Set(0, i, math.Pow(10, float64(k%7))*rng.NormFloat64())
		}
		for j := range rows {
			c.Set(0, j, rng.NormFloat64())
		}
		values, lifted := mat.NewDense(1, rows, nil), mat.NewDense(1, labels*d, nil)
		a.Apply(values, v)
		a.ApplyT(lifted, c)
		for j := range rows {
			off := difference(values.At(0, j), plain.RawRowView(j), v.RawRowView(0))
			if off > gauge.Gamma(float64(apply))*sizes[j]*mat.Norm(v, 2) {
				t.Errorf("value %d is off by %v, more than its bound", j, off)
			}
		}
		off, bound := 0.0, 0.0
		for i := range labels * d {
			off = math.Hypot(off, difference(lifted.At(0, i), mat.Col(nil, i, plain), c.RawRowView(0)))
		}
		for j := range rows {
			bound += gauge.Gamma(float64(applyT)) * sizes[j] * math.Abs(c.At(0, j))
		}
		if off > bound {
			t.Errorf("Aᵀc is off by %v, more than %v", off, bound)
		}
	}
}

// difference is |got − ⟨x, y⟩|, worked out exactly.
func difference(got float64, x, y []float64) float64 {
	sum := new(big.Rat).SetFloat64(-got)
	for i := range x {
		sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetFloat64(x[i]), new(big.Rat).SetFloat64(y[i])))
	}
	f, _ := sum.Abs(sum).Float64()
	return f
}
