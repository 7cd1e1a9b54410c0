package operator

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// densePlan assembles AᵀWA.
type densePlan struct {
	operator *Operator
	weights  []float64
	gram     *blas64.General // lower triangle, kept where it is small enough
}

// newDense assembles AᵀWA at once where it is small enough to keep.
func (a *Operator) newDense(ctx context.Context, w []float64) (plan, error) {
	p := &densePlan{operator: a, weights: w}
	if a.labels*a.dim > mostCached {
		return p, nil
	}
	m, err := p.assemble(ctx)
	p.gram = &m
	return p, err
}

func (p *densePlan) assemble(ctx context.Context) (blas64.General, error) {
	dim := p.operator.labels * p.operator.dim
	m := newGeneral(dim, dim)
	return m, p.operator.gramLower(ctx, m, p.weights)
}

func (p *densePlan) factor(ctx context.Context, alpha float64) (polar.Factor, error) {
	var m blas64.General
	if p.gram != nil {
		m = copyOf(*p.gram)
	} else {
		var err error
		if m, err = p.assemble(ctx); err != nil {
			return nil, err
		}
	}
	for i := range m.Rows {
		m.Data[i*m.Stride+i] += alpha
	}
	if err := invert(ctx, m); err != nil {
		return nil, err
	}
	return inverse{m}, nil
}

// inverse is a factor that holds M⁻¹.
type inverse struct{ matrix blas64.General }

func (f inverse) Solve(dst, b *mat.Dense) {
	n, dim := b.Dims()
	step := min(n, max(1, flightNumber/dim))
	out := newGeneral(step, dim)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		out.Rows = hi - lo
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, rowsOf(b, lo, hi), f.matrix, 0, out)
		to := rowsOf(dst, lo, hi)
		for i := range hi - lo {
			copy(rowOf(to, i), rowOf(out, i))
		}
	}
}
