package setting

import (
	"fmt"
	"math"
	"slices"
)

// A LearnerKind is a learner's name in the language.
type LearnerKind string

// The learners.
const (
	SVM LearnerKind = "svm"
	// SquaredSVM is SVM with the squares of its hinges.
	SquaredSVM LearnerKind = "squared svm"
	Logistic   LearnerKind = "logistic" // on a class target the same as Softmax
	Softmax    LearnerKind = "softmax"  // on a binary target the same as Logistic
	Ridge      LearnerKind = "ridge"
	SVR        LearnerKind = "svr" // numbers, up to epsilon
	Poisson    LearnerKind = "poisson"
	Quantile   LearnerKind = "quantile" // of the levels that the target has
)

// A Learner is a way to fit weights. The zero Strength and Gap are the defaults.
type Learner struct {
	Kind LearnerKind `json:"kind"`
	// Strength is C of svm, squared svm, svr, logistic, softmax and poisson, λ of ridge; 0 stands for 1.
	Strength float64 `json:"strength"`
	// Epsilon is the error of svr that costs nothing.
	Epsilon float64 `json:"epsilon"`
	// Probabilities asks svm for probabilities: those that its caller calibrates, see learn.Fit.Calibrate. Decisions stay those of scores.
	Probabilities bool `json:"probabilities,omitempty"`
	// Copies is how many copies each row has, where the largest loss of a row and its copies counts. 0 means that rows count
	// alone. Package risk minimizes such a loss, and package learn does not.
	Copies int `json:"copies,omitempty"`
	// Gap is the share of the objective by which it may lie above the minimum; 0 stands for 10⁻⁵. Ridge is solved directly.
	Gap float64 `json:"gap"`
	// MaxSweeps bounds the work: passes over the data; 0 stands for 1000. A fit that ends there says so by its gap.
	MaxSweeps int `json:"max_sweeps"`
}

// The defaults of a Learner.
const (
	defaultGap    = 1e-5
	defaultSweeps = 1000
)

// Filled returns the learner with its defaults in place of zeros.
func (l Learner) Filled() Learner {
	if l.Strength == 0 {
		l.Strength = 1
	}
	if l.Gap == 0 {
		l.Gap = defaultGap
	}
	if l.MaxSweeps == 0 {
		l.MaxSweeps = defaultSweeps
	}
	return l
}

// Alone returns the learner with the loss of rows alone.
func (l Learner) Alone() Learner {
	l.Copies = 0
	return l
}

// Margins reports whether scores are margins of a support vector machine, which become probabilities where that is asked for.
func (l Learner) Margins() bool { return l.Kind == SVM || l.Kind == SquaredSVM }

// Probabilistic reports whether the learner gives probabilities.
func (l Learner) Probabilistic() bool {
	return l.Kind == Logistic || l.Kind == Softmax || l.Margins() && l.Probabilities
}

// String returns the learner as the language writes it, with the number of maps in place of a set; the zero value has no text.
func (l Learner) String() string {
	l = l.Filled()
	if l.Copies == 1 {
		return l.Alone().String() + " under 1 map"
	}
	if l.Copies > 1 {
		return fmt.Sprintf("%s under %d maps", l.Alone(), l.Copies)
	}
	switch l.Kind {
	case "":
		return ""
	case Ridge:
		return fmt.Sprintf("ridge(lambda = %g)", l.Strength)
	case SVR:
		return fmt.Sprintf("svr(C = %g, epsilon = %g)", l.Strength, l.Epsilon)
	case SVM, SquaredSVM, Logistic, Softmax, Poisson, Quantile:
	}
	name, more := l.Kind, ""
	if l.Kind == SquaredSVM {
		name, more = SVM, ", loss = squared"
	}
	if l.Probabilities {
		more = ", probabilities = on" + more
	}
	return fmt.Sprintf("%s(C = %g%s)", name, l.Strength, more)
}

// Suits reports why a learner cannot learn a task, or nil.
func (l Learner) Suits(task Task) error {
	switch {
	case !slices.Contains([]LearnerKind{SVM, SquaredSVM, Logistic, Softmax, Ridge, SVR, Poisson, Quantile}, l.Kind):
		return fmt.Errorf("there is no learner %q; choose svm, squared svm, logistic, softmax, ridge, svr, poisson or quantile", l.Kind)
	case l.Strength < 0 || math.IsNaN(l.Strength) || math.IsInf(l.Strength, 0):
		return fmt.Errorf("%s needs a positive number, not %g", l.Kind, l.Strength)
	case l.Copies < 0:
		return fmt.Errorf("%s needs a number of copies that is not negative, not %d", l.Kind, l.Copies)
	case l.Epsilon < 0 || math.IsNaN(l.Epsilon) || math.IsInf(l.Epsilon, 0):
		return fmt.Errorf("%s needs an epsilon that is not negative, not %g", l.Kind, l.Epsilon)
	case (task == Counts) != (l.Kind == Poisson), (task == Quantiles) != (l.Kind == Quantile):
		return fmt.Errorf("%s does not learn a %s target; counts are learnt by poisson and quantiles by quantile, and nothing else is", l.Kind, task)
	case task == Real && l.Kind != Ridge && l.Kind != SVR:
		return fmt.Errorf("%s learns classes, not numbers; use ridge or svr for a real target", l.Kind)
	case task != Real && l.Kind == SVR:
		return fmt.Errorf("svr learns numbers; use svm for a %s target", task)
	}
	return nil
}

// Biased reports whether scores have biases: those of classes and of label sets have none under softmax, which logistic is on classes.
func (l Learner) Biased(task Task) bool {
	return l.Margins() || l.Kind == Ridge || l.Kind == SVR || task != Class && !l.LearnsSets(task)
}

// LearnsSets reports whether the learner tells label sets apart, and not labels one by one: softmax does on labels.
func (l Learner) LearnsSets(task Task) bool { return l.Kind == Softmax && task == Multilabel }
