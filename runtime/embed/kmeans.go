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

// clusterCentres returns the centres of k-means clusters of the rows of x, seeded by k-means++ (Arthur and
// Vassilvitskii 2007) and improved by Lloyd's rounds. It returns fewer than count if x has fewer different rows.
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
			// An empty cluster keeps its centre.
			if size > 0 {
				floats.ScaleTo(centres.RawRowView(c), 1/size, sums.RawRowView(c))
			}
		}
	}
	return centres, nil
}

// spreadSeeds draws rows one after the other, with probabilities proportional to the squared distance to the rows
// drawn before. Draws are proposed in batches. Each is accepted with the ratio of its distance now to that when it
// was proposed, which has the same law.
func spreadSeeds(ctx context.Context, x *mat.Dense, count int, rng *rand.Rand) (*mat.Dense, error) {
	n, p := x.Dims()
	s := &seeder{x: x, norms: make([]float64, n), squares: make([]float64, n), rng: rng}
	for i := range n {
		s.norms[i] = floats.Dot(x.RawRowView(i), x.RawRowView(i))
		s.squares[i] = math.Inf(1)
	}
	chosen := []int{rng.IntN(n)}
	fresh := chosen
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.approach(fresh)
		proposed := s.propose(min(proposals, max(8, count/8)))
		if len(chosen) == count || proposed == nil {
			break
		}
		fresh = s.accept(proposed, count-len(chosen))
		chosen = append(chosen, fresh...)
	}
	centres := mat.NewDense(len(chosen), p, nil)
	for k, i := range chosen {
		centres.SetRow(k, x.RawRowView(i))
	}
	return centres, nil
}

// A seeder knows the squared distance of every row to the nearest seed.
type seeder struct {
	x *mat.Dense
	// norms are ‖x_i‖², squares the distances.
	norms []float64
	// squares are the squared distances to the nearest seed, +Inf at first.
	squares []float64
	rng     *rand.Rand
}

// between returns the squared distance of rows i and j, given their inner product. It returns 0 if the difference is
// rounding error.
func (s *seeder) between(i, j int, product float64) float64 {
	sum := s.norms[i] + s.norms[j]
	if d := sum - 2*product; d > 1e-12*sum {
		return d
	}
	return 0
}

// approach adds the rows of fresh to the seeds.
func (s *seeder) approach(fresh []int) {
	if len(fresh) == 0 {
		return
	}
	n, p := s.x.Dims()
	seeds := pick(s.x, fresh)
	// Squared distances from inner products: ‖x‖² + ‖z‖² − 2⟨x, z⟩, one matrix product a block.
	products := mat.NewDense(min(n, blockRows), len(fresh), nil)
	for lo := 0; lo < n; lo += blockRows {
		hi := min(lo+blockRows, n)
		out := view(products, 0, hi-lo, 0, len(fresh))
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, view(s.x, lo, hi, 0, p).RawMatrix(), seeds.RawMatrix(), 0, out.RawMatrix())
		for i := lo; i < hi; i++ {
			for k, v := range out.RawRowView(i - lo) {
				s.squares[i] = min(s.squares[i], s.between(i, fresh[k], v))
			}
		}
	}
}

// propose draws rows, with repetition, in proportion to their squared distances. It returns nil if all distances are
// 0.
func (s *seeder) propose(count int) []int {
	return drawByWeight(s.rng, len(s.squares), count, func(i int) float64 { return s.squares[i] })
}

// drawByWeight draws count of n numbers with repetition, in proportion to weights, by inversion of their cumulated
// sums. It returns nil if all weights are 0.
func drawByWeight(rng *rand.Rand, n, count int, weight func(i int) float64) []int {
	cumulated := make([]float64, n)
	sum := 0.0
	for i := range cumulated {
		sum += weight(i)
		cumulated[i] = sum
	}
	if sum == 0 {
		return nil
	}
	out := make([]int, count)
	for k := range out {
		u := rng.Float64() * sum
		out[k] = min(sort.Search(n, func(i int) bool { return cumulated[i] > u }), n-1)
	}
	return out
}

// accept keeps at most so many of the proposals.
func (s *seeder) accept(proposed []int, most int) []int {
	var kept []int
	for _, i := range proposed {
		// Distances to the seeds accepted in this batch are not in squares yet.
		now := s.squares[i]
		for _, j := range kept {
			now = min(now, s.between(i, j, floats.Dot(s.x.RawRowView(i), s.x.RawRowView(j))))
		}
		if len(kept) < most && s.rng.Float64()*s.squares[i] < now {
			kept = append(kept, i)
		}
	}
	return kept
}

// assign sets nearest[i] to the centre nearest to row i, the first of several, and reports whether any has changed.
// As ‖x‖² is the same for all centres c, it compares ‖c‖² − 2⟨x, c⟩.
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
				// MinIdx returns the first of several, so that ties fall alike on every run.
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
