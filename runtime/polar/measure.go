package polar

import (
	"math"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A Measure bounds the exact values of a problem's operator and gauge, given those computed in float64. It counts the
// errors that the operator names, and those of rounding. The operator may have more functionals than the gauge; those
// that follow are bounded one by one.
type Measure struct{ measured *measured }

// NewMeasure prepares to bound. A nil gauge means ρ = 0.
func NewMeasure(p Problem) *Measure {
	m := &measured{problem: p}
	m.errorsOf()
	return &Measure{m}
}

// Size returns at least ‖V‖.
func (*Measure) Size(v []float64) float64 {
	return math.Sqrt(dot(v, v)) * (1 + gauge.Gamma(float64(len(v)+few)))
}

// Rho returns at least ρ(AV), given the computed values t of the gauge's functionals and size ≥ ‖V‖.
func (m *Measure) Rho(t []float64, size float64) float64 { return m.measured.bound(t, size) }

// Least returns at most ρ(AV) at the nodes.
func (m *Measure) Least(t []float64, size float64) float64 {
	if m.measured.problem.Gauge == nil {
		return 0
	}
	return max(0, down(m.measured.problem.Gauge.Value(t)/m.measured.value)-m.measured.width*size)
}

// Polar returns at least ρ°(c).
func (m *Measure) Polar(c []float64) float64 { return m.measured.polar(c) }

// Slack returns at least the error of ‖Aᵀc‖.
func (m *Measure) Slack(c []float64) float64 { return m.measured.slack(c) }

// Values returns bounds of the errors of the functionals' values for ‖V‖ = 1.
func (m *Measure) Values() []float64 { return m.measured.values }

// Sizes returns at least the lengths of the functionals.
func (m *Measure) Sizes() []float64 { return m.measured.sizes }
