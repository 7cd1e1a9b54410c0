package polar

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A Follower embeds one right-hand side after another, each a little from the last. It goes on from where the last
// one ended, by Newton steps of the method of multipliers. It begins anew if that does not reach the gap. It also
// differentiates the embedding at the last right-hand side. Only one goroutine may use it at a time.
//
// It may be softened: then ½ρ² becomes its Moreau envelope min_t ½ρ(t)² + (β/2) Σ W (t − u)². The envelope is half
// the square of a gauge, too, as both terms are homogeneous. It is a little smaller, and differentiable. So ι is
// one-to-one, and its derivative positive definite.
//
// The envelope may be shifted, as in the method of multipliers: it is taken at u + c/βW instead of u, less Σ c²/2βW.
// If c are the multipliers of the embedding without an envelope, both embeddings are the same, whatever β.
type Follower struct {
	solver *Solver
	newton *newton
	// warm says that v and c are those of an embedding.
	warm bool
	// soft is the β of the envelope; 0 means ρ as it is.
	soft  float64
	shift []float64
	loose Looseness
	// kept factors αI + AᵀSA at an earlier point, and preconditions conjugate gradients.
	kept *blas64.Triangular
	// Steps and Anew count Newton steps, and how often it had to begin anew.
	Steps, Anew int
}

const (
	// followBeta is the β with which a follower goes on, tangentBeta that with which it differentiates.
	followBeta  = 1e2
	tangentBeta = 1e4
)

// NewFollower prepares to embed under a norm, each right-hand side to a relative gap, by at most so many
// iterations; 0 means 1e-6 and 2000.
func NewFollower(ctx context.Context, p Problem, gap float64, iterations int) (*Follower, error) {
	s, err := New(ctx, p, Settings{Gap: gap, MaxIterations: iterations, Multipliers: true, Double: true, Block: 1})
	if err != nil {
		return nil, err
	}
	return &Follower{solver: s}, nil
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
	// Lower and Upper bound ‖a‖² = ⟨a, ι⟩ in the dual norm; Lower is ⟨a, Iota⟩ = J(Iota). Under a shifted envelope
	// they bound no norm.
	Lower, Upper float64
	// Value is ½J(Iota), with the envelope in place of ½ρ² if there is one.
	Value float64
}

// Gap returns Upper/Lower − 1, or +Inf if nothing is proved of a right-hand side that is not zero.
func (p *Point) Gap() float64 {
	if p.Upper == 0 {
		return 0
	}
	return (&certificate{lower: p.Lower, upper: p.Upper}).gap()
}

// Soften makes the follower embed under the envelope of some β > 0; 0 means ρ as it is. The shift has length r, and
// is kept, not copied; nil means no shift.
func (f *Follower) Soften(beta float64, shift []float64) { f.soft, f.shift = beta, shift }

// A Looseness says how far embeddings under an envelope, and their derivatives, may be off. The zero value means
// rounding error.
type Looseness struct {
	// Value is about how far ½J(V) − ⟨a, V⟩ may lie above its minimum.
	Value float64
	// Derivative and Step are the relative errors, in the residual, of derivatives in single directions and of Newton
	// steps.
	Derivative, Step float64
}

// Loosen sets how exact embeddings under an envelope have to be.
func (f *Follower) Loosen(l Looseness) { f.loose = l }

// Forget makes the follower begin anew, but keeps its counts.
func (f *Follower) Forget() {
	*f = Follower{solver: f.solver, Steps: f.Steps, Anew: f.Anew}
}

// Place makes the follower go on from some V (length D) and multipliers (length r); nil multipliers mean zero.
func (f *Follower) Place(ctx context.Context, v, c []float64) {
	if f.solver.r == 0 {
		return
	}
	n := f.stand(ctx, v)
	copy(n.v.RawRowView(0), v)
	clear(n.c.RawRowView(0))
	copy(n.c.RawRowView(0), c)
	f.warm = true
}

