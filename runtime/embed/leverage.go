package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/parallel"
)

const (
	// proposals is the largest number of pivots proposed at once.
	proposals = 128
	// extendRows is how many candidates a factor is extended at together, by few columns.
	extendRows = 8 * blockRows
)

// pivots is a partial Cholesky factor K ≈ FFᵀ of the candidates' kernel matrix, drawn pivot after pivot.
type pivots struct {
	kernel *kernel.Function
	from   *candidates
	rng    *rand.Rand
	// factor is F: candidates × chosen, in a table of stride count, so that columns can be appended.
	factor blas64.General
	// residual is the diagonal of K − FFᵀ: the squared distance of each candidate from the span of the chosen ones.
	residual []float64
	// floor is the size up to which residuals count as rounding errors.
	floor   float64
	chosen  []int
	outside *outside // where what is lost decides how many are drawn; nil elsewhere
}

// drawPivots draws up to count candidates by randomly pivoted Cholesky: each with a probability proportional to its
// residual (Chen, Epperly, Tropp and Webber 2025). It stops early if the residuals are negligible. With a number most
// it goes on up to that while much is lost; 0 sets none. The first count are the same for any most.
func drawPivots(ctx context.Context, k *kernel.Function, c *candidates, count, most int, seed uint64) (*pivots, error) {
	n := len(c.ids)
	p := &pivots{
		kernel: k, from: c, rng: rand.New(rand.NewPCG(seed, streamLeverage)),
		factor:   blas64.General{Rows: n, Stride: max(count, most), Data: make([]float64, n*max(count, most))},
		residual: make([]float64, n),
	}
	for lo := 0; lo < n; lo += blockRows {
		hi := min(lo+blockRows, n)
		k.Diag(p.residual[lo:hi], p.at(lo, hi))
	}
	if largest := floats.Max(p.residual); math.IsNaN(largest) || math.IsInf(largest, 0) {
		return nil, overflows(k)
	}
	// Residuals below this may be the rounding errors of n subtractions from the largest.
	p.floor = 4 * machineEps * float64(n) * floats.Max(p.residual)
	whole := floats.Sum(p.residual)
	if most > 0 {
		p.outside = newOutside(k, c.points, c.canon, c.ids, c.rows, p.residual, seed)
	}
	for goal := count; len(p.chosen) < goal && floats.Sum(p.residual) > negligible*whole; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		proposed := p.propose(min(proposals, max(8, count/8)))
		if len(proposed) == 0 {
			break
		}
		accepted, triangle := p.accept(proposed, goal-len(p.chosen))
		if err := p.extend(ctx, accepted, triangle); err != nil {
			return nil, err
		}
		if most > count && len(p.chosen) >= count {
			if goal = most; p.outside.few(p.residual, p.factor) {
				break
			}
		}
	}
	return p, nil
}

// at returns candidates lo … hi−1, where they lie if they are side by side.
func (p *pivots) at(lo, hi int) *mat.Dense { return p.from.points.some(p.from.ids[lo:hi]) }

// choice says what was drawn.
func (p *pivots) choice() *Choice {
	out := &Choice{Landmarks: len(p.chosen), Points: len(p.from.ids), Sampled: p.outside.count}
	out.Rows, out.Functionals = p.outside.shares(p.residual, p.factor)
	out.Costly = len(p.chosen) == p.factor.Stride && !p.outside.few(p.residual, p.factor)
	return out
}

// propose draws candidates, with repetition, in proportion to their residuals. It returns nil if all residuals are
// rounding errors.
func (p *pivots) propose(count int) []int {
	return drawByWeight(p.rng, len(p.residual), count, func(i int) float64 {
		if p.residual[i] > p.floor {
			return p.residual[i]
		}
		return 0 // Candidates that are in the span already are never drawn.
	})
}

