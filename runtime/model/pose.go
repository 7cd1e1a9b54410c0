package model

import (
	"context"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// Pose sets up what Fit would embed training rows with, features and operator, and embeds nothing. So the
// representer's scale is 1. The reports say how much of each invariance's functionals the features lose. It
// returns an error if features or the operator cannot be made, and ctx's when ctx ends.
func Pose(ctx context.Context, train *dataset.Set, reg *regularizer.Regularizer, o Options) (*represent.Representer, []*embed.SpanReport, error) {
	f := newFitter(ctx, train, reg, o.filled())
	if err := f.features(); err != nil {
		return nil, nil, err
	}
	if err := f.operator(); err != nil {
		return nil, nil, err
	}
	return f.rep, f.out.Span, nil
}

// posed sets the problem up at a number of nodes. Without all of it there is nothing to give.
func posed(f *fitter, nodes int) (m *minimizer, err error) {
	pose := step{share: 1, whole: true, run: func() (err error) {
		if nodes != f.reg.Nodes {
			err = f.refine(nodes)
		}
		if err == nil {
			m, err = newMinimizer(f)
		}
		return err
	}}
	err = pose.by(f.ctx, f)
	return m, err
}
