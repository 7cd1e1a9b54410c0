package model

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// learn chooses the learner's strength and fits it. The chosen learner is fitted again, on all rows and to its own
// gap.
func (f *fitter) learn() error {
	if minimizes(f) {
		return f.minimize()
	}
	learner := f.o.Learner
	if len(f.o.Strengths) > 1 {
		candidates := f.candidates()
		choice, err := f.choose(nil, candidates)
		if err != nil {
			return err
		}
		learner = candidates[0]
		if f.out.Choice = choice; choice != nil {
			learner = candidates[choice.Best]
		}
	}
	fit, err := learn.Solve(f.ctx, learner, f.design, Targets(f.learnt))
	if err != nil {
		return err
	}
	f.out.Model = &Model{Represent: f.rep, Fit: fit, Closure: f.o.Closure, Declared: f.o.Declared}
	if err := f.calibrate(nil, learner); err != nil {
		return err
	}
	return f.nearEmbedded()
}

// nearEmbedded files how near the scores of embeddings are to those of exact ones, at the weights at hand. Without
// R the embeddings are exact, and there is nothing to say.
func (f *fitter) nearEmbedded() error {
	if !f.rep.Regularized() {
		return nil
	}
	m := f.out.Model
	scores, err := m.Fit.Scores(f.design)
	if err != nil {
		return err
	}
	n := f.train.Len()
	scores = scores.Slice(0, n, 0, f.rep.Labels).(*mat.Dense) //nolint:forcetypeassert // a slice of a Dense is one
	settle(ClosingOf(m), scores, m.Closure)
	f.out.Idle = idleEmbedded(f)
	m.Nearness = &Nearness{Spread: spreadOf(scores, f.train.Weight)}
	errs := m.newErrors(n)
	errs.add(represent.Batch{Gap: f.out.Gaps[:n*f.rep.PerRow()], Norm2: f.norm2[:n*f.rep.PerRow()]})
	f.out.Errors = errs.finish()
	return nil
}
