package polar

import (
	"math"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A Measure bounds the exact values of a problem's operator and gauge, given those computed in float64. It counts the
// errors that the operator names, and those of rounding. The operator may have more functionals than the gauge; those
// that follow are bounded one by one.
type Measure struct {
	problem       Problem
	errors        []float64 // of Aᵀc, for each |c_j|
	width         float64   // what errors of AV and the slack of the curves add to ρ, for ‖V‖ = 1
	value, polars float64   // what gauge and polar are to be multiplied by
	values, sizes []float64 // errors of AV for ‖V‖ = 1, and the lengths of the rows
}

// NewMeasure prepares to bound. It costs a pass over the operator's rows. A nil gauge means ρ = 0.
func NewMeasure(p Problem) *Measure {
	m := &Measure{problem: p}
	if p.A == nil {
		return m
	}
	if a, ok := p.A.(Approximation); ok {
		m.errors = a.Errors()
	}
	m.rounding()
	return m
}

// alpha returns α.
func (m *Measure) alpha() float64 { return m.problem.Alpha }

// Size returns at least ‖V‖.
func (*Measure) Size(v []float64) float64 {
	return math.Sqrt(dot(v, v)) * (1 + gauge.Gamma(float64(len(v)+few)))
}

// Rho returns at least ρ(AV), given the computed values t of the gauge's functionals and size ≥ ‖V‖. Gauges are monotone
// and subadditive, so ρ(AV) ≤ ρ(A′V) + ρ(e)‖V‖.
func (m *Measure) Rho(t []float64, size float64) float64 {
	if m.problem.Gauge == nil {
		return 0
	}
	return up(m.problem.rho(t)*m.value + m.width*size)
}

// Least returns at most ρ(AV) at the nodes.
func (m *Measure) Least(t []float64, size float64) float64 {
	if m.problem.Gauge == nil {
		return 0
	}
	return max(0, down(m.problem.Gauge.Value(t)/m.value)-m.width*size)
}

// Polar returns at least ρ°(c).
func (m *Measure) Polar(c []float64) float64 { return m.problem.Gauge.Polar(c) * m.polars }

// Slack returns at least the error of ‖Aᵀc‖, Σ_j e_j|c_j|.
func (m *Measure) Slack(c []float64) float64 {
	sum := 0.0
	for j, e := range m.errors {
		sum += e * math.Abs(c[j])
	}
	return sum * (1 + gauge.Gamma(float64(len(c)+few)))
}

// norm2 returns at least ‖a‖²/α, the upper bound that c = 0 gives.
func (m *Measure) norm2(a []float64) float64 {
	return dot(a, a) / m.alpha() * (1 + gauge.Gamma(float64(len(a)+few)))
}

// Lower returns the lower bound ⟨a, V⟩²/J(V) of ‖a‖² in the dual norm, where values is AV. It returns 0 if V gives no
// bound.
func (m *Measure) Lower(a, v, values []float64) float64 {
	var k certificate
	k.primal(m, a, v, values)
	return k.lower
}

// Values returns bounds of the errors of the functionals' values for ‖V‖ = 1.
func (m *Measure) Values() []float64 { return m.values }

// Sizes returns at least the lengths of the functionals.
func (m *Measure) Sizes() []float64 { return m.sizes }
