package dual

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/polar"
)

const (
	// stages bounds the number of stages.
	stages = 300
	// A stage has at most so many iterations of L-BFGS. It ends when a step is expected to gain less than slowShare
	// of the target.
	stageIterations = 2
	slowShare       = 1e-3
	// A line search ends after so many evaluations that find nothing lower. They are then within the error of
	// embeddings, or the place is near a kink that its coordinates do not know.
	mostTrials = 8
	// A stage has at most mostLooks evaluations. One that has more than manyLooks, or finds nothing lower, lacks
	// exact embeddings.
	manyLooks = 8
	mostLooks = 12
	// The first step of a stage after one that found nothing lower is so much shorter. It gets longer again after one
	// that did.
	shorter    = 1000
	longer     = 10
	leastReach = 1e-9
	// After idleStages that bring neither gap nearer the method ends.
	idleStages = 40
	// Embeddings may be off by looseShare of what the last stage could be expected to gain.
	looseShare = 1e-3
	looseSlope = 1e-3
	looseStep  = 0.03
	careful    = 30
	leastLoose = 1e-9
)

// run minimizes by stages of L-BFGS. Each has its own coordinates, and envelopes shifted by the multipliers of the
// last.
func (w *work) run(start *Result) (*Result, error) {
	at, err := w.first(start)
	if err != nil {
		return nil, err
	}
	w.face(at)
	w.out.Start = w.out.Upper
	idle, lowest := 0, math.Inf(1)
	for k := 0; k < stages && w.out.Evaluations < w.limit && idle < idleStages && !w.solver.follower.Spent() && !limits.Over(w.ctx); k++ {
		if w.settle(); w.out.Converged || math.IsNaN(w.out.Gap) {
			break
		}
		if idle++; w.short() < 0.9*lowest {
			idle, lowest = 0, w.short()
		}
		if at, err = w.stage(at, k < spreads); err != nil {
			return nil, err
		}
		w.face(at)
		w.env.adapt(at, w.out.Gradient, w.norm2(at))
	}
	w.settle()
	return w.result(), nil
}

// short returns by how much both gaps exceed those asked for, as a product, so that progress of either counts.
func (w *work) short() float64 {
	return max(1, w.out.Gap/w.target) * max(1, w.out.Inner/(InnerShare*w.target))
}

// first returns the place to begin at: that of the start, unless C = 0 is better.
func (w *work) first(start *Result) (*place, error) {
	if start == nil {
		return w.fresh()
	}
	at, err := w.resume(start)
	if err != nil {
		return nil, err
	}
	zero := make([]float64, w.solver.m)
	if w.face(at); w.out.Upper <= w.data.sum(func(k int) float64 { return w.data.loss.Value(w.data.rows[k], zero) }) {
		return at, nil
	}
	w.env.pull, w.env.hold, w.out.Upper = nil, nil, math.Inf(1)
	return w.fresh()
}

// resume returns the place of a start's coefficients. For hinges it takes coefficients from what the start's V says.
func (w *work) resume(start *Result) (*place, error) {
	c := make([]float64, len(w.data.rows)*w.solver.m)
	for k, i := range w.data.rows {
		copy(w.data.row(c, k), start.Coefficients.RawRowView(i))
	}
	w.solver.follower.Place(w.ctx, start.V)
	if w.env.beta > 0 {
		w.env.hold = start.multipliers
	}
	if w.bent == 0 {
		return w.visit(c)
	}
	w.solver.follower.Soften(w.env.beta, w.env.hold)
	kernel, err := w.data.kernel(w.ctx, w.solver.follower.Differentiate)
	if err != nil {
		return nil, err
	}
	w.env.tau, w.env.pull = w.env.width*w.data.spread(kernel), negative(c)
	at := &place{g: make([]float64, len(c)), scores: w.data.evaluate(start.V)}
	w.env.lossAt(at)
	w.env.pull = slices.Clone(at.g)
	return w.visit(negative(at.g))
}

