package model

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// calibrate makes probabilities of scores, where the learner was asked for them. The scores of a fold are those of
// a function that was learnt without it. On the rows that it was learnt from, its scores are too far from 0, and
// sigmoids of them too sure. Methods that embed need no minimizer.
func (f *fitter) calibrate(m *minimizer, l setting.Learner) error {
	if !l.Probabilities || l.Kind != setting.SVM {
		return nil
	}
	targets := Targets(f.train)
	scores, err := heldOut(f, m, l, targets)
	if err != nil {
		return err
	}
	closeScores(scores, f.o.Closure)
	f.out.Model.Fit.Calibrate(targets, scores)
	return nil
}

// heldOut returns the scores (n×m) of the training rows, by folds. R and representations are those by which
// learners are compared.
func heldOut(f *fitter, m *minimizer, l setting.Learner, targets *learn.Targets) (*mat.Dense, error) {
	validation := learn.Validation{Seed: f.o.Seed}
	progress := f.stage("learn probabilities")
	if !f.anew() && f.o.Method.Embeds() {
		return learn.HeldOut(f.ctx, learn.Compared(l), f.design, targets, validation, progress)
	}
	folds, err := learn.Folds(targets, validation)
	if err != nil {
		return nil, err
	}
	n := f.train.Len()
	return learn.ScoresOfFolds(n, f.rep.Labels, folds, progress, func(k int, held []int) (*mat.Dense, error) {
		return scoresOfFold(f, m, l, Fold{Number: k + 1, Of: len(folds), Rows: learn.Complement(n, held)}, held)
	})
}

// scoresOfFold returns the scores of the rows held out of a fold.
func scoresOfFold(f *fitter, m *minimizer, l setting.Learner, fold Fold, held []int) (*mat.Dense, error) {
	if f.anew() {
		own, err := f.pose(fold)
		if err != nil {
			return nil, err
		}
		scores, err := own.judged([]setting.Learner{l}, f.train.Subset(held).X)
		if err != nil {
			return nil, err
		}
		return scores[0], nil
	}
	rows := make([]bool, f.train.Len())
	for _, i := range fold.Rows {
		rows[i] = true
	}
	result, err := m.compared(l, rows)
	if err != nil {
		return nil, err
	}
	return heldScores(result.Scores, held, f.rep.Labels), nil
}

// heldScores returns the scores (n×m) of rows held out, of those (N×m, labels fastest) of all.
func heldScores(all []float64, held []int, m int) *mat.Dense {
	out := mat.NewDense(len(held), m, nil)
	for r, i := range held {
		out.SetRow(r, all[i*m:(i+1)*m])
	}
	return out
}
