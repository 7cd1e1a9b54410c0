package learn

import "context"

// fitSVR fits numbers up to epsilon. Each row stands twice in a hinge problem, once from below with t = 1 and a = y −
// ε, and once from above with t = −1 and a = y + ε:
//
//	max(0, |y − s| − ε) = max(0, (y − ε) − s) + max(0, s − (y + ε)).
//
// No row has a loss in both.
func (f *Fit) fitSVR(ctx context.Context, d *Design, t *Targets) error {
	n := d.n
	twice := make([]int, 2*n)
	p := &hinge{sign: make([]float64, 2*n), target: make([]float64, 2*n), c: f.Learner.Strength}
	// Both halves of a row have its weight: the loss beyond the tube counts w times on either side.
	if t.Weight != nil {
		p.weight = make([]float64, 2*n)
	}
	for i, y := range t.Real {
		twice[i], twice[n+i] = i, i
		p.sign[i], p.sign[n+i] = 1, -1
		p.target[i], p.target[n+i] = y-f.Learner.Epsilon, y+f.Learner.Epsilon
		if t.Weight != nil {
			p.weight[i], p.weight[n+i] = t.Weight[i], t.Weight[i]
		}
	}
	// A subset may repeat examples.
	both := d.Subset(twice)
	p.rows = &both.rows
	s, err := p.solve(ctx, both, &f.Learner)
	if err != nil {
		return err
	}
	f.Weights.SetRow(0, s.w)
	copy(f.Bias, s.bias)
	f.Objective, f.Gap, f.Iterations = s.upper, s.relativeGap(), s.iterations
	f.Converged = f.Gap <= f.Learner.Gap
	return nil
}
