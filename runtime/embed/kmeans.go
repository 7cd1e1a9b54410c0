package embed

import (
	"context"
	"math"
	"math/rand/v2"
	"sort"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

// lloydSteps is the number of rounds after seeding: landmarks need no converged clusters.
const lloydSteps = 10

// clusterCentres are the centres of k-means clusters of the rows of x, seeded by k-means++ (Arthur and Vassilvitskii
// 2007) and improved by Lloyd's rounds. There are fewer than count where x has fewer different rows.
func clusterCentres(ctx context.Context, x *mat.Dense, count int, seed uint64) (*mat.Dense, error) {
	centres, err := spreadSeeds(ctx, x, count, rand.New(rand.NewPCG(seed, streamKMeans)))
	if err != nil {
		return nil, err
	}
	n, p := x.Dims()
	k, _ := centres.Dims()
	nearest := make([]int, n)
	for range lloydSteps {
		moved, err := assign(ctx, nearest, x, centres)
		if err != nil {
			return nil, err
		}
		if !moved {
			break
		}
		sums, sizes := mat.NewDense(k, p, nil), make([]float64, k)
		for i, c := range nearest {
			floats.Add(sums.RawRowView(c), x.RawRowView(i))
			sizes[c]++
		}
		for c, size := range sizes {
			if size > 0 {
				floats.ScaleTo(centres.RawRowView(c), 1/size, sums.RawRowView(c))
			}
		}
	}
	return centres, nil
}

// spreadSeeds draws rows one after the other with odds in proportion to the squared distance to those drawn before.
func spreadSeeds(ctx context.Context, x *mat.Dense, count int, rng *rand.Rand) (*mat.Dense, error) {
	n, p := x.Dims()
	centres := mat.NewDense(count, p, nil)
	squares, cumulated := make([]float64, n), make([]float64, n)
	for i := range squares {
		squares[i] = math.Inf(1)
	}
	next := rng.IntN(n)
	for c := range count {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := x.RawRowView(next)
		centres.SetRow(c, at)
		parallel.For(n, 256, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				d := floats.Distance(x.RawRowView(i), at, 2)
				squares[i] = min(squares[i], d*d)
			}
		})
		sum := 0.0
		for i, s := range squares {
			sum += s
			cumulated[i] = sum
		}
		if sum == 0 {
			return mat.DenseCopyOf(centres.Slice(0, c+1, 0, p)), nil
		}
		u := rng.Float64() * sum
		next = min(sort.Search(n, func(i int) bool { return cumulated[i] > u }), n-1)
	}
	return centres, nil
}

// assign sets nearest[i] to the centre nearest to row i, the first of several, and reports whether one has changed.
func assign(ctx context.Context, nearest []int, x, centres *mat.Dense) (bool, error) {
	n, p := x.Dims()
	k, _ := centres.Dims()
	norms := make([]float64, k)
	for c := range norms {
		norms[c] = floats.Dot(centres.RawRowView(c), centres.RawRowView(c))
	}
	products := mat.NewDense(min(n, blockRows), k, nil)
	moved := make([]bool, n)
	for lo := 0; lo < n; lo += blockRows {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		hi := min(lo+blockRows, n)
		out := view(products, 0, hi-lo, 0, k)
		blas64.Gemm(blas.NoTrans, blas.Trans, -2, view(x, lo, hi, 0, p).RawMatrix(), centres.RawMatrix(), 0, out.RawMatrix())
		parallel.For(hi-lo, 64, func(a, b int) {
			for i := a; i < b; i++ {
				row := out.RawRowView(i)
				floats.Add(row, norms)
				best := floats.MinIdx(row)
				moved[lo+i] = best != nearest[lo+i]
				nearest[lo+i] = best
			}
		})
	}
	for _, m := range moved {
		if m {
			return true, nil
		}
	}
	return false, nil
}
