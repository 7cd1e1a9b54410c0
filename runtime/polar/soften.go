package polar

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// softEnd is the length of the gradient, as a share of ‖a‖, at which a softened embedding counts as reached.
const softEnd = 1e-11

// softIterations is how many conjugate gradients a factor of an earlier point may take before it is made anew.
const softIterations = 15

// embedSoft minimizes α/2‖V‖² − ⟨a, V⟩ + env(AV) from the last V on, by Newton's method. This is ψ of the method of
// multipliers with the shift as c.
func (f *Follower) embedSoft() (*Point, error) {
	n, s := f.newton, f.solver
	shifted := f.shiftTo()
	defer n.borrow()()
	if !f.warm {
		factor, err := s.factor(n.ctx, 0)
		if err != nil {
			return nil, err
		}
		copy(n.v.RawRowView(0), n.a)
		if err := factor.Solve(n.ctx, n.v, n.v); err != nil {
			return nil, err
		}
	}
	s.problem.A.Apply(n.av, n.v)
	env, err := f.descend()
	if err != nil {
		return nil, err
	}
	env -= shifted
	f.Steps += n.steps
	f.warm = true
	v := n.v.RawRowView(0)
	out := &Point{Iota: append([]float64(nil), v...), Multipliers: append([]float64(nil), n.y.RawRowView(0)...)}
	s.problem.Gauge.Repair(out.Multipliers)
	// A later embedding without an envelope goes on from these.
	copy(n.c.RawRowView(0), out.Multipliers)
	out.Value = s.problem.Alpha/2*dot(v, v) + env
	// ½‖a‖² lies between ⟨a, V⟩ − ½J(V) and that and ‖gradient‖²/2α, J being α-strongly convex.
	g := n.grad.RawRowView(0)
	out.Lower = max(0, 2*dot(n.a, v)-2*out.Value)
	out.Upper = out.Lower + dot(g, g)/s.problem.Alpha
	return out, nil
}

// shiftTo sets β and c for the envelope, and returns Σ c²/2βW.
func (f *Follower) shiftTo() float64 {
	n := f.newton
	n.beta = f.soft
	c := n.c.RawRowView(0)
	if f.shift == nil {
		clear(c)
		return 0
	}
	copy(c, f.shift)
	sum := 0.0
	for j, w := range n.solver.metric {
		sum += c[j] * c[j] / w
	}
	return sum / (2 * n.beta)
}

// descend makes Newton steps. It returns the envelope at the end, and leaves the multipliers in y and the gradient in
// grad.
func (f *Follower) descend() (env float64, err error) {
	n := f.newton
	norm, last := math.Sqrt(dot(n.a, n.a)), math.Inf(1)
	env = n.value(n.av.RawRowView(0))
	for range f.solver.settings.MaxIterations {
		if err := n.ctx.Err(); err != nil {
			return 0, err
		}
		n.gradient()
		g := n.grad.RawRowView(0)
		size := math.Sqrt(dot(g, g))
		// As in minimize: reached, rounding error, or near enough by strong convexity.
		if size <= softEnd*norm || (size <= 1e-8*norm && size > 0.5*last) ||
			size*size <= 2*n.solver.problem.Alpha*f.loose.Value {
			return env, nil
		}
		last = size
		if err := f.steer(); err != nil {
			return 0, err
		}
		// Half the Newton decrement estimates how far ψ can still fall.
		if -dot(g, n.dv.RawRowView(0)) <= 2*f.loose.Value {
			return env, nil
		}
		n.steps++
		next, moved := n.search(env)
		if env = next; !moved {
			break
		}
	}
	env = n.value(n.av.RawRowView(0))
	n.gradient()
	return env, nil
}

// steer sets dv to the Newton direction.
func (f *Follower) steer() error {
	n := f.newton
	n.active = n.terms.Active(n.active[:0])
	n.dv.Scale(-1, n.grad)
	return f.solveSoft(n.ctx, n.dv, f.loose.Step)
}

// differentiateSoft sets rows of dst to those of da times (αI + AᵀSA)⁻¹, at the V of the follower.
func (f *Follower) differentiateSoft(ctx context.Context, dst, da *mat.Dense) error {
	n := f.newton
	f.shiftTo()
	n.value(n.av.RawRowView(0))
	n.active = n.terms.Active(n.active[:0])
	dst.Copy(da)
	return f.solveSoft(ctx, dst, f.loose.Derivative)
}

// solveSoft replaces rows x by (αI + AᵀSA)⁻¹x. If x is a single row and end > 0, conjugate gradients first try to
// reach a relative residual of end, preconditioned by the factor of an earlier point. If the system is too large for
// a factor, it solves all rows by conjugate gradients to rounding error.
func (f *Follower) solveSoft(ctx context.Context, x *mat.Dense, end float64) error {
	n := f.newton
	count, alpha := len(n.active), n.solver.problem.Alpha
	b, _ := x.Dims()
	if count == 0 {
		x.Scale(1/alpha, x)
		return ctx.Err()
	}
	if n.solver.dim > finishOrder || count > finishNumbers/n.solver.dim {
		t, err := n.tangent(false)
		if err != nil {
			return err
		}
		da := mat.DenseCopyOf(x)
		return t.solve(ctx, x, da, 1)
	}
	t := &tangent{newton: n, rows: mat.NewDense(count, n.solver.dim, nil)}
	n.activeRows(t.rows)
	if f.kept != nil && end > 0 && b == 1 && t.refine(x.RawRowView(0), *f.kept, end) {
		return ctx.Err()
	}
	sa, h := mat.NewDense(count, n.solver.dim, nil), mat.NewDense(n.solver.dim, n.solver.dim, nil)
	n.respond(sa, t.rows)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, t.rows.RawMatrix(), sa.RawMatrix(), 0, h.RawMatrix())
	chol, err := factorSymmetric(h, alpha)
	if err != nil {
		return err
	}
	f.kept = &chol
	solveRows(chol, x.RawMatrix())
	return ctx.Err()
}

// refine replaces x by (αI + AᵀSA)⁻¹x, to a relative residual of end. It reports false, and leaves x, if that takes
// too long.
func (t *tangent) refine(x []float64, before blas64.Triangular, end float64) bool {
	row := func() []float64 { return make([]float64, t.newton.solver.dim) }
	v, p, mp, solved, rest := row(), row(), row(), row(), append([]float64(nil), x...)
	count := len(t.newton.active)
	in, out := mat.NewDense(count, 1, nil), mat.NewDense(count, 1, nil)
	vector := func(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
	first, along := math.Sqrt(dot(x, x)), 0.0
	for k := range softIterations {
		copy(solved, rest)
		blas64.Trsv(blas.Trans, before, vector(solved))
		blas64.Trsv(blas.NoTrans, before, vector(solved))
		next := dot(rest, solved)
		if k > 0 {
			blas64.Scal(next/along, vector(p))
		}
		blas64.Axpy(1, vector(solved), vector(p))
		along = next
		blas64.Gemv(blas.NoTrans, 1, t.rows.RawMatrix(), vector(p), 0, vector(in.RawMatrix().Data))
		t.newton.respond(out, in)
		copy(mp, p)
		blas64.Gemv(blas.Trans, 1, t.rows.RawMatrix(), vector(out.RawMatrix().Data), t.newton.solver.problem.Alpha, vector(mp))
		step := along / dot(p, mp)
		blas64.Axpy(step, vector(p), vector(v))
		blas64.Axpy(-step, vector(mp), vector(rest))
		if math.Sqrt(dot(rest, rest)) <= end*first {
			copy(x, v)
			return true
		}
	}
	return false
}
