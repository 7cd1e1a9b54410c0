package dual

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// Envelopes, at first and from one stage to the next: the β of that of ½ρ², and the width in scores of the part of a hinge that
// is bent.
const (
	firstBeta  = 1
	firstWidth = 0.5
	sharper    = 3
	mostBeta   = 1e9
	smallPart  = 0.2
	// What they leave out is little enough at this share of the target.
	enoughShare = 0.1
	// V is another one where F is larger by this share of the target.
	apartShare = 0.3
)

const (
	stages = 100
	// A stage ends when F has fallen by less than slowShare of the target in so many iterations.
	slowIterations = 5
	slowShare      = 0.02
	// A line search ends after so many evaluations that find nothing lower: they are within rounding.
	mostTrials = 40
	// idleStages that gain nothing, envelopes being as sharp as they get, end it all.
	idleStages = 10
	// A stage is done where F is within doneShare of what the envelopes leave out, or of the target. It is gone on with mostStay times.
	doneShare = 0.3
	mostStay  = 4
)

// run minimizes, by stages of L-BFGS with coordinates of their own and envelopes that are ever nearer what they stand for.
func (w *work) run(start *mat.Dense) (*Result, error) {
	at, err := w.visit(w.first(start))
	if err != nil {
		return nil, err
	}
	if err := w.face(at); err != nil {
		return nil, err
	}
	w.out.Start = w.out.Upper
	idle, stay := 0, 0
	for range stages {
		if w.out.Converged || w.out.Evaluations >= w.settings.MaxEvaluations || idle == idleStages {
			break
		}
		if at, err = w.stage(at); err != nil {
			return nil, err
		}
		if err := w.face(at); err != nil {
			return nil, err
		}
		open, err := w.open(at)
		if err != nil {
			return nil, err
		}
		left, bent := w.softness(at)/2, w.tau/2*floats.Dot(at.g, at.g)
		done := open <= doneShare*max(left+bent, w.target*w.out.Upper)
		if stay++; done || stay == mostStay {
			stay = 0
			enough := enoughShare
			if !done { // it is stuck, and elsewhere it may not be
				enough /= 100
			}
			if w.sharpen(at, left, bent, enough*w.target*w.out.Upper) {
				idle = 0
			}
		}
		idle++
	}
	return w.result(), nil
}

// first is the coefficients to begin with.
func (w *work) first(start *mat.Dense) []float64 {
	out := make([]float64, len(w.rows)*w.m)
	if start != nil {
		for k, i := range w.rows {
			copy(w.row(out, k), start.RawRowView(i))
		}
	}
	return out
}

// stage runs L-BFGS from a place until F falls too slowly, and returns the place of least value.
func (w *work) stage(from *place) (*place, error) {
	from, err := w.visit(from.coefficients) // which the follower has left, and whose envelopes may be others
	if err != nil {
		return nil, err
	}
	d := &descent{work: w, from: from, least: from}
	if d.chart, err = w.newChart(from); err != nil {
		return nil, err
	}
	d.take(make([]float64, len(from.coefficients)), from)
	// The first step of L-BFGS has length 1; in units of the gradient's length it is the one that the coordinates are made for.
	if d.unit = floats.Norm(d.gradient, 2); d.unit == 0 {
		return from, nil
	}
	w.out.Gradient = d.unit
	if d.unit*d.unit/2 < 0.01*slowShare*w.target*math.Abs(from.value) { // what a step is expected to gain
		return from, nil
	}
	floats.Scale(d.unit, d.gradient)
	result, err := optimize.Minimize(optimize.Problem{Func: d.function, Grad: d.slope, Status: d.status}, make([]float64, len(d.x)),
		&optimize.Settings{
			Converger:       &optimize.FunctionConverge{Absolute: slowShare * w.target * math.Abs(from.value), Iterations: slowIterations},
			FuncEvaluations: max(1, w.settings.MaxEvaluations-w.out.Evaluations),
		}, &optimize.LBFGS{GradStopThreshold: math.NaN()})
	if d.err != nil {
		return nil, d.err
	}
	// An error of its own is that of a line search that finds nothing lower within rounding, where a stage ends too.
	if result != nil {
		w.out.Iterations += result.MajorIterations
	} else if err != nil && d.least == from {
		return from, nil
	}
	pulled := make([]float64, len(d.x))
	d.chart.pull(pulled, d.least.gradient)
	w.out.Gradient = floats.Norm(pulled, 2)
	return d.least, w.ctx.Err()
}

// A descent is F as a function of coordinates.
type descent struct {
	*work
	chart       *chart
	from, least *place
	unit        float64
	x           []float64 // the last point
	value       float64
	gradient    []float64
	trials      int // since a place that was lower
	err         error
}

