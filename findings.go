package sipc

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
)

// findings holds what a run found, before it is put into a report.
type findings struct {
	*settled
	*evaluation
	fitting  *model.Fitting
	baseline *baseline // nil where none was asked for
	// alone says that one was asked for, and is the run's own function: R = 0, and nothing is required.
	alone  bool
	cost   *report.Cost // of R beside the baseline; nil: none that can be told from chance
	rivals []*contender
}

// A contender is a rival that was measured on the test rows.
type contender struct {
	*report.Contender
	scores, probabilities *mat.Dense // probabilities may be nil
	violated              [][]float64
	moved                 [][]*mat.Dense
}

// A baseline is method plain on the rows and features of a model.
type baseline struct {
	*evaluation
	fitting *model.Fitting
}

// An evaluation holds what a model does on the test rows.
type evaluation struct {
	scores  *mat.Dense
	metrics report.Metrics
	under   []report.Under // for each transformation of `evaluate under`
	// violated has 1 for each test row that violates an invariance, and moved the scores of moved rows, for a page.
	violated [][]float64
	moved    [][]*mat.Dense
	gaps     []float64
	errors   *mat.Dense // bounds on those of the scores; nil where nothing is known
	// summands are the invariances, at the function that predicts.
	summands []report.Summand
	measures []report.Summand
}

// differs reports whether a statement makes the function another than that of method plain.
func (f *findings) differs() bool {
	return len(f.fitting.Model.Requirements) > 0 || len(f.fitting.Regularizer.Invariances) > 0
}

// keepTwin lets the model keep the baseline's function, to be drawn beside its own, where both are sums over the same landmarks and differ.
func (f *findings) keepTwin() {
	m := f.fitting.Model
	if f.baseline != nil && f.differs() && m.Rows != nil && model.AtLandmarks(m) != nil {
		if t := model.TwinOf(f.baseline.fitting.Model); t != nil {
			m.Twin = t
		}
	}
}
