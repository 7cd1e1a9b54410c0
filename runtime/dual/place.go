package dual

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// rowsAtOnce is how many rows of scores a goroutine takes at a time.
const rowsAtOnce = 64

// work is one request while it is being solved. Coefficients, scores and gradients are of the rows that count, one
// after another, labels fastest.
type work struct {
	solver *Solver
	ctx    context.Context //nolint:containedctx // lives for one call of Solve
	data   *sample
	env    *envelopes
	// bent is the unit of scores about the kinks of losses; 0 means that there are no kinks.
	bent float64
	// target is the gap to reach.
	target float64
	limit  int // of evaluations
	// loose is how loose embeddings are, at most 1.
	loose float64
	// reach is the first step of a stage, as a share of the one that its coordinates suggest.
	reach    float64
	progress func(int, float64)
	out      *Result
	// best attains Upper.
	best *place
}

// A place is F and what belongs to it at some coefficients.
type place struct {
	coefficients []float64
	// a is ΦᵀC.
	a      []float64
	point  *polar.Point
	scores []float64
	// g is the losses' gradient at the scores, under their envelopes.
	g []float64
	// value is F under the envelopes, and gradient its gradient by coefficients.
	value    float64
	gradient []float64
}

// newWork begins a request.
func (s *Solver) newWork(ctx context.Context, loss risk.Loss, q *Request) *work {
	data := s.newSample(loss, s.chosen(q.Rows))
	w := &work{
		solver: s, ctx: ctx, data: data, env: &envelopes{data: data, width: firstWidth, left: math.Inf(1)},
		target: q.Gap, limit: q.Limit, loose: 1, reach: 1, progress: q.Progress, out: &Result{Upper: math.Inf(1), Lower: math.Inf(-1), Gap: math.Inf(1)},
	}
	switch q.Learner.Kind {
	case setting.SVM:
		w.bent = 1
	case setting.Quantile:
		w.bent = s.problem.Targets.Spread()
	}
	if s.problem.Gauge != nil {
		w.env.beta = firstBeta
	}
	return w
}

// visit evaluates F and its gradient ΦHΦᵀ(C + g), under the envelopes.
func (w *work) visit(coefficients []float64) (*place, error) {
	p := &place{coefficients: slices.Clone(coefficients), g: make([]float64, len(coefficients))}
	p.a = w.data.combine(p.coefficients)
	w.solver.follower.Soften(w.env.beta, w.env.hold)
	var err error
	if p.point, err = w.solver.follower.Embed(w.ctx, p.a); err != nil {
		return nil, err
	}
	p.scores = w.data.evaluate(p.point.Iota)
	p.value = p.point.Value + w.env.lossAt(p)
	toward := slices.Clone(p.coefficients)
	floats.Add(toward, p.g)
	da, dv := mat.NewDense(1, w.solver.m*w.solver.d, w.data.combine(toward)), mat.NewDense(1, w.solver.m*w.solver.d, nil)
	if err := w.solver.follower.Differentiate(w.ctx, dv, da); err != nil {
		return nil, err
	}
	p.gradient = w.data.evaluate(dv.RawRowView(0))
	w.out.Evaluations++
	w.tell()
	return p, nil
}

// face evaluates a place without envelopes, and bounds the minimum. Of the multiples of C, and with it of V, it takes
// the one of least P. If that is the least so far, it keeps it.
func (w *work) face(at *place) {
	j := w.norm2(at)
	scores := make([]float64, len(at.scores))
	multiple := func(t float64) float64 {
		floats.ScaleTo(scores, t, at.scores)
		return t*t*j/2 + w.data.total(scores)
	}
	t := least(multiple)
	floats.ScaleTo(scores, t, at.scores)
	if upper := w.upper(at, scores, t); upper < w.out.Upper {
		w.out.Upper, w.best = upper, at.times(t)
	}
	w.bound(at)
}

const (
	// The best multiple is sought between leastMultiple and 1/leastMultiple. For the place to begin at it is taken if
	// it is at most mostMultiple.
	leastMultiple = 0.9
	mostMultiple  = 0.7
	sections      = 30
)

// least returns where a convex function of a multiple is least, 1 if it is no less elsewhere.
func least(of func(t float64) float64) float64 {
	if t := golden(leastMultiple, 1/leastMultiple, of); of(t) < of(1) {
		return t
	}
	return 1
}

// golden returns where a convex function is least between two numbers, by the golden section.
func golden(lo, hi float64, of func(t float64) float64) float64 {
	const share = 0.6180339887498949
	left, right := hi-share*(hi-lo), lo+share*(hi-lo)
	atLeft, atRight := of(left), of(right)
	for range sections {
		if atLeft < atRight {
			hi, right, atRight = right, left, atLeft
			left = hi - share*(hi-lo)
			atLeft = of(left)
		} else {
			lo, left, atLeft = left, right, atRight
			right = lo + share*(hi-lo)
			atRight = of(right)
		}
	}
	return (lo + hi) / 2
}

