package operator

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// woodburyPlan is for fewer functionals than dimensions: with B = W^½A,
//
//	(αI + BᵀB)⁻¹ = (I − Bᵀ(αI + BBᵀ)⁻¹B)/α.
type woodburyPlan struct {
	operator *Operator
	root     []float64      // √w
	gram     blas64.General // BBᵀ, lower triangle, of the functionals with positive weight
	active   []int
}

func (a *Operator) newWoodbury(ctx context.Context, w []float64) (plan, error) {
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
			unit.Set(k-lo, p.active[k], p.root[p.active[k]])
		}
		lifted := mat.NewDense(hi-lo, a.labels*a.dim, nil)
		a.ApplyT(lifted, unit)
		a.Apply(unit, lifted)
		for k := lo; k < hi; k++ {
			values := unit.RawRowView(k - lo)
			for j, i := range p.active[:k+1] {
				p.gram.Data[k*n+j] = values[i] * p.root[i]
			}
		}
	}
	return p, nil
}

func (p *woodburyPlan) factor(ctx context.Context, alpha float64) (polar.Factor, error) {
	m := copyOf(p.gram)
	for i := range m.Rows {
		m.Data[i*m.Stride+i] += alpha
	}
	if err := invert(ctx, m); err != nil {
		return nil, err
	}
	return &woodbury{plan: p, alpha: alpha, inner: m}, nil
}

type woodbury struct {
	plan  *woodburyPlan
	alpha float64
	inner blas64.General // (αI + BBᵀ)⁻¹
}

// Solve applies the identity, and once more to the residual: where α is small, the difference cancels digits.
func (f *woodbury) Solve(dst, b *mat.Dense) {
	n, dim := b.Dims()
	step := max(1, flightNumber/dim)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		in := mat.DenseCopyOf(b.Slice(lo, hi, 0, dim))
		x, more := mat.NewDense(hi-lo, dim, nil), mat.NewDense(hi-lo, dim, nil)
		f.once(x, in)
		f.plan.operator.residual(more, in, x, f.alpha, f.plan.root)
		f.once(in, more)
		x.Add(x, in)
		view(dst, lo, hi, 0, dim).Copy(x)
	}
}

func (f *woodbury) once(dst, b *mat.Dense) {
	n, _ := b.Dims()
	p := f.plan
	values := mat.NewDense(n, p.operator.functionals, nil)
	p.operator.Apply(values, b)
	in, out := newGeneral(n, len(p.active)), newGeneral(n, len(p.active))
	for i := range n {
		row := values.RawRowView(i)
		for k, j := range p.active {
			in.Data[i*in.Stride+k] = row[j] * p.root[j]
		}
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, in, f.inner, 0, out)
	values.Zero()
	for i := range n {
		row := values.RawRowView(i)
		for k, j := range p.active {
			row[j] = out.Data[i*out.Stride+k] * p.root[j]
		}
	}
	p.operator.ApplyT(dst, values)
	dst.Sub(b, dst)
	dst.Scale(1/f.alpha, dst)
}

// residual sets dst to b − (αI + AᵀWA)x, row by row, given √w.
func (a *Operator) residual(dst, b, x *mat.Dense, alpha float64, root []float64) {
	n, _ := b.Dims()
	values := mat.NewDense(n, a.functionals, nil)
	a.Apply(values, x)
	for i := range n {
		row := values.RawRowView(i)
		floats.Mul(row, root)
		floats.Mul(row, root)
	}
	a.ApplyT(dst, values)
	for i := range n {
		out, bi, xi := dst.RawRowView(i), b.RawRowView(i), x.RawRowView(i)
		for j := range out {
			out[j] = bi[j] - alpha*xi[j] - out[j]
		}
	}
}
