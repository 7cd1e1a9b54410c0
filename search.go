package sipc

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
)

// A search compares combinations of the numbers that a spec leaves open by cross-validation, or on the valid rows
// alone. All use the same folds of the training rows. Each fold is a separate fit, with R, a kernel's width and features from its own rows. So
// held-out rows have no part in it, like test rows. The strengths of the learner are compared in the same folds, on
// the fold's representation.
type search struct {
	rows    *Prepared
	targets *learn.Targets
	folds   [][]int // of training rows held out; one that is empty where valid rows decide
	choice  *learn.Choice
	// tried has the candidate of each of the choice's scores.
	tried []candidate
	// autos are the grids that are `auto`.
	autos []int
	// kept has what combinations share, by fold.
	kept []lastFold
	// done counts folds of combinations, of total.
	done  int
	total int
	// best says what was best of the combinations that were judged; empty before the first was.
	best string
	// over says that the time was, before all were judged.
	over bool
	// inner says that the learner has its own grid.
	inner bool
}

// A lastFold has what a fold keeps for the next combination: what fits share, and the last R with its instance.
type lastFold struct {
	shelf model.Shelf
	of    *compiler.Instance
	reg   *regularizer.Regularizer
}

// A candidate is a combination: an instance of the plan, and one of its learners.
type candidate struct {
	choice   []int
	instance *compiler.Instance
	insists  float64 // how strongly it asks for R
}

// newSearch draws the folds.
func (p *Prepared) newSearch(autos []int) (*search, error) {
	targets := model.Targets(p.Train)
	s := &search{rows: p, targets: targets, choice: learn.NewChoice(targets.Task, nil), autos: autos}
	s.choice.Ties = s.stronger
	if p.Valid != nil {
		s.folds, s.choice.Valid = make([][]int, 1), p.Valid.Len()
		return s, nil
	}
	var err error
	s.folds, err = learn.Folds(targets, learn.UsualFolds, p.Seed)
	s.choice.Later = targets.Time != nil
	return s, err
}

// stronger returns a negative number where a is to be taken of two candidates that predict alike. The larger product of weights is taken, then
// the smaller log loss of held-out scores. Then the stronger learner is taken, then the larger value of the first other grid
// in which they differ. The order in which a spec lists values decides nothing.
func (s *search) stronger(a, b int) int {
	x, y := &s.tried[a], &s.tried[b]
	if by := cmp.Compare(y.insists, x.insists); by != 0 {
		return by
	}
	if by := s.choice.Surprises(a, b); by != 0 {
		return by
	}
	if by := learn.Stronger(s.choice.Scores[a].Learner, s.choice.Scores[b].Learner); by != 0 {
		return by
	}
	for g := range s.rows.Spec.Plan.Grid {
		values := s.values(g)
		if by := cmp.Compare(values[y.choice[g]], values[x.choice[g]]); by != 0 {
			return by
		}
	}
	return 0
}

// insists returns the logarithm of the product of weights, to nine places, so that rounding breaks no tie. A weight of 0 counts as less than any
// other.
func insists(weights []compiler.Weight) float64 {
	sum := 0.0
	for _, w := range weights {
		sum += math.Log(max(w.Value, math.SmallestNonzeroFloat64))
	}
	return math.Round(sum * 1e9)
}

// compare judges every combination of the other grids with every value of `auto`. Several autos have the same value
// at first. Then each varies alone, in the order of the spec, while the rest keep the best values so far. So k of
// them take v + k(v − 1) combinations of their v values, not vᵏ.
func (s *search) compare(ctx context.Context, outer [][]int) error {
	s.total = len(outer) * len(s.folds)
	if len(s.autos) == 0 {
		return s.judgeAll(ctx, outer)
	}
	together := s.vary(outer, s.autos[0])
	for _, choice := range together {
		for _, g := range s.autos[1:] {
			choice[g] = choice[s.autos[0]]
		}
	}
	s.total = len(together) * len(s.folds)
	if len(s.autos) > 1 {
		s.total += len(s.autos) * (len(s.values(s.autos[0])) - 1) * len(s.folds)
	}
	if err := s.judgeAll(ctx, together); err != nil || len(s.autos) < 2 {
		return err
	}
	for _, g := range s.autos {
		best := s.tried[s.choice.Take()].choice
		others := slices.DeleteFunc(s.vary([][]int{best}, g), func(c []int) bool { return c[g] == best[g] })
		if err := s.judgeAll(ctx, others); err != nil {
			return err
		}
	}
	return nil
}

