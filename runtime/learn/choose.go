package learn

import (
	"cmp"
	"context"
	"errors"
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

// Validation says how learners are compared. Its zero value is the default.
type Validation struct {
	Folds int    // 0 stands for 5; never more than the examples
	Seed  uint64 // of the draw of the folds
	// Finish changes the scores of examples held out before they are judged, as those of the chosen learner will be; nil changes none.
	Finish func(scores *mat.Dense)
}

// A Score is what a learner reached in cross-validation.
type Score struct {
	Learner setting.Learner
	Mean    float64   // of the folds
	Folds   []float64 // of each
}

// Error returns the standard error of the mean: the folds' standard deviation over the root of their number. With one fold it is not known, and NaN.
func (s *Score) Error() float64 {
	_, sd := stat.MeanStdDev(s.Folds, nil)
	return sd / math.Sqrt(float64(len(s.Folds)))
}

// A Choice is the outcome of a cross-validation.
type Choice struct {
	Best   int // position in Scores
	Metric string
	Scores []Score // in the order of the candidates
	// Ties compares two candidates whose scores are equal, by their positions: negative, the first is taken. Nil means that the learners decide,
	// as Stronger says.
	Ties func(a, b int) int
}

// Choose compares learners by cross-validation: accuracy for a binary or class target, micro-F1 for a multilabel one, RMSE
// for a real one. Of equal scores the one with the stronger regularization wins: the smaller C, the larger λ.
func Choose(ctx context.Context, d *Design, t *Targets, candidates []setting.Learner, v Validation) (*Choice, error) {
	if len(candidates) == 0 {
		return nil, errors.New("learn: no learner to choose from")
	}
	if err := t.check(d); err != nil {
		return nil, err
	}
	c := &Choice{Metric: ChosenBy(t.Task), Scores: make([]Score, len(candidates))}
	for k, l := range candidates {
		if err := l.Suits(t.Task); err != nil {
			return nil, err
		}
		c.Scores[k].Learner = l
	}
	if len(candidates) == 1 {
		return c, nil
	}
	folds, err := Folds(t, v)
	if err != nil {
		return nil, err
	}
	if err := c.compare(ctx, d, t, folds, v.Finish); err != nil {
		return nil, err
	}
	return c, nil
}

// compare judges every candidate by every fold. Sweeps keep one processor busy and take little room, so that folds go on beside each other
// then; Gram matrices take much, and are made by all processors.
func (c *Choice) compare(ctx context.Context, d *Design, t *Targets, folds [][]int, finish func(*mat.Dense)) error {
	grain := len(folds)
	if d.joint && d.rows.n > maxGram {
		grain = 1
	}
	results, errs := make([][]float64, len(folds)), make([]error, len(folds))
	parallel.For(len(folds), grain, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			if results[k], errs[k] = c.fold(ctx, d, t, folds[k], finish); errs[k] != nil {
				return
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	for k := range c.Scores {
		for _, r := range results {
			c.Scores[k].Folds = append(c.Scores[k].Folds, r[k])
		}
	}
	c.pick()
	return nil
}

// ChosenBy is the name of the metric that a task is chosen by.
func ChosenBy(task setting.Task) string {
	switch task {
	case setting.Multilabel:
		return metric.MicroF1
	case setting.Real:
		return metric.RMSE
	case setting.Binary, setting.Class:
	}
	return metric.Accuracy
}

// comparedGap is the gap to which learners are fitted that are compared: what is left of it decides few rows.
const comparedGap = 1e-3

// Compared returns a learner as it is fitted to be compared with others.
func Compared(l setting.Learner) setting.Learner {
	l = l.Filled()
	l.Gap = max(l.Gap, comparedGap)
	return l
}

// fold fits every candidate without the examples held out, and scores it on them.
func (c *Choice) fold(ctx context.Context, d *Design, t *Targets, held []int, finish func(*mat.Dense)) ([]float64, error) {
	out := make([]float64, len(c.Scores))
	rest := Complement(t.Len(), held)
	design, targets := d.Subset(rest), t.Subset(rest)
	test, truth := d.Subset(held), t.Subset(held)
	for k := range c.Scores {
		fit, err := Solve(ctx, Compared(c.Scores[k].Learner), design, targets)
		if err != nil {
			return nil, err
		}
		scores, err := fit.Scores(test)
		if err != nil {
			return nil, err
		}
		if finish != nil {
			finish(scores)
		}
		out[k] = quality(truth, scores)
	}
	return out, nil
}

// NewChoice is a choice among candidates that is judged and taken by the caller.
func NewChoice(task setting.Task, candidates []setting.Learner) *Choice {
	c := &Choice{Metric: ChosenBy(task)}
	c.Add(candidates...)
	return c
}

// Add adds candidates that were not judged yet.
func (c *Choice) Add(candidates ...setting.Learner) {
	for _, l := range candidates {
		c.Scores = append(c.Scores, Score{Learner: l})
	}
}

// Judge adds a fold to the k-th candidate: the scores that it gave to examples held out, and their truth.
func (c *Choice) Judge(k int, truth *Targets, scores *mat.Dense) {
	c.Scores[k].Folds = append(c.Scores[k].Folds, quality(truth, scores))
}

// Take takes the best candidate, and returns its position. Every candidate was judged on the same folds.
func (c *Choice) Take() int {
	c.pick()
	return c.Best
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

// Near returns the positions of the candidates within one standard error of the best, which Take has taken.
func (c *Choice) Near() []int {
	best := &c.Scores[c.Best]
	var near []int
	for k := range c.Scores {
		if k == c.Best || math.Abs(c.Scores[k].Mean-best.Mean) <= best.Error()+rounding*math.Abs(best.Mean) {
			near = append(near, k)
		}
	}
	return near
}

// quality is the metric that a task is chosen by.
func quality(truth *Targets, scores *mat.Dense) float64 {
	p := Decide(truth.Task, scores)
	switch truth.Task {
	case setting.Multilabel:
		return metric.MicroAverageF1(truth.Multi, p.Multi)
	case setting.Real:
		return metric.RootMeanSquareError(truth.Real, p.Real)
	case setting.Binary, setting.Class:
	}
	return metric.ShareEqual(truth.Class, p.Class)
}

// pick takes the means and the best candidate.
func (c *Choice) pick() {
	c.Best = 0
	for k := range c.Scores {
		s := &c.Scores[k]
		var sum float64
		for _, v := range s.Folds {
			sum += v
		}
		s.Mean = sum / float64(len(s.Folds))
		if k > 0 && c.beats(k, c.Best) {
			c.Best = k
		}
	}
}

// rounding is a relative difference of means that says nothing.
const rounding = 1e-12

// Level reports whether two means are equal, or differ by rounding alone.
func Level(a, b float64) bool { return math.Abs(a-b) <= rounding*math.Max(math.Abs(a), math.Abs(b)) }

// beats reports whether candidate a is a better choice than b.
func (c *Choice) beats(a, b int) bool {
	s, best := &c.Scores[a], &c.Scores[b]
	switch {
	case !Level(s.Mean, best.Mean):
		return (s.Mean > best.Mean) != (c.Metric == metric.RMSE)
	case c.Ties != nil:
		return c.Ties(a, b) < 0
	}
	return Stronger(s.Learner, best.Learner) < 0
}

// Stronger returns a negative number where a regularizes more than b, a positive one where it regularizes less, and else 0. A smaller C regularizes
// more, and a larger λ. Learners of two kinds are not compared.
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

// Folds draws disjoint folds of examples, in ascending order each. Every class is spread evenly over the folds; of the
// other tasks the examples are.
func Folds(t *Targets, v Validation) ([][]int, error) {
	n, k := t.Len(), v.Folds
	if k == 0 {
		k = 5
	}
	k = min(k, n)
	if k < 2 {
		return nil, fmt.Errorf("learn: cross-validation needs 2 examples and 2 folds, but there are %d and %d", n, k)
	}
	rng := rand.New(rand.NewPCG(v.Seed, 0x666f6c64))
	order := rng.Perm(n)
	if t.Task == setting.Binary || t.Task == setting.Class {
		order = byClass(t.Class, order)
	}
	fold := make([]int, n)
	for position, i := range order {
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

// Complement are the numbers below n that are not in the ascending list held.
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
