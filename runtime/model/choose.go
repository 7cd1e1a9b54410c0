package model

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// choosing names the stage in which learners are compared.
const choosing = "choose the learner"

// choose judges the learners by cross-validation: on the representation at hand, or on those of each fold.
func (f *fitter) choose(targets *learn.Targets, candidates []setting.Learner) (*learn.Choice, error) {
	if f.anew() {
		return f.chooseAnew(targets, candidates)
	}
	return learn.Choose(f.ctx, f.design, targets, candidates, learn.Validation{
		Seed: f.o.Seed, Finish: func(scores *mat.Dense) { closeScores(scores, f.o.Closure) },
	})
}

// anew reports whether learners are compared on representations of their own in each fold: R depends on the labels
// of rows, and the representation on R.
func (f *fitter) anew() bool {
	if f.o.Pose == nil {
		return false
	}
	s := f.o.Features
	return f.o.Method != setting.Plain || s.Kind == setting.Exact || s.Landmarks != setting.RowLandmarks
}

// chooseAnew judges the learners by cross-validation with R, features and representations of the fold's own rows.
// So nothing has seen the labels of those held out. It costs a fit for each fold.
func (f *fitter) chooseAnew(targets *learn.Targets, candidates []setting.Learner) (*learn.Choice, error) {
	folds, err := learn.Folds(targets, learn.Validation{Seed: f.o.Seed})
	if err != nil {
		return nil, err
	}
	choice, progress := learn.NewChoice(targets.Task, candidates), f.stage(choosing)
	for at, held := range folds {
		own, err := f.pose(Fold{Number: at + 1, Of: len(folds), Rows: learn.Complement(f.train.Len(), held)})
		if err != nil {
			return nil, err
		}
		scores, err := own.judged(candidates, f.train.Subset(held).X)
		if err != nil {
			return nil, err
		}
		for k := range candidates {
			choice.Judge(k, targets.Subset(held), scores[k])
		}
		if progress != nil {
			progress(at+1, len(folds))
		}
	}
	f.out.Anew = true
	choice.Take()
	return choice, nil
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

// judged returns the scores that the candidates give to the rows of x.
func (f *fitter) judged(candidates []setting.Learner, x *mat.Dense) ([]*mat.Dense, error) {
	fits, err := f.fits(candidates)
	if err != nil {
		return nil, err
	}
	scores, err := scoresOf(f.ctx, f.rep, x, fits)
	for _, s := range scores {
		closeScores(s, f.o.Closure)
	}
	return scores, err
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
