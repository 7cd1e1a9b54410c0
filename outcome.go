package sipc

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
)

// An Outcome holds what a run made, for those who measure more than its report says.
type Outcome struct {
	Report      *report.Report
	Train, Test *dataset.Set
	Model       *model.Model
	Scores      *mat.Dense // n×m, of the test rows
}
