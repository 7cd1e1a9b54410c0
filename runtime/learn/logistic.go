package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/optimize"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// gradientShare is the size of the gradient, as a share of that at zero, at which the minimization ends.
const gradientShare = 1e-8

// biasPenalty is ε as a share of C n.
const biasPenalty = 1e-6

// storedSteps is how many steps shape the next one.
const storedSteps = 20

// logLoss is the objective of logistic, softmax and poisson in the variables (W, b).
type logLoss struct {
	d *Design
	t *Targets
	// sets are those of softmax on a multilabel target, else nil, and of is the set of each example.
	sets *Sets
	of   []int
	c    float64
	// epsilon is the penalty of biases.
	epsilon float64
	// weights of the variables are weights, and biases are biases: m, or 0 for classes and sets.
	weights int
	biases  int
	// scores and slopes of the loss are n×m, and part has the loss of each example.
	scores []float64
	slopes []float64
	part   []float64
}

// newLogLoss prepares the objective of a learner.
func newLogLoss(d *Design, t *Targets, by *setting.Learner) *logLoss {
	c := by.Strength
	l := &logLoss{d: d, t: t, c: c, epsilon: biasPenalty * c * t.Total(), weights: d.rows.dim}
	if !d.joint {
		l.weights *= d.m
	}
	switch {
	case by.LearnsSets(t.Task):
		l.sets, l.of = NewSets(t.Multi, nil)
	case by.Biased(t.Task):
		l.biases = d.m
	}
	l.scores, l.slopes = make([]float64, d.n*d.m), make([]float64, d.n*d.m)
	l.part = make([]float64, d.n)
	return l
}

// split returns views of the weights and biases.
func (l *logLoss) split(x []float64) (w blas64.General, bias []float64) {
	w = blas64.General{Rows: l.weights / l.d.rows.dim, Cols: l.d.rows.dim, Stride: l.d.rows.dim, Data: x[:l.weights]}
	return w, x[l.weights:]
}

// value returns the objective, and leaves the slopes of the loss for gradient. It sums the examples' losses in order,
// so that the bits do not depend on the number of processors.
func (l *logLoss) value(x []float64) float64 {
	w, bias := l.split(x)
	n, m := l.d.n, l.d.m
	linearScores(l.d, w, bias, blas64.General{Rows: n, Cols: m, Stride: m, Data: l.scores})
	parallel.For(n, 256, func(lo, hi int) {
		room := l.room()
		for i := lo; i < hi; i++ {
			l.part[i] = l.example(i, l.scores[i*m:(i+1)*m], l.slopes[i*m:(i+1)*m], room)
			// Loss and slopes are linear in the weight.
			if w := l.t.Of(i); w != 1 {
				l.part[i] *= w
				for y := i * m; y < (i+1)*m; y++ {
					l.slopes[y] *= w
				}
			}
		}
	})
	var loss float64
	for _, v := range l.part {
		loss += v
	}
	return sumSquares(w.Data)/2 + l.epsilon*sumSquares(bias)/2 + l.c*loss
}

// room returns memory for the probabilities of sets, nil if there are none.
func (l *logLoss) room() []float64 {
	if l.sets == nil {
		return nil
	}
	return make([]float64, len(l.sets.Each))
}

// example returns the loss of an example, and sets its slopes along the scores.
func (l *logLoss) example(i int, scores, slopes, room []float64) float64 {
	if l.sets != nil {
		return l.sets.loss(l.of[i], scores, slopes, room)
	}
	if l.t.Task == setting.Class {
		total := softmax(scores, slopes)
		y := l.t.Class[i]
		slopes[y]--
		return total - scores[y]
	}
	if l.t.Task == setting.Counts {
		return poissonLoss(l.t.Real[i], scores, slopes)
	}
	var loss float64
	for y, s := range scores {
		t := l.t.sign(i, y)
		slopes[y] = -t * sigmoid(-t*s)
		// log(1 + exp(−ts)) without overflow on either side.
		if t*s > 0 {
			loss += math.Log1p(math.Exp(-t * s))
		} else {
			loss += math.Log1p(math.Exp(t*s)) - t*s
		}
	}
	return loss
}

