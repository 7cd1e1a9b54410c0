package rival

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
)

// targetsOf are a set's targets as learners take them.
func targetsOf(s *dataset.Set) *learn.Targets {
	return &learn.Targets{Task: learn.Task(s.Task), Class: s.Class, Multi: s.Multi}
}

// fitSVM fits one machine for each label or class, on all rows.
func (m *Model) fitSVM(ctx context.Context, phi *mat.Dense, train *dataset.Set, o Options) error {
	design, err := learn.Shared(phi, labels(train))
	if err != nil {
		return err
	}
	fit, err := learn.Learner{Kind: learn.SVM, Strength: o.Setting.C}.Fit(ctx, design, targetsOf(train))
	if err != nil {
		return err
	}
	m.weights, m.bias = fit.Weights, fit.Bias
	return nil
}
