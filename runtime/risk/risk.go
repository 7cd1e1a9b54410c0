package risk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Problem is P without the weight of the loss and the rows that it is summed over.
type Problem struct {
	Alpha float64 // α > 0
	// A holds the functionals of the gauge and after them f(x_i, y) for every row and label, labels fastest. Each row is
	// followed by its copies.
	A polar.Operator
	// Roots are those of A; nil means that they are not known.
	Roots polar.Roots
	// Gauge is ρ; nil means ρ = 0. The ρ² that is meant differs from that of A by Off·‖V‖² at most, 0 where A has it. Bounds hold for the one that is meant.
	Gauge *gauge.Node
	Off   float64
	// Curves say where ρ means a maximum or a norm over a whole interval; nil means nowhere. The problem is then
	// solved at the nodes, to half of the gap, and both bounds are computed for the interval.
	Curves  *polar.Curves
	Targets *learn.Targets
	// Features of many rows do not fit into memory, and squared losses need no more than their sums.
	//
	// Squares has what stands for the rows where losses are squares; nil means that they stand for themselves. Scores of its rows are behind R's
	// functionals then, and so are those of results.
	Squares *Squares
	// Passing has the rows where they pass by, and A has R's functionals alone then. Scores and slopes of results mean nothing.
	Passing *Passing
	// parabolas stand for the rows where they pass by, in a step.
	parabolas *parabolas
	// Copies is how many copies each row has. A row's loss is the largest among those of its own scores and its copies'. With 0
	// it is its own.
	Copies int
	// Labels is m, 1 if f is a function of x alone.
	Labels int
	// Bias is the size of the constant feature, the last one of every label; 0 means that there is no such feature.
	Bias float64
}

// Squares are few rows of which squared losses are those of all rows: ½ΣΣ_y (s_iy − t_iy)² over all is off by at most ½(Off·‖V‖² + Base).
type Squares struct {
	Targets   *mat.Dense // k×m
	Off, Base float64
}

// Settings say how far to go. The zero value is the default.
type Settings struct {
	// Gap is the gap to reach, as a share of P; 0 means 1e-3.
	Gap float64
	// MaxIterations bounds iterations and Newton steps; 0 means 5000.
	MaxIterations int
}

// A Result is a solution and its certificate.
type Result struct {
	V []float64 // m·d, label by label
	// Upper ≥ P(V) and Lower ≤ min P, rounding errors counted. Gap is their difference as a share of Upper, NaN if
	// Lower > Upper.
	Upper, Lower, Gap float64
	// Rounding is the part of Gap at the nodes that accounts for rounding errors; 0 if it is not known.
	Rounding   float64
	Iterations int
	Learnt     bool // a linear learner alone found it, whose steps Iterations counts; false where iterations went on from there
	Converged  bool // the gap that was asked for is reached
	Cut        bool // it is not, and proximal maps were cut off: see [gauge.Prox.Cut]
	// Between is the part of the gap that lies between the nodes of curves. Slack is the part of that by errors of
	// interpolation.
	Between, Slack float64

	// Floor ≤ min P among the V that keep the bounds of all cuts, without margins. It is −Inf for label sets, which keep none.
	Floor float64
	// Multipliers are the h of cuts that attain Floor, and Values the ⟨b_k, V⟩.
	Multipliers, Values []float64

	Scores []float64 // n×m, φ(x_i)ᵀV e_y of the rows themselves
	// Slopes are n×m: the multipliers g of the losses that attain Lower, and Floor where there are cuts; nil if they are not kept. A row's copies are behind it.
	Slopes []float64
	// Shares are the weights λ of each row and its copies with which Slopes attain Lower; nil without copies.
	Shares []float64

	z     []float64
	level int
	// passed is the pass whose slopes attain Lower, and kept the smaller scale of each label's.
	passed *passed
	kept   []float64
	// c are the multipliers of all functionals at the end, if they were asked for. So are best, which attain Lower, or Floor where there are cuts.
	c, best []float64
	// finished says that Newton's method solved it, which a similar request then tries at once.
	finished bool
}

// Excess bounds by how much P(V) lies above the minimum: +Inf if the bounds prove nothing.
func (r *Result) Excess() float64 {
	if !(r.Upper >= r.Lower) {
		return math.Inf(1)
	}
	return (r.Upper - r.Lower) * (1 + gamma(0))
}

