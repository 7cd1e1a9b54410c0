package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// drawn returns n points in p dimensions.
func drawn(rng *rand.Rand, n, p int) *mat.Dense {
	x := mat.NewDense(n, p, nil)
	for i := range n {
		for j := range p {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x
}

// Functionals of a statement in feature space are finite differences of f at moved points, with the labels and factors of its terms.
func TestStatementsAreFunctionals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := drawn(rng, 12, 3)
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 1.5})
	if err != nil {
		t.Fatal(err)
	}
	phi, err := embed.ForLabels(t.Context(), k, setting.Features{Kind: setting.Nystrom, Landmarks: setting.RowLandmarks}, embed.Labels{Count: 1, Coupled: 1}, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	const labels, bias = 2, 3
	map1 := withConstant{phi, bias}
	d := map1.Dim()
	v := make([]float64, labels*d)
	for j := range v {
		v[j] = rng.NormFloat64()
	}
	f := func(at []float64, y int) float64 {
		row := mat.NewDense(1, d, nil)
		map1.Features(row, mat.NewDense(1, 3, at))
		return mat.Dot(row.RowView(0), mat.NewVecDense(d, v[y*d:(y+1)*d]))
	}
	const h = 1e-3
	moved := func(at []float64, c int, by float64) []float64 {
		out := append([]float64(nil), at...)
		out[c] += by
		return out
	}
	for name, c := range map[string]struct {
		terms []statement.Term
		want  func(at []float64) float64
	}{
		"value": {[]statement.Term{{Coef: 2, Label: 1}}, func(at []float64) float64 { return 2 * f(at, 1) }},
		"slope": {[]statement.Term{{Coef: 1, Derive: []int{2}}}, func(at []float64) float64 { return (f(moved(at, 2, h), 0) - f(moved(at, 2, -h), 0)) / (2 * h) }},
		"curved": {[]statement.Term{{Coef: -1, Label: 1, Derive: []int{0, 0}}}, func(at []float64) float64 {
			return -(f(moved(at, 0, h), 1) - 2*f(at, 1) + f(moved(at, 0, -h), 1)) / (h * h)
		}},
		"mixed": {[]statement.Term{{Coef: 1, Derive: []int{1, 0}}}, func(at []float64) float64 {
			up, down := moved(at, 0, h), moved(at, 0, -h)
			return (f(moved(up, 1, h), 0) - f(moved(up, 1, -h), 0) - f(moved(down, 1, h), 0) + f(moved(down, 1, -h), 0)) / (4 * h * h)
		}},
		"moved": {[]statement.Term{{Coef: 1, Move: []statement.Move{{Column: 0, From: 1, Mul: 2, Add: 1}}}, {Coef: -1, Label: 1}}, func(at []float64) float64 {
			return f([]float64{2*at[1] + 1, at[1], at[2]}, 0) - f(at, 1)
		}},
	} {
		rows := rowsOf(map1, labels, &statement.Statement{Terms: c.terms}, x)
		for i := range 12 {
			got := mat.Dot(rows.RowView(i), mat.NewVecDense(labels*d, v))
			if want := c.want(x.RawRowView(i)); math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("%s at row %d: %v, want %v", name, i, got, want)
			}
		}
	}
}
