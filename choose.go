package sipc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// choose fixes the numbers for which the spec gives a grid, by cross-validation on the training rows. Grids of the learner
// alone are left to the fit, which compares them on one representation, or on those of each fold; see poser.
func (r *runner) choose() error {
	r.instance = r.spec.Plan.At(nil)
	grid := r.spec.Plan.Grid
	outer, autos := outerChoices(grid), autosOf(grid)
	if r.chosenMethod(r.instance) == setting.Plain {
		autos = nil // which has no R to weigh
	}
	if len(outer) < 2 && len(autos) == 0 {
		return nil
	}
	s, err := r.newSearch(autos)
	if err != nil {
		return err
	}
	if err := s.compare(outer); err != nil {
		return err
	}
	k := s.take()
	r.instance, r.learner = s.tried[k].instance, &s.choice.Scores[k].Learner
	r.report.Grid = s.report(k)
	r.lap("choose")
	return nil
}

// autosOf returns the positions of `auto` among the grids.
func autosOf(grid []compiler.GridParam) []int {
	var autos []int
	for g := range grid {
		if grid[g].Auto {
			autos = append(autos, g)
		}
	}
	return autos
}

// outerChoices returns the combinations of the grids that more than the learner depends on; the others stay at their first value, and so
// does `auto`.
func outerChoices(grid []compiler.GridParam) [][]int {
	choices := [][]int{make([]int, len(grid))}
	for g := range grid {
		if grid[g].LearnerOnly || grid[g].Auto {
			continue
		}
		var longer [][]int
		for _, c := range choices {
			for v := range grid[g].Values {
				next := slices.Clone(c)
				next[g] = v
				longer = append(longer, next)
			}
		}
		choices = longer
	}
	return choices
}

// strengthsOf returns those among which the strength of an instance's learner is chosen.
func (r *runner) strengthsOf(in *compiler.Instance) []float64 {
	var out []float64
	for _, l := range r.spec.Plan.Learners(in) {
		out = append(out, l.Strength)
	}
	return out
}

// validate is the mean of a figure of an instance over the folds; of none by name, the one that the task is chosen by.
func (r *runner) validate(in *compiler.Instance, folds [][]int, by string) (float64, error) {
	var sum float64
	for k, held := range folds {
		fold := model.Fold{Number: k + 1, Of: len(folds), Rows: learn.Complement(r.prepared.Train.Len(), held)}
		fitting, train, err := r.fitFold(in, fold)
		if err != nil {
			return 0, err
		}
		test := r.prepared.Train.Subset(held)
		scores, _, err := fitting.Model.Scores(r.ctx, test.X, nil, nil)
		if err != nil {
			return 0, err
		}
		figures := figuresOf(fitting.Model, train, test, scores)
		score, ok := figures.Get(cmp.Or(by, learn.ChosenBy(fitting.Model.Fit.Task)))
		if !ok {
			return 0, fmt.Errorf("sipc: there is no figure %q of %s targets to choose by", by, fitting.Model.Fit.Task)
		}
		sum += score
	}
	return sum / float64(len(folds)), nil
}

// fitFold fits an instance to the rows of a fold.
func (r *runner) fitFold(in *compiler.Instance, fold model.Fold) (*model.Fitting, *dataset.Set, error) {
	train, reg, o, err := r.poser(in, r.prepared.Train)(r.ctx, fold)
	if err != nil {
		return nil, nil, err
	}
	o.Method, o.Strengths, o.Progress = r.chosenMethod(in), r.strengthsOf(in), nil
	fitting, err := model.Fit(r.ctx, train, reg, o)
	return fitting, train, placed(in, err)
}

// placed returns an error of a fit of an instance, at its place in the spec where it has one.
func placed(in *compiler.Instance, err error) error {
	if !errors.Is(err, operator.ErrIndefinite) {
		return err
	}
	if d := in.TooHeavy(); d != nil {
		return diag.List{d}
	}
	return err
}

// poser makes the problems of folds of training rows. They are prepared as they were with the rows held out: means and scales of
// features see no label.
func (r *runner) poser(in *compiler.Instance, train *dataset.Set) model.Poser {
	return func(ctx context.Context, fold model.Fold) (*dataset.Set, *regularizer.Regularizer, model.Options, error) {
		part := train.Subset(fold.Rows)
		reg, err := in.Ground(ctx, ground(part, r.seed, nil))
		if err != nil {
			return nil, nil, model.Options{}, inFold(err, fold.Number, fold.Of, part.Len())
		}
		o := r.options(in, part)
		o.Unmeasured = true // folds are for scores alone
		o.Closure, err = r.closure(in, reg, part)
		return part, reg, o, err
	}
}

// inFold says of diagnostics that they were met on part of the training rows only.
func inFold(err error, fold, folds, rows int) error {
	list, ok := errors.AsType[diag.List](err)
	if !ok {
		return err
	}
	for _, d := range list {
		d.Detail = strings.TrimSpace(fmt.Sprintf("%s This is so in fold %d of the %d in which the grid is compared; it trains on %d rows.", d.Detail, fold, folds, rows))
		d.Mend = strings.TrimSpace(d.Mend + " Or give a number in place of the grid.")
	}
	return list
}