// Restart returns a result from which a request with other cuts starts: V and multipliers stand, and the iterations begin from there.
func (r *Result) Restart() *Result {
	out := *r
	out.z = nil
	return &out
}

// Carry returns a result of another problem as one from which a request to a solver starts. Both have the same rows and dimensions. Functional j of its
// gauge is functional from[j] of that; −1 stands for one that it did not have. It returns nil if the result has nothing to carry.
func Carry(s *Solver, r *Result, from []int) *Result {
	scores := s.n * s.width
	if s.problem.Passing != nil && len(r.V) == s.dim {
		return &Result{V: r.V}
	}
	if r.c == nil || len(from) != s.r || len(r.V) != s.dim || len(r.c) < scores || s.cuts != nil {
		return nil
	}
	out := &Result{V: r.V, level: r.level, c: make([]float64, s.r+scores)}
	for j, k := range from {
		if k >= 0 {
			out.c[j] = r.c[k]
		}
	}
	copy(out.c[s.r:], r.c[len(r.c)-scores:])
	return out
}

// A Solver solves for any weights of the loss and subsets of rows. Only one goroutine may use it at a time.
type Solver struct {
	problem   Problem
	settings  Settings
	r, n, dim int // functionals of the gauge, rows, dimensions
	width     int // scores of a row and its copies

	scaled  *gauge.Node
	prox    *gauge.Prox
	measure *polar.Measure
	// metric is W for a loss of weight 1.
	metric []float64
	// factors are those of the last steps, the latest last.
	factors []stepFactor
	// base is A without cuts, and bases has its factors by the last weight.
	base  polar.Operator
	bases map[float64]polar.Factor
	cuts  *Cuts
	// direct is the last factor for squares.
	direct direct
	// isometry takes a quadratic R away, once it was looked for; nil means that there is none.
	isometry *isometry
	looked   bool
	// passed is the last pass.
	passed *passed
}

// New checks the problem and prepares to solve it. It fails if α is not positive, or if operator, gauge, targets and
// labels do not fit together.
func New(p Problem, s Settings) (*Solver, error) {
	if err := s.fill(); err != nil {
		return nil, err
	}
	if !(p.Alpha > 0) || math.IsInf(p.Alpha, 0) {
		return nil, fmt.Errorf("risk: alpha is %v; it must be positive", p.Alpha)
	}
	if p.A == nil || p.Targets == nil || p.Labels < 1 || p.Copies < 0 {
		return nil, errors.New("risk: a problem needs an operator, targets and labels, and copies are not below 0")
	}
	out := &Solver{
		problem: p, settings: s, n: p.rows(), width: (1 + p.Copies) * p.Labels, base: p.A, bases: map[float64]polar.Factor{},
	}
	if err := CheckTargets(p.Targets, p.Targets.Len(), p.Labels); err != nil {
		return nil, err
	}
	if p.Gauge != nil {
		if err := p.Gauge.Validate(); err != nil {
			return nil, err
		}
		out.r = p.Gauge.Size()
	}
	var functionals int
	functionals, out.dim = p.A.Dims()
	if want := out.r + out.n*out.width; functionals != want || out.dim%p.Labels != 0 {
		return nil, fmt.Errorf("risk: the operator has %d functionals in %d dimensions; the gauge has %d leaves, and there are %d rows, %d copies of each and %d labels",
			functionals, out.dim, out.r, out.n, p.Copies, p.Labels)
	}
	out.measure = polar.NewMeasure(polar.Problem{A: p.A, Gauge: p.Gauge})
	weighGauge(out)
	out.metric = slices.Grow(out.metric, out.n*out.width)
	for range out.n * out.width {
		out.metric = append(out.metric, 1)
	}
	return out, nil
}

// Summed reports whether sums stand for rows, so that A has no scores of theirs.
func (p *Problem) Summed() bool { return p.Squares != nil || p.Passing != nil }

// rows returns how many rows losses are summed over.
func (p *Problem) rows() int {
	switch {
	case p.Passing != nil:
		return 0
	case p.parabolas != nil:
		return len(p.parabolas.weight) + p.Labels
	case p.Squares == nil:
		return p.Targets.Len()
	}
	n, _ := p.Squares.Targets.Dims()
	return n
}

