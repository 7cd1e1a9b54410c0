package rival

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Orders returns an error if a rival that reads scores from the root down finds no order of the labels in the implications.
func (n Name) Orders(train *dataset.Set, edges []Edge) error {
	return (&Model{Name: n}).hierarchy(train, edges)
}

// hierarchy orders the labels, parents first, for the rivals that read scores from the root down.
func (m *Model) hierarchy(train *dataset.Set, edges []Edge) error {
	if !m.Name.Hierarchical() {
		return nil
	}
	count := len(train.LabelNames)
	m.parents = make([][]int, count)
	for _, e := range edges {
		if min(e.Child, e.Parent) < 0 || max(e.Child, e.Parent) >= count {
			return fmt.Errorf("rival %s: label %d implies label %d, and there are %d labels", m.Name, e.Child, e.Parent, count)
		}
		if !slices.Contains(m.parents[e.Child], e.Parent) {
			m.parents[e.Child] = append(m.parents[e.Child], e.Parent)
		}
	}
	if len(edges) == 0 {
		return fmt.Errorf("rival %s needs implications between labels, and the invariances hold none; declare one, such as "+
			"`rms over x of max over (a, b) in edges(taxonomy(\"FILE\")) of implies(a, b)`", m.Name)
	}
	done := make([]bool, count)
	for len(m.order) < count {
		before := len(m.order)
		for y := range count {
			if !done[y] && !slices.ContainsFunc(m.parents[y], func(p int) bool { return !done[p] }) {
				done[y], m.order = true, append(m.order, y)
			}
		}
		if len(m.order) == before {
			return fmt.Errorf("rival %s: the implications hold a cycle, through label %s", m.Name, train.LabelNames[slices.Index(done, false)])
		}
	}
	return nil
}

// thresholdFolds is the number of folds whose held-out scores a threshold is set on.
const thresholdFolds = 3

// fitLocal fits to each label a machine on the rows that carry a parent of it, and moves its threshold.
func (m *Model) fitLocal(ctx context.Context, phi *mat.Dense, train *dataset.Set, o Options) error {
	_, d := phi.Dims()
	count := len(train.LabelNames)
	design, err := learn.Shared(phi, 1)
	if err != nil {
		return err
	}
	m.weights, m.bias = mat.NewDense(count, d, nil), make([]float64, count)
	errs, parts := make([]error, count), make([]local, count)
	parallel.For(count, 1, func(y, _ int) {
		l := &parts[y]
		*l = local{learner: machine(o), keep: o.Setting.Keep, seed: o.Seed}
		for i := range train.Len() {
			inside := len(m.parents[y]) == 0
			for _, p := range m.parents[y] {
				inside = inside || train.Multi.At(i, p) > 0
			}
			if inside {
				l.rows, l.class = append(l.rows, i), append(l.class, int(train.Multi.At(i, y)))
			}
		}
		m.bias[y], errs[y] = l.fit(ctx, design, m.weights.RawRowView(y))
		l.design = nil // it is large
	})
	m.Solution = &learn.Fit{Learner: machine(o), Converged: true}
	for y, err := range errs {
		if err != nil {
			return err
		}
		for _, f := range parts[y].trials {
			m.add(f, false)
		}
		if f := parts[y].own; f != nil {
			m.add(f, true)
		}
	}
	return nil
}

// A local problem is one label's on the rows that carry a parent of it.
type local struct {
	learner setting.Learner
	rows    []int
	design  *learn.Design // of these rows
	class   []int         // 0 or 1, of each of them
	keep    bool          // the threshold
	seed    uint64
	own     *learn.Fit   // nil where the machine is a constant
	trials  []*learn.Fit // those that the threshold is set by
}

// fit sets the weights and returns the bias, whole being the design of all rows. Rows of one kind alone make a constant.
func (l *local) fit(ctx context.Context, whole *learn.Design, weights []float64) (bias float64, err error) {
	positive := 0
	for _, c := range l.class {
		positive += c
	}
	switch positive {
	case 0:
		return -1, nil
	case len(l.rows):
		return 1, nil
	}
	l.design = whole.Subset(l.rows)
	shift := 0.0
	if !l.keep && min(positive, len(l.rows)-positive) >= thresholdFolds {
		if shift, err = l.threshold(ctx); err != nil {
			return 0, err
		}
	}
	if l.own, err = l.learn(ctx, nil); err != nil {
		return 0, err
	}
	copy(weights, l.own.Weights.RawRowView(0))
	return l.own.Bias[0] - shift, nil
}

// learn fits the machine to the local rows, but for those held out.
func (l *local) learn(ctx context.Context, held []int) (*learn.Fit, error) {
	keep := learn.Complement(len(l.rows), held)
	return learn.Solve(ctx, l.learner, l.design.Subset(keep), l.targets().Subset(keep))
}

// targets returns the classes as learners take them.
func (l *local) targets() *learn.Targets { return &learn.Targets{Task: setting.Binary, Class: l.class} }

// threshold returns the score that decides best, by F1, on rows that the machine has not seen.
func (l *local) threshold(ctx context.Context) (float64, error) {
	folds, err := learn.Folds(l.targets(), thresholdFolds, l.seed)
	if err != nil {
		return 0, err
	}
	scores := make([]float64, len(l.rows))
	for _, held := range folds {
		fit, err := l.learn(ctx, held)
		if err != nil {
			return 0, err
		}
		l.trials = append(l.trials, fit)
		s, err := fit.Scores(l.design.Subset(held))
		if err != nil {
			return 0, err
		}
		for k, i := range held {
			scores[i] = s.At(k, 0)
		}
	}
	return bestThreshold(scores, l.class), nil
}

// bestThreshold returns the threshold with the largest F1, halfway between two scores; of equal ones that nearest to
// zero. It is zero if no other is better.
func bestThreshold(scores []float64, class []int) float64 {
	order := make([]int, len(scores))
	positives, value, above := 0, 0.0, 0.0 // F1 at zero, of the scores above it
	for i, c := range class {
		order[i], positives = i, positives+c
		if scores[i] > 0 {
			value, above = value+float64(c), above+1
		}
	}
	sort.Slice(order, func(i, j int) bool { return scores[order[i]] > scores[order[j]] })
	best, found := 0.0, 0.0
	value = f1(value, float64(positives), above)
	for k := range len(order) - 1 {
		found += float64(class[order[k]])
		high, low := scores[order[k]], scores[order[k+1]]
		if high == low {
			continue
		}
		middle, v := low+(high-low)/2, f1(found, float64(positives), float64(k+1))
		if v > value || (v == value && math.Abs(middle) < math.Abs(best)) {
			best, value = middle, v
		}
	}
	return best
}

// f1 returns 2 TP / (positives + predicted), 0 if that is 0/0.
func f1(found, positives, predicted float64) float64 {
	if positives+predicted == 0 {
		return 0
	}
	return 2 * found / (positives + predicted)
}
