package model

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// values measures R, every invariance by itself, at the function that predicts. It scales scores by their spread
// over the training rows. If all scores are equal it leaves them as they are.
func (f *fitter) values() error {
	if f.o.Unmeasured {
		return nil
	}
	if f.o.Witnesses {
		f.out.Model.Witnesses = &report.Witnesses{Method: string(f.rep.Method), Rows: f.train.Len(), Unlabelled: f.seen.Len() - f.train.Len(), Nodes: nodesOf(f.reg)}
	}
	if len(f.reg.Invariances) == 0 && !f.o.Measures {
		return nil
	}
	f.out.spread = deviations(f.train.X, f.train.Weight)
	s, err := newScorer(f.ctx, f.out.Model, f.out.spread, f.out.allowance)
	if err != nil {
		return err
	}
	s.progress = f.stage("measure R where it predicts")
	var scores *mat.Dense
	if f.summed != nil { // scores of all rows would take as long as the sums did
		f.out.size = f.summed.spread(unscaled(f.out.Model, f.out.Model.Fit.Weights.RawMatrix().Data))
	} else {
		if scores, err = scoresOfTraining(f, s); err != nil {
			return err
		}
		f.out.size = spreadOf(scores, f.train.Weight)
	}
	f.out.scores, f.out.size = scores, cmp.Or(f.out.size, 1)
	at := &site{rows: f.seen.X, reg: f.reg, scores: scores, values: valuesByOperator(f, s), known: formValues(f, s)}
	for k := range f.reg.Invariances {
		m, err := s.measure(at, k, f.seen, f.out.size)
		if err != nil {
			return err
		}
		if at.known == nil && m.Unknown == "" {
			ofParts(f, s, k, &m.Measured)
		}
		f.out.Measured = append(f.out.Measured, m.Measured)
		if f.o.Witnesses && m.Unknown == "" {
			w := witnessOf(f.seen, &f.reg.Invariances[k], m)
			w.Everywhere = everywhere(s, f.reg, k)
			f.out.Model.Witnesses.Invariances = append(f.out.Model.Witnesses.Invariances, w)
		}
	}
	if f.o.Witnesses {
		shareR(f.out.Model.Witnesses.Invariances)
	}
	return nil
}

// ofParts says what the k-th invariance of an R in parts is, of which the first part was measured. Where functionals are held that are active, the last look
// tells R of all rows at the function that predicts. Elsewhere the first part is an estimate.
func ofParts(f *fitter, s *scorer, k int, m *Measured) {
	switch p := f.reg.Parts; {
	case p == nil:
	case f.active != nil && s.linear != nil && len(s.Closure) == 0:
		m.Value, m.Sampled = report.Number(f.active.last.Sizes[k]/f.out.size), nil
	default:
		m.Sampled = &report.Sampled{Elements: p.Held, Of: p.All}
	}
}

// valuesByOperator returns the values of all functionals at a function that is linear in φ, by one product with their operator. Nil stands
// for no exact operator, and for scores that are closed.
func valuesByOperator(f *fitter, s *scorer) []float64 {
	b := f.reg.Functionals
	if f.o.Method == setting.Plain || f.active != nil { // whose operators have scores alone, and functionals of all parts
		return nil
	}
	if f.op == nil || f.op.Errors() != nil || operator.RootsOf(f.op).Squares() > 0 || s.linear == nil || len(s.Closure) > 0 || b == nil {
		return nil
	}
	if count, _ := f.op.Dims(); count < b.Len() {
		return nil
	}
	out := appliedTo(f, s)[:b.Len()] // biases are added below
	for i := range out {
		for t := b.Start[i]; t < b.Start[i+1]; t++ {
			if order, _ := plugins.OrderOf(b.Tangent[t]); order == 0 {
				out[i] += b.Coef[t] * termOf(b, t, s.Fit.Bias)
			}
		}
	}
	return out
}

// formValues returns R_k at the function that predicts. It knows them by Gram matrices that the operator keeps. Nil stands for none, and for a function that R sees
// otherwise: through closed scores, or by biases that are not among the features.
func formValues(f *fitter, s *scorer) []float64 {
	squares := 0
	if f.op != nil {
		squares = operator.RootsOf(f.op).Squares()
	}
	if squares == 0 || f.o.Witnesses || s.linear == nil || len(s.Closure) > 0 || !blind(f.reg.Functionals) {
		return nil
	}
	values := appliedTo(f, s)
	out := make([]float64, len(f.reg.Invariances))
	// Each matrix has as many functionals, of weight 1.
	for k, each := 0, squares/len(out); k < len(out); k++ {
		out[k] = floats.Norm(values[k*each:(k+1)*each], 2)
	}
	return out
}

// appliedTo returns the values of an operator's functionals at a scorer's function, without biases.
func appliedTo(f *fitter, s *scorer) []float64 {
	count, dim := f.op.Dims()
	m, _ := s.v.Dims()
	// Behind the features there may be the constant of a bias. It is 0 here.
	v, values := mat.NewDense(1, dim, nil), mat.NewDense(1, count, nil)
	for y := range m {
		copy(v.RawRowView(0)[y*dim/m:], s.v.RawRowView(y))
	}
	f.op.Apply(values, v)
	return values.RawRowView(0)
}

// blind reports whether functionals see no constant: values of f are taken from one another.
func blind(b *plugins.Block) bool {
	sums := map[int32]float64{}
	for i := range cmp.Or(b, &plugins.Block{}).Len() {
		clear(sums)
		for t := b.Start[i]; t < b.Start[i+1]; t++ {
			if b.Tangent[t] != plugins.Evaluation {
				continue
			}
			if b.Label[t] == plugins.NoLabel {
				sums[plugins.NoLabel] += b.Coef[t]
				continue
			}
			y := &b.Labels[b.Label[t]]
			for k, c := range y.Index {
				sums[c] += b.Coef[t] * y.Value[k]
			}
		}
		// Coefficients of differences cancel without rounding.
		for _, sum := range sums {
			if math.Abs(sum) > 0 {
				return false
			}
		}
	}
	return true
}

// scoresOfTraining returns the scores of the training rows (n×m). Where points have to be embedded, it takes the
// representations that are there.
func scoresOfTraining(f *fitter, s *scorer) (*mat.Dense, error) {
	if s.linear != nil {
		return s.at(f.train.X, nil)
	}
	m, w := f.rep.Labels, f.out.Model.Fit.Weights
	out := mat.NewDense(f.train.Len(), m, nil)
	var row []float64
	for i := range f.train.Len() {
		for y := range m {
			row = f.out.Iota(row[:0], i*m+y)
			out.Set(i, y, mat.Dot(mat.NewVecDense(len(row), row), mat.NewVecDense(len(row), w.RawMatrix().Data)))
		}
	}
	addBias(out, f.out.Model.Fit)
	closeScores(out, lent(f.out.Model))
	return out, nil
}
