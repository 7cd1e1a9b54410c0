package metric

import "strings"

// meanings says of each figure in a few words what it is.
var meanings = map[string]string{
	Accuracy:         "share of rows whose class is right",
	LogLoss:          "mean of −log of the probability of what is true; lower is better",
	Precision:        "share of decisions for the second class that are right",
	Recall:           "share of rows of the second class that are found",
	F1:               "harmonic mean of precision and recall",
	MacroF1:          "mean of F1 over the classes or labels",
	AUC:              "area under the ROC curve: share of pairs that scores put in order; 0.5 is chance",
	ECE:              "expected calibration error: how far probabilities are from frequencies; lower is better",
	HammingAccuracy:  "share of all decisions about labels that are right",
	ExactMatch:       "share of rows all of whose labels are right",
	MicroPrecision:   "share of labels decided for that are right",
	MicroRecall:      "share of labels that are found",
	MicroF1:          "harmonic mean of precision and recall over all decisions together",
	AUPRC:            "area under the precision–recall curve of all decisions together",
	RMSE:             "root of the mean square error, in units of the target; lower is better",
	MAE:              "mean absolute error, in units of the target; lower is better",
	R2:               "share of the variance that is explained; 0 is the mean, 1 is perfect",
	Deviance:         "mean Poisson deviance of counts; lower is better",
	Pinball:          "mean loss of quantiles over rows and levels; lower is better",
	CoverageError:    "how far coverages are from their levels in the mean; lower is better",
	Crossing:         "share of rows whose quantiles cross; lower is better",
	MajorityBaseline: "what always deciding for the most frequent class, or value of a label, reaches",
}

// Meaning says in a few words what a figure is; empty for what is no figure.
func Meaning(name string) string {
	if Coverage(name) {
		return "share of rows at or below the quantile at " + strings.TrimPrefix(name, CoverageOf)
	}
	return meanings[name]
}
