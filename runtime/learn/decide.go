package learn

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Prediction is decided by scores. A binary target's class is decided by the sign, a class by the largest score
// (the first of equal ones), labels by positive scores. A number is its score, a count the rate of which the score is the logarithm. Scores at levels are the quantiles themselves, and nothing is decided.
type Prediction struct {
	Class []int
	Real  []float64
	Multi *mat.Dense
	// Levels has the quantiles (n×m) of a target that is one at each of m levels.
	Levels *mat.Dense
}

// Decide turns n×m scores into predictions.
func Decide(task setting.Task, scores *mat.Dense) *Prediction {
	n, m := scores.Dims()
	p := &Prediction{}
	switch task {
	case setting.Real:
		p.Real = make([]float64, n)
		mat.Col(p.Real, 0, scores)
	case setting.Counts:
		p.Real = make([]float64, n)
		for i := range p.Real {
			p.Real[i] = math.Exp(scores.At(i, 0))
		}
	case setting.Multilabel:
		p.Multi = mat.NewDense(n, m, nil)
		p.Multi.Apply(func(_, _ int, s float64) float64 {
			if s > 0 {
				return 1
			}
			return 0
		}, scores)
	case setting.Quantiles:
		p.Levels = scores
	case setting.Binary, setting.Class:
		p.Class = make([]int, n)
		for i := range p.Class {
			p.Class[i] = decideClass(scores.RawRowView(i))
		}
	}
	return p
}

// decideClass returns the class of one row.
func decideClass(scores []float64) int {
	// The sign decides between two classes; 0 is the first.
	if len(scores) == 1 {
		if scores[0] > 0 {
			return 1
		}
		return 0
	}
	best := 0
	for y, s := range scores {
		if s > scores[best] {
			best = y
		}
	}
	return best
}