// times returns the place of a multiple of the coefficients, as far as it is known: ι is homogeneous.
func (p *place) times(t float64) *place {
	multiple := func(x []float64) []float64 { return floats.ScaleTo(make([]float64, len(x)), t, x) }
	return &place{
		coefficients: multiple(p.coefficients), a: multiple(p.a), scores: multiple(p.scores),
		point: &polar.Point{Iota: multiple(p.point.Iota), Multipliers: multiple(p.point.Multipliers)},
	}
}

// norm2 returns J(V) at a place, without an envelope.
func (w *work) norm2(at *place) float64 {
	v := at.point.Iota
	j := w.solver.problem.Alpha * floats.Dot(v, v)
	if w.solver.problem.Gauge != nil {
		rho := w.solver.problem.Gauge.Value(w.values(at))
		j += rho * rho
	}
	return j
}

// values returns AV at a place.
func (w *work) values(at *place) []float64 {
	out := mat.NewDense(1, len(at.point.Multipliers), nil)
	w.solver.problem.A.Apply(out, mat.NewDense(1, len(at.point.Iota), at.point.Iota))
	return out.RawRowView(0)
}

// multipliers returns g in the domain of the conjugates, with sums that belong to the biases at a place. A difference
// would count by the square of a large constant. It shrinks those of the sign that is too heavy in proportion.
func (w *work) multipliers(p *place, g []float64) []float64 {
	g = slices.Clone(g)
	for k, i := range w.data.rows {
		w.data.loss.Clip(i, w.data.row(g, k), w.data.row(p.scores, k))
	}
	if w.solver.problem.Bias == 0 {
		return g
	}
	pulled := make([]float64, w.solver.m*w.solver.d)
	if w.solver.problem.Gauge != nil {
		w.solver.problem.A.ApplyT(mat.NewDense(1, len(pulled), pulled), mat.NewDense(1, len(p.point.Multipliers), p.point.Multipliers))
	}
	for y := range w.solver.m {
		at := (y+1)*w.solver.d - 1
		want := -(pulled[at] + w.solver.problem.Alpha*p.point.Iota[at]) / w.solver.problem.Bias // Σ_i g_iy
		sum, up, down := 0.0, 0.0, 0.0
		for k := y; k < len(g); k += w.solver.m {
			sum += g[k]
			up += max(g[k], 0)
			down += min(g[k], 0)
		}
		keepUp, keepDown := 1.0, 1.0
		if excess := sum - want; excess > 0 && up > 0 {
			keepUp = max(0, 1-excess/up)
		} else if excess < 0 && down < 0 {
			keepDown = max(0, 1-excess/down)
		}
		for k := y; k < len(g); k += w.solver.m {
			if g[k] > 0 {
				g[k] *= keepUp
			} else {
				g[k] *= keepDown
			}
		}
	}
	return g
}

// bound bounds the minimum by a place's multipliers. It does not solve for ‖Φᵀg‖², but bounds it by the embedding's
// c.
func (w *work) bound(p *place) {
	w.boundBy(p, w.multipliers(p, p.g))
	// At the minimum −C = g, so both candidates end at the best bound.
	w.boundBy(p, w.multipliers(p, negative(slices.Clone(p.coefficients))))
	w.measure()
}

// boundBy bounds the minimum by multipliers g.
func (w *work) boundBy(p *place, g []float64) {
	b := w.data.combine(g)
	floats.Scale(-1, b)
	upper := w.plain2(b)
	if w.solver.problem.Gauge != nil {
		row := func(x []float64) *mat.Dense { return mat.NewDense(1, len(x), x) }
		_, bounds := polar.Certify(w.solver.norm, row(b), row(p.point.Iota), row(p.point.Multipliers))
		upper = bounds[0]
	}
	w.below(g, upper)
}

// below keeps the bound of the minimum by multipliers if it is the best. norm2 is at least the squared norm of the
// computed Φᵀg.
func (w *work) below(g []float64, norm2 float64) {
	lower := w.data.lower(g, math.Sqrt(norm2))
	if lower <= w.out.Lower {
		return
	}
	w.out.Lower = lower
	w.out.Slopes = make([]float64, w.solver.n*w.solver.m)
	for k, i := range w.data.rows {
		copy(w.out.Slopes[i*w.solver.m:(i+1)*w.solver.m], w.data.row(g, k))
	}
}

// measure computes the gap.
func (w *work) measure() {
	w.out.Gap = risk.Gap(w.out.Lower, w.out.Upper)
	w.tell()
}

// tell reports the gap to the caller.
func (w *work) tell() {
	if w.progress != nil {
		w.progress(w.out.Evaluations, w.out.Gap)
	}
}

// negative turns x into −x and returns it.
func negative(x []float64) []float64 {
	floats.Scale(-1, x)
	return x
}
