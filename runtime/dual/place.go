package dual

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
)

// rowsAtOnce is how many rows of scores a goroutine takes at a time.
const rowsAtOnce = 64

// work is one request on its way. Coefficients, scores and gradients are of the rows that count, one after another, labels
// fastest.
type work struct {
	*Solver
	ctx      context.Context //nolint:containedctx // lives for one call of Solve
	loss     risk.Loss
	strength float64 // of the learner
	tau      float64 // of the envelope of hinges; 0: the loss is smooth
	beta     float64 // of the envelope of ½ρ²; 0: there is no R
	target   float64 // the gap to reach
	rows     []int
	features *mat.Dense // of the rows
	progress func(int, float64)
	part     []float64 // of all rows
	out      *Result
	best     *place // that attains Upper, with ρ and the losses as they are
}

// A place is F and what belongs to it at some coefficients.
type place struct {
	coefficients []float64
	a            []float64 // ΦᵀC
	point        *polar.Point
	scores       []float64
	g            []float64 // the smoothed losses' gradient at the scores
	value        float64   // F, with ρ and the losses smoothed
	gradient     []float64 // of value, by coefficient
}

func (s *Solver) newWork(ctx context.Context, loss risk.Loss, q *Request) *work {
	w := &work{
		Solver: s, ctx: ctx, loss: loss, strength: q.Learner.Strength, target: q.Gap, rows: s.chosen(q.Rows), progress: q.Progress,
		part: make([]float64, s.n), out: &Result{Upper: math.Inf(1), Lower: math.Inf(-1), Gap: math.Inf(1)},
	}
	if q.Learner.Kind == learn.SVM {
		w.tau = firstWidth / q.Learner.Strength
	}
	if s.problem.Gauge != nil {
		w.beta = firstBeta
	}
	w.features = mat.NewDense(max(1, len(w.rows)), s.d, nil)
	for k, i := range w.rows {
		w.features.SetRow(k, s.problem.Features.RawRowView(i))
	}
	return w
}

// byLabel is numbers in m·d dimensions as a matrix with a label a row.
func (w *work) byLabel(x []float64) blas64.General {
	return blas64.General{Rows: w.m, Cols: w.d, Stride: w.d, Data: x}
}

// byRow is numbers of rows and labels as a matrix.
func (w *work) byRow(x []float64) blas64.General {
	return blas64.General{Rows: len(x) / w.m, Cols: w.m, Stride: w.m, Data: x}
}

// combine is Φᵀx, in m·d dimensions.
func (w *work) combine(x []float64) []float64 {
	out := make([]float64, w.m*w.d)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, w.byRow(x), w.features.RawMatrix(), 0, w.byLabel(out))
	return out
}

// evaluate is Φv at the rows.
func (w *work) evaluate(v []float64) []float64 {
	out := make([]float64, len(w.rows)*w.m)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, w.features.RawMatrix(), w.byLabel(v), 0, w.byRow(out))
	return out
}

// sum is the sum over the rows of what body makes of the k-th.
func (w *work) sum(body func(k int) float64) float64 {
	part := w.part[:len(w.rows)]
	parallel.For(len(part), rowsAtOnce, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			part[k] = body(k)
		}
	})
	return floats.Sum(part)
}

// row is the k-th row's part of numbers of rows and labels.
func (w *work) row(x []float64, k int) []float64 { return x[k*w.m : (k+1)*w.m] }

// visit evaluates F and its gradient Φ(V + HΦᵀg), smoothed.
func (w *work) visit(coefficients []float64) (*place, error) {
	p := &place{coefficients: slices.Clone(coefficients), g: make([]float64, len(coefficients))}
	p.a = w.combine(p.coefficients)
	w.follower.Soften(w.beta)
	var err error
	if p.point, err = w.follower.Embed(w.ctx, p.a); err != nil {
		return nil, err
	}
	p.scores = w.evaluate(p.point.Iota)
	p.value = p.point.Lower/2 + w.sum(func(k int) float64 { return w.smoothed(w.rows[k], w.row(p.g, k), w.row(p.scores, k)) })
	da, dv := mat.NewDense(1, w.m*w.d, w.combine(p.g)), mat.NewDense(1, w.m*w.d, nil)
	if err := w.follower.Differentiate(w.ctx, dv, da); err != nil {
		return nil, err
	}
	floats.Add(dv.RawRowView(0), p.point.Iota)
	p.gradient = w.evaluate(dv.RawRowView(0))
	w.out.Evaluations++
	return p, nil
}

