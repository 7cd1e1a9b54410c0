package polar

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

const (
	// tangentSteps bounds the steps of the method of multipliers, and tangentEnd is the relative change of dc at
	// which they end.
	tangentSteps = 60
	tangentEnd   = 1e-11
	// If systems are too large, conjugate gradients solve them with this smaller β, to a relative residual of
	// tangentIterative.
	tangentLoose     = 10
	tangentIterative = 1e-10
	tangentMost      = 500
)

// A tangent is the linear system of Differentiate at one point.
type tangent struct {
	newton *newton
	// rows are the active rows of A, count×D; nil means that they are not kept.
	rows *mat.Dense
	// gram is rows·rowsᵀ and lu factors αI + S·gram, if there are fewer rows than dimensions.
	gram   *mat.Dense
	lu     *mat.Dense
	pivots []int
	// chol factors αI + AᵀSA otherwise.
	chol blas64.Triangular
	// before preconditions conjugate gradients.
	before Factor
}

// tangent prepares the system at the proximal map's last point. If free, it may change β.
func (n *newton) tangent(free bool) (*tangent, error) {
	count, alpha := len(n.active), n.solver.problem.Alpha
	t := &tangent{newton: n}
	if count == 0 {
		return t, nil
	}
	if min(count, n.solver.dim) > finishOrder || count > finishNumbers/n.solver.dim {
		if free {
			n.beta = tangentLoose
			n.value(n.av.RawRowView(0))
			n.active = n.terms.Active(n.active[:0])
		}
		var err error
		t.before, err = n.solver.factor(n.ctx, 0)
		return t, err
	}
	t.rows = mat.NewDense(count, n.solver.dim, nil)
	n.activeRows(t.rows)
	if count >= n.solver.dim {
		sa, h := mat.NewDense(count, n.solver.dim, nil), mat.NewDense(n.solver.dim, n.solver.dim, nil)
		n.respond(sa, t.rows)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, t.rows.RawMatrix(), sa.RawMatrix(), 0, h.RawMatrix())
		var err error
		t.chol, err = factorSymmetric(h, alpha)
		return t, err
	}
	t.gram, t.lu = mat.NewDense(count, count, nil), mat.NewDense(count, count, nil)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, t.rows.RawMatrix(), t.rows.RawMatrix(), 0, t.gram.RawMatrix())
	n.respond(t.lu, t.gram)
	for i := range count {
		t.lu.Set(i, i, t.lu.At(i, i)+alpha)
	}
	t.pivots = make([]int, count)
	if !lapack64.Getrf(t.lu.RawMatrix(), t.pivots) {
		return nil, errors.New("polar: the derivative's linear system is singular in floating point; is alpha far too small")
	}
	return t, nil
}

// solve solves for the rows of da. With κ = dc on the active rows and e = S·κ/(βW), a step is κ ← S·A·dV + e, dV =
// (αI + AᵀSA)⁻¹(da − Aᵀe). Every step has the same matrix.
func (t *tangent) solve(ctx context.Context, dst, da *mat.Dense, steps int) error {
	b, _ := da.Dims()
	count := len(t.newton.active)
	if count == 0 {
		dst.Scale(1/t.newton.solver.problem.Alpha, da)
		return ctx.Err()
	}
	kappa, e := mat.NewDense(count, b, nil), mat.NewDense(count, b, nil)
	scaled := mat.NewDense(count, b, nil)
	last := math.Inf(1)
	for range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k, j := range t.newton.active {
			to, from := scaled.RawRowView(k), kappa.RawRowView(k)
			for i := range to {
				to[i] = from[i] / (t.newton.beta * t.newton.solver.metric[j])
			}
		}
		t.newton.respond(e, scaled)
		next, err := t.step(dst, da, e)
		if err != nil {
			return err
		}
		next.Add(next, e)
		scaled.Sub(next, kappa)
		change, size := mat.Norm(scaled, 2), mat.Norm(next, 2)
		kappa = next
		// The second test finds rounding error: a tiny change that no longer halves.
		if change <= tangentEnd*size || (change <= 1e-6*size && change > 0.5*last) {
			break
		}
		last = change
	}
	if t.gram != nil {
		// dV = (da − Aᵀκ)/α.
		dst.Scale(1/t.newton.solver.problem.Alpha, da)
		blas64.Gemm(blas.Trans, blas.NoTrans, -1/t.newton.solver.problem.Alpha, kappa.RawMatrix(), t.rows.RawMatrix(), 1, dst.RawMatrix())
	}
	return nil
}

