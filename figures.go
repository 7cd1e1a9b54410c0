package sipc

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// metricsOf returns the figures, those of each class or label, and the calibration of probabilities; these may be nil.
func metricsOf(train, test *dataset.Set, scores, probabilities *mat.Dense) report.Metrics {
	task := test.Task
	out := report.Metrics{Figures: Figures(train, test, scores, probabilities)}
	p := learn.Decide(task, scores)
	switch task {
	case setting.Real:
	case setting.Multilabel:
		out.Classes = metric.PerLabel(test.LabelNames, test.Multi, p.Multi, scores)
		if probabilities != nil {
			out.Calibration = metric.LabelCalibration(test.Multi, probabilities)
		}
	case setting.Binary, setting.Class:
		ranking := scores
		if task == setting.Class && probabilities != nil {
			ranking = probabilities
		}
		out.Classes = metric.PerClass(test.LabelNames, test.Class, p.Class, ranking)
		if probabilities != nil {
			out.Calibration = metric.ClassCalibration(test.Class, probabilities)
		}
	}
	return out
}

// Figures returns the metrics of scores on a test set, the majority of the training rows beside them; probabilities may be nil.
func Figures(train, test *dataset.Set, scores, probabilities *mat.Dense) metric.Figures {
	task := test.Task
	p := learn.Decide(task, scores)
	switch task {
	case setting.Real:
		return metric.Numbers(test.Real, p.Real)
	case setting.Multilabel:
		return metric.Labels(test.Multi, p.Multi, scores, train.Multi, probabilities, test.Roots())
	case setting.Binary, setting.Class:
	}
	return metric.Classes(test.Class, p.Class, train.Class, scores, probabilities)
}
