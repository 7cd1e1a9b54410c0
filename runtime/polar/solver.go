package polar

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"golang.org/x/sync/semaphore"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A Solver solves for one norm and many right-hand sides. Only one goroutine may use it at a time.
type Solver struct {
	problem  Problem
	settings Settings
	r, dim   int
	// most bounds the multiplications for a right-hand side.
	most float64
	// scaled is the gauge in the metric W, and metric is W, constant on every block that the gauge couples.
	scaled *gauge.Node
	metric []float64

	measured *Measure

	// factoring is held while a factor is made; all that need the factor wait.
	factoring sync.Mutex
	levels    map[int]Factor
	levels32  map[int]Factor32
	byValues  func() *values // nil where iterations hold V
	descends  bool           // right-hand sides may begin with a descent

	// finishing limits the numbers that Newton steps take at once.
	finishing *semaphore.Weighted

	wide sync.Pool // *room[float64]

	mu     sync.Mutex
	proxes []*gauge.Prox
}

// New checks the problem and prepares to solve it. It fails if α is not positive, or if gauge, operator and curves do
// not fit together.
func New(ctx context.Context, problem Problem, settings Settings) (*Solver, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &Solver{problem: problem, settings: settings, levels: map[int]Factor{}, levels32: map[int]Factor32{}, finishing: semaphore.NewWeighted(finishTotal)}
	if !(problem.Alpha > 0) || math.IsInf(problem.Alpha, 0) {
		return nil, fmt.Errorf("polar: alpha is %v; it must be positive", problem.Alpha)
	}
	if err := s.settings.fill(); err != nil {
		return nil, err
	}
	if problem.Gauge == nil {
		s.problem.A = nil
		s.measured = NewMeasure(s.problem)
		return s, nil
	}
	if problem.A == nil {
		return nil, errors.New("polar: a gauge without an operator")
	}
	if err := problem.Gauge.Validate(); err != nil {
		return nil, err
	}
	s.r, s.dim = problem.A.Dims()
	if size := problem.Gauge.Size(); size != s.r {
		return nil, fmt.Errorf("polar: the gauge has %d leaves, the operator %d functionals", size, s.r)
	}
	if c := problem.Curves; c != nil && c.leaves != s.r {
		return nil, fmt.Errorf("polar: curves among %d leaves, the operator has %d functionals", c.leaves, s.r)
	}
	if problem.Curves.Integrals() {
		return nil, errors.New("polar: integrals over an interval are solved at their nodes, and certified afterwards")
	}
	s.measured = NewMeasure(problem)
	s.scaled, s.metric = problem.Gauge.Separate((*gauge.Node).Surrogate)
	if s.most = mostWork * problem.Work(s.settings.MaxIterations); s.settings.MaxWork > 0 {
		s.most = min(s.most, s.settings.MaxWork)
	}
	s.descends = descends(s.r, storedRows(problem.A), s.dim, gauge.Work(problem.Gauge))
	s.byValues = sync.OnceValue(func() *values { return newValues(s) })
	return s, nil
}

// mostWork bounds the multiplications for a right-hand side, as a multiple of those that its iterations usually take. Iterations alone
// would bound nothing where a proximal map searches for long.
const mostWork = 10

// spent reports whether a task has had the iterations, or the work, that is allowed.
func (s *Solver) spent(t *task) bool {
	return t.iterations >= s.settings.MaxIterations || t.work > s.most
}

// A task that has had patience iterations in float64 ends where its gap seems to need vain times those that are left, or more.
// Such tasks are those of weights that all but forbid a violation. Their last iterations would cost most, and bring next to
// nothing.
const (
	patience = 600
	vain     = 5
)

// inVain reports whether the iterations that are left would not bring a task to its gap.
func (s *Solver) inVain(t *task) bool {
	return t.iterations-t.precise >= patience && t.watch.remaining(s.settings.Gap) > vain*float64(s.settings.MaxIterations-t.iterations)
}

// checkRows returns an error if right-hand sides have the wrong shape or are not finite.
func checkRows(a *mat.Dense, lo, hi, dim int) error {
	if b, d := a.Dims(); b != hi-lo || d != dim {
		return fmt.Errorf("polar: %d×%d right-hand sides where %d×%d were wanted", b, d, hi-lo, dim)
	}
	for i := range hi - lo {
		for j, v := range a.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("polar: right-hand side %d has %v at place %d", lo+i, v, j)
			}
		}
	}
	return nil
}

// NewResult allocates a result for b right-hand sides.
func (s *Solver) NewResult(b, dim int) *Result {
	out := &Result{
		Iota: newDense(b, dim), Gap: make([]float64, b), Norm2: make([]float64, b), Value: make([]float64, b),
		Iterations: make([]int, b), Newton: make([]int, b), Work: make([]float64, b), Status: make([]Status, b),
	}
	if s.settings.Multipliers && s.r > 0 {
		out.Multipliers = newDense(b, s.r)
	}
	return out
}

// newDense returns a matrix of zeros, which may have no rows.
func newDense(r, c int) *mat.Dense {
	if r == 0 || c == 0 {
		return &mat.Dense{}
	}
	return mat.NewDense(r, c, nil)
}

// top returns the first n rows of m.
func top(m *mat.Dense, n int) *mat.Dense { return span(m, 0, n) }

// span returns the rows lo … hi−1 of m, in the same memory, lo < hi.
func span(m *mat.Dense, lo, hi int) *mat.Dense {
	raw := m.RawMatrix()
	raw.Data = raw.Data[lo*raw.Stride : (hi-1)*raw.Stride+raw.Cols]
	raw.Rows = hi - lo
	var part mat.Dense
	part.SetRawMatrix(raw)
	return &part
}