// weighGauge sets the metric of R. Its blocks are as curved as ½ρ² is where one number of each maximum is the largest. A factor lets
// βAᵀWA grow with the roots of what the losses and R add to α. The alternating directions take fewest steps between the extremes of a
// curvature (Ghadimi, Teixeira, Shames and Johansson 2015).
func weighGauge(s *Solver) {
	if s.problem.Gauge == nil {
		return
	}
	s.scaled, s.metric = s.problem.Gauge.Separate((*gauge.Node).Majorant)
	curved := gaugeSize(s)
	if factor := scoreSizes(s) / math.Sqrt(float64(s.n*s.width)*curved); factor > 0 && !math.IsInf(factor, 0) {
		s.scaled = gauge.Scaled(s.scaled, 1/math.Sqrt(factor))
		floats.Scale(factor, s.metric)
	}
	s.prox = gauge.NewProx(s.scaled)
}

// probes is how many random vectors the size of R is estimated from.
const probes = 8

// gaugeSize returns about Σ_j m_j‖a_j‖², biases aside, m being the surrogate of R. The mean of Σ_j m_j⟨a_j, v⟩² over normal vectors v is
// that sum (Hutchinson 1990). Vectors of signs may all be orthogonal to the few a_j of a small problem.
func gaugeSize(s *Solver) (sum float64) {
	normal := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // equal problems must give equal results
	v, values := mat.NewDense(probes, s.dim, nil), mat.NewDense(probes, s.r+s.n*s.width, nil)
	d := s.dim / s.problem.Labels
	for k := range probes {
		for j, row := 0, v.RawRowView(k); j < len(row); j++ {
			if s.problem.Bias == 0 || j%d != d-1 {
				row[j] = normal.NormFloat64()
			}
		}
	}
	s.problem.A.Apply(values, v)
	mean := make([]float64, s.r)
	s.problem.Gauge.Surrogate(mean)
	for k := range probes {
		for j, t := range values.RawRowView(k)[:s.r] {
			sum += mean[j] * t * t / probes
		}
	}
	return sum
}

// Keep sets the cuts of all requests to come; nil means none. Factors of the operator are kept, so that a fit may add
// cuts round by round. It fails if the cuts do not fit the operator, or if the problem has intervals.
func (s *Solver) Keep(c *Cuts) error {
	if c.len() == 0 {
		c = nil
	}
	if c != nil {
		if s.problem.Curves != nil {
			return errors.New("risk: cuts beside intervals are not supported")
		}
		if err := c.check(s.dim); err != nil {
			return err
		}
	}
	if s.cuts = c; s.problem.Passing != nil {
		return nil
	}
	s.problem.A, s.factors = s.base, nil
	s.metric = s.metric[:s.r+s.n*s.width]
	if c != nil {
		s.problem.A = &cutting{base: s.base, rows: c.Rows, factor: s.baseFactor}
	}
	s.measure = polar.NewMeasure(polar.Problem{A: s.problem.A, Gauge: s.problem.Gauge})
	if c != nil {
		s.weighCuts()
	}
	return nil
}

// weighCuts gives cuts a metric by which they are as long as the scores.
func (s *Solver) weighCuts() {
	sizes := s.measure.Sizes()
	mean := 0.0
	scores := sizes[s.r : s.r+s.n*s.width]
	for _, v := range scores {
		mean += v * v / float64(len(scores))
	}
	for _, v := range sizes[s.r+len(scores):] {
		w := 1.0
		if v > 0 && mean > 0 {
			v = max(v, leastRow*math.Sqrt(mean))
			w = mean / (v * v)
		}
		s.metric = append(s.metric, w)
	}
}

// baseFactor returns the factor of the operator without cuts, which is made once for each step.
func (s *Solver) baseFactor(ctx context.Context, alpha float64, w []float64) (polar.Factor, error) {
	if f := s.bases[w[len(w)-1]]; f != nil {
		return f, nil
	}
	f, err := s.base.Factor(ctx, alpha, w)
	if err != nil {
		return nil, err
	}
	if len(s.bases) >= mostFactors {
		clear(s.bases)
	}
	s.bases[w[len(w)-1]] = f
	return f, nil
}