// fresh returns the place where Newton's method leads in one step from C = 0, with the quadratic form of warping for
// R.
func (w *work) fresh() (*place, error) {
	at := &place{g: make([]float64, len(w.data.rows)*w.solver.m), scores: make([]float64, len(w.data.rows)*w.solver.m)}
	// So wide that all scores are in the bent part.
	if w.bent > 0 {
		w.env.tau = max(firstWidth, 2*w.bent/w.data.loss.Slope())
	}
	kernel, err := w.data.kernel(w.ctx, w.solver.follower.Surrogate)
	if err != nil {
		return nil, err
	}
	c, err := w.newCoordinates(at.scores, kernel)
	if err != nil {
		return nil, err
	}
	w.env.lossAt(at)
	step, to := make([]float64, len(at.g)), make([]float64, len(at.g))
	// In coordinates the gradient at C = 0 is R⁻ᵀL⁻¹Kg = R⁻ᵀLᵀg.
	c.pull(step, c.times(at.g))
	c.move(to, to, negative(step))
	v := mat.NewDense(1, w.solver.m*w.solver.d, w.data.combine(to))
	if err := w.solver.follower.Surrogate(w.ctx, v, v); err != nil {
		return nil, err
	}
	w.solver.follower.Place(w.ctx, v.RawRowView(0))
	if at, err = w.visit(to); err != nil {
		return nil, err
	}
	return w.nearer(at)
}

// nearer returns the multiple of a place, between it and C = 0, with the least value. All values on the way are
// known, because ι is homogeneous also under an envelope that is not shifted. The quadratic form of warping may have
// led far away.
func (w *work) nearer(at *place) (*place, error) {
	scores, g := make([]float64, len(at.scores)), make([]float64, len(at.g))
	if at.value <= w.data.sum(func(k int) float64 { return w.env.smoothed(k, w.data.row(g, k), w.data.row(scores, k)) }) {
		return at, nil
	}
	t := golden(0, 1, func(t float64) float64 {
		floats.ScaleTo(scores, t, at.scores)
		return t*t*at.point.Value + w.data.sum(func(k int) float64 { return w.env.smoothed(k, w.data.row(g, k), w.data.row(scores, k)) })
	})
	if t > mostMultiple {
		return at, nil
	}
	c := slices.Clone(at.coefficients)
	floats.Scale(t, c)
	w.solver.follower.Place(w.ctx, floats.ScaleTo(make([]float64, len(at.point.Iota)), t, at.point.Iota))
	return w.visit(c)
}

// settle bounds the gap of the best V as the embedding of ΦᵀC, without an envelope, and decides whether both gaps are
// reached.
func (w *work) settle() {
	row := func(x []float64) *mat.Dense { return mat.NewDense(1, len(x), x) }
	at := w.best
	if w.solver.problem.Gauge != nil {
		lower, upper := polar.Certify(w.solver.norm, row(at.a), row(at.point.Iota), row(at.point.Multipliers))
		w.out.Inner = polar.Gap(lower[0], upper[0])
	}
	w.out.Converged = w.out.Gap <= w.target && w.out.Inner <= InnerShare*w.target
}

// stage runs a few iterations of L-BFGS from a place, and returns the place of least value.
func (w *work) stage(from *place, scale bool) (*place, error) {
	d, err := w.descent(from, scale)
	if err != nil {
		return nil, err
	}
	w.out.Gradient = d.length
	gain, slow := d.length*d.length/2, slowShare*w.target*math.Abs(w.out.Upper)
	w.solver.follower.Loosen(polar.Looseness{
		Value:      w.loose * looseShare * max(min(gain, w.out.Upper-w.out.Lower), slow),
		Derivative: w.loose * looseSlope, Step: looseStep,
	})
	if gain == 0 || gain < slow/10 {
		return d.from, nil
	}
	if err := d.run(slow); err != nil {
		return nil, err
	}
	w.heed(d)
	pulled := make([]float64, len(d.x))
	d.coordinates.pull(pulled, d.least.gradient)
	w.out.Gradient = floats.Norm(pulled, 2)
	return d.least, w.ctx.Err()
}

// heed decides after a descent how exact the next one's embeddings have to be, and how far it steps first.
func (w *work) heed(d *descent) {
	// Nothing lower was found, or only with difficulty.
	if d.least == d.from || d.looks > manyLooks {
		w.loose = max(w.loose/careful, leastLoose)
	} else {
		w.loose = min(1, w.loose*2)
	}
	if d.least == d.from {
		w.reach = max(w.reach/shorter, leastReach)
	} else {
		w.reach = min(1, w.reach*longer)
	}
}

// A descent is F as a function of coordinates.
type descent struct {
	work        *work
	coordinates *coordinates
	from, least *place
	// length is that of the gradient at the beginning, and unit that of x.
	length float64
	unit   float64
	// x is the last point.
	x        []float64
	value    float64
	gradient []float64
	// looks counts evaluations of F, and trials those since a place that was lower.
	looks  int
	trials int
	err    error
}

