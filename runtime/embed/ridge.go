package embed

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/parallel"
)

// drawRidge draws count different candidates with odds in proportion to their ridge leverage scores
// (K(K + λI)⁻¹)_ii, with λ the trace beyond the count leading directions divided by count (Musco and Musco 2017). K is
// replaced by a randomly pivoted Cholesky factor FFᵀ plus its diagonal residual.
func drawRidge(ctx context.Context, k kernel.Kernel, c *candidates, count int, seed uint64) ([]int, error) {
	p, err := drawPivots(ctx, k, c, count, seed)
	if err != nil {
		return nil, err
	}
	n, rank := len(p.residual), len(p.chosen)
	ridge := max(floats.Sum(p.residual)/float64(count), p.floor)
	inner := mat.NewDense(rank, rank, nil)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, p.factor, p.factor, 0, inner.RawMatrix())
	for i := range rank {
		inner.Set(i, i, inner.At(i, i)+ridge)
	}
	var chol mat.Cholesky
	chol.Factorize(mat.NewSymDense(rank, inner.RawMatrix().Data))
	var half mat.TriDense
	chol.UTo(&half)
	var inverse mat.TriDense
	if err := inverse.InverseTri(&half); err != nil {
		if poor := mat.Condition(0); !errors.As(err, &poor) {
			return nil, err
		}
	}
	weights := mat.DenseCopyOf(&inverse)
	scores := make([]float64, n)
	part := mat.NewDense(min(n, blockRows), rank, nil)
	for lo := 0; lo < n; lo += blockRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+blockRows, n)
		g := view(part, 0, hi-lo, 0, rank)
		f := blas64.General{Rows: hi - lo, Cols: rank, Stride: p.factor.Stride, Data: p.factor.Data[lo*p.factor.Stride:]}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, f, weights.RawMatrix(), 0, g.RawMatrix())
		parallel.For(hi-lo, 64, func(a, b int) {
			for i := a; i < b; i++ {
				row := g.RawRowView(i)
				scores[lo+i] = min(1, floats.Dot(row, row)+p.residual[lo+i]/(p.residual[lo+i]+ridge))
			}
		})
	}
	return drawWeighted(scores, count, rand.New(rand.NewPCG(seed, streamRidge))), nil
}

// drawWeighted draws count different indices, one after the other with odds in proportion to the weights (Efraimidis and
// Spirakis 2006), in ascending order.
func drawWeighted(weights []float64, count int, rng *rand.Rand) []int {
	keys := make([]float64, len(weights))
	order := make([]int, len(weights))
	for i, w := range weights {
		keys[i], order[i] = rng.ExpFloat64()/max(w, math.SmallestNonzeroFloat64), i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case keys[a] < keys[b]:
			return -1
		case keys[a] > keys[b]:
			return 1
		}
		return 0
	})
	order = order[:count]
	slices.Sort(order)
	return order
}
