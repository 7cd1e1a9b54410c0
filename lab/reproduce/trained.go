package reproduce

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/rival"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A trained is a method or a rival that was fitted and measured, with its functions for further rows.
type trained struct {
	*sipc.Outcome
	score         func(ctx context.Context, x *mat.Dense) (*mat.Dense, error)
	probabilities func(scores *mat.Dense) *mat.Dense // nil where the learner gives none
}

// trainMethod runs a spec.
func trainMethod(ctx context.Context, spec *sipc.Spec, o sipc.RunOptions) (*trained, error) {
	out, err := sipc.Perform(ctx, spec, o)
	if err != nil {
		return nil, err
	}
	score := func(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
		scores, _, err := out.Model.Scores(ctx, x, nil, nil)
		return scores, err
	}
	return &trained{out, score, out.Model.Fit.Probabilities}, nil
}

// trainRival fits a rival, and nothing else, to the rows of a spec.
func trainRival(ctx context.Context, spec *sipc.Spec, o sipc.RunOptions, contender sipc.RivalOptions) (*trained, error) {
	p, err := sipc.Prepare(ctx, spec, o)
	if err != nil {
		return nil, err
	}
	reg, err := p.Ground(ctx)
	if err != nil {
		return nil, err
	}
	m, described, err := p.FitRival(ctx, spec.Plan.At(nil), reg, contender)
	if err != nil {
		return nil, err
	}
	scores, err := m.Scores(ctx, p.Test.X)
	if err != nil {
		return nil, err
	}
	described.Metrics.Figures = sipc.Figures(p.Train, p.Test, scores, m.Probabilities(scores))
	rep := &report.Report{NTrain: p.Train.Len(), NTest: p.Test.Len(), Metrics: described.Metrics, Rivals: []report.Contender{*described}}
	return &trained{&sipc.Outcome{Report: rep, Train: p.Train, Test: p.Test, Scores: scores}, m.Scores, m.Probabilities}, nil
}

// decisions returns the labels (n×m) that are decided for the test rows by scores; nil where the target has no sets of labels.
func decisions(o *sipc.Outcome, scores *mat.Dense) *mat.Dense {
	if o.Test.Task != setting.Multilabel {
		return nil
	}
	return learn.Decide(setting.Multilabel, scores).Multi
}

// scoreRival returns what a setting of a rival reaches on training rows that are held out.
func scoreRival(ctx context.Context, p *sipc.Prepared, contender sipc.RivalOptions) (float64, error) {
	reg, err := p.Ground(ctx)
	if err != nil {
		return 0, err
	}
	return rival.Score(ctx, contender.Name, p.Train, p.RivalOptions(p.Spec.Plan.At(nil), reg, contender))
}

// scoreMethod returns what a spec reaches on training rows that are held out, in the folds that rivals are scored in. It is the mean of the
// figure named by; empty means that by which the task is chosen.
func scoreMethod(ctx context.Context, p *sipc.Prepared, by string) (float64, error) {
	folds, err := rival.Folds(p.Train, p.Seed)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for k, held := range folds {
		train, reg, o, err := p.Fold(ctx, model.Fold{Number: k + 1, Of: len(folds), Rows: learn.Complement(p.Train.Len(), held)})
		if err != nil {
			return 0, err
		}
		o.Progress = nil
		fitting, err := model.Fit(ctx, train, reg, o)
		if err != nil {
			return 0, err
		}
		test := p.Train.Subset(held)
		scores, _, err := fitting.Model.Scores(ctx, test.X, nil, nil)
		if err != nil {
			return 0, err
		}
		fit := fitting.Model.Fit
		score, ok := sipc.Figures(train, test, scores, fit.Probabilities(scores)).Get(cmp.Or(by, learn.ChosenBy(fit.Task)))
		if !ok {
			return 0, fmt.Errorf("there is no figure %q of %s targets to choose by", by, fit.Task)
		}
		sum += score
	}
	return sum / float64(len(folds)), nil
}
