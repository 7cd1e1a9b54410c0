package model

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/risk"
)

// A summed set of rows passes by once. Squared losses ask for sums over rows alone, so that memory and the work of the solver do not grow with
// their number: see [operator.Sums].
type summed struct {
	*operator.Sums
	of embed.Map // the features that they are of
}

// newSummed adds up rows in some features, and functionals of values at them, if they are not nil.
func newSummed(ctx context.Context, s *dataset.Set, functionals *plugins.Block, features embed.Map, m int, progress func(done, total int)) (*summed, error) {
	// Learners take ±1 for labels, and numbers as they are.
	rows := operator.Rows{X: s.X, Weight: s.Weight, Target: risk.Numbers(Targets(s)), Labels: m, Functionals: functionals}
	sums, err := operator.SumUp(ctx, rows, features, progress)
	return &summed{sums, features}, err
}

// scale returns the number that makes the mean of ‖φ(x)‖² over the rows 1; 1 where features all but vanish.
func (s *summed) scale() float64 {
	if scale := math.Sqrt(s.Total() / s.Trace()); s.Trace() > 0 && !math.IsInf(scale, 1) {
		return scale
	}
	return 1
}

// spread returns the standard deviation of the scores ⟨φ(x), v_y⟩ about each label's mean, for the rows v_y of v. So does spreadOf for scores.
func (s *summed) spread(v *mat.Dense) float64 {
	m, _ := v.Dims()
	sum := 0.0
	for y := range m {
		sum += s.Variance(v.RawRowView(y))
	}
	return math.Sqrt(sum / float64(m))
}

// center returns the mean of φ at each of m labels.
func (s *summed) center(m int) *mat.Dense {
	mean := s.Mean()
	out := mat.NewDense(m, len(mean), nil)
	for y := range m {
		out.SetRow(y, mean)
	}
	return out
}
