package sipc

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// An Outcome holds what a run made, for those who measure more than its report says.
type Outcome struct {
	Report      *report.Report
	Train, Test *dataset.Set
	Model       *model.Model // nil for a rival that ran alone
	Scores      *mat.Dense   // n×m, of the test rows
	// Score returns the scores of further rows of features, prepared as the training rows were.
	Score func(ctx context.Context, x *mat.Dense) (*mat.Dense, error)
	// Probabilities returns those of the classes that scores stand for, nil where the learner gives none.
	Probabilities func(scores *mat.Dense) *mat.Dense
}

// outcome returns what a run made.
func (f *findings) outcome(rep *report.Report) *Outcome {
	m := f.fitting.Model
	return &Outcome{
		Report: rep, Train: f.rows.Train, Test: f.rows.Test, Model: m, Scores: f.scores, Probabilities: m.Fit.Probabilities,
		Score: func(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
			scores, _, err := m.Scores(ctx, x, nil, nil)
			return scores, err
		},
	}
}

// Decisions returns the labels (n×m) that are decided for the test rows, nil where the target has no sets of labels.
func (o *Outcome) Decisions() *mat.Dense { return decisions(o.Test, o.Scores) }

// WithoutClosure returns what the model decides for the test rows without the closure of its scores, and the figures of these scores.
func (o *Outcome) WithoutClosure(ctx context.Context) (*mat.Dense, metric.Figures, error) {
	own := *o.Model
	own.Closure = nil
	scores, _, err := own.Scores(ctx, o.Test.X, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	return decisions(o.Test, scores), figuresOf(&own, o.Train, o.Test, scores), nil
}

// decisions returns the 0/1 labels decided by scores; nil means that the target is not multilabel.
func decisions(s *dataset.Set, scores *mat.Dense) *mat.Dense {
	if s.Task != setting.Multilabel {
		return nil
	}
	return learn.Decide(setting.Multilabel, scores).Multi
}
