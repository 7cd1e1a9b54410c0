package sipc

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// metricsOf returns the figures of scores on a test set, with those of each class or label and the calibration of probabilities. These may be
// nil. The majority is that of the training rows.
func metricsOf(train, test *dataset.Set, scores, probabilities *mat.Dense) (out report.Metrics) {
	return metricsUnder(train, test, learn.Decide(test.Task, scores), scores, probabilities, metric.Weights{Rows: test.Weight, Train: train.Weight})
}

// metricsUnder returns what metricsOf does, of test rows with other weights. p is what the scores decide.
func metricsUnder(train, test *dataset.Set, p *learn.Prediction, scores, probabilities *mat.Dense, by metric.Weights) (out report.Metrics) {
	switch test.Task {
	case setting.Real:
		out.Figures = metric.Numbers(test.Real, p.Real, by.Rows)
	case setting.Quantiles:
		out.Figures = metric.Quantiles(test.Real, test.Levels, scores, by.Rows)
	case setting.Counts:
		out.Figures = metric.Counts(test.Real, p.Real, by.Rows)
	case setting.Multilabel:
		out.Figures, out.Classes, out.Calibration = metric.Labels(test.LabelNames, test.Multi, p.Multi, scores, train.Multi, probabilities, test.Roots(), by)
	case setting.Binary, setting.Class:
		out.Figures, out.Classes, out.Calibration = metric.Classes(test.LabelNames, test.Class, p.Class, train.Class, scores, probabilities, by)
	}
	return out
}

// Figures returns the metrics of scores on a test set; probabilities may be nil.
func Figures(train, test *dataset.Set, scores, probabilities *mat.Dense) metric.Figures {
	return metricsOf(train, test, scores, probabilities).Figures
}
