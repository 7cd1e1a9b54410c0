package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Score is that of a learner in cross-validation.
type Score struct {
	Learner setting.Learner
	// Mean is that of the folds, each of which Folds has.
	Mean  float64
	Folds []float64
	// Surprise is the log loss of the scores as log odds, summed over the folds. It decides among equal means, as far as it is a number.
	Surprise float64
	// Within is the standard error of the first fold by its rows.
	Within float64
}

// Error returns the standard error of the mean: the folds' standard deviation over the root of their number. One fold, as the valid rows
// are, has the standard error that its rows show. It is NaN if there is one row.
func (s *Score) Error() float64 {
	if len(s.Folds) == 1 {
		return s.Within
	}
	_, sd := stat.MeanStdDev(s.Folds, nil)
	return sd / math.Sqrt(float64(len(s.Folds)))
}

// surprised returns the log loss to three digits, so that what their gaps leave of fits that are compared seldom decides.
func (s *Score) surprised() float64 {
	if math.IsNaN(s.Surprise) {
		return math.Inf(1)
	}
	if s.Surprise == 0 || math.IsInf(s.Surprise, 0) {
		return s.Surprise
	}
	digit := math.Pow(10, math.Floor(math.Log10(s.Surprise))-2)
	return math.Round(s.Surprise/digit) * digit
}

// A Choice is the outcome of a cross-validation. It is made by accuracy for a binary or class target and by micro-F1 for a
// multilabel one. Numbers are judged by RMSE, counts by deviance, and quantiles by pinball loss. Of equal ones the
// smaller log loss of the scores wins, and then the stronger regularization: the smaller C, the larger λ.
type Choice struct {
	// Best is a position in Scores.
	Best   int
	Metric string
	// Valid is the number of rows that decided in place of folds; 0 means that folds did.
	Valid int
	// Later says that each fold was judged by a machine of earlier examples.
	Later bool
	// Scores are in the order of the candidates.
	Scores []Score
	// Ties compares two candidates of equal scores, by their positions; a negative result takes the first. nil means
	// that Surprises decides, and then Stronger.
	Ties func(a, b int) int
}

// ChosenBy returns the name of the metric that decides about learners for a task.
func ChosenBy(task setting.Task) string {
	switch task {
	case setting.Multilabel:
		return metric.MicroF1
	case setting.Real:
		return metric.RMSE
	case setting.Counts:
		return metric.Deviance
	case setting.Quantiles:
		return metric.Pinball
	case setting.Binary, setting.Class:
	}
	return metric.Accuracy
}

// comparedGap is the gap to which compared learners are fitted. A smaller gap would change the decision about few
// rows.
const comparedGap = 1e-3

// Compared returns a learner as it is fitted to be compared with others.
func Compared(l setting.Learner) setting.Learner {
	l = l.Filled()
	l.Gap = max(l.Gap, comparedGap)
	return l
}

// Compare fits learners to the examples of rest, and returns the scores that each gives to those of held. For many joint
// rows, which are swept, fits run beside each other: a sweep uses one processor and little memory. Otherwise fits use Gram
// matrices, which take much memory and all processors.
func Compare(ctx context.Context, d *Design, t *Targets, learners []setting.Learner, rest, held []int) ([]*mat.Dense, error) {
	design, targets, test := d.Subset(rest), t.Subset(rest), d.Subset(held)
	grain := len(learners)
	if d.joint && d.rows.n > maxGram {
		grain = 1
	}
	out, errs := make([]*mat.Dense, len(learners)), make([]error, len(learners))
	parallel.For(len(learners), grain, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			var fit *Fit
			if fit, errs[k] = Solve(ctx, Compared(learners[k]), design, targets); errs[k] != nil {
				return
			}
			if out[k], errs[k] = fit.Scores(test); errs[k] != nil {
				return
			}
		}
	})
	return out, cmp.Or(errs...)
}

// NewChoice returns a choice among candidates whose folds the caller judges.
func NewChoice(task setting.Task, candidates []setting.Learner) *Choice {
	c := &Choice{Metric: ChosenBy(task)}
	c.Add(candidates...)
	return c
}

// Add adds candidates that have not been judged.
func (c *Choice) Add(candidates ...setting.Learner) {
	for _, l := range candidates {
		c.Scores = append(c.Scores, Score{Learner: l})
	}
}

// Judge adds a fold to the k-th candidate: the scores that it gave to held-out examples, and their truth.
func (c *Choice) Judge(k int, truth *Targets, scores *mat.Dense) {
	s, p := &c.Scores[k], Decide(truth.Task, scores)
	if len(s.Folds) == 0 {
		s.Within = standardError(truth, p)
	}
	s.Folds = append(s.Folds, quality(truth, p))
	s.Surprise += surprise(truth, scores)
}

