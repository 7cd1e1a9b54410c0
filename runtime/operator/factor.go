package operator

import (
	"context"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

const (
	// mostDense is the largest dimension of a matrix that is factored; beyond it systems are solved by conjugate
	// gradients.
	mostDense = 12000
	// lowRank and lowMemory bound the number of functionals, over the dimension, up to which Woodbury's identity
	// serves. Below lowRank a solve costs less than a product with M⁻¹. Below lowMemory it takes less memory, for
	// dimensions whose M⁻¹ would take too much.
	lowRank, lowMemory = 0.2, 0.7
)

// Factor prepares solves with M = αI + Aᵀ diag(w) A, α > 0, for w ≥ 0 of one weight per functional. Labels that no
// functional couples are systems of their own. Each is solved in the cheapest of four ways:
//
//   - If every label has the same rows, coupled by one matrix C up to a factor D_k for row k (logic), then
//     M = αI + C ⊗ ΨᵀDΨ. Two eigendecompositions serve every α and every multiple of w. Of hundreds of labels and more, of
//     which few touch each other, C is eliminated instead.
//   - For few functionals it uses the Woodbury identity.
//   - It assembles M and inverts it by Cholesky, so that a solve is one matrix product.
//   - Above dimension 12,000 it uses conjugate gradients, preconditioned by the labels' own blocks, to a residual of
//     1e-10 of the right-hand side.
//
// The Gram matrix of the last w is kept, and serves its multiples. Factor returns polar.ErrIndefinite if the weights are
// too large beside α for floating point, and ctx's error when ctx ends.
func (a *Operator) Factor(ctx context.Context, alpha float64, w []float64) (polar.Factor, error) {
	f, err := factorOf(ctx, a, alpha, w, plan.factor)
	if err != nil {
		return nil, err
	}
	return double{f}, nil
}

// Factor32 prepares solves in single precision. It factors in double precision and keeps in single only what solves
// need.
func (a *Operator) Factor32(ctx context.Context, alpha float64, w []float64) (polar.Factor32, error) {
	f, err := factorOf(ctx, a, alpha, w, plan.factor32)
	if err != nil {
		return nil, err
	}
	return single{f}, nil
}

// factorOf checks its arguments, finds the plan and factors by it.
func factorOf[T number](ctx context.Context, a *Operator, alpha float64, w []float64,
	factor func(p plan, ctx context.Context, alpha float64) (solver[T], error),
) (solver[T], error) {
	if err := checkWeights(a, alpha, w); err != nil {
		return nil, err
	}
	// M = β((α/β)I + AᵀW′A) with max W′ = 1. So one plan serves all multiples of w, which differ only in α/β.
	beta := 0.0
	if len(w) > 0 {
		beta = floats.Max(w)
	}
	if beta == 0 || len(a.columns) == 0 {
		return scaled[T](1 / alpha), nil
	}
	shape := make([]float64, len(w))
	floats.ScaleTo(shape, 1/beta, w)
	p, err := a.cache.plan(ctx, a, shape)
	if err != nil {
		return nil, err
	}
	f, err := factor(p, ctx, alpha/beta)
	if err != nil {
		return nil, err
	}
	// M⁻¹ = (M/β)⁻¹/β.
	return multiple[T]{f, T(1 / beta)}, nil
}

// checkWeights returns an error that names the first argument out of range.
func checkWeights(a *Operator, alpha float64, w []float64) error {
	if len(w) != a.functionals {
		return fmt.Errorf("operator: %d weights for %d functionals", len(w), a.functionals)
	}
	if !(alpha > 0) || math.IsInf(alpha, 0) {
		return fmt.Errorf("operator: α is %g; it must be positive", alpha)
	}
	for i, v := range w {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("operator: the weight of functional %d is %g; it must be finite and not negative", i, v)
		}
	}
	return nil
}

// double makes a polar.Factor of a solver.
type double struct{ solver[float64] }

// Solve sets dst to b·M⁻¹; it implements polar.Factor.
func (f double) Solve(ctx context.Context, dst, b *mat.Dense) error {
	return f.solve(ctx, denseMatrix(dst), denseMatrix(b))
}

// single makes a polar.Factor32 of a solver.
type single struct{ solver[float32] }