// Embed embeds a right-hand side of length D. A gap that is not reached is no error: the Point reports it. Errors are
// a wrong length, numbers that are not finite, and ctx's.
func (f *Follower) Embed(ctx context.Context, a []float64) (*Point, error) {
	s := f.solver
	if s.r > 0 && len(a) != s.dim {
		return nil, fmt.Errorf("polar: a right-hand side of dimension %d, the operator's is %d", len(a), s.dim)
	}
	if err := checkRows(mat.NewDense(1, len(a), a), 0, 1, len(a)); err != nil {
		return nil, err
	}
	if s.r == 0 {
		p := &Point{Iota: make([]float64, len(a)), Lower: dot(a, a) / s.problem.Alpha}
		p.Upper, p.Value = p.Lower, p.Lower/2
		for i, v := range a {
			p.Iota[i] = v / s.problem.Alpha
		}
		return p, nil
	}
	n := f.stand(ctx, a)
	if f.soft > 0 && (f.shift != nil || dot(a, a) > 0) {
		return f.embedSoft()
	}
	if dot(a, a) == 0 {
		return f.rest(), nil
	}
	before := n.steps
	if f.warm {
		if n.certify(); n.task.cert.gap() <= s.settings.Gap {
			return f.settle(), nil
		}
		n.beta = followBeta
		if err := n.run(); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.Steps += n.steps - before
	if n.task.cert.gap() > s.settings.Gap {
		if err := f.anew(ctx, a); err != nil {
			return nil, err
		}
	}
	f.warm = true
	return f.settle(), nil
}

// stand makes the newton ready for a right-hand side.
func (f *Follower) stand(ctx context.Context, a []float64) *newton {
	s := f.solver
	if f.newton == nil {
		n := s.standing()
		f.newton = &n
	}
	n := f.newton
	n.ctx, n.a, n.steps = ctx, append(n.a[:0], a...), 0
	n.task = &task{a: n.a, cert: certificate{upper: math.Inf(1), iota: make([]float64, s.dim), c: make([]float64, s.r)}}
	return n
}

// rest returns the embedding of zero.
func (f *Follower) rest() *Point {
	n := f.newton
	clear(n.v.RawRowView(0))
	clear(n.c.RawRowView(0))
	f.warm = true
	return &Point{Iota: make([]float64, f.solver.dim), Multipliers: make([]float64, f.solver.r)}
}

// anew embeds without regard to earlier right-hand sides, and keeps the better bounds.
func (f *Follower) anew(ctx context.Context, a []float64) error {
	f.Anew++
	out, err := f.solver.Solve(ctx, mat.NewDense(1, len(a), a))
	if err != nil {
		return err
	}
	f.Steps += out.Newton[0]
	n := f.newton
	v, c := out.Iota, out.Multipliers
	n.solver.problem.A.Apply(n.av, v)
	n.solver.problem.A.ApplyT(n.q, c)
	n.task.cert.primal(n.solver.measured, n.a, v.RawRowView(0), n.av.RawRowView(0))
	n.task.cert.dual(n.solver.measured, n.a, c.RawRowView(0), n.q.RawRowView(0))
	return nil
}

// settle moves to the best that is known of the right-hand side, and returns it.
func (f *Follower) settle() *Point {
	n := f.newton
	k := &n.task.cert
	copy(n.v.RawRowView(0), k.iota)
	copy(n.c.RawRowView(0), k.c)
	return &Point{Iota: k.iota, Multipliers: k.c, Lower: k.lower, Upper: k.upper, Value: k.lower / 2}
}

// Differentiate sets the rows of dst to the derivatives of ι along those of da (both B×D) at the last right-hand
// side. dι/da is symmetric with eigenvalues between 0 and 1/α, and an element of the generalized Jacobian if ι has a
// kink. It is the top left block of the inverse of
//
//	[ αI   AᵀS  ]
//	[ A   N − I ]        S = βWN,  N = ∂(u − prox u)/∂u at u = AV + c/(βW).
//
// That is, da = α dV + Aᵀdc, where dc moves c along the graph of ∂½ρ². If ρ has a kink at AV, dV stays in it. For R²
// = Σ_g w_g max_{j∈g} t_j² this is the system of the paper's appendix over the rows that attain the maxima,
// corrected.
//
// The method of multipliers solves it, all of whose steps have the same matrix αI + AᵀSA. For a softened ρ the
// derivative is (αI + AᵀSA)⁻¹. A single direction may then be as inexact as the follower is loose, several may not.
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
	if f.soft > 0 {
		return f.differentiateSoft(ctx, dst, da)
	}
	n.beta = tangentBeta
	n.value(n.av.RawRowView(0))
	n.active = n.terms.Active(n.active[:0])
	t, err := n.tangent(true)
	if err != nil {
		return err
	}
	return t.solve(ctx, dst, da, tangentSteps)
}