// step returns S·A·dV. It sets dst to dV unless it solves by rows, where dV follows from the last κ.
func (t *tangent) step(dst, da, e *mat.Dense) (*mat.Dense, error) {
	b, _ := da.Dims()
	count := len(t.newton.active)
	out, av := mat.NewDense(count, b, nil), mat.NewDense(count, b, nil)
	if t.gram != nil { // (αI + S·gram) out = S·A(da − Aᵀe)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, t.rows.RawMatrix(), da.RawMatrix(), 0, av.RawMatrix())
		blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, t.gram.RawMatrix(), e.RawMatrix(), 1, av.RawMatrix())
		t.newton.respond(out, av)
		lapack64.Getrs(blas.NoTrans, t.lu.RawMatrix(), out.RawMatrix(), t.pivots)
		return out, nil
	}
	dst.Copy(da)
	if t.rows != nil {
		blas64.Gemm(blas.Trans, blas.NoTrans, -1, e.RawMatrix(), t.rows.RawMatrix(), 1, dst.RawMatrix())
		solveRows(t.chol, dst.RawMatrix())
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, t.rows.RawMatrix(), dst.RawMatrix(), 0, av.RawMatrix())
		t.newton.respond(out, av)
		return out, nil
	}
	wide := t.spread(e)
	back := mat.NewDense(b, t.newton.solver.dim, nil)
	t.newton.solver.problem.A.ApplyT(back, wide)
	dst.Sub(dst, back)
	for i := range b {
		if err := t.conjugate(dst.RawRowView(i)); err != nil {
			return nil, err
		}
	}
	t.newton.solver.problem.A.Apply(wide, dst)
	t.gather(av, wide)
	t.newton.respond(out, av)
	return out, nil
}

// spread returns the active rows of x (count×b) in their places among all (b×r).
func (t *tangent) spread(x *mat.Dense) *mat.Dense {
	_, b := x.Dims()
	out := mat.NewDense(b, t.newton.solver.r, nil)
	for k, j := range t.newton.active {
		for i := range b {
			out.Set(i, j, x.At(k, i))
		}
	}
	return out
}

// gather sets dst to the active rows of wide; it undoes spread.
func (t *tangent) gather(dst, wide *mat.Dense) {
	b, _ := wide.Dims()
	for k, j := range t.newton.active {
		for i := range b {
			dst.Set(k, i, wide.At(i, j))
		}
	}
}

// conjugate replaces x by (αI + AᵀSA)⁻¹x, by conjugate gradients preconditioned by M₀.
func (t *tangent) conjugate(x []float64) error {
	row := func() *mat.Dense { return mat.NewDense(1, t.newton.solver.dim, nil) }
	rest, v, p, mp, solved := row(), row(), row(), row(), row()
	copy(rest.RawRowView(0), x)
	first := math.Sqrt(dot(x, x))
	var along float64
	for k := range tangentMost {
		r := rest.RawRowView(0)
		if math.Sqrt(dot(r, r)) <= tangentIterative*first {
			break
		}
		if err := t.before.Solve(t.newton.ctx, solved, rest); err != nil {
			return err
		}
		next := dot(r, solved.RawRowView(0))
		if k > 0 {
			p.Scale(next/along, p)
		}
		p.Add(p, solved)
		along = next
		t.product(mp, p)
		step := along / dot(p.RawRowView(0), mp.RawRowView(0))
		for i := range r {
			v.RawRowView(0)[i] += step * p.RawRowView(0)[i]
			r[i] -= step * mp.RawRowView(0)[i]
		}
	}
	copy(x, v.RawRowView(0))
	return t.newton.ctx.Err()
}

// product sets dst to (αI + AᵀSA)x, both one row.
func (t *tangent) product(dst, x *mat.Dense) {
	wide := mat.NewDense(1, t.newton.solver.r, nil)
	t.newton.solver.problem.A.Apply(wide, x)
	in, out := mat.NewDense(len(t.newton.active), 1, nil), mat.NewDense(len(t.newton.active), 1, nil)
	t.gather(in, wide)
	t.newton.respond(out, in)
	t.newton.solver.problem.A.ApplyT(dst, t.spread(out))
	to := dst.RawRowView(0)
	for i, v := range x.RawRowView(0) {
		to[i] += t.newton.solver.problem.Alpha * v
	}
}