// Solve32 sets dst to b·M⁻¹; it implements polar.Factor32.
func (f single) Solve32(ctx context.Context, dst, b blas32.General) error {
	return f.solve(ctx, singleMatrix(dst), singleMatrix(b))
}

// A cache keeps the plan of the last shape of w, and the operator's parts. The solver's step β multiplies w as a
// whole, so that a new step asks for a new factor but no new plan.
type cache struct {
	mu sync.Mutex
	// shape is the w of the last plan over its largest element.
	shape []float64
	last  plan
	once  sync.Once
	// parts are the operator's parts, found once.
	parts []*Part
	// shared says how labels are coupled, found once.
	sharing sync.Once
	shared  sharing
	// root is that of the last w for which it was sought.
	root rooted
}

// A sharing says how labels that share all rows are coupled, where one matrix does it: by a sparse one, or by any.
type sharing struct {
	sparse *elimination
	dense  bool
}

// plan returns the plan for w, whose largest element is 1.
func (c *cache) plan(ctx context.Context, a *Operator, w []float64) (plan, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last != nil && sameShape(c.shape, w) {
		return c.last, nil
	}
	c.shape, c.last = nil, nil // make room first
	p, err := newPlan(ctx, a, w)
	if err != nil {
		return nil, err
	}
	c.shape, c.last = w, p
	return p, nil
}

// sameShape reports whether two weightings agree up to the rounding of a common factor. Each weight is a quotient of
// products, with a relative error of a few units in the last place.
func sameShape(v, w []float64) bool {
	for i := range v {
		if math.Abs(v[i]-w[i]) > 1e-14*w[i] {
			return false
		}
	}
	return true
}

// newPlan chooses the cheapest plan for w.
func newPlan(ctx context.Context, a *Operator, w []float64) (plan, error) {
	// The structure C ⊗ G costs least of all, and is lost once an operator is split.
	if p, err := newKronecker(ctx, a, w); p != nil || err != nil {
		return p, err
	}
	parts := a.Parts()
	// One part with all labels is the operator itself.
	if len(parts) == 1 && len(parts[0].Labels) == a.labels {
		return onePlan(ctx, a, w)
	}
	p := &splitPlan{whole: a}
	for _, part := range parts {
		sub, err := onePlan(ctx, part.Operator, part.pick(w))
		if err != nil {
			return nil, err
		}
		p.parts, p.plans = append(p.parts, part), append(p.plans, sub)
	}
	return p, nil
}

// onePlan returns the cheapest plan that memory allows for an operator whose labels are coupled.
func onePlan(ctx context.Context, a *Operator, w []float64) (plan, error) {
	active := 0 // functionals that are not zero and have a positive weight
	for i, v := range w {
		if v > 0 && a.start[i] < a.start[i+1] {
			active++
		}
	}
	switch wayFor(a, active) {
	case wayZero:
		return zeroPlan{}, nil
	case wayWoodbury:
		return newWoodbury(ctx, a, w)
	case wayDense:
		return newDense(ctx, a, w)
	default:
		return newIterative(ctx, a, w)
	}
}

// A way to solve.
type way int

const (
	wayZero way = iota
	wayWoodbury
	wayDense
	wayIterative
)

// wayFor returns the cheapest way for so many functionals that are not zero and have a positive weight.
func wayFor(a *Operator, active int) way {
	dim, share := a.labels*a.dim, lowRank
	if dim > mostDense {
		share = lowMemory
	}
	switch {
	case active == 0:
		return wayZero
	// The matrix to invert has the order of the active functionals there, of all labels' features below.
	case float64(active) < share*float64(dim) && active <= mostDense:
		return wayWoodbury
	case dim <= mostDense:
		return wayDense
	}
	return wayIterative
}

// zeroPlan is the plan of A = 0.
type zeroPlan struct{}

// factor returns multiplication by 1/α.
func (zeroPlan) factor(_ context.Context, alpha float64) (solver[float64], error) {
	return scaled[float64](1 / alpha), nil
}

// factor32 returns multiplication by 1/α.
func (zeroPlan) factor32(_ context.Context, alpha float64) (solver[float32], error) {
	return scaled[float32](1 / alpha), nil
}
