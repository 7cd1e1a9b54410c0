package polar

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
)

// A Follower embeds one right-hand side after another, each a little from the last. It goes on from where the last
// one ended, by Newton steps. It also differentiates the embedding at the last right-hand side. Only one goroutine may
// use it at a time.
//
// It replaces ½ρ² by its Moreau envelope min_t ½ρ(t)² + (β/2) Σ W (t − u)². The envelope is half the square of a gauge,
// too, as both terms are homogeneous. It is a little smaller, and differentiable. So ι is one-to-one, and its
// derivative positive definite.
//
// The envelope may be shifted, as in the method of multipliers: it is taken at u + c/βW instead of u, less Σ c²/2βW.
// If c are the multipliers of the embedding without an envelope, both embeddings are the same, whatever β. So a large β
// and these c give the derivative of the embedding without an envelope.
type Follower struct {
	solver *Solver
	newton *newton
	// warm says that v is that of an embedding.
	warm bool
	// beta is the β of the envelope.
	beta  float64
	shift []float64
	loose Looseness
	// kept factors αI + AᵀSA at an earlier point, and preconditions conjugate gradients.
	kept *blas64.Triangular
	// most is at how many multiplications, since it was made, it ends.
	most float64
}

const (
	// softEnd is the length of the gradient, as a share of ‖a‖, at which an embedding counts as reached.
	softEnd = 1e-11
	// keptIterations is how many conjugate gradients a factor of an earlier point may take before it is made anew.
	keptIterations = 15
	// If systems are too large for a factor, at most looseIterations conjugate gradients solve them, to a relative
	// residual of looseEnd.
	looseIterations = 500
	looseEnd        = 1e-10
	// productSpeed is how many times faster products are, where work is counted, than as many multiplications of a gauge.
	productSpeed = 8
)

// NewFollower prepares to embed under a norm, with β = 1 and no shift. Each right-hand side may take so many Newton
// steps; 0 means 2000.
func NewFollower(ctx context.Context, p Problem, steps int) (*Follower, error) {
	s, err := New(ctx, p, Settings{MaxIterations: steps})
	if err != nil {
		return nil, err
	}
	return &Follower{solver: s, beta: 1, most: math.Inf(1)}, nil
}

// Bound sets how many multiplications embeddings may take from now on. Where these are made, embeddings end where they are.
func (f *Follower) Bound(work float64) { f.most = f.Work() + work }

// Spent reports whether they were made.
func (f *Follower) Spent() bool { return f.Work() > f.most }

// Work returns how many multiplications were made so far.
func (f *Follower) Work() float64 {
	if f.newton == nil {
		return 0
	}
	return f.newton.made()
}

// Surrogate sets the rows of dst to the embeddings M₀⁻¹a of those of a (both B×D). Their norm has means instead of
// maxima.
func (f *Follower) Surrogate(ctx context.Context, dst, a *mat.Dense) error {
	if f.solver.r == 0 {
		dst.Scale(1/f.solver.problem.Alpha, a)
		return ctx.Err()
	}
	factor, err := f.solver.factor(ctx, 0)
	if err != nil {
		return err
	}
	return factor.Solve(ctx, dst, a)
}

// A Point is the embedding of one right-hand side.
type Point struct {
	Iota        []float64 // D
	Multipliers []float64 // r, c with ι ≈ (a − Aᵀc)/α
	// Value is ½J(Iota), with the envelope in place of ½ρ².
	Value float64
}

// Soften sets the β of the envelope, which must be positive, and the shift. This has length r, and is kept, not copied;
// nil means no shift.
func (f *Follower) Soften(beta float64, shift []float64) { f.beta, f.shift = beta, shift }

// A Looseness says how far embeddings, and their derivatives, may be off. The zero value means rounding error.
type Looseness struct {
	// Value is about how far ½J(V) − ⟨a, V⟩ may lie above its minimum.
	Value float64
	// Derivative and Step are the relative errors, in the residual, of derivatives in single directions and of Newton
	// steps.
	Derivative, Step float64
}

// Loosen sets how exact embeddings have to be.
func (f *Follower) Loosen(l Looseness) { f.loose = l }

// Forget makes the follower begin anew, with no work behind it and no bound.
func (f *Follower) Forget() { *f = Follower{solver: f.solver, beta: 1, most: math.Inf(1)} }

// Place makes the follower go on from some V (length D).
func (f *Follower) Place(ctx context.Context, v []float64) {
	if f.solver.r == 0 {
		return
	}
	copy(f.stand(ctx, v).v.RawRowView(0), v)
	f.warm = true
}

