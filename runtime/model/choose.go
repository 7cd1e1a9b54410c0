package model

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// choose judges the learners by cross-validation: on the representation at hand, or on those of each fold. Methods
// that embed need no minimizer.
func (f *fitter) choose(m *minimizer, candidates []setting.Learner) (*learn.Choice, error) {
	targets := Targets(f.train)
	if f.out.Anew = f.anew(); !f.out.Anew && m == nil {
		return learn.Choose(f.ctx, f.design, targets, candidates, learn.Validation{
			Seed: f.o.Seed, Finish: func(scores *mat.Dense) { closeScores(scores, f.o.Closure) },
		})
	}
	choice := learn.NewChoice(targets.Task, candidates)
	err := overFolds(f, m, candidates, "choose the learner", func(held []int, scores []*mat.Dense) {
		for k := range candidates {
			choice.Judge(k, targets.Subset(held), scores[k])
		}
	})
	choice.Take()
	return choice, err
}

// calibrate makes probabilities of scores, where the learner was asked for them. The scores of a fold are those of
// a function that was learnt without it. On the rows that it was learnt from, its scores are too far from 0, and
// sigmoids of them too sure.
func (f *fitter) calibrate(m *minimizer, l setting.Learner) error {
	if !l.Probabilities || l.Kind != setting.SVM {
		return nil
	}
	scores := mat.NewDense(f.train.Len(), f.rep.Labels, nil)
	err := overFolds(f, m, []setting.Learner{l}, "learn probabilities", func(held []int, part []*mat.Dense) {
		for r, i := range held {
			scores.SetRow(i, part[0].RawRowView(r))
		}
	})
	if err != nil {
		return err
	}
	closeScores(scores, f.o.Closure)
	f.out.Model.Fit.Calibrate(Targets(f.train), scores)
	return nil
}

// overFolds hands out the scores that candidates give to the rows held out of each fold, a matrix for each candidate.
func overFolds(f *fitter, m *minimizer, candidates []setting.Learner, stage string, take func(held []int, scores []*mat.Dense)) error {
	folds, err := learn.Folds(Targets(f.train), learn.Validation{Seed: f.o.Seed})
	if err != nil {
		return err
	}
	progress := f.stage(stage)
	for k, held := range folds {
		scores, err := without(f, m, candidates, Fold{Number: k + 1, Of: len(folds), Rows: learn.Complement(f.train.Len(), held)}, held)
		if err != nil {
			return err
		}
		take(held, scores)
		if progress != nil {
			progress(k+1, len(folds))
		}
	}
	return nil
}

// without returns the scores of the rows held out by candidates that are fitted without them. Unless R depends on
// the labels of rows, it is taken over all of them, and so are representations.
func without(f *fitter, m *minimizer, candidates []setting.Learner, fold Fold, held []int) ([]*mat.Dense, error) {
	if f.anew() {
		own, err := f.pose(fold)
		if err != nil {
			return nil, err
		}
		return own.judged(candidates, f.train.Subset(held).X)
	}
	targets, out := Targets(f.train).Subset(fold.Rows), make([]*mat.Dense, len(candidates))
	if m == nil {
		design, test := f.design.Subset(fold.Rows), f.design.Subset(held)
		for k, c := range candidates {
			fit, err := learn.Solve(f.ctx, learn.Compared(c), design, targets)
			if err != nil {
				return nil, err
			}
			if out[k], err = fit.Scores(test); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	rows := make([]bool, f.train.Len())
	for _, i := range fold.Rows {
		rows[i] = true
	}
	for k, c := range candidates {
		result, err := m.compared(c, rows)
		if err != nil {
			return nil, err
		}
		out[k] = mat.NewDense(len(held), f.rep.Labels, nil)
		for r, i := range held {
			out[k].SetRow(r, result.Scores[i*f.rep.Labels:(i+1)*f.rep.Labels])
		}
		(&learn.Fit{Sets: learn.SetsOf(c, targets)}).Finish(out[k])
	}
	return out, nil
}

// anew reports whether learners are compared on representations of their own in each fold. R depends on the labels
// of rows, and the representation on R. So nothing has seen the labels of those held out. It costs a fit for each
// fold.
func (f *fitter) anew() bool {
	if f.o.Pose == nil {
		return false
	}
	s := f.o.Features
	return f.o.Method != setting.Plain || s.Kind == setting.Exact || s.Landmarks != setting.RowLandmarks
}

// pose represents the rows of a fold. It keeps the method, the gap and the candidates of the whole fit, as these
// are what is compared.
func (f *fitter) pose(fold Fold) (*fitter, error) {
	train, reg, o, err := f.o.Pose(f.ctx, fold)
	if err != nil {
		return nil, err
	}
	o.Method, o.Gap, o.MaxIterations, o.Learner, o.Strengths = f.o.Method, f.o.Gap, f.o.MaxIterations, f.o.Learner, f.o.Strengths
	o.Pose, o.Progress, o.Witnesses = nil, nil, false
	return represented(f.ctx, train, reg, o)
}

// Judge fits a learner of each of the options' strengths, or the one learner without any, to one representation of
// the training rows. It returns the scores (n×m) that each gives to the rows of x (n×p), closed as a model's are,
// in the order of the strengths. They are fitted to be compared, not kept: to a wider gap. It returns an error for
// a method that cannot fit the regularizer or the target, and ctx's when ctx ends.
func Judge(ctx context.Context, train *dataset.Set, reg *regularizer.Regularizer, o Options, x *mat.Dense) ([]*mat.Dense, error) {
	if err := o.check(train, reg); err != nil {
		return nil, err
	}
	o.Pose, o.Progress, o.Witnesses = nil, nil, false
	f, err := represented(ctx, train, reg, o.filled())
	if err != nil {
		return nil, err
	}
	return f.judged(f.candidates(), x)
}

// judged returns the scores (n×m) that each candidate gives to the rows of x, which are embedded once.
func (f *fitter) judged(candidates []setting.Learner, x *mat.Dense) ([]*mat.Dense, error) {
	fits, err := f.fits(candidates)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	out := make([]*mat.Dense, len(fits))
	for k := range out {
		out[k] = mat.NewDense(n, f.rep.Labels, nil)
	}
	err = f.rep.Each(f.ctx, x, nil, func(p represent.Batch) error {
		for k, fit := range fits {
			scoreBatch(f.rep, out[k], p, fit)
		}
		return nil
	})
	for k, fit := range fits {
		(&Model{Fit: fit, Closure: f.o.Closure}).finish(out[k])
	}
	return out, err
}

// fits returns the candidates, fitted to be compared.
func (f *fitter) fits(candidates []setting.Learner) ([]*learn.Fit, error) {
	out := make([]*learn.Fit, len(candidates))
	if f.o.Method.Embeds() {
		var err error
		for k, c := range candidates {
			if out[k], err = learn.Solve(f.ctx, learn.Compared(c), f.design, Targets(f.train)); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	m, err := newMinimizer(f)
	if err != nil {
		return nil, err
	}
	for k, c := range candidates {
		result, err := m.compared(c, nil)
		if err != nil {
			return nil, err
		}
		out[k] = m.fit(c, result)
	}
	return out, nil
}
