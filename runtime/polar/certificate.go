package polar

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A certificate holds the best bounds known for one right-hand side, lower ≤ ⟨a, ι⟩ ≤ upper, and what attains them.
type certificate struct {
	lower, upper float64
	// iota attains lower; nil means that it is not kept.
	iota []float64
	// c attains upper; nil means that it is not kept.
	c []float64
}

// gap returns upper/lower − 1, see [Gap].
func (k *certificate) gap() float64 { return Gap(k.lower, k.upper) }

// primal improves the lower bound by V, whose values AV are given. Its best multiple ⟨a, V⟩/J(V)·V attains ⟨a,
// V⟩²/J(V), less what rounding may have done to it. Of a V whose square underflows nothing is known.
func (k *certificate) primal(m *Measure, a, v, values []float64) {
	vv, sum := dot(v, v), gauge.Gamma(float64(len(a)+few))
	size := math.Sqrt(vv) * (1 + sum)
	rho := m.Rho(values, size)
	along, j := dot(a, v), m.alpha()*size*size+rho*rho
	if !(along > 0) || !(j > 0) || math.IsInf(j, 1) || vv < leastSquare {
		return
	}
	// |fl⟨a, V⟩ − ⟨a, V⟩| ≤ γ‖a‖‖V‖ by Cauchy and Schwarz.
	least := along - sum*math.Sqrt(dot(a, a))*size
	if lower := down(least / j * least); least > 0 && lower > k.lower {
		k.lower = lower
		if k.iota != nil {
			floats.ScaleTo(k.iota, along/(m.alpha()*vv+rho*rho), v)
		}
	}
}

// leastSquare bounds ‖V‖² from below. The squares of smaller numbers lose digits that no relative error counts.
const leastSquare = 1e-290

// dual improves the upper bound by c, with q = Aᵀc. Of all multiples f·c, f ≥ 0, it takes that of the least bound, f
// = ⟨a, q⟩/(‖q‖² + αρ°²).
func (k *certificate) dual(m *Measure, a, c, q []float64) { k.dualOff(m, a, c, q, m.Slack(c)) }

// dualOff does what dual does for a q that is known up to slack.
func (k *certificate) dualOff(m *Measure, a, c, q []float64, slack float64) {
	polar := m.Polar(c)
	if math.IsInf(polar, 0) || math.IsNaN(polar) {
		return
	}
	f, qq := 0.0, dot(q, q)
	if den := qq + m.alpha()*polar*polar; den > 0 {
		f = max(dot(a, q)/den, 0)
	}
	rest := 0.0
	for i, x := range a {
		d := x - f*q[i]
		rest += d * d
	}
	// The differences are off by u of themselves and of fq.
	sum := gauge.Gamma(float64(len(a) + few))
	size := math.Sqrt(rest)*(1+sum) + f*(math.Sqrt(qq)*gauge.Gamma(few)+slack)
	if upper := up(size*size/m.alpha() + f*polar*(f*polar)); upper < k.upper {
		k.upper = upper
		if k.c != nil {
			floats.ScaleTo(k.c, f, c)
		}
	}
}

// dot returns the inner product.
func dot(x, y []float64) float64 {
	return blas64.Dot(blas64.Vector{N: len(x), Inc: 1, Data: x}, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

// Certify bounds ‖a‖² in the dual norm from any V and c, one a row: lower[i] ≤ ⟨a_i, ι_i⟩ ≤ upper[i]. a and v are
// B×D, c is B×r. It takes the best multiples of V and c. A bound that V or c does not give is 0 or ‖a‖²/α.
func Certify(p Problem, a, v, c *mat.Dense) (lower, upper []float64) {
	b, dim := a.Dims()
	lower, upper = make([]float64, b), make([]float64, b)
	m := NewMeasure(p)
	var values, rows, q *mat.Dense
	off := make([]float64, b)
	if p.Gauge != nil {
		r, _ := p.A.Dims()
		values, rows, q = mat.NewDense(b, r, nil), c, mat.NewDense(b, dim, nil)
		// Under an integral c are masses at nodes. The upper end needs densities over the interval instead.
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
		k := certificate{upper: m.norm2(row)}
		if p.Gauge == nil {
			k.primal(m, row, v.RawRowView(i), nil)
		} else {
			k.primal(m, row, v.RawRowView(i), values.RawRowView(i))
			k.dualOff(m, row, c.RawRowView(i), q.RawRowView(i), m.Slack(rows.RawRowView(i))+off[i])
		}
		lower[i], upper[i] = k.lower, k.upper
	}
	return lower, upper
}
