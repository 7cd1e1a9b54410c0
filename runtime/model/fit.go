package model

import (
	"context"
	"time"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// Fit fits a model to training rows, by the steps that the package's comment goes through. The regularizer must be
// grounded on these rows, and may hold no invariance. A gap that is not reached is no error: the fitting and the
// model say what was reached. Fit returns [represent.ErrNotQuadratic] or [ErrDualSets] if the method cannot fit R
// or the target. It returns ctx's error when ctx ends.
func Fit(ctx context.Context, train *dataset.Set, reg *regularizer.Regularizer, o Options) (*Fitting, error) {
	if err := o.check(train, reg); err != nil {
		return nil, err
	}
	f := newFitter(ctx, train, reg, o.filled())
	steps := append(f.represent(), step{"learn", f.learn}, step{"values", f.values})
	for _, s := range steps {
		start := time.Now()
		if err := s.run(); err != nil {
			return nil, err
		}
		f.out.Seconds[s.name] = time.Since(start).Seconds()
	}
	return f.out, nil
}
