package rival

import (
	"context"
	"errors"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// Search is the space that a rival's settings are chosen from: eighteen for each. The first of those that score the same is
// chosen, so that the usual come before the extreme.
func Search(n Name) []Setting {
	var out []Setting
	if n.mixes() {
		for _, width := range []float64{0.7, 0.35} {
			for _, beta := range []float64{0.5, 0.2, 1} {
				for _, c := range []float64{10, 1, 100} {
					out = append(out, Setting{Width: width, C: c, Beta: beta})
				}
			}
		}
		return out
	}
	if n == HRSVM { // on few rows the best threshold is noise, and decides labels that are not there
		for _, width := range []float64{0.5, 1, 0.25} {
			for _, c := range []float64{10, 1, 100} {
				out = append(out, Setting{Width: width, C: c}, Setting{Width: width, C: c, Keep: true})
			}
		}
		return out
	}
	for _, width := range []float64{0.5, 0.7, 0.35, 1, 0.25, 1.4} {
		for _, c := range []float64{10, 1, 100} {
			out = append(out, Setting{Width: width, C: c})
		}
	}
	return out
}

// ScoreFolds is the number of folds in which settings are compared.
const ScoreFolds = 4

// Folds are those in which settings are compared, four, every class spread evenly over them: each setting is fitted to three quarters of
// the training rows and scored on the other, four times, so that every row counts once.
func Folds(train *dataset.Set, seed uint64) ([][]int, error) {
	if train.Len() < ScoreFolds {
		return nil, errors.New("settings are compared on training rows held out, and there are fewer than 4 rows")
	}
	return learn.Folds(targetsOf(train), learn.Validation{Folds: ScoreFolds, Seed: seed})
}

// A Trial is a setting and what it reaches on training rows held out, fold by fold.
type Trial struct {
	Setting Setting
	Score   float64
}

// Score is the mean accuracy of a setting over the folds, micro-F1 of labels unless they are compared by metric.HammingAccuracy.
func Score(ctx context.Context, n Name, train *dataset.Set, o Options) (float64, error) {
	folds, err := Folds(train, o.Seed)
	if err != nil {
		return 0, err
	}
	var sum float64
	for _, held := range folds {
		m, err := Fit(ctx, n, train.Subset(learn.Complement(train.Len(), held)), o)
		if err != nil {
			return 0, err
		}
		test := train.Subset(held)
		p := learn.Decide(learn.Task(train.Task), m.Scores(test.X))
		switch {
		case train.Task != dataset.Multilabel:
			sum += metric.ShareEqual(test.Class, p.Class)
		case o.By == metric.HammingAccuracy:
			sum += metric.Hamming(test.Multi, p.Multi)
		default:
			sum += metric.MicroAverageF1(test.Multi, p.Multi)
		}
	}
	return sum / float64(len(folds)), nil
}

// Choose compares settings on training rows held out. Of equal ones the first wins.
func Choose(ctx context.Context, n Name, train *dataset.Set, search []Setting, o Options, progress func(done, total int)) (best Setting, trials []Trial, err error) {
	top := -1.0
	for k, s := range search {
		o.Setting = s
		score, err := Score(ctx, n, train, o)
		if err != nil {
			return best, nil, err
		}
		trials = append(trials, Trial{s, score})
		if score > top {
			best, top = s, score
		}
		if progress != nil {
			progress(k+1, len(search))
		}
	}
	return best, trials, nil
}

// Edges are the implications of a regularizer: a label that implies another is its child.
func Edges(reg *regularizer.Regularizer) []Edge {
	var out []Edge
	for _, i := range reg.Implications() {
		out = append(out, Edge{Child: int(i.If), Parent: int(i.Then)})
	}
	return out
}
