package operator

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// woodburyPlan serves fewer functionals than dimensions. With B = W^½A,
//
//	(αI + BᵀB)⁻¹ = (I − Bᵀ(αI + BBᵀ)⁻¹B)/α,
//
// so that the matrix to invert has the size of the active functionals.
type woodburyPlan struct {
	operator *Operator
	// root is √w.
	root []float64
	// gram is the lower triangle of BBᵀ over the functionals with positive weight, which active lists.
	gram   blas64.General
	active []int
}

// newWoodbury computes the lower triangle of BBᵀ by products with A and Aᵀ, some rows at a time.
func newWoodbury(ctx context.Context, a *Operator, w []float64) (plan, error) {
	p := &woodburyPlan{operator: a, root: make([]float64, len(w))}
	for i, v := range w {
		p.root[i] = math.Sqrt(v)
		if v > 0 {
			p.active = append(p.active, i)
		}
	}
	n := len(p.active)
	p.gram = newGeneral(n, n)
	step := min(n, gatherRows)
	for lo := 0; lo < n; lo += step {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+step, n)
		unit := mat.NewDense(hi-lo, a.functionals, nil)
		for k := lo; k < hi; k++ {
			// √w_i e_iᵀ: its product with A is row i of B.
			unit.Set(k-lo, p.active[k], p.root[p.active[k]])
		}
		lifted := mat.NewDense(hi-lo, a.labels*a.dim, nil)
		a.ApplyT(lifted, unit)
		a.Apply(unit, lifted)
		for k := lo; k < hi; k++ {
			values := unit.RawRowView(k - lo)
			for j, i := range p.active[:k+1] {
				// A of that row of B, times √w_j, is row k of BBᵀ.
				p.gram.Data[k*n+j] = values[i] * p.root[i]
			}
		}
	}
	return p, nil
}

// factor prepares solves in double precision.
func (p *woodburyPlan) factor(ctx context.Context, alpha float64) (solver[float64], error) {
	m, err := p.invert(ctx, alpha)
	if err != nil {
		return nil, err
	}
	return &woodbury[float64]{plan: p, of: p.operator.double(), alpha: alpha, root: p.root, inner: matrix[float64](m)}, nil
}

// factor32 prepares solves in single precision.
func (p *woodburyPlan) factor32(ctx context.Context, alpha float64) (solver[float32], error) {
	m, err := p.invert(ctx, alpha)
	if err != nil {
		return nil, err
	}
	f := &woodbury[float32]{plan: p, of: p.operator.single(), alpha: float32(alpha), inner: convert[float32](matrix[float64](m))}
	for _, v := range p.root {
		f.root = append(f.root, float32(v))
	}
	return f, nil
}

// invert returns (αI + BBᵀ)⁻¹.
func (p *woodburyPlan) invert(ctx context.Context, alpha float64) (blas64.General, error) {
	m := copyOf(p.gram)
	for i := range m.Rows {
		m.Data[i*m.Stride+i] += alpha
	}
	return m, invert(ctx, m)
}

// A woodbury solves by the identity, in one precision.
type woodbury[T number] struct {
	plan  *woodburyPlan
	of    *arithmetic[T]
	alpha T
	root  []T
	// inner is (αI + BBᵀ)⁻¹.
	inner matrix[T]
}

// solve applies the identity, and once more to the residual: if α is small, the difference in it cancels digits.
func (f *woodbury[T]) solve(ctx context.Context, dst, b matrix[T]) error {
	step := max(1, batchNumbers/b.Cols)
	for lo := 0; lo < b.Rows; lo += step {
		hi := min(lo+step, b.Rows)
		in, out := newMatrix[T](hi-lo, b.Cols), dst.span(lo, hi)
		in.copyFrom(b.span(lo, hi))
		x, more := newMatrix[T](hi-lo, b.Cols), newMatrix[T](hi-lo, b.Cols)
		f.once(x, in)
		f.of.times(more, x, f.alpha, f.root)
		for i, v := range in.Data {
			more.Data[i] = v - more.Data[i]
		}
		f.once(in, more)
		for i := range x.Data {
			x.Data[i] += in.Data[i]
		}
		out.copyFrom(x)
	}
	return ctx.Err()
}

// once sets dst to (b − Bᵀ(αI + BBᵀ)⁻¹Bb)/α, row by row.
func (f *woodbury[T]) once(dst, b matrix[T]) {
	values := newMatrix[T](b.Rows, f.of.functionals)
	f.of.apply(values, b)
	active := f.plan.active
	in, out := newMatrix[T](b.Rows, len(active)), newMatrix[T](b.Rows, len(active))
	for i := range b.Rows {
		row, to := values.row(i), in.row(i)
		for k, j := range active {
			to[k] = row[j] * f.root[j]
		}
	}
	gemm(blas.NoTrans, blas.NoTrans, 1, in, f.inner, 0, out)
	values.zero()
	for i := range b.Rows {
		row, from := values.row(i), out.row(i)
		for k, j := range active {
			row[j] = from[k] * f.root[j]
		}
	}
	f.of.applyT(dst, values)
	for i := range b.Rows {
		to := dst.row(i)
		for j, v := range b.row(i) {
			to[j] = (v - to[j]) / f.alpha
		}
	}
}
