package model

import (
	"context"
	"runtime"
	"time"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// valuesStep is the last step, without which a model predicts all the same.
const valuesStep = "values"

// Fit fits a model to training rows, by the steps that the package's comment goes through. The regularizer must be
// grounded on these rows, and may hold no invariance. A gap that is not reached is not an error: the fitting and the
// model say what was reached. Fit returns [represent.ErrNotQuadratic], [ErrDualSets] or [ErrWorst] if the method cannot fit R
// or the target. It returns ctx's error when ctx ends. If ctx has a limit of time, solvers end by then where they are.
func Fit(ctx context.Context, train *dataset.Set, reg *regularizer.Regularizer, o Options) (*Fitting, error) {
	if err := o.check(train, reg); err != nil {
		return nil, err
	}
	defer runtime.KeepAlive(train) // rows may lie in files that end with it
	f := newFitter(ctx, train, reg, o.filled())
	steps := append(f.represent(), step{name: "learn", run: f.learn, share: 0.7}, step{name: valuesStep, run: f.values, share: 0.5, whole: true})
	for _, s := range steps {
		start := time.Now()
		err := s.by(ctx, f)
		if s.name == valuesStep && limits.TimeOver(err) {
			f.out.Measured, f.out.Model.Witnesses, err = nil, nil, nil
			f.out.Left = append(f.out.Left, "the time was over before the values of R were measured")
		}
		if err != nil {
			return nil, err
		}
		f.out.Seconds[s.name] = time.Since(start).Seconds()
	}
	embed.Forget(f.rep.Features)
	if f.o.Witnesses {
		f.out.Model.Rows = rowsKept(train)
	}
	return f.out, nil
}
