package model

import (
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/interval"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// minimize minimizes the regularized risk for the strength that cross-validation chooses, at as many nodes as the
// gap needs. The strength is chosen at the nodes at hand, before any are added.
func (f *fitter) minimize() error {
	var m *minimizer
	// Without the problem there is nothing to give.
	pose := step{share: 1, whole: true, run: func() (err error) {
		m, err = newMinimizer(f)
		return err
	}}
	if err := pose.by(f.ctx, f); err != nil {
		return err
	}
	candidates := f.candidates()
	best := 0
	var err error
	if len(candidates) > 1 {
		if f.out.Choice, err = f.choose(m, candidates); err != nil {
			return err
		}
		if f.out.Choice != nil {
			best = f.out.Choice.Best
		}
	}
	own := candidates[best]
	m, result, err := m.minimize(own)
	if err != nil {
		return err
	}
	f.out.Model = &Model{Represent: f.rep, Fit: m.fit(own, result), Closure: f.o.Closure}
	f.out.Gaps, f.out.Rounding = []float64{result.Gap}, result.Rounding
	if f.out.Errors, err = m.near(f.out.Model, own, result); err != nil {
		return err
	}
	return f.calibrate(m, own)
}

// minimize returns the minimum for a learner, and the minimizer at as many nodes as the gap needs. More nodes make
// another R, and the problem is set up and solved anew.
func (m *minimizer) minimize(l setting.Learner) (*minimizer, *risk.Result, error) {
	for f := m.f; ; {
		result, err := m.solver.solve(m, m.weighted(l), nil, effort{work: mostWork(f, m.solver.Work(f.o.MaxIterations), limits.FitWork)}, m.countdown("minimize risk"))
		if err != nil {
			return nil, nil, err
		}
		nodes, err := m.finer(result)
		if err != nil {
			return nil, nil, err
		}
		if nodes == f.reg.Nodes {
			result, err = m.approach(l, result)
			return m, result, err
		}
		if err := f.refine(nodes); err != nil {
			return nil, nil, err
		}
		if m, err = newMinimizer(f); err != nil {
			return nil, nil, err
		}
	}
}

// finer returns the number of nodes at which what lies between them should cost no more than half of the gap. It
// returns the present number if the gap is reached, or if more nodes would be of no use.
func (m *minimizer) finer(r *risk.Result) (int, error) {
	f := m.f
	f.out.Short = false
	if f.between == nil || !(r.Gap > f.o.Gap) || limits.Over(f.ctx) {
		return f.reg.Nodes, nil
	}
	e := interval.Excess{Bent: max(0, r.Between-r.Slack), Slack: r.Slack}
	nodes, err := f.paths.Finer(f.ctx, e, f.o.Gap)
	f.out.Short = nodes == f.reg.Nodes && e.Slack > f.o.Gap/2
	return nodes, err
}
