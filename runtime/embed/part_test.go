package embed_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// columns is a pairwise kernel of three numbers.
func columns() setting.Kernel {
	k := setting.Kernel{Kind: setting.Pairwise}
	for j, kind := range []setting.KernelKind{setting.Gaussian, setting.Matern52, setting.Linear} {
		k.Components = append(k.Components, setting.Component{Columns: []int{j}, Base: setting.Base{Kind: kind, Width: 1.5}})
	}
	return k
}

// A function is the sum of its curves and surfaces, and its slopes are the sums of theirs.
func TestPartsOfFunctionsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	draw := func(n, p int) *mat.Dense {
		out := mat.NewDense(n, p, nil)
		for i := range n {
			for j := range p {
				out.Set(i, j, rng.NormFloat64())
			}
		}
		return out
	}
	k, err := kernel.New(columns())
	if err != nil {
		t.Fatal(err)
	}
	m, err := embed.New(t.Context(), k, setting.Features{Kind: setting.Nystrom}, draw(20, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	v, x, along := draw(2, m.Dim()), draw(5, 3), draw(5, 3)
	for order := range kernel.MostOrder + 1 {
		at := kernel.Argument{Points: x, Along: along, Order: order}
		whole, sum, part := mat.NewDense(5, 2, nil), mat.NewDense(5, 2, nil), mat.NewDense(5, 2, nil)
		m.Weighted(v).Derivatives(whole, at)
		for j := range 3 {
			embed.PartOf(m, v, j).Derivatives(part, at)
			sum.Add(sum, part)
			for l := range j {
				embed.PartOf(m, v, l, j).Derivatives(part, at)
				sum.Add(sum, part)
			}
		}
		for i := range 5 {
			for c := range 2 {
				if math.Abs(sum.At(i, c)-whole.At(i, c)) > 1e-9*(1+math.Abs(whole.At(i, c))) {
					t.Errorf("order %d: the parts are %v, and f is %v", order, sum.At(i, c), whole.At(i, c))
				}
			}
		}
	}
	if got := embed.Widths(m, []float64{1, 3, 9}); got != 4 {
		t.Errorf("a path is %v widths long", got)
	}
	plain, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 1})
	if err != nil {
		t.Fatal(err)
	}
	other, err := embed.New(t.Context(), plain, setting.Features{Kind: setting.Nystrom}, x, nil)
	if err != nil || embed.PartOf(other, draw(1, other.Dim()), 0) != nil {
		t.Errorf("a gaussian kernel has parts: %v", err)
	}
}
