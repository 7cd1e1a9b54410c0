package learn

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// maxGram bounds the rows whose Gram matrix is held: 288 MB. More rows are swept.
const maxGram = 6000

// fitSVM solves a hinge problem for each label, or one for all labels of a joint design.
func (f *Fit) fitSVM(ctx context.Context, d *Design, t *Targets) error {
	problems := 1
	if !d.joint || d.rows.apart {
		problems = d.m
	}
	// Problems run beside each other, each in a slot of its own, so that sums below keep their order.
	solutions, errs := make([]*hingeSolution, problems), make([]error, problems)
	parallel.For(problems, 1, func(k, _ int) {
		own, sign := d.label(t, k)
		p := &hinge{rows: &own.rows, sign: sign, target: sign, c: f.Learner.Strength, weight: own.weights(t), squared: f.Learner.Kind == setting.SquaredSVM}
		solutions[k], errs[k] = p.solve(ctx, own, &f.Learner)
	})
	if err := errors.Join(errs...); err != nil {
		return errs[slices.IndexFunc(errs, func(err error) bool { return err != nil })]
	}
	f.gather(d, solutions)
	return nil
}

// gather sets the weights, the biases and the certificate to those of solutions, one for each label or level, or one for all.
func (f *Fit) gather(d *Design, solutions []*hingeSolution) {
	var upper, gap float64
	f.Multipliers = make([]float64, d.n*d.m)
	for k, s := range solutions {
		// One problem for all labels has its rows labels fastest.
		for i, b := range s.beta {
			f.Multipliers[i*len(solutions)+k] = b
		}
		// Labels that share no features have their parts of one weight vector.
		if d.rows.apart {
			copy(f.Weights.RawRowView(0)[k*len(s.w):], s.w)
		} else {
			f.Weights.SetRow(k, s.w)
		}
		copy(f.Bias[k:], s.bias)
		upper += s.upper
		gap += math.Max(0, s.upper-s.lower)
		f.Iterations += s.iterations
	}
	f.Objective, f.Gap = upper, relative(gap, upper)
	f.Converged = f.Gap <= f.Learner.Gap
}

// solve chooses by size: pairs of coordinates on the Gram matrix, or sweeps over the rows.
func (p *hinge) solve(ctx context.Context, d *Design, l *setting.Learner) (*hingeSolution, error) {
	if p.rows.n <= maxGram {
		gram, err := d.gramOf(ctx)
		if err != nil {
			return nil, err
		}
		return p.solvePairs(ctx, gram, l)
	}
	return p.solveSweeps(ctx, l)
}
