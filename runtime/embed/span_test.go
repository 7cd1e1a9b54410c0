package embed_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/setting"
)

func span(tb testing.TB, m embed.Map, rows *mat.Dense, block *plugins.Block) *embed.SpanReport {
	tb.Helper()
	r, err := embed.Span(context.Background(), m, embed.NewPoints(rows, block), 0, block.Len(), 1)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestSpanOfExactFeaturesIsWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	rows := random(rng, 30, 4)
	block := bentBlock(rng, rows)
	m := newMap(t, kernels[0], setting.Features{Kind: setting.Exact}, rows, block)
	if r := span(t, m, rows, block); r.Sampled != 90 || r.Largest > 1e-8 {
		t.Errorf("exact features lose %+v", r)
	}
	alone := newMap(t, kernels[0], setting.Features{Landmarks: setting.RowLandmarks}, rows, block)
	if r := span(t, alone, rows, block); r.Median < 0.1 || r.Largest > 1 || r.Worst < 0 {
		t.Errorf("the rows alone lose %+v", r)
	}
}

// With one landmark z, the projection keeps (ℓk(z, ·))²/k(z, z) of a functional.
func TestSpanOfOneLandmarkByHand(t *testing.T) {
	rows := mat.NewDense(1, 1, []float64{0})
	block := &plugins.Block{}
	block.Points.Append([]float64{1})
	block.Tangents.Append([]float64{2})
	block.Labels = []plugins.Label{{Index: []int32{0, 2}, Value: []float64{1, 2}}, {Index: []int32{2}, Value: []float64{3}}}
	block.Term(1, -1, plugins.Evaluation, 0) // f(1)[y₀] − ½ Df(1)[2; y₁]
	block.Term(-0.5, -1, 0, 1)
	block.End()
	block.Term(1, 0, plugins.Evaluation, 0) // zero
	block.Term(-1, 0, plugins.Evaluation, 0)
	block.End()
	m := newMap(t, setting.Kernel{Kind: setting.Gaussian, Width: 1}, setting.Features{Landmarks: setting.RowLandmarks}, rows, block)
	k := math.Exp(-0.5)
	derivative := -k * 2 // along 2
	whole := 5.0 + 0.25*9*4
	kept := k*k*5 + 0.25*derivative*derivative*9 - 2*0.5*6*k*derivative
	r := span(t, m, rows, block)
	if want := 1 - kept/whole; math.Abs(r.Median-want) > 1e-12 || r.Zero != 1 || r.Sampled != 2 {
		t.Errorf("got %+v, want a loss of %.15g", r, want)
	}
}

func TestSpanOfUnboundedFunctionalsIsNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	rows := random(rng, 10, 2)
	block := pathBlock(rng, rows)
	m := newMap(t, kernels[1], setting.Features{}, rows, block)
	if r := span(t, m, rows, block); r.Largest != 1 {
		t.Errorf("derivatives under the laplacian kernel lose %+v", r)
	}
}
