package risk

import (
	"math"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// overInterval turns both bounds into bounds for the interval.
func (w *work) overInterval(asked float64) {
	if !w.solver.problem.Curves.Integrals() {
		w.lower = w.out.Lower
	}
	w.solver.problem.A.Apply(row(w.values), row(w.out.V))
	w.out.Lower = w.lower
	w.out.OverInterval(polar.Problem{A: w.solver.problem.A, Gauge: w.solver.problem.Gauge, Curves: w.solver.problem.Curves}, w.values[:w.solver.r], asked)
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