func (d *descent) function(x []float64) float64 {
	if d.err != nil || slices.Equal(x, d.x) {
		return d.value
	}
	step := slices.Clone(x)
	floats.Scale(d.unit, step)
	coefficients := make([]float64, len(x))
	d.chart.move(coefficients, d.from.coefficients, step)
	p, err := d.visit(coefficients)
	if err != nil {
		d.err = err
		return d.value
	}
	d.take(x, p)
	floats.Scale(d.unit, d.gradient)
	return d.value
}

// take takes a place as that of coordinates x.
func (d *descent) take(x []float64, p *place) {
	d.x, d.value, d.gradient = slices.Clone(x), p.value, make([]float64, len(x))
	d.chart.pull(d.gradient, p.gradient)
	d.trials++
	if p.value <= d.least.value {
		d.least, d.trials = p, 0
	}
}

func (d *descent) slope(dst, x []float64) {
	d.function(x)
	copy(dst, d.gradient)
}

// status ends the descent where something failed, or nothing more is found.
func (d *descent) status() (optimize.Status, error) {
	if d.err != nil {
		return optimize.Failure, d.err
	}
	if d.trials > mostTrials {
		return optimize.StepConvergence, nil
	}
	return optimize.NotTerminated, nil
}

// sharpen makes the envelopes sharper, those of which what they leave out is much of what both do: left is that of ½ρ², bent
// that of hinges. That of ½ρ² is not sharp enough either where V = ι(ΦᵀC) is another one than under it. It says no where nothing is
// to be gained.
func (w *work) sharpen(at *place, left, bent, enough float64) bool {
	apart := w.out.Upper-at.value-left-bent > apartShare*w.target*w.out.Upper
	sharpened := false
	if w.beta > 0 && w.beta < mostBeta && (apart || left >= enough && left >= smallPart*bent) {
		w.beta *= sharper
		sharpened = true
	}
	if w.tau > 0 && bent >= enough && (bent >= smallPart*left || !sharpened) {
		w.tau /= sharper
		sharpened = true
	}
	return sharpened
}

// open is what the smoothed F may lie above its own minimum, by duality.
func (w *work) open(at *place) (float64, error) {
	g := w.multipliers(at, at.g)
	w.follower.Soften(w.beta)
	b, err := w.follower.Embed(w.ctx, negative(w.combine(g)))
	if err != nil {
		return 0, err
	}
	return at.value + b.Upper/2 + w.tau/2*floats.Dot(g, g) + w.sum(func(k int) float64 { return w.loss.Conjugate(w.rows[k], w.row(g, k)) }), nil
}

func negative(x []float64) []float64 {
	floats.Scale(-1, x)
	return x
}

// softness is how much less twice the envelope of ½ρ² is than ρ² at V, and how much more its polar at c: Σ c²/βW or less, of
// either.
func (w *work) softness(at *place) float64 {
	if w.beta == 0 {
		return 0
	}
	values := mat.NewDense(1, len(at.point.Multipliers), nil)
	w.problem.A.Apply(values, mat.NewDense(1, w.m*w.d, at.point.Iota))
	rho := w.problem.Gauge.Value(values.RawRowView(0))
	v := at.point.Iota
	return max(0, rho*rho-(at.point.Lower-w.problem.Alpha*floats.Dot(v, v)))
}

// curvatures are the second derivatives of the smoothed losses along each score, by differences. Those of hinges are large in a
// narrow part alone, and scores beside it will come into it: what is taken is the larger of a narrow and a wide difference.
func (w *work) curvatures(at *place) []float64 {
	widths := []float64{1e-4}
	if w.tau > 0 {
		width := w.tau * w.strength
		widths = []float64{width / 8, 4 * width}
	}
	out := make([]float64, len(at.scores))
	w.sum(func(k int) float64 {
		s, up, down := slices.Clone(w.row(at.scores, k)), make([]float64, w.m), make([]float64, w.m)
		for y, v := range s {
			for _, h := range widths {
				s[y] = v + h
				w.smoothed(w.rows[k], up, s)
				s[y] = v - h
				w.smoothed(w.rows[k], down, s)
				out[k*w.m+y] = max(out[k*w.m+y], (up[y]-down[y])/(2*h))
			}
			s[y] = v
		}
		return 0
	})
	return out
}

// result is the best place in full.
func (w *work) result() *Result {
	out, at := w.out, w.best
	out.V = slices.Clone(at.point.Iota)
	out.Coefficients = mat.NewDense(w.n, w.m, nil)
	for k, i := range w.rows {
		out.Coefficients.SetRow(i, w.row(at.coefficients, k))
	}
	all := mat.NewDense(w.n, w.m, nil)
	all.Mul(w.problem.Features, mat.NewDense(w.m, w.d, out.V).T())
	out.Scores = all.RawMatrix().Data
	return out
}
