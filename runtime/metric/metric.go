// Package metric measures predictions.
//
//	accuracy          share of examples whose class is right
//	log_loss          −(1/n) Σ log p(true class); over labels the mean over all n·m decisions
//	precision         TP / (TP + FP) of the second of two classes; undefined where none is decided
//	recall            TP / (TP + FN)
//	f1                2 TP / (2 TP + FP + FN), 0 where TP is
//	macro_f1          the mean of f1 over the classes that occur, among the rows or the decisions; over all labels,
//	                  but for those whose rows all have the weight 0
//	auc               area under the ROC curve, which is the share of pairs of a row of the class and another that the score puts
//	                  in order; of several classes the mean of each against the rest, of labels the mean, over those with both
//	                  kinds of rows
//	ece               expected calibration error Σ_b (n_b/n) |share − mean probability| over ten bins b of equal width: of classes,
//	                  by the probability of the most probable class and how often it is right; of labels, by that of each label
//	hamming_accuracy  share of the n·m decisions about labels that are right
//	exact_match       share of examples all of whose labels are right
//	micro_precision, micro_recall, micro_f1   precision, recall and f1 of all decisions together
//	auprc             area under the precision–recall curve of all n·m scores together: Σ (R_k − R_{k−1}) P_k over the
//	                  distinct scores from the highest down, the AU(PRC) of hierarchical multilabel classification; the roots
//	                  of an ontology, which nearly all rows have, are left out, as C-HMCNN does it
//	rmse, mae         root of the mean square error, mean absolute error
//	r2                1 − Σ (y − ŷ)² / Σ (y − ȳ)²
//	deviance          mean Poisson deviance of counts, (2/n) Σ (y log(y/μ) − y + μ), μ the predicted rate
//	pinball           mean over rows and levels q of max(q (y − ŷ), (q − 1)(y − ŷ)), ŷ the quantile at the level
//	coverage_0.9      share of rows with y ≤ ŷ at the level 0.9, and so for each level
//	coverage_error    mean over the levels of |coverage − level|
//	crossing          share of rows with a quantile above that of a higher level
//	majority_baseline what predicting the training rows' most frequent class (or, for each label, its more frequent
//	                  value) would reach, in accuracy (or hamming_accuracy)
//
// log_loss and ece exist only if the learner gives probabilities. An undefined figure, such as r2 of one example, is NaN
// here and null in JSON.
package metric

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// The names of the metrics.
const (
	Accuracy        = "accuracy"
	LogLoss         = "log_loss"
	Precision       = "precision"
	Recall          = "recall"
	F1              = "f1"
	AUC             = "auc"
	ECE             = "ece"
	HammingAccuracy = "hamming_accuracy"
	ExactMatch      = "exact_match"
	MicroPrecision  = "micro_precision"
	MicroRecall     = "micro_recall"
	MicroF1         = "micro_f1"
	MacroF1         = "macro_f1"
	AUPRC           = "auprc"
	RMSE            = "rmse"
	MAE             = "mae"
	R2              = "r2"
	Deviance        = "deviance"
	Pinball         = "pinball"
	CoverageError   = "coverage_error"
	Crossing        = "crossing"
	// CoverageOf begins the name of the coverage of a level, which ends it.
	CoverageOf       = "coverage_"
	MajorityBaseline = "majority_baseline"
)

// A Figure is a named number.
type Figure struct {
	Name string
	// Value is NaN if it is not defined.
	Value float64
}

// Figures are metrics in the order in which they are shown.
type Figures []Figure

// Get returns the figure of that name, and whether there is one.
func (f Figures) Get(name string) (value float64, ok bool) {
	k := slices.IndexFunc(f, func(f Figure) bool { return f.Name == name })
	if k < 0 {
		return math.NaN(), false
	}
	return f[k].Value, true
}

// MarshalJSON writes one object with the figures in order. Numbers that are not finite become null.
func (f Figures) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for k, figure := range f {
		if k > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(figure.Name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		if math.IsNaN(figure.Value) || math.IsInf(figure.Value, 0) {
			// JSON has no NaN.
			b.WriteString("null")
			continue
		}
		value, err := json.Marshal(figure.Value)
		if err != nil {
			return nil, err
		}
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON writes, in order; null becomes NaN.
func (f *Figures) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return errors.Join(errors.New("metric: figures are a JSON object"), err)
	}
	*f = Figures{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, ok := token.(string)
		if !ok {
			return fmt.Errorf("metric: %v is not the name of a figure", token)
		}
		var value *float64
		if err := d.Decode(&value); err != nil {
			return fmt.Errorf("metric: %s: %w", name, err)
		}
		if value == nil {
			nan := math.NaN()
			value = &nan
		}
		*f = append(*f, Figure{name, *value})
	}
	return nil
}

// Names returns the names of all figures that a report may have of a task. log_loss and ece need probabilities.
func Names(task string) []string {
	switch task {
	case "real":
		return []string{RMSE, MAE, R2}
	case "multilabel":
		return []string{HammingAccuracy, MajorityBaseline, ExactMatch, MicroF1, MacroF1, AUPRC, LogLoss, MicroPrecision, MicroRecall, AUC, ECE}
	case "class":
		return []string{Accuracy, MajorityBaseline, LogLoss, MacroF1, AUC, ECE}
	case "counts":
		return []string{Deviance, RMSE, MAE, R2}
	case "quantiles":
		return []string{Pinball, CoverageError, Crossing}
	}
	return []string{Accuracy, MajorityBaseline, LogLoss, Precision, Recall, F1, AUC, ECE}
}