// Take computes the means, chooses the best candidate, the first of equals, and returns its position. All candidates
// must have been judged on the same folds.
func (c *Choice) Take() int {
	c.Best = 0
	for k := range c.Scores {
		s := &c.Scores[k]
		var sum float64
		for _, v := range s.Folds {
			sum += v
		}
		s.Mean = sum / float64(len(s.Folds))
		// A later candidate wins only if it is better, so order breaks the last ties.
		if k > 0 && c.beats(k, c.Best) {
			c.Best = k
		}
	}
	return c.Best
}

// SoFar begins what a stage of work says of the best that it has found.
const SoFar = "; best so far "

// SoFar says what the k-th candidate reaches, with a text that names it.
func (c *Choice) SoFar(k int, text string) string {
	return fmt.Sprintf("%s%s %.4g, %s", SoFar, c.Metric, c.Scores[k].Mean, text)
}

// Order returns the positions of the candidates, the best first.
func (c *Choice) Order() []int {
	order := make([]int, len(c.Scores))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case c.beats(a, b):
			return -1
		case c.beats(b, a):
			return 1
		}
		return 0
	})
	return order
}

// Near returns the positions of the candidates within one standard error of the one that Take has chosen.
func (c *Choice) Near() []int {
	best := &c.Scores[c.Best]
	var near []int
	for k := range c.Scores {
		// The one-standard-error rule (Breiman, Friedman, Olshen and Stone 1984): such a difference may be chance.
		if k == c.Best || math.Abs(c.Scores[k].Mean-best.Mean) <= best.Error()+rounding*math.Abs(best.Mean) {
			near = append(near, k)
		}
	}
	return near
}

// rounding is a relative difference of means that counts as none.
const rounding = 1e-12

// Level reports whether two means are equal up to rounding.
func Level(a, b float64) bool { return math.Abs(a-b) <= rounding*math.Max(math.Abs(a), math.Abs(b)) }

// beats reports whether candidate a is a better choice than b.
func (c *Choice) beats(a, b int) bool {
	s, best := &c.Scores[a], &c.Scores[b]
	switch {
	case !Level(s.Mean, best.Mean):
		return (s.Mean > best.Mean) != metric.Smaller(c.Metric)
	case c.Ties != nil:
		return c.Ties(a, b) < 0
	}
	return cmp.Or(c.Surprises(a, b), Stronger(s.Learner, best.Learner)) < 0
}

// Surprises compares the log losses of two candidates: it returns a negative number if that of a is smaller.
func (c *Choice) Surprises(a, b int) int {
	return cmp.Compare(c.Scores[a].surprised(), c.Scores[b].surprised())
}

// Stronger returns a negative number if a regularizes more than b, a positive one if it regularizes less, and else 0.
// A smaller C regularizes more, and a larger λ. Learners of two kinds are not compared.
func Stronger(a, b setting.Learner) int {
	a, b = a.Filled(), b.Filled()
	switch {
	case a.Kind != b.Kind:
		return 0
	case a.Kind == setting.Ridge:
		return cmp.Compare(b.Strength, a.Strength)
	}
	return cmp.Compare(a.Strength, b.Strength)
}

// UsualFolds is the number of folds in which learners are compared.
const UsualFolds = 5

// Folds draws k disjoint folds of examples by a seed, each in ascending order; of fewer examples as many as there are.
// It spreads every class evenly over the folds; for other tasks, the examples. It fails with fewer than two examples or
// folds. Examples that have times are not drawn, see [Targets.Rest].
func Folds(t *Targets, k int, seed uint64) ([][]int, error) {
	if t.Time != nil {
		return foldsInTime(t, k)
	}
	n := t.Len()
	k = min(k, n)
	if k < 2 {
		return nil, fmt.Errorf("learn: cross-validation needs 2 examples and 2 folds, but there are %d and %d", n, k)
	}
	rng := rand.New(rand.NewPCG(seed, 0x666f6c64))
	order := rng.Perm(n)
	// Otherwise a rare class might be missing from a fold's training rows.
	if t.Task == setting.Binary || t.Task == setting.Class {
		order = byClass(t.Class, order)
	}
	fold := make([]int, n)
	for position, i := range order {
		// Examples of a class stand side by side in order, so that they go to the folds in turn.
		fold[i] = position % k
	}
	folds := make([][]int, k)
	for i, f := range fold {
		folds[f] = append(folds[f], i)
	}
	return folds, nil
}

// byClass puts the examples of a class side by side and keeps their order.
func byClass(class, order []int) []int {
	var groups [][]int
	for _, i := range order {
		for class[i] >= len(groups) {
			groups = append(groups, nil)
		}
		groups[class[i]] = append(groups[class[i]], i)
	}
	var out []int
	for _, g := range groups {
		out = append(out, g...)
	}
	return out
}

// Complement returns the numbers below n that are not in the ascending list held.
func Complement(n int, held []int) []int {
	out := make([]int, 0, n-len(held))
	for i := range n {
		if len(held) > 0 && held[0] == i {
			held = held[1:]
			continue
		}
		out = append(out, i)
	}
	return out
}
