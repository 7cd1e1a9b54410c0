package rival

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// targetsOf returns a set's targets as learners take them.
func targetsOf(s *dataset.Set) *learn.Targets {
	return &learn.Targets{Task: s.Task, Class: s.Class, Real: s.Real, Multi: s.Multi}
}

// machine returns the learner of the rivals that are support vector machines.
func machine(o Options) setting.Learner {
	return setting.Learner{Kind: setting.SVM, Strength: o.Setting.C, MaxSweeps: o.MaxIterations}
}

// fitSVM fits one machine for each label or class, on all rows.
func (m *Model) fitSVM(ctx context.Context, phi *mat.Dense, train *dataset.Set, o Options) error {
	design, err := o.shared.design(phi, labels(train))
	if err != nil {
		return err
	}
	l := machine(o)
	fit, err := learn.Solve(ctx, l, design, targetsOf(train))
	if err != nil {
		return err
	}
	m.Solution = &learn.Fit{Learner: l, Converged: true}
	m.add(fit, true)
	m.weights, m.bias = fit.Weights, fit.Bias
	return nil
}