// accept goes through the proposals in order. It accepts each with the ratio of the residual at it now to that when
// it was proposed. So the accepted ones follow the law of one pivot at a time (Epperly, Tropp and Webber 2024). It
// returns them with the Cholesky factor of their residual matrix.
func (p *pivots) accept(proposed []int, most int) ([]int, *mat.TriDense) {
	h := p.residualAmong(proposed)
	n := len(proposed)
	columns := make([][]float64, 0, n) // of the factor, over all proposals
	var at []int                       // positions of the accepted
	for i := range n {
		before, now := p.residual[proposed[i]], h.At(i, i)
		if len(at) == most || now <= p.floor || p.rng.Float64()*before >= now {
			continue
		}
		// A column of the Cholesky factor of the residual matrix among the proposals.
		column := make([]float64, n)
		pivot := math.Sqrt(now)
		for j := i; j < n; j++ {
			column[j] = h.At(j, i) / pivot
		}
		for j := i + 1; j < n; j++ {
			// The accepted pivot is eliminated from the residual of the later proposals.
			floats.AddScaled(h.RawRowView(j)[i+1:j+1], -column[j], column[i+1:j+1])
		}
		columns, at = append(columns, column), append(at, i)
	}
	triangle := mat.NewTriDense(max(1, len(at)), mat.Lower, nil)
	accepted := make([]int, len(at))
	for r, i := range at {
		accepted[r] = proposed[i]
		for c := range r + 1 {
			triangle.SetTri(r, c, columns[c][i])
		}
	}
	return accepted, triangle
}

// residualAmong returns the block of K − FFᵀ at some candidates.
func (p *pivots) residualAmong(at []int) *mat.Dense {
	x := p.from.points.Gather(p.idsOf(at))
	h := mat.NewDense(len(at), len(at), nil)
	p.kernel.Matrix(h, x, x)
	if k := len(p.chosen); k > 0 {
		f := p.factorRows(at)
		blas64.Gemm(blas.NoTrans, blas.Trans, -1, f, f, 1, h.RawMatrix())
	}
	return h
}

// idsOf returns the points of some candidates.
func (p *pivots) idsOf(at []int) []int32 {
	ids := make([]int32, len(at))
	for i, j := range at {
		ids[i] = p.from.ids[j]
	}
	return ids
}

// factorRows returns a copy of the rows of F at some candidates.
func (p *pivots) factorRows(at []int) blas64.General {
	k := len(p.chosen)
	out := blas64.General{Rows: len(at), Cols: k, Stride: k, Data: make([]float64, len(at)*k)}
	for i, j := range at {
		copy(out.Data[i*k:(i+1)*k], p.factor.Data[j*p.factor.Stride:])
	}
	return out
}

// extend appends the accepted pivots' columns to F: (K − FFᵀ)[:, accepted]·L⁻ᵀ.
func (p *pivots) extend(ctx context.Context, accepted []int, triangle *mat.TriDense) error {
	t, k := len(accepted), len(p.chosen)
	if t == 0 {
		return nil
	}
	var inverse mat.TriDense
	if err := inverse.InverseTri(triangle); err != nil {
		// A poor condition is expected of kernel matrices, and accept has kept the pivots above the floor.
		if poor := mat.Condition(0); !errors.As(err, &poor) {
			return fmt.Errorf("features: the residual of %d landmarks cannot be factored: %w", t, err)
		}
	}
	upper := mat.DenseCopyOf(inverse.T())
	x := p.from.points.Gather(p.idsOf(accepted))
	rows := p.factorRows(accepted)
	n := len(p.residual)
	values := mat.NewDense(min(n, extendRows), t, nil)
	var hi int
	for lo := 0; lo < n; lo = hi {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi = min(lo+extendRows, n)
		if lo < p.from.rows { // rows and other points lie apart
			hi = min(hi, p.from.rows)
		}
		v := view(values, 0, hi-lo, 0, t)
		p.kernel.Matrix(v, p.at(lo, hi), x)
		old := blas64.General{Rows: hi - lo, Cols: k, Stride: p.factor.Stride, Data: p.factor.Data[lo*p.factor.Stride:]}
		// The part of the kernel that earlier pivots explain.
		if k > 0 {
			blas64.Gemm(blas.NoTrans, blas.Trans, -1, old, rows, 1, v.RawMatrix())
		}
		fresh := old
		fresh.Cols, fresh.Data = t, old.Data[k:]
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, v.RawMatrix(), upper.RawMatrix(), 0, fresh)
		parallel.For(hi-lo, 64, func(a, b int) {
			for i := a; i < b; i++ {
				f := fresh.Data[i*fresh.Stride : i*fresh.Stride+t]
				// The diagonal of K − FFᵀ loses the squares of the new columns. It is nonnegative in exact
				// arithmetic.
				p.residual[lo+i] = max(0, p.residual[lo+i]-floats.Dot(f, f))
			}
		})
	}
	for _, i := range accepted {
		p.residual[i] = 0
	}
	p.chosen = append(p.chosen, accepted...)
	p.factor.Cols = len(p.chosen)
	return nil
}