// descent begins at a place, under the current envelopes, with its own coordinates.
func (w *work) descent(from *place, scale bool) (*descent, error) {
	// The follower has left it, and its envelopes may be others.
	w.solver.follower.Place(w.ctx, from.point.Iota)
	w.solver.follower.Soften(w.env.beta, w.env.hold)
	kernel, err := w.data.kernel(w.ctx, w.solver.follower.Differentiate)
	if err != nil {
		return nil, err
	}
	if w.env.tau > 0 && scale {
		w.env.tau = max(min(w.env.width*w.data.spread(kernel), w.env.width*w.bent/(2*w.data.loss.Slope())), w.env.tau/spreadFall)
	}
	if from, err = w.visit(from.coefficients); err != nil {
		return nil, err
	}
	d := &descent{work: w, from: from, least: from}
	if d.coordinates, err = w.newCoordinates(from.scores, kernel); err != nil {
		return nil, err
	}
	d.take(make([]float64, len(from.coefficients)), from)
	// The first step of L-BFGS has length 1; in units of the gradient's length it is the one that the coordinates are made for.
	d.length = floats.Norm(d.gradient, 2)
	d.unit = w.reach * d.length
	return d, nil
}

// run iterates until an iteration gains no more than slow.
func (d *descent) run(slow float64) error {
	floats.Scale(d.unit, d.gradient)
	result, _ := optimize.Minimize(optimize.Problem{Func: d.function, Grad: d.slope, Status: d.status}, make([]float64, len(d.x)),
		&optimize.Settings{
			Converger:       &optimize.FunctionConverge{Absolute: slow, Iterations: 1},
			MajorIterations: stageIterations,
			FuncEvaluations: max(1, min(mostLooks, d.work.limit-d.work.out.Evaluations)),
		}, &optimize.LBFGS{GradStopThreshold: math.NaN()})
	// An error of its own is that of a line search that finds nothing lower within rounding, where a stage ends too.
	if result != nil {
		d.work.out.Iterations += result.MajorIterations
	}
	return d.err
}

// function returns F at coordinates x in units, and keeps the gradient. After an error it returns the last value.
func (d *descent) function(x []float64) float64 {
	if d.err != nil || slices.Equal(x, d.x) {
		return d.value
	}
	step := slices.Clone(x)
	floats.Scale(d.unit, step)
	coefficients := make([]float64, len(x))
	d.coordinates.move(coefficients, d.from.coefficients, step)
	p, err := d.work.visit(coefficients)
	if err != nil {
		d.err = err
		return d.value
	}
	d.take(x, p)
	floats.Scale(d.unit, d.gradient)
	return d.value
}

// take records a place as that of coordinates x.
func (d *descent) take(x []float64, p *place) {
	d.x, d.value, d.gradient = slices.Clone(x), p.value, make([]float64, len(x))
	d.coordinates.pull(d.gradient, p.gradient)
	d.trials++
	d.looks++
	if p.value <= d.least.value {
		d.least, d.trials = p, 0
	}
}

// slope sets dst to the gradient at x.
func (d *descent) slope(dst, x []float64) {
	d.function(x)
	copy(dst, d.gradient)
}

// status ends the descent if something failed, or nothing lower is found any more.
func (d *descent) status() (optimize.Status, error) {
	if d.err != nil {
		return optimize.Failure, d.err
	}
	if d.trials > mostTrials || d.work.solver.follower.Spent() || limits.Over(d.work.ctx) {
		return optimize.StepConvergence, nil
	}
	return optimize.NotTerminated, nil
}

// result returns the best place in full.
func (w *work) result() *Result {
	out, at := w.out, w.best
	out.V, out.multipliers = slices.Clone(at.point.Iota), at.point.Multipliers
	out.Coefficients = mat.NewDense(w.solver.n, w.solver.m, nil)
	for k, i := range w.data.rows {
		out.Coefficients.SetRow(i, w.data.row(at.coefficients, k))
	}
	all := mat.NewDense(w.solver.n, w.solver.m, nil)
	all.Mul(w.solver.problem.Features, mat.NewDense(w.solver.m, w.solver.d, out.V).T())
	out.Scores = all.RawMatrix().Data
	return out
}
