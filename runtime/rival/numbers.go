package rival

import (
	"context"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// fitNumbers fits svr or ridge to targets of mean 0 and variance 1, so that C, λ and ε mean the same whatever the target's unit.
func (m *Model) fitNumbers(ctx context.Context, phi *mat.Dense, train *dataset.Set, o Options) error {
	mean, deviation := stat.PopMeanStdDev(train.Real, train.Weight)
	if deviation == 0 {
		deviation = 1 // every row has the same target
	}
	targets := &learn.Targets{Task: setting.Real, Real: make([]float64, train.Len()), Weight: train.Weight}
	for i, y := range train.Real {
		targets.Real[i] = (y - mean) / deviation
	}
	l := setting.Learner{Kind: setting.Ridge, Strength: 1 / o.Setting.C, MaxSweeps: o.MaxIterations}
	if m.Name == SVR {
		l = setting.Learner{Kind: setting.SVR, Strength: o.Setting.C, Epsilon: o.Setting.Epsilon, MaxSweeps: o.MaxIterations}
	}
	fit, err := m.solve(ctx, l, phi, 1, targets, o)
	if err != nil {
		return err
	}
	m.weights, m.bias = mat.NewDense(1, m.features.Dim(), nil), []float64{mean + deviation*fit.Bias[0]}
	m.weights.Scale(deviation, fit.Weights)
	return nil
}
