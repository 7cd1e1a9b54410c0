package rival

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Search returns the space that a rival's settings are chosen from: eighteen for each, but for augment, whose kernel is the spec's. The
// first of those that score the same is chosen, so that the usual come before the extreme.
func Search(n Name) []Setting {
	usual := []float64{10, 1, 100}
	switch n {
	case Mixup, StochasticMixup:
		var out []Setting
		for _, width := range []float64{0.7, 0.35} {
			for _, beta := range []float64{0.5, 0.2, 1} {
				out = append(out, spread([]float64{width}, usual, Setting{Beta: beta})...)
			}
		}
		return out
	case HRSVM: // on few rows the best threshold is noise, and decides labels that are not there
		return spread([]float64{0.5, 1, 0.25}, usual, Setting{}, Setting{Keep: true})
	case SVR:
		return spread([]float64{1, 2, 0.5}, usual, Setting{Epsilon: 0.1}, Setting{Epsilon: 0.01})
	case Ridge:
		return spread([]float64{1, 2, 0.5}, []float64{10, 1, 100, 0.1, 1000, 1e4}, Setting{})
	case Augment:
		return spread([]float64{0}, usual, Setting{})
	case SVM, MultilabelSVM, Masking:
	}
	return spread([]float64{0.5, 0.7, 0.35, 1, 0.25, 1.4}, usual, Setting{})
}

// spread returns settings of all combinations of a width, a C and the rest.
func spread(widths, strengths []float64, rest ...Setting) []Setting {
	var out []Setting
	for _, width := range widths {
		for _, c := range strengths {
			for _, s := range rest {
				s.Width, s.C = width, c
				out = append(out, s)
			}
		}
	}
	return out
}

// ScoreFolds is the number of folds in which settings are compared.
const ScoreFolds = 4

// Folds returns the four folds in which settings are compared, every class spread evenly over them. Each setting is
// fitted to three quarters of the training rows and scored on the other, four times, so that every row counts once.
func Folds(train *dataset.Set, seed uint64) ([][]int, error) {
	if train.Len() < ScoreFolds {
		return nil, errors.New("settings are compared on training rows held out, and there are fewer than 4 rows")
	}
	return learn.Folds(targetsOf(train), ScoreFolds, seed)
}

// A Trial is a setting and what it reaches on training rows held out, fold by fold.
type Trial struct {
	Setting Setting
	Score   float64
	Folds   []float64 // the score of each fold
}

// Score returns the mean of a figure of a setting over the folds: accuracy for classes, and RMSE for numbers. For
// labels it is micro-F1, unless they are compared by metric.HammingAccuracy.
func Score(ctx context.Context, n Name, train *dataset.Set, o Options) (float64, error) {
	trials, err := compare(ctx, n, train, []Setting{o.Setting}, o, nil)
	if err != nil {
		return 0, err
	}
	return trials[0].Score, nil
}

// heldOut returns the rows that are held out of each fold; one fold of none where there are rows apart to compare settings on.
func heldOut(train *dataset.Set, o Options) ([][]int, error) {
	switch {
	case o.Valid != nil:
		return make([][]int, 1), nil
	case o.Folds != nil:
		return o.Folds, nil
	}
	return Folds(train, o.Seed)
}

// part returns the rows that a fold is learnt from, those that judge it, and the machine of augment for it.
func part(ctx context.Context, train *dataset.Set, held []int, o Options) (learnt, test *dataset.Set, machine *Machine, err error) {
	rest := targetsOf(train).Rest(held)
	switch {
	case o.Valid != nil:
		return train, o.Valid, o.Machine, nil
	case o.Part != nil:
		return o.Part(ctx, rest, held)
	}
	return train.Subset(rest), train.Subset(held), o.Machine, nil
}

// compare scores settings, in each fold all of them.
func compare(ctx context.Context, n Name, train *dataset.Set, search []Setting, o Options, progress func(done, total int)) ([]Trial, error) {
	folds, err := heldOut(train, o)
	if err != nil {
		return nil, err
	}
	out := make([]Trial, len(search))
	for f, held := range folds {
		rest, test, machine, err := part(ctx, train, held, o)
		if err != nil {
			return nil, err
		}
		o.Machine, o.shared = machine, &shared{}
		for k, s := range search {
			o.Setting = s
			m, err := Fit(ctx, n, rest, o)
			if err != nil {
				return nil, err
			}
			scores, err := m.Scores(ctx, test.X)
			if err != nil {
				return nil, err
			}
			own := quality(test, scores, o.By)
			out[k].Setting, out[k].Score, out[k].Folds = s, out[k].Score+own/float64(len(folds)), append(out[k].Folds, own)
			if progress != nil {
				progress(f*len(search)+k+1, len(folds)*len(search))
			}
		}
	}
	return out, nil
}

// quality returns the figure by which settings are compared.
func quality(test *dataset.Set, scores *mat.Dense, by string) float64 {
	if test.Task == setting.Multilabel && by == metric.HammingAccuracy {
		return metric.Hamming(test.Multi, learn.Decide(test.Task, scores).Multi, test.Weight)
	}
	return learn.Quality(targetsOf(test), scores)
}

// Better reports whether one score of a task is better than another, by more than rounding: RMSE is small where it is good.
func Better(task setting.Task, a, b float64) bool {
	if learn.Level(a, b) {
		return false
	}
	return metric.Smaller(learn.ChosenBy(task)) == (a < b)
}

// Choose compares settings on training rows held out, and returns the best and what each reached. Of equal ones the first wins.
func Choose(ctx context.Context, n Name, train *dataset.Set, search []Setting, o Options, progress func(done, total int)) (best Trial, trials []Trial, err error) {
	trials, err = compare(ctx, n, train, search, o, progress)
	if err != nil {
		return best, nil, err
	}
	for k, t := range trials {
		if k == 0 || Better(train.Task, t.Score, best.Score) {
			best = t
		}
	}
	return best, trials, nil
}

// Edges returns the implications of a regularizer: a label that implies another is its child.
func Edges(reg *regularizer.Regularizer) []Edge {
	var out []Edge
	for _, i := range reg.Implications() {
		out = append(out, Edge{Child: int(i.If), Parent: int(i.Then)})
	}
	return out
}
