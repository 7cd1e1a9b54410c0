package model

import (
	"errors"
	"fmt"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/interval"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// minimize minimizes the regularized risk for the strength that cross-validation chooses, at as many nodes as the
// gap needs. The strength is chosen at the nodes at hand, before any are added.
func (f *fitter) minimize() error {
	m, err := posed(f, f.reg.Nodes)
	if err != nil {
		return err
	}
	candidates := f.candidates()
	if k, ok := m.solver.(*keeping); ok {
		if m, err = survey(m, k, candidates[len(candidates)/2]); err != nil {
			return err
		}
	}
	best := 0
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
	var found []Requirement
	var twin *Twin
	if k, ok := m.solver.(*keeping); ok {
		if result, found, err = k.prove(m, own, result); err != nil {
			return err
		}
		if f.o.Witnesses {
			if twin, err = twinOf(k, m, own, result); err != nil {
				return err
			}
		}
	}
	f.out.Model = &Model{Represent: f.rep, Fit: m.fit(own, result), Closure: f.o.Closure, Declared: f.o.Declared, Requirements: found, Twin: twin}
	sumUp(f.out.Model)
	if err := f.calibrate(m, own); err != nil || f.o.Method == setting.Plain { // whose features are exact
		return err
	}
	if f.out.Gaps, f.out.Rounding = []float64{result.Gap}, result.Rounding; result.Cut {
		f.out.Left = append(f.out.Left, cutOff)
	}
	f.out.Errors = m.near(f.out.Model, own, result)
	return nil
}

// minimize returns the minimum for a learner, and the minimizer at as many nodes as the gap needs. More nodes make
// another R, and the problem is set up and solved anew. Where that ends above the gap of fewer nodes, as the time is
// over or the work spent, what those came to stays. So it does where more do not fit the memory.
func (m *minimizer) minimize(l setting.Learner) (*minimizer, *risk.Result, error) {
	result, err := m.minimum(l)
	if err != nil {
		return nil, nil, err
	}
	for f := m.f; ; {
		nodes, err := m.finer(result)
		if err != nil {
			return nil, nil, err
		}
		if nodes == f.reg.Nodes {
			result, err = m.approach(l, result)
			return m, result, err
		}
		kept, rep, out := *f, *f.rep, *f.out
		// All of it stays while more nodes are tried.
		f.before = append(beforeFit(f), limits.Need{Bytes: f.op.Bytes() + f.op.FactorBytes(), What: "what fewer nodes came to", Mend: "ask for a larger --gap"})
		finer, r, err := m.tried(l, nodes)
		_, large := errors.AsType[*limits.MemoryError](err)
		switch {
		case large, limits.TimeOver(err), err == nil && !(r.Gap < result.Gap):
			*f, *kept.rep, *kept.out = kept, rep, out
			if large {
				f.out.Left = append(f.out.Left, fmt.Sprintf("intervals keep their %d nodes: with more, %v", f.reg.Nodes, err))
			}
			return m, result, nil
		case err != nil:
			return nil, nil, err
		}
		m, result, f.before = finer, r, kept.before
	}
}

// tried sets the problem up anew at a number of nodes, and returns its minimum for a learner.
func (m *minimizer) tried(l setting.Learner, nodes int) (*minimizer, *risk.Result, error) {
	finer, err := posed(m.f, nodes)
	if err != nil {
		return nil, nil, err
	}
	r, err := finer.minimum(l)
	return finer, r, err
}

// minimum returns the minimum for a learner at the nodes at hand.
func (m *minimizer) minimum(l setting.Learner) (*risk.Result, error) {
	return m.solver.solve(m, m.weighted(l), nil, effort{work: mostWork(m.f, m.solver.Work(m.f.o.MaxIterations), limits.FitWork)}, m.countdown("minimize risk"))
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