// Embed embeds a right-hand side of length D. Errors are a wrong length, numbers that are not finite, and ctx's.
func (f *Follower) Embed(ctx context.Context, a []float64) (*Point, error) {
	s := f.solver
	if s.r > 0 && len(a) != s.dim {
		return nil, fmt.Errorf("polar: a right-hand side of dimension %d, the operator's is %d", len(a), s.dim)
	}
	if err := checkRows(mat.NewDense(1, len(a), a), 0, 1, len(a)); err != nil {
		return nil, err
	}
	if s.r == 0 {
		p := &Point{Iota: slices.Clone(a), Value: dot(a, a) / s.problem.Alpha / 2}
		floats.Scale(1/s.problem.Alpha, p.Iota)
		return p, nil
	}
	n := f.stand(ctx, a)
	if f.shift == nil && dot(a, a) == 0 {
		clear(n.v.RawRowView(0))
		f.warm = true
	}
	return f.embed()
}

// stand makes the newton ready for a right-hand side.
func (f *Follower) stand(ctx context.Context, a []float64) *newton {
	if f.newton == nil {
		n := f.solver.standing()
		f.newton = &n
	}
	n := f.newton
	n.ctx, n.a = ctx, append(n.a[:0], a...)
	return n
}

// embed minimizes α/2‖V‖² − ⟨a, V⟩ + env(AV) from the last V on, by Newton's method. This is ψ of the method of
// multipliers with the shift as c.
func (f *Follower) embed() (*Point, error) {
	n, s := f.newton, f.solver
	shifted := f.shiftTo()
	defer n.borrow()()
	if !f.warm {
		if err := f.Surrogate(n.ctx, n.v, mat.NewDense(1, s.dim, n.a)); err != nil {
			return nil, err
		}
	}
	s.problem.A.Apply(n.av, n.v)
	env, err := f.descend()
	if err != nil {
		return nil, err
	}
	f.warm = true
	v := n.v.RawRowView(0)
	out := &Point{Iota: slices.Clone(v), Multipliers: slices.Clone(n.y.RawRowView(0)), Value: s.problem.Alpha/2*dot(v, v) + (env - shifted)}
	s.problem.Gauge.Repair(out.Multipliers)
	return out, nil
}

// shiftTo sets β and c for the envelope, and returns Σ c²/2βW.
func (f *Follower) shiftTo() float64 {
	n := f.newton
	n.beta = f.beta
	c := n.c.RawRowView(0)
	clear(c)
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
		if f.Spent() || limits.Over(n.ctx) {
			break
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
		n.active = n.terms.Active(n.active[:0])
		n.dv.Scale(-1, n.grad)
		if err := f.solve(n.ctx, n.dv, f.loose.Step); err != nil {
			return 0, err
		}
		// Half the Newton decrement estimates how far ψ can still fall.
		if -dot(g, n.dv.RawRowView(0)) <= 2*f.loose.Value {
			return env, nil
		}
		next, moved := n.search(env)
		if env = next; !moved {
			break
		}
	}
	env = n.value(n.av.RawRowView(0))
	n.gradient()
	return env, nil
}

// Differentiate sets the rows of dst to the derivatives of ι along those of da (both B×D) at the last right-hand
// side, (αI + AᵀSA)⁻¹da. Here S = βW ∂(u − prox u)/∂u at u = AV + c/βW, c being the shift. A single direction may be as
// inexact as the follower is loose, several may not.
//
// For β → ∞ it is the top left block of the inverse of [αI, AᵀS; A, S/βW − I]: da = α dV + Aᵀdc, where dc moves c along
// the graph of ∂½ρ². If ρ has a kink at AV, dV stays in it. For R² = Σ_g w_g max_{j∈g} t_j² this is the system of the
// paper's appendix over the rows that attain the maxima, corrected.
func (f *Follower) Differentiate(ctx context.Context, dst, da *mat.Dense) error {
	s := f.solver
	if s.r == 0 || f.newton == nil || !f.warm {
		dst.Scale(1/s.problem.Alpha, da)
		return ctx.Err()
	}
	n := f.newton
	n.ctx = ctx
	defer n.borrow()()
	s.problem.A.Apply(n.av, n.v)
	f.shiftTo()
	n.value(n.av.RawRowView(0))
	n.active = n.terms.Active(n.active[:0])
	dst.Copy(da)
	return f.solve(ctx, dst, f.loose.Derivative)
}

