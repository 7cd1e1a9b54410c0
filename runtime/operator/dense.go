package operator

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// mostCached is the largest dimension whose Gram matrix is kept for the next call of Factor.
const mostCached = 8000

// densePlan assembles M = αI + AᵀWA and inverts it, so that a solve is one matrix product.
type densePlan struct {
	operator *Operator
	weights  []float64
	// gram is the lower triangle of AᵀWA; nil means that it is too large to keep.
	gram *blas64.General
}

// newDense assembles AᵀWA at once if it is small enough to keep.
func newDense(ctx context.Context, a *Operator, w []float64) (plan, error) {
	p := &densePlan{operator: a, weights: w}
	if a.labels*a.dim > mostCached {
		return p, nil
	}
	m, err := p.assemble(ctx)
	p.gram = &m
	return p, err
}

// assemble returns the lower triangle of AᵀWA.
func (p *densePlan) assemble(ctx context.Context) (blas64.General, error) {
	dim := p.operator.labels * p.operator.dim
	m := newGeneral(dim, dim)
	return m, gramLower(ctx, p.operator, m, p.weights)
}

// factor returns M⁻¹ in double precision.
func (p *densePlan) factor(ctx context.Context, alpha float64) (solver[float64], error) {
	m, err := p.invert(ctx, alpha)
	return &inverse[float64]{matrix: matrix[float64](m)}, err
}

// factor32 returns M⁻¹ in single precision, inverted in double. Rounding the inverse costs one rounding error;
// inverting in single precision would cost the condition number times as much.
func (p *densePlan) factor32(ctx context.Context, alpha float64) (solver[float32], error) {
	m, err := p.invert(ctx, alpha)
	if err != nil {
		return nil, err
	}
	return &inverse[float32]{matrix: convert[float32](matrix[float64](m))}, nil
}

// invert returns (αI + AᵀWA)⁻¹.
func (p *densePlan) invert(ctx context.Context, alpha float64) (m blas64.General, err error) {
	if p.gram != nil {
		m = copyOf(*p.gram)
	} else if m, err = p.assemble(ctx); err != nil {
		return m, err
	}
	for i := range m.Rows {
		m.Data[i*m.Stride+i] += alpha
	}
	return m, invert(ctx, m)
}

// inverse is a factor that holds M⁻¹.
type inverse[T number] struct {
	matrix matrix[T]
	room   sync.Pool // *matrix[T]
}

// solve multiplies by M⁻¹. A product cannot overwrite its own input, so solves in place go through spare memory.
func (f *inverse[T]) solve(ctx context.Context, dst, b matrix[T]) error {
	if b.Rows == 0 {
		return nil
	}
	if &dst.Data[0] != &b.Data[0] {
		gemm(blas.NoTrans, blas.NoTrans, 1, b, f.matrix, 0, dst)
		return ctx.Err()
	}
	step := min(b.Rows, max(1, batchNumbers/b.Cols))
	room, _ := f.room.Get().(*matrix[T])
	if room == nil || room.Rows < step {
		fresh := newMatrix[T](step, b.Cols)
		room = &fresh
	}
	defer f.room.Put(room)
	for lo := 0; lo < b.Rows; lo += step {
		hi := min(lo+step, b.Rows)
		out := room.span(0, hi-lo)
		gemm(blas.NoTrans, blas.NoTrans, 1, b.span(lo, hi), f.matrix, 0, out)
		dst.span(lo, hi).copyFrom(out)
	}
	return ctx.Err()
}