// face looks at F as it is, neither ρ nor the losses smoothed: it files V = ι(ΦᵀC) where F is less there than anywhere before.
func (w *work) face(at *place) error {
	tau, beta := w.tau, w.beta
	w.tau, w.beta = 0, 0
	p, err := w.visit(at.coefficients)
	w.tau, w.beta = tau, beta
	if err != nil {
		return err
	}
	if p.value < w.out.Upper {
		w.out.Upper, w.best = p.value, p
	}
	if w.bound(at); !w.out.Converged {
		w.bound(p)
	}
	if w.out.Converged || w.beta == 0 {
		return nil
	}
	// The bound in full: an embedding of Φᵀg itself.
	g := w.multipliers(at, at.g)
	b := w.combine(g)
	floats.Scale(-1, b)
	w.follower.Soften(0)
	full, err := w.follower.Embed(w.ctx, b)
	if err == nil {
		w.below(g, full.Upper)
	}
	return err
}

// smoothed is the loss of a row, or its Moreau envelope min_u loss(u) + ‖s − u‖²/2τ; it sets g to the gradient.
func (w *work) smoothed(i int, g, s []float64) float64 {
	if w.tau == 0 {
		w.loss.Gradient(i, g, s)
		return w.loss.Value(i, s)
	}
	copy(g, s)
	w.loss.Prox(i, g, w.tau)
	sum := w.loss.Value(i, g)
	for y, u := range g {
		g[y] = (s[y] - u) / w.tau
		sum += w.tau * g[y] * g[y] / 2
	}
	return sum
}

// multipliers are g in the domain of the conjugates, with sums that belong to the biases at a place: what they lack would count by
// the square of a large constant. Those of the sign that is too heavy are made smaller in proportion.
func (w *work) multipliers(p *place, g []float64) []float64 {
	g = slices.Clone(g)
	for k, i := range w.rows {
		w.loss.Clip(i, w.row(g, k))
	}
	if w.problem.Bias == 0 {
		return g
	}
	pulled := make([]float64, w.m*w.d)
	if w.problem.Gauge != nil {
		w.problem.A.ApplyT(mat.NewDense(1, len(pulled), pulled), mat.NewDense(1, len(p.point.Multipliers), p.point.Multipliers))
	}
	for y := range w.m {
		at := (y+1)*w.d - 1
		want := -(pulled[at] + w.problem.Alpha*p.point.Iota[at]) / w.problem.Bias // Σ_i g_iy
		sum, up, down := 0.0, 0.0, 0.0
		for k := y; k < len(g); k += w.m {
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
		for k := y; k < len(g); k += w.m {
			if g[k] > 0 {
				g[k] *= keepUp
			} else {
				g[k] *= keepDown
			}
		}
	}
	return g
}

// bound bounds the minimum by a place's multipliers: with c the embedding's, ‖Φᵀg‖² is not solved for, but at most what c says.
func (w *work) bound(p *place) {
	w.boundBy(p, w.multipliers(p, p.g))
	if !w.out.Converged { // at the minimum −C is g too
		w.boundBy(p, w.multipliers(p, negative(slices.Clone(p.coefficients))))
	}
}

func (w *work) boundBy(p *place, g []float64) {
	b := w.combine(g)
	floats.Scale(-1, b)
	upper := floats.Dot(b, b) / w.problem.Alpha
	if w.problem.Gauge != nil {
		row := func(x []float64) *mat.Dense { return mat.NewDense(1, len(x), x) }
		_, bounds := polar.Certify(w.norm, row(b), row(p.point.Iota), row(p.point.Multipliers))
		upper = bounds[0]
	}
	w.below(g, upper)
}

// below files the bound of the minimum that multipliers give, norm2 being at least ‖Φᵀg‖².
func (w *work) below(g []float64, norm2 float64) {
	lower := -norm2/2 - w.sum(func(k int) float64 { return w.loss.Conjugate(w.rows[k], w.row(g, k)) })
	if out := w.out; lower > out.Lower {
		out.Lower = lower
	}
	w.out.Gap = max(0, w.out.Upper-w.out.Lower) / math.Max(w.out.Upper, math.SmallestNonzeroFloat64)
	w.out.Converged = w.out.Gap <= w.target
	if w.progress != nil {
		w.progress(w.out.Evaluations, w.out.Gap)
	}
}