// Headline returns the names of the few figures that sum up a task, the most important first.
func Headline(task string) []string {
	switch task {
	case "real":
		return []string{RMSE, MAE, R2}
	case "multilabel":
		return []string{HammingAccuracy, MajorityBaseline, ExactMatch, MicroF1, LogLoss}
	case "class":
		return []string{Accuracy, MajorityBaseline, MacroF1, LogLoss}
	case "counts":
		return []string{Deviance, RMSE, MAE, R2}
	case "quantiles":
		return []string{Pinball, CoverageError, Crossing}
	}
	return []string{Accuracy, MajorityBaseline, AUC, LogLoss}
}

// Smaller reports whether a smaller value of a figure is the better one.
func Smaller(name string) bool {
	return slices.Contains([]string{LogLoss, ECE, RMSE, MAE, Deviance, Pinball, CoverageError, Crossing}, name)
}

// Coverage reports whether a figure is the coverage of a level.
func Coverage(name string) bool { return strings.HasPrefix(name, CoverageOf) && name != CoverageError }

// Weights are those of the rows that are measured and of the training rows: a row counts as so many equal ones. Nil means ones.
type Weights struct{ Rows, Train []float64 }

// AtMostOne reports whether no value of a figure is above 1.
func AtMostOne(name string) bool {
	return !slices.Contains([]string{LogLoss, RMSE, MAE, Deviance, Pinball}, name) && slices.ContainsFunc([]string{"real", "counts", "quantiles", "multilabel", "class", "binary"}, func(task string) bool {
		return slices.Contains(Names(task), name)
	})
}

// Classes measures predicted classes, all together and each against the rest, and calibrates probabilities. train holds
// the training rows' classes. scores are n×m, or n×1 for the second of two classes. probabilities are n×m, or nil, and
// there are no bins then. A true class of −1, one that training never saw, is always wrong and leaves log_loss undefined.
func Classes(names []string, truth, predicted, train []int, scores, probabilities *mat.Dense, by Weights) (f Figures, each []Class, bins []Bin) {
	f = Figures{{Accuracy, ShareEqual(truth, predicted, by.Rows)}, {MajorityBaseline, majorityShare(truth, train, by)}}
	_, m := scores.Dims()
	ranking := scores
	if probabilities != nil {
		f = append(f, Figure{LogLoss, logLoss(truth, probabilities, by.Rows)})
		bins = classCalibration(truth, probabilities, by.Rows)
		// Scores of several classes need not compare between rows. Probabilities do: they order rows by how likely the
		// class is.
		if m > 1 {
			ranking = probabilities
		}
	}
	each, there := perClass(names, truth, predicted, ranking, by)
	// Of two classes the figures are those of the second, which the scores speak for.
	if m == 1 {
		f = append(f, each[1].Figures...)
	} else {
		f = append(f, Figure{MacroF1, meanOf(each, F1, there)}, Figure{AUC, meanOf(each, AUC, there)})
	}
	return withError(f, bins), each, bins
}

// Labels measures predicted sets of labels, all together and label by label, and calibrates probabilities. truth,
// predicted and train are 0 or 1, and scores order the decisions. All are n×m except train, which has its own number of
// rows. probabilities are n×m, or nil, and there are no bins then. roots says which labels auprc leaves out; nil means
// it leaves out no label.
func Labels(names []string, truth, predicted, scores, train, probabilities *mat.Dense, roots []bool, by Weights) (f Figures, each []Class, bins []Bin) {
	all := countAll(truth, predicted, by.Rows)
	each, counts := perLabel(names, truth, predicted, scores, by)
	f = Figures{
		{HammingAccuracy, Hamming(truth, predicted, by.Rows)},
		{MajorityBaseline, majorityHamming(truth, train, by)},
		{ExactMatch, exactMatch(truth, predicted, by.Rows)},
		{MicroF1, all.f1()},
		{MacroF1, meanOf(each, F1, counts)},
		{AUPRC, areaUnderCurve(truth, scores, roots, by)},
	}
	if probabilities != nil {
		f = append(f, Figure{LogLoss, labelLogLoss(truth, probabilities, by.Rows)})
		bins = labelCalibration(truth, probabilities, by.Rows)
	}
	f = append(f, Figure{MicroPrecision, all.precision()}, Figure{MicroRecall, all.recall()}, Figure{AUC, meanOf(each, AUC, counts)})
	return withError(f, bins), each, bins
}

// withError appends the calibration error, where there are bins.
func withError(f Figures, bins []Bin) Figures {
	if bins == nil {
		return f
	}
	return append(f, Figure{ECE, calibrationError(bins)})
}

// Without returns the figures except the one of that name.
func (f Figures) Without(name string) Figures {
	return slices.DeleteFunc(slices.Clone(f), func(f Figure) bool { return f.Name == name })
}
