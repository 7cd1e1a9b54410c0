package risk

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/optimize"
)

// A smooth problem is P(V) = ½(α‖V‖² + Σ_j w_j t_j²) + loss, t = AV, of a quadratic gauge and a loss whose curvature is far from even: that of
// label sets, whose probabilities come near 0 and 1, so that no step of the multipliers suits all rows. L-BFGS (Liu and Nocedal 1989)
// needs no step. P is α-strongly convex, so that P − min P ≤ ‖∇P‖²/2α, which is what Fenchel's dual says too at the slopes of gauge and loss.
type smooth struct {
	*work
	ctx     context.Context //nolint:containedctx // the minimizer's callbacks take none
	weights []float64       // w
	at      []float64       // V of values and gradient
	slope   []float64       // ∇P there
	risk    float64         // P there
	least   float64         // P at the best V, as it is rounded
	below   float64         // the largest P − ‖∇P‖²/2α
}

// smooth is the problem as a smooth one, nil where it is none.
func (w *work) smooth(ctx context.Context) *smooth {
	if _, ok := w.loss.(*setLoss); !ok {
		return nil
	}
	var weights []float64
	if w.problem.Gauge != nil {
		var ok bool
		if weights, ok = w.problem.Gauge.Quadratic(); !ok {
			return nil
		}
	}
	return &smooth{work: w, ctx: ctx, weights: weights, slope: make([]float64, w.dim), least: math.Inf(1), below: math.Inf(-1)}
}

// storedSteps are those that L-BFGS remembers.
const storedSteps = 15

// run minimizes until the gap is reached.
func (m *smooth) run() error {
	x := make([]float64, m.dim)
	if start := m.request.Start; start != nil && len(start.V) == m.dim {
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
			return optimize.NotTerminated, nil
		},
	}, x, &optimize.Settings{Converger: m, MajorIterations: m.request.Limit}, &optimize.LBFGS{Store: storedSteps, GradStopThreshold: math.NaN()})
	if m.ctx.Err() != nil {
		return m.ctx.Err()
	}
	if math.IsInf(m.least, 1) {
		return err
	}
	if !m.out.Converged {
		m.certify()
	}
	return nil // a line search that finds nothing lower has met the limits of rounding; the gap tells how far that is
}

// value is P, and computes its gradient.
func (m *smooth) value(x []float64) float64 {
	if m.at != nil && slices.Equal(m.at, x) {
		return m.risk
	}
	m.at = append(m.at[:0], x...)
	m.problem.A.Apply(row(m.values), row(x))
	m.risk = m.primal(x, m.values)
	for j, w := range m.weights {
		m.room[j] = w * m.values[j]
	}
	slopes := m.room[m.r:]
	clear(slopes)
	labels := m.problem.Labels
	m.eachRow(slopes, func(i int, g []float64) { m.loss.Gradient(i, g, m.values[m.r+i*labels:m.r+(i+1)*labels]) })
	m.problem.A.ApplyT(row(m.slope), row(m.room))
	blas64.Axpy(m.problem.Alpha, vector(x), vector(m.slope))
	return m.risk
}

// Init implements optimize.Converger.
func (*smooth) Init(int) {}

// Converged takes the gap of a place, and ends it all where that is small enough.
func (m *smooth) Converged(l *optimize.Location) optimize.Status {
	m.out.Iterations++
	m.below = max(m.below, l.F-dot(l.Gradient, l.Gradient)/(2*m.problem.Alpha))
	if l.F < m.least {
		m.least = l.F
		copy(m.out.V, l.X)
	}
	gap := max(0, m.least-m.below) / math.Max(m.least, math.SmallestNonzeroFloat64)
	if gap <= m.request.Gap {
		m.certify()
		gap = m.out.Gap
	}
	if m.request.Progress != nil {
		m.request.Progress(m.out.Iterations, gap)
	}
	if m.out.Converged || math.IsNaN(gap) {
		return optimize.FunctionConvergence
	}
	return optimize.NotTerminated
}

// certify takes both bounds at the best V, rounding errors counted, the lower one at the gradients of gauge and losses.
func (m *smooth) certify() {
	m.value(m.out.V)
	copy(m.out.Scores, m.values[m.r:])
	m.out.Upper = m.upper(m.out.V, m.values)
	for j, w := range m.weights {
		m.room[j] = w * m.values[j]
	}
	m.out.Lower = max(m.out.Lower, m.dual(m.values[m.r:]))
	m.out.Gap = Gap(m.out.Lower, m.out.Upper)
	m.out.Converged = m.out.Gap <= m.request.Gap
}
