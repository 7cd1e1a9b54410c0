package sipc

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
)

// gridFolds is the number of folds in which grids outside the learner are compared. Each fold is a fit of its own.
const gridFolds = 3

// choose fixes the numbers for which the spec gives a grid, by cross-validation on the training rows. Grids of the learner
// alone are left to the fit, which compares them on one representation.
func (r *runner) choose() error {
	grid := r.spec.Plan.Grid
	r.instance = r.spec.Plan.At(nil)
	choices := outerChoices(grid)
	if len(choices) < 2 {
		return nil
	}
	targets := model.Targets(r.prepared.Train)
	folds, err := learn.Folds(targets, learn.Validation{Folds: gridFolds, Seed: r.seed})
	if err != nil {
		return err
	}
	best := -1
	var scores []float64
	for k, choice := range choices {
		score, err := r.validate(r.spec.Plan.At(choice), folds, learn.ChosenBy(targets.Task))
		if err != nil {
			return err
		}
		scores = append(scores, score)
		if best < 0 || better(targets.Task, score, scores[best]) {
			best = k
		}
		if r.o.Progress != nil {
			r.o.Progress("choose from the grid", k+1, len(choices))
		}
	}
	r.instance = r.spec.Plan.At(choices[best])
	r.report.Grid = &report.Grid{Metric: learn.ChosenBy(targets.Task), Folds: gridFolds, Chosen: settings(grid, choices[best])}
	for k, choice := range choices {
		r.report.Grid.Scores = append(r.report.Grid.Scores, report.Tried{Choice: settings(grid, choice), Score: report.Number(scores[k])})
	}
	r.lap("choose")
	return nil
}

// outerChoices are the combinations of the grids that more than the learner depends on; the others stay at their first value.
func outerChoices(grid []compiler.GridParam) [][]int {
	choices := [][]int{make([]int, len(grid))}
	for g := range grid {
		if grid[g].LearnerOnly {
			continue
		}
		var longer [][]int
		for _, c := range choices {
			for v := range grid[g].Values {
				next := append([]int(nil), c...)
				next[g] = v
				longer = append(longer, next)
			}
		}
		choices = longer
	}
	return choices
}

// settings is a choice as a reader sees it.
func settings(grid []compiler.GridParam, choice []int) string {
	var parts []string
	for g, k := range choice {
		if !grid[g].LearnerOnly {
			parts = append(parts, fmt.Sprintf("%s = %g", grid[g].Name, grid[g].Values[k]))
		}
	}
	return strings.Join(parts, ", ")
}

// strengths are those among which the learner's own is chosen.
func (r *runner) strengths() []float64 { return r.strengthsOf(r.instance) }

func (r *runner) strengthsOf(in *compiler.Instance) []float64 {
	var out []float64
	for _, l := range r.spec.Plan.Learners(in) {
		out = append(out, learner(l).Strength)
	}
	return out
}

// validate is the mean of a figure of an instance over the folds; of none by name, the one that the task is chosen by.
func (r *runner) validate(in *compiler.Instance, folds [][]int, by string) (float64, error) {
	var sum float64
	for k, held := range folds {
		train, test := r.prepared.Train.Subset(learn.Complement(r.prepared.Train.Len(), held)), r.prepared.Train.Subset(held)
		reg, err := in.Ground(r.ctx, ground(train, r.seed, nil))
		if err != nil {
			return 0, inFold(err, k+1, len(folds), train.Len())
		}
		o, err := r.options(in, train)
		if err != nil {
			return 0, err
		}
		method, ok := modelMethod(in.Method)
		if !ok {
			return 0, &MethodError{string(in.Method)}
		}
		o.Method, o.Strengths, o.Progress = method, r.strengthsOf(in), nil
		fitting, err := model.Fit(r.ctx, train, reg, o)
		if err != nil {
			return 0, err
		}
		if fitting.Model.Closure, err = r.closure(in, reg, train); err != nil {
			return 0, err
		}
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

// inFold says of diagnostics that they were met on part of the training rows only.
func inFold(err error, fold, folds, rows int) error {
	list, ok := errors.AsType[diag.List](err)
	if !ok {
		return err
	}
	for _, d := range list {
		d.Detail = strings.TrimSpace(fmt.Sprintf("%s This is so in fold %d of the %d in which the grid is compared; it trains on %d rows.", d.Detail, fold, folds, rows))
	}
	return list
}

func better(task learn.Task, a, b float64) bool {
	if task == learn.Real {
		return a < b
	}
	return a > b
}
