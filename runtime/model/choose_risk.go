package model

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// choose judges the learners by cross-validation. R is taken over all training rows whatever the fold, as it is
// where representations are compared.
func (m *minimizer) choose(candidates []setting.Learner) (*learn.Choice, error) {
	f, targets := m.f, m.problem.Targets
	n := f.train.Len()
	folds, err := learn.Folds(targets, learn.Validation{Seed: f.o.Seed})
	if err != nil {
		return nil, err
	}
	choice, progress := learn.NewChoice(targets.Task, candidates), f.stage(choosing)
	for at, held := range folds {
		rows, rest := make([]bool, n), learn.Complement(n, held)
		for _, i := range rest {
			rows[i] = true
		}
		for k, c := range candidates {
			result, err := m.compared(c, rows)
			if err != nil {
				return nil, err
			}
			scores := heldScores(result.Scores, held, f.rep.Labels)
			choice.Judge(k, targets.Subset(held), finished(c, targets.Subset(rest), scores))
			if progress != nil {
				progress(at*len(candidates)+k+1, len(folds)*len(candidates))
			}
		}
	}
	choice.Take()
	return choice, nil
}

// finished turns sums of scores into those by which a learner of the targets decides, in place.
func finished(l setting.Learner, t *learn.Targets, scores *mat.Dense) *mat.Dense {
	(&learn.Fit{Sets: learn.SetsOf(l, t)}).Finish(scores)
	return scores
}
