package risk

import (
	"context"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/polar"
)

const (
	// The finish is tried from this iteration on, and again whenever their number has doubled.
	finishFrom = 20
	// A try is expected to take finishUsual Newton steps. It ends after finishSteps or finishStages.
	finishUsual  = 15
	finishSteps  = 200
	finishStages = 60
	// matrixSpeed is how many times faster products of matrices are than those with a vector, which wait for memory.
	matrixSpeed = 4
	// A stage is solved to outerShare of the gap at hand. Every stage that takes no step multiplies that share by
	// itself, until leastShare, when only rounding errors are left.
	outerShare = 0.1
	leastShare = 1e-14
	// At first the envelope of ½ρ² is firstCurved times as curved as α‖V‖². β grows by stepBeta after a stage of at
	// most fewSteps, up to mostBeta times the first. It falls by stepBeta after a stage that used all mostSteps.
	firstCurved = 10
	mostBeta    = 1e8
	fewSteps    = 4
	mostSteps   = 12
)

// stepBeta is half a decade.
var stepBeta = math.Sqrt(10)

// A finish closes gaps when the alternating directions are slow. They are if a large weight makes a one-sided R
// nearly a constraint: then no single β suits both R and the losses. It is the method of multipliers (Rockafellar
// 1976). With c and g at hand, Newton's method minimizes
//
//	ψ(V) = α/2‖V‖² + min_u ½ρ(t)² + Σ loss_i(s_i) + (β/2)‖u − z‖²_W,   z = ÃV + (c, g)/(βW),  u = (t, s),
//
// and (c, g) become βW(z − u). The steps involve only the functionals that the proximal map moves. W weighs losses by
// their slope, so that they are almost exact from the beginning, and β is soft for ½ρ². Each minimum then takes a few
// steps.
type finish struct {
	work   *work
	newton *polar.Newton
	// metric is W, and c holds c and g.
	metric []float64
	c      []float64 // c and g
	// first is the β that a try begins with.
	first float64
	looks []pace
	// tried is the iteration of the last try, and budget bounds the steps of the next.
	tried  int
	budget int
}

// A pace is the gap at an iteration.
type pace struct {
	iteration int
	gap       float64
}

// try tries to finish if that pays, and returns how many steps it made. It reports whether it reached another point
// to go on from.
func (f *finish) try(ctx context.Context, k int) (steps int, arrived bool, err error) {
	f.looks = append(f.looks, pace{k, f.work.out.Gap})
	loss, ok := f.work.loss.(bending)
	if !ok || !f.pays(k) {
		return 0, false, nil
	}
	f.tried = k
	if f.newton == nil {
		f.prepare(loss)
	}
	before := f.newton.Steps()
	arrived, err = f.run(ctx)
	return f.newton.Steps() - before, arrived, err
}

// prepare sets β and W.
func (f *finish) prepare(loss bending) {
	f.first, f.metric, f.c = f.work.beta(), slices.Clone(f.work.solver.metric), make([]float64, len(f.work.solver.metric))
	curved := 0.0
	for j, size := range f.work.solver.measure.Sizes()[:f.work.solver.r] {
		curved += f.metric[j] * size * size / float64(f.work.solver.r)
	}
	if curved > 0 {
		f.first = firstCurved * f.work.solver.problem.Alpha / curved
	}
	for j := f.work.solver.r; j < len(f.metric); j++ {
		f.metric[j] *= f.work.weight / f.first
	}
	w := f.work
	f.newton = polar.NewNewton(w.solver.problem.A, w.solver.problem.Alpha, f.metric, newTerms(w, loss, w.weight/f.first), w.spent.over)
	w.spent.newton = f.newton
}

// pays decides whether a try pays, and sets how many steps it may make. It allows no more than iterations are left,
// and no more work than these would take.
//
// It compares the expected cost of a try with what the alternating directions would need for the rest. It assumes
// that they go on at the pace of their second half so far, and takes at least the iterations since the last try. If
// the finish solved a similar request before, it assumes that they would use all that is left. Units are
// multiplications of a matrix and a vector.
func (f *finish) pays(k int) bool {
	work := polar.WorkOf(len(f.work.solver.metric), f.work.solver.dim, polar.Moved(f.work.z, f.work.u))
	step, iteration := work.Matrices/matrixSpeed+work.Vectors, work.Iteration/float64(f.work.solver.problem.Labels)
	left := f.work.request.Limit - k
	f.budget = min(finishSteps, left, int(float64(left)*(iteration/step)))
	iterations := float64(left)
	if start := f.work.request.Start; start == nil || !start.finished || f.tried > 0 {
		if k < max(finishFrom, 2*f.tried) {
			return false
		}
		iterations = math.Max(f.remaining(k), float64(k-f.tried))
	}
	return f.budget > 0 && finishUsual*step < iterations*iteration
}

// remaining estimates the iterations that are left, at most those that are allowed.
func (f *finish) remaining(k int) float64 {
	left, last := float64(f.work.request.Limit-k), f.looks[len(f.looks)-1]
	for _, from := range f.looks {
		if 2*from.iteration < last.iteration || math.IsInf(from.gap, 0) || !(last.gap < from.gap) {
			continue
		}
		decay := math.Log(from.gap/last.gap) / float64(last.iteration-from.iteration)
		return math.Min(left, math.Log(last.gap/f.work.request.Gap)/decay)
	}
	return left
}

// run goes from minimum to minimum until the gap is reached. It reports whether it reached any.
func (f *finish) run(ctx context.Context) (arrived bool, err error) {
	from, beta, outer := f.newton.Steps(), f.first, outerShare
	f.work.multipliers()
	f.newton.Place(f.work.v, f.work.room)
	for range finishStages {
		before, enough := f.newton.Steps(), outer*(f.work.out.Upper-f.work.out.Lower)
		// Nothing is proved yet.
		if math.IsInf(enough, 0) {
			enough = outer * f.work.out.Upper
		}
		most := min(mostSteps, f.budget-(before-from))
		ok, err := f.newton.Minimize(ctx, beta, enough, most)
		if err != nil {
			return false, err
		}
		if !ok {
			break
		}
		arrived = true
		made := f.newton.Steps() - before
		f.arrive(f.newton.Steps() - from)
		if f.work.over(ctx) || before-from+made >= f.budget || outer < leastShare {
			break
		}
		switch {
		case made == 0:
			outer *= outerShare
		case made <= fewSteps:
			beta = math.Min(beta*stepBeta, mostBeta*f.first)
		case made == mostSteps:
			beta /= stepBeta
		}
	}
	if arrived {
		f.resume()
	}
	return arrived, nil
}

// arrive bounds the gap at a minimum of ψ, after so many steps.
func (f *finish) arrive(steps int) {
	f.newton.Stand(f.work.v, f.work.values, f.c)
	copy(f.work.room, f.c)
	f.work.take()
	f.work.out.finished = f.work.out.Converged
	f.work.tell(f.tried + steps)
}

// resume lets the alternating directions go on from here: z = ÃV + (c, g)/(βW).
func (f *finish) resume() {
	if f.work.past != nil {
		f.work.past.forget()
	}
	copy(f.work.z, f.work.values)
	raise(f.work, f.c)
}
