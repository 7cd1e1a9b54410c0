package risk

import (
	"math"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// overInterval turns both bounds of a result into bounds for the intervals, if there are any. Lower holds for integrals over them already.
func overInterval(s *Solver, r *Result, lower, asked float64) {
	p := polar.Problem{A: s.problem.A, Gauge: s.problem.Gauge, Curves: s.problem.Curves}
	if p.Curves == nil {
		return
	}
	if p.Curves.Integrals() {
		r.Lower = lower
	}
	rows, _ := p.A.Dims()
	values := make([]float64, rows)
	p.A.Apply(row(values), row(r.V))
	r.OverInterval(p, values[:s.r], asked)
}

// Raise turns the upper bound of a result under some functionals of R into one under all of them. rho is at least ρ of all at V. Lower holds for all
// already, by multipliers of 0. t are the values of the problem's gauge functionals at V. asked is the gap that decides about Converged.
func (r *Result) Raise(p polar.Problem, t []float64, rho, asked float64) {
	some := polar.NewMeasure(p)
	least := some.Least(t, some.Size(r.V))
	r.Upper = (r.Upper + max(0, rho*rho-least*least)/2) * (1 + gamma(0))
	r.Gap = Gap(r.Lower, r.Upper)
	r.Converged = r.Gap <= asked
}

// OverInterval turns the upper bound of a result at the nodes, and the gap, into those for whole intervals. Lower
// must hold for them already. t are the values of the problem's gauge functionals at V. asked is the gap that decides
// about Converged.
func (r *Result) OverInterval(p polar.Problem, t []float64, asked float64) {
	over := func(c *polar.Curves) *polar.Measure {
		return polar.NewMeasure(polar.Problem{A: p.A, Gauge: p.Gauge, Curves: c})
	}
	nodes := over(nil)
	size := nodes.Size(r.V)
	least := nodes.Least(t, size)
	raise := func(c *polar.Curves) float64 {
		raised := over(c).Rho(t, size)
		return (r.Upper + (raised*raised-least*least)/2) * (1 + gamma(0))
	}
	before, bent, all := r.Gap, raise(p.Curves.Exact()), raise(p.Curves)
	r.Slack = max(0, (all-bent)/math.Max(bent, math.SmallestNonzeroFloat64))
	r.Upper, r.Gap = all, Gap(r.Lower, all)
	r.Between = 0
	if !math.IsNaN(r.Gap) {
		r.Between = max(0, r.Gap-before)
	}
	r.Converged = r.Gap <= asked
}
