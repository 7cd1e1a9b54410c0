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
	rivals   []*contender
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

// keepTwin lets the model keep the baseline's function, to be drawn beside its own, where both are sums over the same landmarks and differ.
func (f *findings) keepTwin() {
	m := f.fitting.Model
	differ := len(m.Requirements) > 0 || len(f.fitting.Regularizer.Invariances) > 0
	if f.baseline != nil && differ && m.Rows != nil && model.AtLandmarks(m) != nil {
		if t := model.TwinOf(f.baseline.fitting.Model); t != nil {
			m.Twin = t
		}
	}
}
