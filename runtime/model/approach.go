package model

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// EnoughOfSpread is how near scores are to come to those of the minimizer, as a share of their standard deviation.
// It counts where nobody asks for a gap.
const EnoughOfSpread = 0.01

const (
	// A result may cost half as many iterations again, or as many as take so many multiplications, whichever is more.
	cheapWork  = 2e9
	cheapShare = 0.5
	// belowNeed is the gap that is asked for as a share of the one that is needed at most.
	belowNeed = 0.7
	// passGain is what a pass leaves of a gap at best, where losses have kinks.
	passGain = 0.1
	// shareBetween is how much of a gap may lie between nodes, of which more iterations would take nothing.
	shareBetween = 0.25
)

// approach goes on from a result that has the gap asked for, as far as that is cheap. It ends when the errors of
// the training rows' scores are within EnoughOfSpread.
//
// The error of a score is at most a multiple of √(2E), where E is by how much the risk may lie above its minimum
// (see Nearness). So bounds fall as the root of the gap, or faster where a bias is anchored. A bound that is b
// times too large needs a gap b² times smaller. What lies between nodes is part of E, and iterations do not lessen
// it; hence the least need.
func (m *minimizer) approach(l setting.Learner, r *risk.Result) (*risk.Result, error) {
	c, ok := m.solver.(convex)
	if !ok || !m.f.o.Tighten || !r.Converged || m.f.o.Method == setting.Plain {
		return r, nil
	}
	left := m.affordable(iterations(r), cheapWork)
	for left > 0 && !limits.Over(m.f.ctx) {
		made := &Model{Represent: m.f.rep, Fit: m.fit(l, r), Closure: m.f.o.Closure, Declared: m.f.o.Declared}
		share := mat.Max(m.near(made, l, r)) / made.Nearness.Spread
		if !(share > EnoughOfSpread) || math.IsInf(share, 1) {
			break
		}
		need := max(belowNeed*r.Gap*(EnoughOfSpread/share)*(EnoughOfSpread/share), r.Between/shareBetween)
		if need >= r.Gap || need < within(m, l, r.Gap, left) || need <= risk.OffShare(c.Solver, risk.Request{Learner: m.weighted(l)}, r) {
			break
		}
		next, err := c.Solve(m.f.ctx, risk.Request{Learner: m.weighted(l), Start: r, Gap: need, Limit: left, Brief: r.Learnt, Carried: m.f.o.Exchange != nil})
		if err != nil {
			return nil, err
		}
		left -= iterations(next)
		if next.Gap >= r.Gap {
			break
		}
		if next.Converged {
			m.f.rep.Gap = need
		} else {
			left = 0
		}
		next.Iterations, next.Converged = next.Iterations+r.Iterations, true // as what was asked for is reached
		r = next
	}
	return r, nil
}

// within returns a gap below which so many more passes do not come, where losses have kinks; 0 stands for none.
func within(m *minimizer, l setting.Learner, gap float64, passes int) float64 {
	if m.problem.Passing == nil || !risk.Kinked(l) {
		return 0
	}
	return gap * math.Pow(passGain, float64(passes))
}

// iterations returns those that a result took. Steps of a learner cost next to nothing.
func iterations(r *risk.Result) int {
	if r.Learnt {
		return 0
	}
	return r.Iterations
}

// comparedGap is a gap of the risk that is too small to decide which of two strengths predicts better. Scores lie
// within about 1 % of their standard deviation then.
const comparedGap = 1e-6

// comparedIterations bounds the iterations of a fit that is compared with others. They are too few where weights of R make
// it all but a constraint.
const comparedIterations = 1000

// mostCompared implements riskSolver.
func (convex) mostCompared() int { return comparedIterations }

// cheapCompared bounds the multiplications of a fit below the gap asked for, where it is compared with others. Half
// as many iterations again are allowed if that is more.
const cheapCompared = 1e8

// compared minimizes the risk of a learner over rows (nil: all), to compare it with others, so many fits in all. It goes to the gap
// asked for, and on to comparedGap as far as that is cheap. It begins from nothing, so that the order in which
// learners are compared decides nothing.
func (m *minimizer) compared(l setting.Learner, rows []bool, fits int) (*risk.Result, error) {
	most := m.solver.mostCompared()
	if bound := m.f.o.MaxIterations; bound > 0 {
		most = min(most, bound)
	}
	own := m.weighted(l)
	c, ok := m.solver.(convex)
	if ok {
		own = learn.Compared(own)
	}
	r, err := m.solver.solve(m, own, rows, effort{most, mostWork(m.f, m.solver.Work(most), limits.ComparedWork/float64(fits))}, nil)
	// Learners that compare others, too, need no smaller gap.
	if err != nil || !ok || !r.Converged || r.Learnt || r.Gap <= comparedGap {
		return r, err
	}
	limit := m.affordable(r.Iterations, cheapCompared)
	if limit == 0 {
		return r, nil
	}
	next, err := c.Solve(m.f.ctx, risk.Request{Learner: own, Rows: rows, Start: r, Gap: comparedGap, Limit: limit})
	if err != nil || next.Gap-next.Between >= r.Gap-r.Between {
		return r, err
	}
	return next, nil
}

// maxCheap bounds iterations that are cheap each.
const maxCheap = 2000

// affordable returns how many iterations are cheap after some, where so many multiplications are, and allowed.
func (m *minimizer) affordable(made int, work float64) int {
	each := operator.Work(m.f.op)
	if m.problem.Passing != nil { // squares of the features of all rows
		n, d := float64(m.f.learnt.Len()), float64(m.f.rep.Features.Dim())
		each += n * d * d
	}
	cheap := int(max(cheapShare*float64(made), math.Min(work/each, maxCheap)))
	if most := m.f.o.MaxIterations; most > 0 {
		return min(cheap, max(0, most-made))
	}
	return cheap
}
