package sipc

import (
	"context"
	"slices"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A chosen is an instance whose numbers are fixed, and how they were chosen.
type chosen struct {
	instance *compiler.Instance
	learner  *setting.Learner // that was chosen together with the instance; nil leaves the choice to the fit
	grid     *report.Grid     // nil where there was nothing to choose
	further  []further
	folds    []float64 // what was chosen reached in each fold; nil where there was nothing to choose
	left     string    // what was not compared, as the time was over; empty means nothing
}

// chooseShare is what choosing may take of a limit of time. The rest is for the fit of what is chosen.
const chooseShare = 0.5

// choose fixes the numbers for which the spec gives a grid, by cross-validation on the training rows. Grids of the learner
// alone are left to the fit, which compares them on one representation, or on those of each fold; see poser.
func (p *Prepared) choose(ctx context.Context) (*chosen, error) {
	first, grid := instanceAt(p, nil), p.Spec.Plan.Grid
	outer, autos := outerChoices(grid), autosOf(grid)
	if first.Method == setting.Plain {
		autos = nil // which has no R to weigh
	}
	if len(outer) < 2 && len(autos) == 0 {
		return &chosen{instance: first}, nil
	}
	s, err := p.newSearch(autos)
	if err != nil {
		return nil, err
	}
	err = s.compare(limits.Share(ctx, chooseShare), outer)
	if limits.TimeOver(err) {
		return &chosen{instance: first, left: "the time was over before one combination of the grid was judged; the first of all values is taken"}, nil
	}
	if err != nil {
		return nil, err
	}
	k, largest := s.take()
	return &chosen{instance: s.tried[k].instance, learner: &s.choice.Scores[k].Learner, folds: s.choice.Scores[k].Folds, grid: s.report(k), further: largest, left: s.left()}, nil
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