// solve replaces rows x by (αI + AᵀSA)⁻¹x. If x is a single row and end > 0, conjugate gradients first try to reach a
// relative residual of end, preconditioned by the factor of an earlier point. If the system is too large for a factor,
// it solves all rows by conjugate gradients to rounding error.
func (f *Follower) solve(ctx context.Context, x *mat.Dense, end float64) error {
	n := f.newton
	count, dim := len(n.active), n.solver.dim
	b, _ := x.Dims()
	work := WorkOf(n.solver.r, dim, count)
	n.work += float64(b) * work.Vectors / productSpeed
	if count > 0 && dim <= finishOrder && count <= finishNumbers/dim {
		rows := n.activeRows()
		if f.kept != nil && end > 0 && b == 1 {
			if v, ok := conjugate(x.RawRowView(0), end, keptIterations, f.byKept, n.byRows(rows)); ok {
				copy(x.RawRowView(0), v)
				return ctx.Err()
			}
		}
		n.work += work.Matrices / productSpeed
		chol, err := n.byColumns(rows)
		if err != nil {
			return err
		}
		f.kept = &chol
		solveRows(chol, x.RawMatrix())
		return ctx.Err()
	}
	if n.solve(x) {
		return ctx.Err()
	}
	before, err := n.solver.factor(ctx, 0)
	for i := 0; i < b && err == nil; i++ {
		v, _ := conjugate(x.RawRowView(i), looseEnd, looseIterations, func(dst []float64) {
			err = before.Solve(ctx, mat.NewDense(1, dim, dst), mat.NewDense(1, dim, dst))
		}, n.byOperator)
		copy(x.RawRowView(i), v)
	}
	return err
}

// byKept solves for x in place by the factor of an earlier point.
func (f *Follower) byKept(x []float64) {
	blas64.Trsv(blas.Trans, *f.kept, vector(x))
	blas64.Trsv(blas.NoTrans, *f.kept, vector(x))
}

// byRows returns what sets dst to (αI + AᵀSA)x, given the active rows of A.
func (n *newton) byRows(rows *mat.Dense) func(dst, x []float64) {
	in, out := mat.NewDense(len(n.active), 1, nil), mat.NewDense(len(n.active), 1, nil)
	return func(dst, x []float64) {
		blas64.Gemv(blas.NoTrans, 1, rows.RawMatrix(), vector(x), 0, vector(in.RawMatrix().Data))
		n.respond(out, in)
		copy(dst, x)
		blas64.Gemv(blas.Trans, 1, rows.RawMatrix(), vector(out.RawMatrix().Data), n.solver.problem.Alpha, vector(dst))
	}
}

// byOperator sets dst to (αI + AᵀSA)x by products with all of A.
func (n *newton) byOperator(dst, x []float64) {
	wide := mat.NewDense(1, n.solver.r, nil)
	n.solver.problem.A.Apply(wide, mat.NewDense(1, len(x), x))
	in, out := mat.NewDense(len(n.active), 1, nil), mat.NewDense(len(n.active), 1, nil)
	for k, j := range n.active {
		in.Set(k, 0, wide.At(0, j))
	}
	n.respond(out, in)
	wide.Zero()
	for k, j := range n.active {
		wide.Set(0, j, out.At(k, 0))
	}
	n.solver.problem.A.ApplyT(mat.NewDense(1, len(dst), dst), wide)
	floats.AddScaled(dst, n.solver.problem.Alpha, x)
}

// conjugate returns M⁻¹x to a relative residual of end, by at most so many conjugate gradients. It reports whether these
// were enough. precondition replaces a vector, product sets dst to Mx.
func conjugate(x []float64, end float64, most int, precondition func(x []float64), product func(dst, x []float64)) (v []float64, ok bool) {
	v = make([]float64, len(x))
	p, mp, solved, rest := slices.Clone(v), slices.Clone(v), slices.Clone(v), slices.Clone(x)
	first, along := math.Sqrt(dot(x, x)), 0.0
	for k := 0; ; k++ {
		if math.Sqrt(dot(rest, rest)) <= end*first {
			return v, true
		}
		if k == most {
			return v, false
		}
		copy(solved, rest)
		precondition(solved)
		next := dot(rest, solved)
		if k > 0 {
			blas64.Scal(next/along, vector(p))
		}
		blas64.Axpy(1, vector(solved), vector(p))
		along = next
		product(mp, p)
		step := along / dot(p, mp)
		blas64.Axpy(step, vector(p), vector(v))
		blas64.Axpy(-step, vector(mp), vector(rest))
	}
}

// vector returns x as a vector of package blas64.
func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
