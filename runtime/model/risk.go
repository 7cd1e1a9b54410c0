package model

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/interval"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// minimize minimizes the regularized risk for the strength that cross-validation chooses, at as many nodes as the
// gap needs. The strength is chosen at the nodes at hand, before any are added.
func (f *fitter) minimize() error {
	candidates := f.candidates()
	m, err := begun(f, candidates[len(candidates)/2])
	if err != nil {
		return err
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
	if err == nil {
		m, result, err = m.exchange(own, result)
	}
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
	f.out.Active = toldOf(f.active)
	f.out.Errors = m.near(f.out.Model, own, result)
	f.out.Idle, err = m.idle(own, result)
	return err
}

// begun sets the problem up at the nodes at hand, with what it needs before learners are compared. These are cuts of statements, or functionals of R that are
// active. They are looked for under a learner in the middle.
func begun(f *fitter, l setting.Learner) (*minimizer, error) {
	f.means = meant(f)
	m, err := posed(f, f.reg.Nodes)
	if err != nil {
		return nil, err
	}
	if k, ok := m.solver.(*keeping); ok {
		return survey(m, k, l)
	}
	return activated(m, l, len(f.o.Strengths) > 1)
}

// idle returns the gap of a result without R, see [Fitting.Idle]. It is the gap of the same V beside the lower bound that multipliers of 0
// give. R is idle where that gap is no wider than the one asked for:
//
//	f minimizes the loss with R, and without it, to the same gap.
//
// It is not known beside statements, whose cuts have multipliers, too.
func (m *minimizer) idle(l setting.Learner, r *risk.Result) (float64, error) {
	if m.problem.Gauge == nil || keeps(m.f) {
		return math.NaN(), nil
	}
	c, ok := m.solver.(convex)
	if !ok {
		solver, err := risk.New(*m.problem, risk.Settings{Gap: m.gap()})
		if err != nil {
			return math.NaN(), err
		}
		c = convex{solver}
	}
	return risk.Idle(m.f.ctx, c.Solver, risk.Request{Learner: m.weighted(l)}, r)
}

// minimize returns the minimum for a learner, and the minimizer at as many nodes as the gap needs. More nodes make
// another R, and the problem is set up and solved anew. Where that ends above the gap of fewer nodes, as the time is
// over or the work spent, what those came to stays. So it does where more do not fit the memory.
func (m *minimizer) minimize(l setting.Learner) (*minimizer, *risk.Result, error) {
	if m.f.active != nil {
		// No maximum is over an interval here, so that nodes stay.
		return minimizeActive(m, l, m.gap())
	}
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

// exchange minimizes again as long as R gets more members. Each minimum starts from the one before. Strengths mean what they meant at first, as the scale of R
// stays. So P of each minimum is at least that of the one before. Where the time is over, or more members do not fit the memory, the last minimum stays. Features stay
// those of the first members.
func (m *minimizer) exchange(l setting.Learner, result *risk.Result) (*minimizer, *risk.Result, error) {
	f, first := m.f, m.f.reg
	if f.o.Exchange == nil || f.o.Method == setting.Plain {
		return m, result, nil
	}
	for {
		reg, err := m.more(l, result)
		switch {
		case limits.TimeOver(err) || err == nil && reg != nil && limits.Over(f.ctx):
			f.out.Left = append(f.out.Left, "the time was over before all worst moves were searched")
			reg = nil
		case err != nil:
			return nil, nil, err
		}
		next, before, large := m, f.reg, (*limits.MemoryError)(nil)
		if reg != nil {
			next, err = withMembers(m, reg)
			large, _ = errors.AsType[*limits.MemoryError](err)
			if large != nil {
				f.out.Left = append(f.out.Left, fmt.Sprintf("R keeps its members: with more, %v", err))
			} else if err != nil {
				return nil, nil, err
			}
		}
		if reg == nil || large != nil {
			return m, result, spannedAnew(f, first)
		}
		if result, err = next.again(l, result, before); err != nil {
			return nil, nil, err
		}
		m = next
	}
}

// withMembers sets the problem up anew with an R of more members. Where they do not fit the memory, R stays as it was.
func withMembers(m *minimizer, reg *regularizer.Regularizer) (*minimizer, error) {
	f := m.f
	kept, rep, out := *f, *f.rep, *f.out
	f.reg, f.out.Regularizer, f.rep.Gap = reg, reg, f.o.Gap // whatever the last minimum could afford
	next, err := posed(f, reg.Nodes)
	if err != nil {
		*f, *kept.rep, *kept.out = kept, rep, out
		return nil, err
	}
	next.strength = m.strength
	return next, nil
}

// spannedAnew measures what features lose of R, if R has other members than it had first.
func spannedAnew(f *fitter, first *regularizer.Regularizer) error {
	if f.reg == first || f.o.Map != nil {
		return nil
	}
	f.out.Span = nil
	return spanned(f)
}

// more returns R with more members at a minimum; nil means that it has enough. The caller's search asks for values of R's functionals, and of others
// that it has not got, at the function of the minimum.
func (m *minimizer) more(l setting.Learner, result *risk.Result) (reg *regularizer.Regularizer, err error) {
	f := m.f
	made := &Model{Represent: f.rep, Fit: m.fit(l, result)}
	search := step{share: 0.5, whole: true, run: func() error {
		s, err := newScorer(f.ctx, made, deviations(f.train.X, f.train.Weight), f.out.allowance)
		if err != nil {
			return err
		}
		reg, err = f.o.Exchange(f.ctx, f.reg.Nodes, func(ctx context.Context, reg *regularizer.Regularizer, k int) ([]float64, error) {
			s.ctx, s.spent = ctx, 0
			values, _, err := s.values(&site{rows: f.seen.X, reg: reg}, k, nil)
			return values, err
		})
		return err
	}}
	return reg, search.by(f.ctx, f)
}

// again solves once more as R has changed. It returns the minimum for a learner, from that of a problem with other functionals of R on. V and the multipliers of
// functionals that both have are where the iterations begin. New functionals begin with multipliers of 0, as those do that are not
// active. So a round costs the fewer iterations, the less its members change.
func (m *minimizer) again(l setting.Learner, from *risk.Result, before *regularizer.Regularizer) (*risk.Result, error) {
	c, ok := m.solver.(convex)
	if !ok {
		return m.minimum(l)
	}
	start := risk.Carry(c.Solver, from, carriedFrom(m.f.reg.Functionals, before.Functionals))
	work := effort{work: mostWork(m.f, m.solver.Work(m.f.o.MaxIterations), limits.FitWork)}
	r, err := c.Solve(m.f.ctx, risk.Request{Learner: m.weighted(l), Start: start, Gap: m.gap(), MaxWork: work.work, Carried: true, Progress: m.countdown("minimize risk")})
	if err != nil {
		return nil, err
	}
	r.Iterations += from.Iterations
	return m.approach(l, r)
}
