package risk

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/optimize"

	"github.com/sipc-ml/sipc/internal/limits"
)

// A smooth problem is P(V) = ½(α‖V‖² + Σ_j w_j t_j²) + loss, t = AV, with a quadratic gauge and the loss of label
// sets. The curvature of that loss is far from even, since its probabilities come near 0 and 1. So no step of the
// multipliers suits all rows. L-BFGS (Liu and Nocedal 1989) needs no step. P is α-strongly convex, so that P − min P
// ≤ ‖∇P‖²/2α. Fenchel's dual gives the same bound at the slopes of gauge and loss.
type smooth struct {
	work *work
	ctx  context.Context //nolint:containedctx // the minimizer's callbacks take none
	// weights are w.
	weights []float64
	// at is the V that risk, slope and the work's values belong to: P and ∇P there.
	at    []float64
	slope []float64
	risk  float64
	// least is P at the best V, without regard to rounding.
	least float64
	// below is the largest P − ‖∇P‖²/2α, a lower bound of the minimum without regard to rounding.
	below float64
}

// smooth returns the problem as a smooth one, nil if it is not smooth.
func (w *work) smooth(ctx context.Context) *smooth {
	if _, ok := w.loss.(*setLoss); !ok {
		return nil
	}
	var weights []float64
	if w.solver.problem.Gauge != nil {
		var ok bool
		if weights, ok = w.solver.problem.Gauge.Quadratic(); !ok {
			return nil
		}
	}
	return &smooth{work: w, ctx: ctx, weights: weights, slope: make([]float64, w.solver.dim), least: math.Inf(1), below: math.Inf(-1)}
}

// storedSteps is how many steps L-BFGS remembers.
const storedSteps = 15

// run minimizes until the gap is reached.
func (m *smooth) run() error {
	x := make([]float64, m.work.solver.dim)
	if start := m.work.request.Start; start != nil && len(start.V) == m.work.solver.dim {
		copy(x, start.V)
	}
	_, err := optimize.Minimize(optimize.Problem{
		Func: m.value,
		Grad: func(g, x []float64) {
			m.value(x)
			copy(g, m.slope)
		},
		Status: func() (optimize.Status, error) {
			if err := m.ctx.Err(); err != nil {
				return optimize.Failure, err
			}
			if !math.IsInf(m.least, 1) && limits.Over(m.ctx) {
				return optimize.RuntimeLimit, nil
			}
			return optimize.NotTerminated, nil
		},
	}, x, &optimize.Settings{Converger: m, MajorIterations: m.work.request.Limit}, &optimize.LBFGS{Store: storedSteps, GradStopThreshold: math.NaN()})
	if m.ctx.Err() != nil {
		return m.ctx.Err()
	}
	if math.IsInf(m.least, 1) {
		return err
	}
	if !m.work.out.Converged {
		m.certify()
	}
	// A line search that finds nothing lower has met the limits of rounding. The gap says how far off that is.
	return nil
}

// value returns P, and computes its gradient.
func (m *smooth) value(x []float64) float64 {
	if m.at != nil && slices.Equal(m.at, x) {
		return m.risk
	}
	m.at = append(m.at[:0], x...)
	m.work.solver.problem.A.Apply(row(m.work.values), row(x))
	m.risk = m.work.primal(x, m.work.values)
	for j, w := range m.weights {
		m.work.room[j] = w * m.work.values[j]
	}
	slopes := m.work.room[m.work.solver.r:]
	clear(slopes)
	width := m.work.solver.width
	m.work.eachRow(slopes, func(i int, g []float64) {
		m.work.loss.Gradient(i, g, m.work.values[m.work.solver.r+i*width:m.work.solver.r+(i+1)*width])
	})
	m.work.solver.problem.A.ApplyT(row(m.slope), row(m.work.room))
	blas64.Axpy(m.work.solver.problem.Alpha, vector(x), vector(m.slope))
	return m.risk
}

// Init implements optimize.Converger.
func (*smooth) Init(int) {}

// Converged computes the gap at a point, and ends the minimization if it is small enough.
func (m *smooth) Converged(l *optimize.Location) optimize.Status {
	m.work.out.Iterations++
	m.below = max(m.below, l.F-dot(l.Gradient, l.Gradient)/(2*m.work.solver.problem.Alpha))
	if l.F < m.least {
		m.least = l.F
		copy(m.work.out.V, l.X)
	}
	gap := max(0, m.least-m.below) / math.Max(m.least, math.SmallestNonzeroFloat64)
	if gap <= m.work.request.Gap {
		m.certify()
		gap = m.work.out.Gap
	}
	if m.work.request.Progress != nil {
		m.work.request.Progress(m.work.out.Iterations, gap)
	}
	if m.work.out.Converged || math.IsNaN(gap) {
		return optimize.FunctionConvergence
	}
	return optimize.NotTerminated
}

// certify computes both bounds at the best V, rounding errors counted. The lower one is taken at the gradients of
// gauge and losses.
func (m *smooth) certify() {
	m.value(m.work.out.V)
	keepScores(m.work)
	m.work.out.Upper = m.work.upper(m.work.out.V, m.work.values)
	for j, w := range m.weights {
		m.work.room[j] = w * m.work.values[j]
	}
	m.work.out.Lower = max(m.work.out.Lower, m.work.dual(m.work.values[m.work.solver.r:]))
	m.work.out.Gap = Gap(m.work.out.Lower, m.work.out.Upper)
	m.work.out.Converged = m.work.out.Gap <= m.work.request.Gap
}

// minimize chooses the method that suits the problem.
func (w *work) minimize(ctx context.Context) (err error) {
	if solved, err := solveDirect(ctx, w); err != nil || solved && (w.over(ctx) || w.request.Brief) {
		return err
	}
	if solved, err := solveByIsometry(ctx, w); err != nil || solved && (w.over(ctx) || w.request.Brief) {
		w.out.Rounding = lost(w)
		return err
	}
	w.out.Learnt = false // what follows is counted as iterations
	if m := w.smooth(ctx); m != nil {
		err = m.run()
	} else {
		if sets, ok := w.loss.(*setLoss); ok {
			err = sets.eliminate()
		}
		if err == nil {
			err = w.run(ctx)
		}
	}
	w.out.Rounding = lost(w)
	return err
}

// lost returns the share of Upper by which rounding errors widen the gap of the result.
func lost(w *work) float64 {
	if !(w.out.Gap >= 0) || math.IsInf(w.out.Gap, 0) {
		return 0
	}
	w.solver.problem.A.Apply(row(w.values), row(w.out.V))
	both := w.lost + w.out.Upper - w.primal(w.out.V, w.values)
	return max(0, both/math.Max(w.out.Upper, math.SmallestNonzeroFloat64))
}