// gradient computes the gradient at the point of the last value: Cᵀ slopes through the features, plus the penalties.
func (l *logLoss) gradient(grad, x []float64) {
	n, m := l.d.n, l.d.m
	gw, gb := l.split(grad)
	w, bias := l.split(x)
	// One weight vector for all rows; otherwise each label has its own, and one product gives all gradients.
	if l.d.joint || m == 1 {
		l.d.rows.transposeTimes(l.slopes, gw.Data)
	} else {
		slopes := blas64.General{Rows: n, Cols: m, Stride: m, Data: l.slopes}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, slopes, l.d.rows.block(0, n), 0, gw)
	}
	for k := range gw.Data {
		gw.Data[k] = l.c*gw.Data[k] + w.Data[k]
	}
	for y := range gb {
		var sum float64
		for i := range n {
			sum += l.slopes[i*m+y]
		}
		gb[y] = l.c*sum + l.epsilon*bias[y]
	}
}

// excess bounds how far a value with that gradient lies above the minimum. The objective is 1-strongly convex in the
// weights and ε-strongly convex in the biases, so P − min P ≤ ‖∇_W P‖²/2 + ‖∇_b P‖²/2ε.
func (l *logLoss) excess(grad []float64) float64 {
	gw, gb := l.split(grad)
	return sumSquares(gw.Data)/2 + sumSquares(gb)/(2*l.epsilon)
}

// fitLogistic minimizes from zero, for counts from their mean, and sets the gap from the gradient at the end.
func (f *Fit) fitLogistic(ctx context.Context, d *Design, t *Targets) error {
	l := newLogLoss(d, t, &f.Learner)
	f.Sets = l.sets
	x, grad := make([]float64, l.weights+l.biases), make([]float64, l.weights+l.biases)
	if t.Task == setting.Counts {
		x[l.weights] = logMean(t)
	}
	atStart := l.value(x)
	l.gradient(grad, x)
	threshold := gradientShare * largest(grad)
	steps, err := l.minimize(ctx, x, threshold, &f.Learner)
	if err != nil {
		return err
	}
	f.Iterations = steps
	f.Objective = l.value(x)
	l.gradient(grad, x)
	// At the start the loss is finite, so a minimizer is never above it.
	if f.Objective > atStart || math.IsNaN(f.Objective) {
		return fmt.Errorf("learn: the loss of %s did not decrease; scale the features", f.Learner.Kind)
	}
	w, bias := l.split(x)
	copy(f.Weights.RawMatrix().Data, w.Data)
	copy(f.Bias, bias)
	f.Gap = relative(l.excess(grad), f.Objective)
	f.Converged = f.Gap <= f.Learner.Gap
	return nil
}

// minimize runs L-BFGS (Liu and Nocedal 1989) from x, and leaves the minimizer there.
func (l *logLoss) minimize(ctx context.Context, x []float64, threshold float64, how *setting.Learner) (steps int, err error) {
	if threshold == 0 {
		return 0, nil
	}
	var at []float64 // the point of the last value
	problem := optimize.Problem{
		Func: func(x []float64) float64 {
			at = append(at[:0], x...)
			return l.value(x)
		},
		Grad: func(grad, x []float64) {
			// The gradient needs the slopes of a value at the same point.
			if !slices.Equal(at, x) {
				l.value(x)
			}
			l.gradient(grad, x)
		},
		Status: func() (optimize.Status, error) {
			if err := ctx.Err(); err != nil {
				return optimize.Failure, err
			}
			if limits.Over(ctx) {
				return optimize.RuntimeLimit, nil
			}
			return optimize.NotTerminated, nil
		},
	}
	settings := l.settings(threshold, how)
	result, err := optimize.Minimize(problem, x, settings, &optimize.LBFGS{Store: storedSteps})
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if result == nil {
		return 0, err
	}
	// A line search that finds no lower value any more has met the limits of rounding; the gap says how far that is.
	copy(x, result.X)
	return result.MajorIterations, nil
}

// settings returns where the minimization ends: at a small gradient. For sets it ends at the gap instead, since on
// many rows and labels their last digits take as long as the first.
func (l *logLoss) settings(threshold float64, how *setting.Learner) *optimize.Settings {
	out := &optimize.Settings{GradientThreshold: threshold, MajorIterations: how.MaxSweeps, Converger: optimize.NeverTerminate{}}
	if l.sets != nil {
		out.Converger = gapConverger{l, how.Gap}
	}
	return out
}

// A gapConverger ends a minimization when the gap is small enough.
type gapConverger struct {
	*logLoss
	gap float64
}

// Init implements optimize.Converger.
func (gapConverger) Init(int) {}

// Converged implements optimize.Converger.
func (c gapConverger) Converged(at *optimize.Location) optimize.Status {
	if relative(c.excess(at.Gradient), at.F) <= c.gap {
		return optimize.FunctionConvergence
	}
	return optimize.NotTerminated
}

// largest returns the largest absolute value.
func largest(x []float64) float64 {
	var top float64
	for _, v := range x {
		top = math.Max(top, math.Abs(v))
	}
	return top
}
