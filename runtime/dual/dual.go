package dual

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Problem is F without the weight of the loss and the rows that it is summed over.
type Problem struct {
	Alpha float64 // α > 0
	// A holds the functionals of the gauge, in m·d dimensions, label by label.
	A polar.Operator
	// Gauge is ρ; nil means ρ = 0.
	Gauge *gauge.Node
	// Features are Φ, n×d.
	Features *mat.Dense
	Targets  *learn.Targets
	// Labels is m, 1 if f is a function of x alone.
	Labels int
	// Bias is the size of the constant feature, the last one; 0 means that there is no such feature.
	Bias float64
}

// Settings say how far to go. The zero value is the default.
type Settings struct {
	// Gap is the gap to reach, as a share of F; 0 means 1e-3.
	Gap float64
	// MaxEvaluations bounds evaluations of F and its gradient, and iterations for each of their embeddings; 0 means
	// 3000, and 2000 iterations.
	MaxEvaluations int
}

// A Result is a solution and its certificate.
type Result struct {
	// Coefficients are C, n×m; 0 at rows that do not count.
	Coefficients *mat.Dense
	V            []float64 // m·d, label by label
	Scores       []float64 // n×m, φ(x_i)ᵀV e_y
	// Slopes are n×m: the multipliers g of the losses that attain Lower.
	Slopes []float64
	// Upper ≥ P(V) and Lower ≤ min F, rounding errors counted. Gap is their difference as a share of Upper, NaN if
	// Lower > Upper.
	Upper, Lower, Gap float64
	// Inner is the certified gap of V as the embedding of ΦᵀC. V is ι(ΦᵀC) to within about √(2·Inner) of its length.
	Inner float64
	// Gradient is ‖∇F‖ of the smoothed F where L-BFGS ended, in coordinates in which the Hessian was the identity.
	// A Newton step could be expected to gain half its square.
	Gradient float64
	// Start is F where it began.
	Start       float64
	Iterations  int // of L-BFGS
	Evaluations int // of F
	// Converged says that neither Gap nor Inner is more than was asked for.
	Converged bool

	multipliers []float64 // of V, as an embedding
}

// A Solver solves for any weights of the loss and subsets of rows. Only one goroutine may use it at a time.
type Solver struct {
	problem  Problem
	settings Settings
	n, m, d  int
	follower *polar.Follower
	norm     polar.Problem
	bounds   *polar.Measure
	// sizes are ‖φ_i‖, once for every label, and errors those of scores for ‖V‖ = 1.
	sizes  []float64
	errors []float64
	// joint says that coordinates are of all coefficients.
	joint bool
}

// InnerShare is the gap of V as an embedding of ΦᵀC that is asked for, as a share of the gap of F.
const InnerShare = 0.3

// New checks the problem and prepares to solve it. It fails if operator, features, targets and labels do not fit
// together.
func New(ctx context.Context, p Problem, s Settings) (*Solver, error) {
	iterations := s.MaxEvaluations
	if err := s.fill(); err != nil {
		return nil, err
	}
	if p.Features == nil || p.Targets == nil || p.Labels < 1 {
		return nil, errors.New("dual: a problem needs features, targets and labels")
	}
	out := &Solver{problem: p, settings: s, m: p.Labels, norm: polar.Problem{Alpha: p.Alpha, A: p.A, Gauge: p.Gauge}}
	out.n, out.d = p.Features.Dims()
	if n := p.Targets.Len(); n != out.n {
		return nil, fmt.Errorf("dual: %d targets for %d rows", n, out.n)
	}
	if err := risk.CheckTargets(p.Targets, out.n, p.Labels); err != nil {
		return nil, err
	}
	if p.Gauge != nil && p.A != nil {
		if _, dim := p.A.Dims(); dim != out.m*out.d {
			return nil, fmt.Errorf("dual: the operator has %d dimensions, and there are %d labels and %d features", dim, out.m, out.d)
		}
	}
	out.joint = out.n*out.m <= mostJoint && out.n*out.m*out.m*out.d <= mostNumbers
	out.bounds = polar.NewMeasure(out.norm)
	out.lengths()
	var err error
	out.follower, err = polar.NewFollower(ctx, out.norm, iterations)
	return out, err
}

// fill replaces zeros by defaults. It fails on negative settings.
func (s *Settings) fill() error {
	if s.Gap < 0 || math.IsNaN(s.Gap) || s.MaxEvaluations < 0 {
		return fmt.Errorf("dual: settings must not be negative: gap %v, evaluations %d", s.Gap, s.MaxEvaluations)
	}
	if s.Gap == 0 {
		s.Gap = 1e-3
	}
	if s.MaxEvaluations == 0 {
		s.MaxEvaluations = 3000
	}
	return nil
}

// A Request says what to solve for.
type Request struct {
	// Learner has the loss. Its Strength is C or λ, and must be positive.
	Learner setting.Learner
	// Rows says which rows the loss is summed over, and have coefficients; nil means all.
	Rows []bool
	// Start is the result of a similar request, with another learner or of other rows, to go on from. nil means to
	// begin near what is best for a quadratic R.
	Start *Result
	// Gap is the gap to reach, and Limit bounds the evaluations; 0 means those of the settings.
	Gap   float64
	Limit int
	// MaxWork bounds the multiplications of embeddings; 0 means that nothing does.
	MaxWork float64
	// Progress, if not nil, is called at every evaluation with their number and the gap.
	Progress func(evaluations int, gap float64)
}

// Solve minimizes F. A gap that is not reached is not an error: the result says so. It fails if the request does not suit
// the problem, and with ctx's error when ctx ends.
func (s *Solver) Solve(ctx context.Context, q Request) (*Result, error) {
	if !(q.Learner.Strength > 0) || math.IsInf(q.Learner.Strength, 0) {
		return nil, fmt.Errorf("dual: the strength of %s is %v; it must be positive", q.Learner.Kind, q.Learner.Strength)
	}
	if q.Rows != nil && len(q.Rows) != s.n {
		return nil, fmt.Errorf("dual: a choice among %d rows where there are %d", len(q.Rows), s.n)
	}
	if q.Rows != nil && !slices.Contains(q.Rows, true) {
		return nil, errors.New("dual: no row counts")
	}
	loss, err := risk.NewLoss(q.Learner, s.problem.Targets, q.Rows, q.Learner.Strength)
	if err != nil {
		return nil, err
	}
	if q.Limit == 0 {
		q.Limit = s.settings.MaxEvaluations
	}
	if q.Gap == 0 {
		q.Gap = s.settings.Gap
	}
	// The result must not depend on earlier requests.
	s.follower.Forget()
	if q.MaxWork > 0 {
		s.follower.Bound(q.MaxWork)
	}
	return s.newWork(ctx, loss, &q).run(q.Start)
}

// newtonEach counts an evaluation as so many iterations of the alternating directions: it takes a few Newton steps.
const newtonEach = 5

// Work returns about how many multiplications the embeddings of so many evaluations may take; 0 means those of the settings.
func (s *Solver) Work(evaluations int) float64 {
	return s.norm.Work(newtonEach * cmp.Or(evaluations, s.settings.MaxEvaluations))
}

// chosen returns the rows that count, ascending.
func (s *Solver) chosen(rows []bool) []int {
	out := make([]int, 0, s.n)
	for i := range s.n {
		if len(rows) == 0 || rows[i] {
			out = append(out, i)
		}
	}
	return out
}
