package polar

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A certificate is the best that is known of one right-hand side.
type certificate struct {
	lower, upper float64
	iota         []float64 // attains lower; nil where it is not kept
	c            []float64 // attains upper; nil where it is not kept
}

// gap is upper/lower − 1, +Inf as long as one of them is missing. Rounding may put the bounds in the wrong order.
func (k *certificate) gap() float64 {
	if !(k.lower > 0) || math.IsInf(k.lower, 1) || math.IsInf(k.upper, 1) {
		return math.Inf(1)
	}
	return max(k.upper/k.lower-1, 0)
}

// primal takes V, for which values is AV: its best multiple ⟨a, V⟩/J(V)·V attains the bound ⟨a, V⟩²/J(V).
func (k *certificate) primal(m *measured, a, v, values []float64) {
	vv := dot(v, v)
	rho := m.bound(values, math.Sqrt(vv))
	along, j := dot(a, v), m.alpha()*vv+rho*rho
	if !(along > 0) || !(j > 0) {
		return
	}
	if lower := along * along / j; lower > k.lower {
		k.lower = lower
		if k.iota != nil {
			floats.ScaleTo(k.iota, along/j, v)
		}
	}
}

// dual takes c, with q = Aᵀc, and its multiple f ≥ 0 of least bound, f = ⟨a, q⟩/(‖q‖² + αρ°²).
func (k *certificate) dual(m *measured, a, c, q []float64) { k.dualOff(m, a, c, q, m.slack(c)) }

// dualOff is dual where q is known up to slack.
func (k *certificate) dualOff(m *measured, a, c, q []float64, slack float64) {
	polar := m.polar(c)
	if math.IsInf(polar, 0) || math.IsNaN(polar) {
		return
	}
	f := 0.0
	if den := dot(q, q) + m.alpha()*polar*polar; den > 0 {
		f = max(dot(a, q)/den, 0)
	}
	rest := 0.0
	for i, x := range a {
		d := x - f*q[i]
		rest += d * d
	}
	if slack > 0 {
		rest = math.Sqrt(rest) + f*slack
		rest *= rest
	}
	if upper := rest/m.alpha() + f*f*polar*polar; upper < k.upper {
		k.upper = upper
		if k.c != nil {
			floats.ScaleTo(k.c, f, c)
		}
	}
}

func dot(x, y []float64) float64 {
	return blas64.Dot(blas64.Vector{N: len(x), Inc: 1, Data: x}, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

// A measured is a problem with what its operator says of its errors.
type measured struct {
	problem Problem
	errors  []float64 // e_j; nil where the operator is exact
	width   float64   // ρ(e) and the slack of the curves
}

func newMeasured(p Problem) *measured {
	m := &measured{problem: p}
	if a, ok := p.A.(Approximation); ok && p.Gauge != nil {
		m.errors = a.Errors()
	}
	m.width = p.width(m.errors)
	return m
}

func (m *measured) alpha() float64 { return m.problem.Alpha }

// bound is at least ρ(AV), t being the operator's AV and size ‖V‖: gauges are monotone and subadditive, so
// ρ(AV) ≤ ρ(A′V) + ρ(e)‖V‖.
func (m *measured) bound(t []float64, size float64) float64 {
	if m.problem.Gauge == nil {
		return 0
	}
	return m.problem.rho(t) + m.width*size
}

func (m *measured) polar(c []float64) float64 { return m.problem.Gauge.Polar(c) }

// slack bounds the operator's error in ‖Aᵀc‖.
func (m *measured) slack(c []float64) float64 {
	sum := 0.0
	for j, e := range m.errors {
		sum += e * math.Abs(c[j])
	}
	return sum
}

// Certify bounds ‖a‖² in the dual norm from any V and c, one a row (B×D and B×r): lower[i] ≤ ⟨a_i, ι_i⟩ ≤ upper[i]. The best
// multiples of both are taken. A bound that V or c does not give is 0 or ‖a‖²/α.
func Certify(p Problem, a, v, c *mat.Dense) (lower, upper []float64) {
	b, dim := a.Dims()
	lower, upper = make([]float64, b), make([]float64, b)
	m := newMeasured(p)
	var values, rows, q *mat.Dense
	off := make([]float64, b)
	if p.Gauge != nil {
		r, _ := p.A.Dims()
		values, rows, q = mat.NewDense(b, r, nil), c, mat.NewDense(b, dim, nil)
		if p.Curves.Integrals() {
			rows, c = mat.NewDense(b, r, nil), mat.DenseCopyOf(c)
			for i := range b {
				off[i] = p.Curves.Densities(rows.RawRowView(i), c.RawRowView(i))
			}
		}
		p.A.Apply(values, v)
		p.A.ApplyT(q, rows)
	}
	for i := range b {
		row := a.RawRowView(i)
		k := certificate{upper: dot(row, row) / p.Alpha}
		if p.Gauge == nil {
			k.primal(m, row, v.RawRowView(i), nil)
		} else {
			k.primal(m, row, v.RawRowView(i), values.RawRowView(i))
			k.dualOff(m, row, c.RawRowView(i), q.RawRowView(i), m.slack(rows.RawRowView(i))+off[i])
		}
		lower[i], upper[i] = k.lower, k.upper
	}
	return lower, upper
}
