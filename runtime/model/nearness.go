package model

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Nearness says how near scores are to those of exact solutions. J and the risk P are strongly convex, so that their gaps bound distances:
// with α = 1, ‖V − ι‖² ≤ upper − lower of an embedding, and ‖V − V*‖² ≤ 2(P(V) − lower) of the risk. Hence
//
//	|⟨W, V⟩ − ⟨W, ι⟩| ≤ ‖W‖ ‖V − ι‖,
//	|f(x) − f*(x)| ≤ ‖V − V*‖ ‖φ(x)‖.
//
// The second one counts the constant feature of a bias, which is large. Where the losses hold a weighted mean of scores to within ε of that
// of f*, the bias drops out: with φ̄ the mean of the features in the same weights,
//
//	|f(x) − f*(x)| ≤ ε + ‖V − V*‖ ‖φ(x) − φ̄‖.
type Nearness struct {
	// Spread is the standard deviation of the training rows' scores about each label's mean.
	Spread float64
	// Radius bounds ‖V − V*‖, of methods risk and dual: on features that are not scaled.
	Radius float64
	Bias   float64    // the constant feature; 0: there is none
	Center *mat.Dense // m×d, φ̄ of each label; nil where there is no bias
	Anchor []float64  // ε of each label; +Inf where the losses hold nothing
}

// check refuses what does not suit m labels and d features; nil is no nearness at all.
func (n *Nearness) check(m, d int) error {
	if n == nil {
		return nil
	}
	bad := errors.New("the model says nothing sound of the errors of its scores")
	if math.IsNaN(n.Spread) || math.IsNaN(n.Radius) || math.IsNaN(n.Bias) {
		return bad
	}
	if n.Center == nil {
		return nil
	}
	if rows, cols := n.Center.Dims(); rows != m || cols != d || len(n.Anchor) != m {
		return bad
	}
	return nil
}

// scoreErrors collects bounds on the errors of a model's scores.
type scoreErrors struct {
	model  *Model
	length float64    // ‖W‖
	of     *mat.Dense // n×m
}

// newErrors returns the bounds of n rows; nil where the model does not know how near its scores are.
func (m *Model) newErrors(n int) *scoreErrors {
	if m.Nearness == nil {
		return nil
	}
	return &scoreErrors{model: m, length: mat.Norm(m.Fit.Weights, 2), of: mat.NewDense(n, m.Represent.Labels, nil)}
}

// add takes the bounds of a part.
func (e *scoreErrors) add(p represent.Batch) {
	switch {
	case e == nil:
	case !e.model.Represent.Method.Embeds():
		e.addRisk(p)
	default:
		e.addEmbedded(p)
	}
}

// addEmbedded takes ‖W‖ ‖V − ι‖ for each embedding.
func (e *scoreErrors) addEmbedded(p represent.Batch) {
	all := e.of.RawMatrix().Data
	for k, gap := range p.Gap {
		all[p.First+k] = math.Inf(1)
		if !math.IsInf(gap, 1) {
			all[p.First+k] = e.length * e.model.Represent.Scale * math.Sqrt(max(0, gap*p.Norm2[k])/represent.Alpha)
		}
	}
}

// addRisk takes the better of the two bounds for each row and label.
func (e *scoreErrors) addRisk(p represent.Batch) {
	near, scale := e.model.Nearness, e.model.Represent.Scale
	rows, d := p.Iota.Dims()
	apart := make([]float64, d)
	for i := range rows {
		phi := p.Iota.RawRowView(i)
		whole := near.Radius * math.Hypot(floats.Norm(phi, 2)/scale, near.Bias)
		for y := range e.model.Represent.Labels {
			bound := whole
			if near.Center != nil {
				floats.ScaleTo(apart, 1/scale, phi)
				floats.Sub(apart, near.Center.RawRowView(y))
				bound = min(bound, near.Anchor[y]+near.Radius*floats.Norm(apart, 2))
			}
			e.of.Set(p.First+i, y, bound)
		}
	}
}

// finish makes of the bounds those of finished scores: each log odds is a difference of two functions of the sums of scores over label sets,
// that move by no more than the largest of the sums does; and a maximum moves by no more than the largest of what it is taken of.
func (e *scoreErrors) finish() *mat.Dense {
	if e == nil {
		return nil
	}
	if sets := e.model.Fit.Sets; sets != nil {
		n, _ := e.of.Dims()
		sums := make([]float64, len(sets.Each))
		for i := range n {
			row := e.of.RawRowView(i)
			sets.Sum(sums, row)
			most := 2 * floats.Max(sums)
			for y := range row {
				row[y] = most
			}
		}
	}
	closeScores(e.of, e.model.Closure)
	return e.of
}

// spreadOf returns the standard deviation of scores about each label's mean.
func spreadOf(scores *mat.Dense) float64 {
	n, m := scores.Dims()
	column, sum := make([]float64, n), 0.0
	for y := range m {
		mat.Col(column, y, scores)
		sum += stat.PopVariance(column, nil)
	}
	return math.Sqrt(sum / float64(m))
}

// nearEmbedded files how near the scores of embeddings are to those of exact ones, at the weights at hand.
func (f *fitter) nearEmbedded() error {
	if !f.rep.Regularized() {
		return nil
	}
	m := f.out.Model
	scores, err := m.Fit.Scores(f.design)
	if err != nil {
		return err
	}
	closeScores(scores, f.o.Closure)
	m.Nearness = &Nearness{Spread: spreadOf(scores)}
	errs := m.newErrors(f.train.Len())
	errs.add(represent.Batch{Gap: f.out.Gaps, Norm2: f.norm2})
	f.out.Errors = errs.finish()
	return nil
}

// nearRisk files how near a model's scores are to those of the minimizer, and returns bounds on the errors of the training rows' scores.
func (f *fitter) nearRisk(m *Model, p *risk.Problem, l setting.Learner, r *risk.Result) (*mat.Dense, error) {
	n := f.train.Len()
	scores := mat.NewDense(n, f.rep.Labels, append([]float64(nil), r.Scores...))
	m.Fit.Finish(scores)
	closeScores(scores, f.o.Closure)
	near := &Nearness{Spread: spreadOf(scores), Radius: math.Sqrt(2 * r.Excess() / represent.Alpha), Bias: p.Bias}
	m.Nearness = near
	if p.Bias > 0 {
		phi := mat.NewDense(n, f.rep.Features.Dim(), nil)
		f.rep.Features.Features(phi, f.train.X)
		near.anchor(phi, f.weighted(l), p.Targets, r)
	}
	errs := m.newErrors(n)
	if err := f.rep.Each(f.ctx, f.train.X, nil, func(part represent.Batch) error {
		errs.add(part)
		return nil
	}); err != nil {
		return nil, err
	}
	return errs.finish(), nil
}

// anchor takes the means that the losses hold, phi being the features of the training rows.
func (n *Nearness) anchor(phi *mat.Dense, l setting.Learner, t *learn.Targets, r *risk.Result) {
	rows, d := phi.Dims()
	m := len(r.Scores) / rows
	n.Center, n.Anchor = mat.NewDense(m, d, nil), make([]float64, m)
	for y := range m {
		var weights []float64
		weights, n.Anchor[y] = risk.Anchor(l, t, y, m, r)
		for i, w := range weights {
			floats.AddScaled(n.Center.RawRowView(y), w, phi.RawRowView(i))
		}
	}
}
