package sipc

import (
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
)

// A search compares combinations of the numbers that a spec leaves open by cross-validation. The folds of the training rows are the same for
// all of them. Each fold is a fit of its own, with an R, a kernel's width and features of its own rows: what is held out has no part in it,
// as test rows have none. The strengths of the learner are compared in the same folds, on the representation that the fold's rows give.
type search struct {
	*runner

	targets *learn.Targets
	folds   [][]int
	choice  *learn.Choice
	tried   []candidate // what each of the choice's scores belongs to
	done    int         // folds of combinations
	total   int
}

// A candidate is a combination: an instance of the plan, and one of its learners.
type candidate struct {
	choice   []int
	instance *compiler.Instance
}

// newSearch draws the folds for a number of combinations, those of the learner's grids left out.
func (r *runner) newSearch(combinations int) (*search, error) {
	targets := model.Targets(r.prepared.Train)
	folds, err := learn.Folds(targets, learn.Validation{Seed: r.seed})
	return &search{
		runner: r, targets: targets, folds: folds, choice: learn.NewChoice(targets.Task, nil), total: combinations * len(folds),
	}, err
}

// judge judges a combination with each strength of its learner.
func (s *search) judge(choice []int) error {
	in := s.spec.Plan.At(choice)
	first, strengths := len(s.tried), s.strengthsOf(in)
	for _, strength := range strengths {
		l := learner(in.Learn)
		l.Strength = strength
		s.choice.Add(l)
		s.tried = append(s.tried, candidate{choice, in})
	}
	pose := s.poser(in, s.prepared.Train)
	for k, held := range s.folds {
		train, reg, o, err := pose(s.ctx, model.Fold{Number: k + 1, Of: len(s.folds), Rows: learn.Complement(s.targets.Len(), held)})
		if err != nil {
			return err
		}
		if o.Method, err = s.chosenMethod(in); err != nil {
			return err
		}
		o.Strengths = strengths
		scores, err := model.Judge(s.ctx, train, reg, o, s.prepared.Train.Subset(held).X)
		if err != nil {
			return err
		}
		for at := range strengths {
			s.choice.Judge(first+at, s.targets.Subset(held), scores[at])
		}
		s.step()
	}
	return nil
}

// step says that another fold of a combination was judged.
func (s *search) step() {
	s.done++
	if s.o.Progress != nil {
		s.o.Progress("choose from the grid", s.done, s.total)
	}
}

// report is the outcome, the best first.
func (s *search) report(chosen int) *report.Grid {
	g := gridOf(s.choice, chosen, func(k int) string {
		parts := settings(s.spec.Plan.Grid, s.tried[k].choice)
		if len(s.choice.Scores) > s.total/len(s.folds) { // the learner has a grid of its own
			parts = append(parts, s.choice.Scores[k].Learner.String())
		}
		return strings.Join(parts, ", ")
	})
	g.Anew = true
	return g
}

// settings is a choice as a reader sees it, without the learner's own.
func settings(grid []compiler.GridParam, choice []int) []string {
	var parts []string
	for g, k := range choice {
		if !grid[g].LearnerOnly {
			parts = append(parts, grid[g].Name+" = "+grid[g].Texts[k])
		}
	}
	return parts
}

// gridOf is a choice as a report tells it: the k-th candidate was taken, and text says what one is.
func gridOf(c *learn.Choice, k int, text func(k int) string) *report.Grid {
	g := &report.Grid{Metric: c.Metric, Folds: len(c.Scores[k].Folds), Chosen: text(k)}
	g.Fits = g.Folds * len(c.Scores)
	for _, at := range c.Order() {
		s := &c.Scores[at]
		g.Scores = append(g.Scores, report.Candidate{
			Choice: text(at), Score: report.Number(s.Mean), Error: report.Number(s.Error()), Chosen: at == k,
		})
	}
	return g
}
