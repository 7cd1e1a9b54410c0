package model

import (
	"context"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// A step of Fit.
type step struct {
	name string
	run  func() error
}

// represent returns the steps before anything is learnt.
func (f *fitter) represent() []step {
	return []step{{"features", f.features}, {"operator", f.operator}, {"embed", f.embed}}
}

// represented returns a fitter that has represented its rows.
func represented(ctx context.Context, train *dataset.Set, reg *regularizer.Regularizer, o Options) (*fitter, error) {
	f := newFitter(ctx, train, reg, o)
	for _, s := range f.represent() {
		if err := s.run(); err != nil {
			return nil, err
		}
	}
	return f, nil
}