// Work returns about how many multiplications so many iterations may take; 0 means those of the settings.
func (s *Solver) Work(iterations int) float64 {
	a := s.problem.A
	if p := s.problem.Passing; p != nil {
		d := s.dim / s.problem.Labels
		a = p.Rows.Under(blas64.General{Rows: d, Cols: d, Stride: d, Data: make([]float64, d*d)})
	}
	return (&polar.Problem{A: a, Gauge: s.problem.Gauge}).Work(cmp.Or(iterations, s.settings.MaxIterations))
}

// fill replaces zeros by defaults. It fails on negative settings.
func (s *Settings) fill() error {
	if s.Gap < 0 || math.IsNaN(s.Gap) || s.MaxIterations < 0 {
		return fmt.Errorf("risk: settings must not be negative: gap %v, iterations %d", s.Gap, s.MaxIterations)
	}
	if s.Gap == 0 {
		s.Gap = 1e-3
	}
	if s.MaxIterations == 0 {
		s.MaxIterations = 5000
	}
	return nil
}

// A Request says what to solve for.
type Request struct {
	// Learner has the loss. Its Strength is C or λ, and must be positive.
	Learner setting.Learner
	// Rows says which rows the loss is summed over; nil means all.
	Rows []bool
	// Start is the result of a similar request, to go on from; nil means none.
	Start *Result
	// Gap is the gap to reach, and Limit bounds the iterations; 0 means that of the settings.
	Gap   float64
	Limit int
	// MaxWork bounds the multiplications; 0 means those that Limit usually takes.
	MaxWork float64
	// Carried asks for what [Solver.Carry] takes from the result.
	Carried bool
	// Brief says that a first try is enough where it is a direct solution. The gap may be missed then.
	Brief bool
	// Loose asks for the minimum with squares about the last V of a pass, where rows pass by. Its bounds are of that problem.
	Loose bool
	// Progress, if not nil, is called at every look with the number of iterations and the gap.
	Progress func(iterations int, gap float64)
}

// lossOf returns the loss of a request. It refuses a strength or a choice of rows that does not suit the problem, and losses that
// cannot have copies or cuts beside them.
func (s *Solver) lossOf(q *Request) (Loss, error) {
	if !(q.Learner.Strength > 0) || math.IsInf(q.Learner.Strength, 0) {
		return nil, fmt.Errorf("risk: the strength of %s is %v; it must be positive", q.Learner.Kind, q.Learner.Strength)
	}
	if n := s.problem.Targets.Len(); q.Rows != nil && len(q.Rows) != n {
		return nil, fmt.Errorf("risk: a choice among %d rows where there are %d", len(q.Rows), n)
	}
	if s.problem.parabolas != nil {
		return s.problem.parabolas, nil
	}
	if sq := s.problem.Squares; sq != nil {
		if q.Learner.Kind != setting.Ridge || q.Rows != nil || s.problem.Copies > 0 {
			return nil, errors.New("risk: sums over rows serve ridge alone, on all rows, without copies")
		}
		return &square{target: sq.Targets.At, weight: 1 / q.Learner.Strength}, nil
	}
	l, err := NewLoss(q.Learner, s.problem.Targets, q.Rows, q.Learner.Strength)
	if err != nil {
		return nil, err
	}
	if _, sets := l.(*setLoss); sets && s.cuts != nil {
		return nil, errors.New("risk: label sets keep no cuts; take svm, logistic or ridge")
	}
	if s.problem.Copies > 0 {
		return newWorst(l, s.n, 1+s.problem.Copies, s.problem.Labels)
	}
	return l, nil
}

// A direct solution is that of squared losses under cuts, where R² is a sum of squares, too. The problem is a quadratic program in the
// multipliers of the cuts. With H = αI + ÃᵀWÃ and b = Ãᵀc, W the weights of all functionals and c = Wt for the targets t of scores,
//
//	V = H⁻¹(b + Bᵀu),   u = argmin_{u ≥ 0} ½uᵀQu − ⟨u, l + ε − BH⁻¹b⟩,   Q = BH⁻¹Bᵀ.
//
// The factor of H serves all cuts of one strength and choice of rows.
type direct struct {
	weights []float64
	factor  polar.Factor
}
