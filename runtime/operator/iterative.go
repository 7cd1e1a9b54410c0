package operator

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	iterativeTolerance = 1e-10
	iterativeSteps     = 2000
)

// iterativePlan serves dimensions whose matrix would be too large. It stores d×d blocks only.
type iterativePlan struct {
	operator *Operator
	// root is √w.
	root []float64
	// blocks are the labels' own blocks of AᵀWA, lower triangles.
	blocks []blas64.General
}

// newIterative assembles the labels' own blocks of AᵀWA. These are exact where labels are not coupled, so that
// conjugate gradients only have to account for the coupling.
func newIterative(ctx context.Context, a *Operator, w []float64) (plan, error) {
	p := &iterativePlan{operator: a, root: make([]float64, len(w)), blocks: make([]blas64.General, a.labels)}
	for i, v := range w {
		p.root[i] = math.Sqrt(v)
	}
	for c := range p.blocks {
		p.blocks[c] = newGeneral(a.dim, a.dim)
	}
	list, err := a.couplings(ctx, w, true)
	if err != nil {
		return nil, err
	}
	err = eachLabelPair(a, list, func(c, _ int, list []coupling) error {
		return addCoupled(ctx, a, p.blocks[c], list, true)
	})
	return p, err
}

// factor32 solves in double precision: single would save little, since memory is in the labels' blocks and time in
// products with Ψ.
func (p *iterativePlan) factor32(ctx context.Context, alpha float64) (solver[float32], error) {
	f, err := p.factor(ctx, alpha)
	if err != nil {
		return nil, err
	}
	return narrowed{f}, nil
}

// factor inverts the preconditioner's blocks, αI plus a label's own.
func (p *iterativePlan) factor(ctx context.Context, alpha float64) (solver[float64], error) {
	f := &iterative{plan: p, alpha: alpha}
	for _, g := range p.blocks {
		m := copyOf(g)
		for i := range m.Rows {
			m.Data[i*m.Stride+i] += alpha
		}
		if err := invert(ctx, m); err != nil {
			return nil, err
		}
		f.inverses = append(f.inverses, m)
	}
	return f, nil
}

// iterative solves by preconditioned conjugate gradients (Hestenes and Stiefel 1952). All right-hand sides go side by
// side, each with its own step sizes, so that products with A stay matrix products.
type iterative struct {
	plan     *iterativePlan
	alpha    float64
	inverses []blas64.General
}

// solve runs conjugate gradients for as many right-hand sides at a time as the memory of a batch allows.
func (f *iterative) solve(ctx context.Context, dst, b matrix[float64]) error {
	step := max(1, batchNumbers/b.Cols)
	for lo := 0; lo < b.Rows; lo += step {
		hi := min(lo+step, b.Rows)
		rest := mat.NewDense(hi-lo, b.Cols, nil)
		denseMatrix(rest).copyFrom(b.span(lo, hi))
		x, err := f.descend(ctx, rest)
		if err != nil {
			return err
		}
		dst.span(lo, hi).copyFrom(denseMatrix(x))
	}
	return nil
}

// descend returns the solutions for b, and overwrites b with residuals. A right-hand side stops at its tolerance or,
// by rounding, where a direction has no curvature.
func (f *iterative) descend(ctx context.Context, b *mat.Dense) (*mat.Dense, error) {
	n, dim := b.Dims()
	x, z, q := mat.NewDense(n, dim, nil), mat.NewDense(n, dim, nil), mat.NewDense(n, dim, nil)
	wanted, before := make([]float64, n), make([]float64, n)
	for i := range n {
		// Of the residual, which bounds the error in the norm of M by α⁻½ of itself.
		wanted[i] = iterativeTolerance * floats.Norm(b.RawRowView(i), 2)
	}
	// At x = 0 the residual is b itself, so that the first direction is the preconditioned b.
	f.precondition(z, b)
	direction := mat.DenseCopyOf(z)
	for i := range n {
		before[i] = floats.Dot(z.RawRowView(i), b.RawRowView(i))
	}
	for range iterativeSteps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.plan.operator.double().times(denseMatrix(q), denseMatrix(direction), f.alpha, f.plan.root)
		done := true
		for i := range n {
			d, curvature := direction.RawRowView(i), floats.Dot(direction.RawRowView(i), q.RawRowView(i))
			if curvature <= 0 || floats.Norm(b.RawRowView(i), 2) <= wanted[i] {
				continue
			}
			// This step minimizes the error in the norm of M along the direction.
			length := before[i] / curvature
			floats.AddScaled(x.RawRowView(i), length, d)
			floats.AddScaled(b.RawRowView(i), -length, q.RawRowView(i))
			// A right-hand side that is done keeps its direction, while the others go on.
			done = done && floats.Norm(b.RawRowView(i), 2) <= wanted[i]
		}
		if done {
			break
		}
		f.precondition(z, b)
		for i := range n {
			now := floats.Dot(z.RawRowView(i), b.RawRowView(i))
			d := direction.RawRowView(i)
			if before[i] > 0 {
				// The new direction is conjugate to the one before, ⟨d, M d′⟩ = 0.
				floats.Scale(now/before[i], d)
			}
			floats.Add(d, z.RawRowView(i))
			before[i] = now
		}
	}
	return x, nil
}

// precondition sets dst to b times the inverses of the labels' own blocks.
func (f *iterative) precondition(dst, b *mat.Dense) {
	d := f.plan.operator.dim
	for c, m := range f.inverses {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, columnsOf(b.RawMatrix(), c*d, d), m, 0, columnsOf(dst.RawMatrix(), c*d, d))
	}
}

// times sets dst to (αI + AᵀWA)x, row by row, where root is √w.
func (n *arithmetic[T]) times(dst, x matrix[T], alpha T, root []T) {
	values := newMatrix[T](x.Rows, n.functionals)
	n.apply(values, x)
	for i := range x.Rows {
		row := values.row(i)
		for j, v := range root {
			row[j] = row[j] * v * v
		}
	}
	n.applyT(dst, values)
	for i := range x.Rows {
		out, xi := dst.row(i), x.row(i)
		for j := range out {
			out[j] += alpha * xi[j]
		}
	}
}
