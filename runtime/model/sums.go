package model

import (
	"context"
	"crypto/sha256"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/hashes"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A summed set of rows passes by once. Squared losses ask for sums over rows alone, so that memory and the work of the solver do not grow with
// their number: see [operator.Sums].
type summed struct {
	*operator.Sums
	of embed.Map // the features that they are of
}

// newSummed adds up the rows of a set in some features, with what else rows say.
func newSummed(ctx context.Context, rows operator.Rows, s *dataset.Set, features embed.Map, progress func(done, total int)) (*summed, error) {
	// Learners take ±1 for labels, and numbers as they are.
	rows.X, rows.Weight, rows.Target = s.X, s.Weight, risk.Numbers(Targets(s))
	sums, err := operator.SumUp(ctx, rows, features, progress)
	return &summed{sums, features}, err
}

// digestedAtOnce is how many rows are written to a digest before anybody may stop it.
const digestedAtOnce = 1 << 16

// keepingOf says where passes over the rows in some features are kept, with a constant behind these where that is not 0. It is nil where none are.
func keepingOf(f *fitter, features embed.Map, constant float64) (*operator.Keeping, error) {
	if f.o.Cache == nil {
		return nil, nil //nolint:nilnil // nil keeps none
	}
	if f.points == nil {
		x, sum := f.learnt.X.RawMatrix(), sha256.New()
		for lo := 0; lo < x.Rows; lo += digestedAtOnce {
			if err := f.ctx.Err(); err != nil {
				return nil, err
			}
			hashes.Write(sum, x.Data[lo*x.Stride:(min(lo+digestedAtOnce, x.Rows)-1)*x.Stride+x.Cols])
		}
		f.points = sum.Sum(nil)
	}
	sum := sha256.New()
	hashes.Write(sum, []float64{constant})
	hashes.Write(sum, f.points)
	if err := embed.Digest(sum, features); err != nil {
		return nil, err
	}
	return &operator.Keeping{Keeper: f.o.Cache, Of: [sha256.Size]byte(sum.Sum(nil))}, nil
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

// foldsOf returns the fold of each of the rows that are summed, and how many folds there are; none where nothing is held out.
//
// Sums over the rows outside of a fold are those of the other folds. So one pass serves all.
func foldsOf(f *fitter) (of []uint8, count int, err error) {
	if !folded(f) || f.o.Learner.Kind != setting.Ridge {
		return nil, 0, nil
	}
	// The same seed draws the same folds when learners are compared, see byFolds. Only ridge asks for
	// their sums: other losses are looked at again by each of its passes.
	folds, err := learn.Folds(Targets(f.train), learn.UsualFolds, f.o.Seed)
	if err != nil {
		return nil, 0, err
	}
	of = make([]uint8, f.train.Len())
	for k, held := range folds {
		for _, i := range held {
			of[i] = uint8(k)
		}
	}
	return of, len(folds), nil
}
