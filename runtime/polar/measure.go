package polar

import (
	"math"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A Measure bounds what a problem's operator and gauge amount to from what float64 makes of them, with the errors that the operator names
// and those of rounding. The operator may have functionals after those of the gauge, whose values are bounded alone.
type Measure struct{ measured *measured }

// NewMeasure prepares to bound. A gauge of nil stands for ρ = 0.
func NewMeasure(p Problem) *Measure {
	m := &measured{problem: p}
	m.errorsOf()
	return &Measure{m}
}

// Size is at least ‖V‖.
func (*Measure) Size(v []float64) float64 {
	return math.Sqrt(dot(v, v)) * (1 + gauge.Gamma(float64(len(v)+few)))
}

// Rho is at least ρ(AV), t being the computed values of the gauge's functionals and size ≥ ‖V‖.
func (m *Measure) Rho(t []float64, size float64) float64 { return m.measured.bound(t, size) }

// Least is at most ρ(AV) at the nodes.
func (m *Measure) Least(t []float64, size float64) float64 {
	if m.measured.problem.Gauge == nil {
		return 0
	}
	return max(0, down(m.measured.problem.Gauge.Value(t)/m.measured.value)-m.measured.width*size)
}

// Polar is at least ρ°(c).
func (m *Measure) Polar(c []float64) float64 { return m.measured.polar(c) }

// Slack is at least the error of Aᵀc.
func (m *Measure) Slack(c []float64) float64 { return m.measured.slack(c) }

// Values returns the errors of the functionals' values where ‖V‖ = 1.
func (m *Measure) Values() []float64 { return m.measured.values }

// Sizes are at least the lengths of the functionals.
func (m *Measure) Sizes() []float64 { return m.measured.sizes }