// vary returns each of some combinations with each value of a grid.
func (s *search) vary(choices [][]int, g int) [][]int {
	var out [][]int
	for _, c := range choices {
		for v := range s.values(g) {
			next := slices.Clone(c)
			next[g] = v
			out = append(out, next)
		}
	}
	return out
}

func (s *search) values(g int) []float64 { return s.rows.Spec.Plan.Grid[g].Values }

// judgeAll judges combinations, but for those that were judged, as long as there is time.
func (s *search) judgeAll(ctx context.Context, choices [][]int) error {
	for _, choice := range choices {
		if slices.ContainsFunc(s.tried, func(c candidate) bool { return slices.Equal(c.choice, choice) }) {
			s.total -= len(s.folds)
			continue
		}
		judged := len(s.tried)
		err := limits.Whole(ctx, func(ctx context.Context) error { return s.judge(ctx, choice) })
		if limits.TimeOver(err) && judged > 0 {
			s.tried, s.choice.Scores, s.over = s.tried[:judged], s.choice.Scores[:judged], true
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// left says how many combinations were compared before the time was over; empty means all.
func (s *search) left() string {
	if !s.over {
		return ""
	}
	return fmt.Sprintf("the time was over when %d of %d folds of combinations of the grid were judged; those judged on all folds were compared", s.done, s.total)
}

// take chooses the best candidate. With `auto` it chooses the one of the largest weights among those within one
// standard error of the best. They obey R most, and only luck tells them from the best.
func (s *search) take() (k int, largest []further) {
	best := s.choice.Take()
	if len(s.autos) == 0 {
		return best, nil
	}
	near, most, middle, taken := s.choice.Near(), -1, -1, best
	for _, k := range s.choice.Order() {
		size, least := s.size(s.tried[k].choice)
		if slices.Contains(near, k) && (size > most || size == most && least > middle) {
			taken, most, middle = k, size, least
		}
	}
	return taken, s.further(taken)
}

// size orders combinations by the product of their autos. Their values are a log grid, with 0 a step below the least.
// So it adds up how many values are smaller. Of equal products the one with the largest least factor insists on every statement.
func (s *search) size(choice []int) (sum, least int) {
	least = math.MaxInt
	for _, g := range s.autos {
		values, steps := s.values(g), 0
		for _, v := range values {
			if v < values[choice[g]] {
				steps++
			}
		}
		sum, least = sum+steps, min(least, steps)
	}
	return sum, least
}

// weights returns the weights of the statements that the grids decide about, as the chosen combination has them.
func (s *search) weights(chosen int) (out []report.Weight) {
	for k, w := range s.tried[chosen].instance.Weights() {
		if slices.ContainsFunc(s.tried, func(c candidate) bool { return c.instance.Weights()[k].Value != w.Value }) {
			out = append(out, report.Weight{Of: w.Of, Weight: w.Value})
		}
	}
	return out
}

// shelvedShare is the share of the memory that folds may keep for further combinations.
const shelvedShare = 1.0 / 4

// judge judges a combination with each strength of its learner.
func (s *search) judge(ctx context.Context, choice []int) error {
	in := instanceAt(s.rows, choice)
	first, strengths := len(s.tried), s.rows.strengths(in)
	s.inner = s.inner || len(strengths) > 1
	for _, strength := range strengths {
		l := in.Learn
		l.Strength = strength
		s.choice.Add(l)
		s.tried = append(s.tried, candidate{choice, in, insists(in.Weights())})
	}
	most := shelvedShare * float64(limits.Memory(ctx)) / float64(len(s.folds))
	if s.kept == nil {
		s.kept = slices.Repeat([]lastFold{{shelf: model.Shelf{Most: most}}}, len(s.folds))
	}
	pose := s.rows.poser(in, s.rows.Train, func(f model.Fold) *regularizer.Regularizer {
		last := &s.kept[f.Number-1]
		if last.reg == nil {
			return nil
		}
		return compiler.Reweighed(in, last.of, last.reg)
	})
	for k, held := range s.folds {
		train, reg, o, err := pose(ctx, model.Fold{Number: k + 1, Of: len(s.folds), Rows: s.targets.Rest(held), Held: held})
		if err != nil {
			return err
		}
		if b := reg.Functionals; b != nil && 8*float64(len(b.Points.Data)) < most {
			s.kept[k].of, s.kept[k].reg = in, reg
		}
		o.Compared, o.Shelf = s.total, &s.kept[k].shelf
		test := s.rows.Valid
		switch {
		case test == nil && o.Held != nil:
			test = o.Held
		case test == nil:
			test = s.rows.Train.Subset(held)
		}
		scores, err := model.Judge(ctx, train, reg, o, test.X)
		if err != nil {
			return placed(in, err)
		}
		for at := range strengths {
			s.choice.Judge(first+at, model.Targets(test), scores[at])
		}
		if s.done++; k+1 == len(s.folds) {
			at := s.choice.Take()
			s.best = s.choice.SoFar(at, s.text(at))
		}
		tell(s.rows, "choose from the grid"+s.best, s.done, s.total)
	}
	return nil
}

// text returns a candidate as a reader sees it.
func (s *search) text(k int) string {
	parts := settings(s.rows.Spec.Plan.Grid, s.tried[k].choice)
	if s.inner {
		parts = append(parts, s.choice.Scores[k].Learner.String())
	}
	return strings.Join(parts, ", ")
}

// report returns the outcome, the best first.
func (s *search) report(chosen int) *report.Grid {
	g := gridOf(s.choice, chosen, s.text)
	// One valid row tells no standard error, and the best is taken.
	told := slices.ContainsFunc(g.Scores, func(c report.Candidate) bool { return !math.IsNaN(float64(c.Error)) })
	g.Anew, g.Largest, g.Weights = s.choice.Valid == 0, len(s.autos) > 0 && told, s.weights(chosen)
	g.Without = s.without(chosen)
	return g
}

// without sets the choice beside the best candidate in which every auto is 0. It returns nil where there is no auto, or no such candidate.
func (s *search) without(chosen int) *report.Without {
	zero := func(k int) bool {
		return !slices.ContainsFunc(s.autos, func(g int) bool { return s.values(g)[s.tried[k].choice[g]] != 0 })
	}
	order := s.choice.Order()
	at := slices.IndexFunc(order, zero)
	if len(s.autos) == 0 || at < 0 {
		return nil
	}
	own, bare := &s.choice.Scores[chosen], &s.choice.Scores[order[at]]
	out := &report.Without{Choice: s.text(order[at]), Score: report.Number(bare.Mean), Chosen: zero(chosen), Best: learn.Level(bare.Mean, s.choice.Scores[order[0]].Mean)}
	for _, g := range s.autos {
		values := slices.Sorted(slices.Values(s.values(g)))
		out.Least = out.Least || s.values(g)[s.tried[chosen].choice[g]] == values[1]
	}
	out.Compare(own.Folds, bare.Folds, s.choice.Later)
	return out
}

// settings returns a choice as a reader sees it, without the learner's own.
func settings(grid []compiler.GridParam, choice []int) []string {
	var parts []string
	for g, k := range choice {
		if !grid[g].LearnerOnly {
			parts = append(parts, grid[g].Name+" = "+grid[g].Texts[k])
		}
	}
	return parts
}

// gridOf returns a choice as a report tells it: the k-th candidate was taken, and text says what one is.
func gridOf(c *learn.Choice, k int, text func(k int) string) *report.Grid {
	g := &report.Grid{Metric: c.Metric, Folds: len(c.Scores[k].Folds), Valid: c.Valid, Later: c.Later, Chosen: text(k)}
	g.Fits = g.Folds * len(c.Scores)
	for _, at := range c.Order() {
		s := &c.Scores[at]
		g.Scores = append(g.Scores, report.Candidate{
			Choice: text(at), Score: report.Number(s.Mean), Error: report.Number(s.Error()), Chosen: at == k,
		})
	}
	return g
}

// further returns the autos of which the largest value was taken.
func (s *search) further(taken int) (largest []further) {
	for _, g := range s.autos {
		values, choice := s.values(g), s.tried[taken].choice
		v := values[choice[g]]
		if v < slices.Max(values) {
			continue
		}
		f := further{name: s.rows.Spec.Plan.Grid[g].Name, value: v, factor: 1}
		other := slices.Clone(choice)
		other[g] = slices.Index(values, slices.Min(values))
		before := s.rows.Spec.Plan.At(other).Weights()
		for k, w := range s.tried[taken].instance.Weights() {
			if w.Value == before[k].Value {
				continue
			}
			if len(f.of) == 0 {
				f.factor = w.Value / v
			}
			f.of = append(f.of, w.Of)
		}
		largest = append(largest, f)
	}
	return largest
}
