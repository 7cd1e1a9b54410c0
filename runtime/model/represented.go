package model

import (
	"context"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// A step of Fit.
type step struct {
	name string
	run  func() error
	// share is the part of the time that is left which the step may take, where time has a limit. The rest is for the steps
	// after it.
	share float64
	// whole says that the step gives nothing before it is done. The end of its time cancels it then.
	whole bool
}

// by makes a step of a fitter, whose context is the step's meanwhile: where time has a limit, a share of it ends the
// step.
func (s step) by(ctx context.Context, f *fitter) error { //nolint:contextcheck // the fitter holds the context of its step
	before := f.ctx
	defer func() { f.ctx = before }()
	tellAt(f, s.name)
	run := func(ctx context.Context) error {
		f.ctx = ctx
		return s.run()
	}
	if s.whole {
		return limits.Whole(limits.Share(ctx, s.share), run)
	}
	return run(limits.Share(ctx, s.share))
}

// represent returns the steps before anything is learnt.
func (f *fitter) represent() []step {
	return []step{
		{name: "features", run: f.features, share: 1, whole: true},
		{name: "operator", run: f.operator, share: 1, whole: true},
		{name: "embed", run: f.embed, share: 0.5},
	}
}

// represented returns a fitter that has represented its rows, to be compared with others.
func represented(ctx context.Context, train *dataset.Set, reg *regularizer.Regularizer, o Options) (*fitter, error) {
	f := newFitter(ctx, train, reg, o)
	for _, s := range f.represent() {
		if err := s.by(ctx, f); err != nil {
			return nil, err
		}
	}
	return f, nil
}
