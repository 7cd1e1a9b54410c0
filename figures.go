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
	p, by := learn.Decide(test.Task, scores), metric.Weights{Rows: test.Weight, Train: train.Weight}
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

// measureOf returns what measures the figures of scores on draws of the test rows; probabilities may be nil.
func measureOf(train, test *dataset.Set, scores, probabilities *mat.Dense) *metric.Measure {
	p := learn.Decide(test.Task, scores)
	switch test.Task {
	case setting.Real:
		return metric.MeasureNumbers(test.Real, p.Real)
	case setting.Quantiles:
		return metric.MeasureQuantiles(test.Real, test.Levels, scores)
	case setting.Counts:
		return metric.MeasureCounts(test.Real, p.Real)
	case setting.Multilabel:
		return metric.MeasureLabels(test.Multi, p.Multi, scores, train.Multi, probabilities, test.Roots(), train.Weight)
	case setting.Binary, setting.Class:
	}
	return metric.MeasureClasses(test.LabelNames, test.Class, p.Class, train.Class, scores, probabilities, train.Weight)
}

// measureMain does what measureOf does, of the figure that matters most, which needs no order of scores.
func measureMain(test *dataset.Set, scores *mat.Dense) *metric.Measure {
	p, of := learn.Decide(test.Task, scores), make([]float64, test.Len())
	for i := range of {
		switch test.Task {
		case setting.Real:
		case setting.Quantiles:
			of[i] = metric.PinballOf(test.Real[i], test.Levels, scores.RawRowView(i))
		case setting.Counts:
			of[i] = metric.DevianceOf(test.Real[i], p.Real[i])
		case setting.Multilabel:
			for y, has := range test.Multi.RawRowView(i) {
				if has == p.Multi.At(i, y) {
					of[i] += 1 / float64(len(test.LabelNames))
				}
			}
		case setting.Binary, setting.Class:
			if test.Class[i] == p.Class[i] {
				of[i] = 1
			}
		}
	}
	if test.Task == setting.Real {
		return metric.MeasureNumbers(test.Real, p.Real)
	}
	return metric.MeasureMean(metric.Headline(string(test.Task))[0], of)
}
