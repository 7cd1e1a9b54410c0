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
	return &learn.Targets{Task: s.Task, Class: s.Class, Real: s.Real, Levels: s.Levels, Multi: s.Multi, Weight: s.Weight, Time: s.Times}
}

// machine returns the learner of the rivals that are support vector machines.
func machine(o Options) setting.Learner {
	return setting.Learner{Kind: setting.SVM, Strength: o.Setting.C, MaxSweeps: o.MaxIterations}
}

// solve fits a learner to representations and files how near to its minimum it came.
func (m *Model) solve(ctx context.Context, l setting.Learner, phi *mat.Dense, labels int, t *learn.Targets, o Options) (*learn.Fit, error) {
	design, err := o.shared.design(phi, labels)
	if err != nil {
		return nil, err
	}
	fit, err := learn.Solve(ctx, l, design, t)
	if err != nil {
		return nil, err
	}
	m.Solution = &learn.Fit{Learner: l, Converged: true}
	m.add(fit, true)
	m.weights, m.bias = fit.Weights, fit.Bias
	return fit, nil
}
