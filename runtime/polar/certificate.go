package polar

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A certificate is the best that is known of one right-hand side.
type certificate struct {
	lower, upper float64
	iota         []float64 // attains lower
	c            []float64 // attains upper; nil where it is not kept
}

// gap is upper/lower − 1, +Inf as long as one of them is missing. Rounding may put the bounds in the wrong order.
func (k *certificate) gap() float64 {
	if !(k.lower > 0) {
		return math.Inf(1)
	}
	return max(k.upper/k.lower-1, 0)
}

// primal takes V, for which values is AV: its best multiple ⟨a, V⟩/J(V)·V attains the bound ⟨a, V⟩²/J(V).
func (k *certificate) primal(alpha float64, a, v []float64, rho float64) {
	along, j := dot(a, v), alpha*dot(v, v)+rho*rho
	if !(along > 0) || !(j > 0) {
		return
	}
	if lower := along * along / j; lower > k.lower {
		k.lower = lower
		for i, x := range v {
			k.iota[i] = along / j * x
		}
	}
}

// dual takes c, with q = Aᵀc and polar = ρ°(c) finite, and returns the multiple f ≥ 0 of it that gives the least bound,
// f = ⟨a, q⟩/(‖q‖² + αρ°²).
func (k *certificate) dual(alpha float64, a, c, q []float64, polar float64) (f float64) {
	if math.IsInf(polar, 0) || math.IsNaN(polar) {
		return 0
	}
	if den := dot(q, q) + alpha*polar*polar; den > 0 {
		f = max(dot(a, q)/den, 0)
	}
	rest := 0.0
	for i, x := range a {
		d := x - f*q[i]
		rest += d * d
	}
	if upper := rest/alpha + f*f*polar*polar; upper < k.upper {
		k.upper = upper
		if k.c != nil {
			for i, x := range c {
				k.c[i] = f * x
			}
		}
	}
	return f
}

func dot(x, y []float64) float64 {
	return blas64.Dot(blas64.Vector{N: len(x), Inc: 1, Data: x}, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

// Certify bounds ‖a‖² in the dual norm from any V and c, one a row (B×D and B×r): lower[i] ≤ ⟨a_i, ι_i⟩ ≤ upper[i]. The best
// multiples of both are taken. A bound that V or c does not give is 0 or ‖a‖²/α.
func Certify(p Problem, a, v, c *mat.Dense) (lower, upper []float64) {
	b, dim := a.Dims()
	lower, upper = make([]float64, b), make([]float64, b)
	if p.Gauge == nil {
		for i := range b {
			k := certificate{upper: dot(a.RawRowView(i), a.RawRowView(i)) / p.Alpha, iota: make([]float64, dim)}
			k.primal(p.Alpha, a.RawRowView(i), v.RawRowView(i), 0)
			lower[i], upper[i] = k.lower, k.upper
		}
		return lower, upper
	}
	r, _ := p.A.Dims()
	values, q := mat.NewDense(b, r, nil), mat.NewDense(b, dim, nil)
	p.A.Apply(values, v)
	p.A.ApplyT(q, c)
	for i := range b {
		row := a.RawRowView(i)
		k := certificate{upper: dot(row, row) / p.Alpha, iota: make([]float64, dim)}
		k.primal(p.Alpha, row, v.RawRowView(i), p.Gauge.Value(values.RawRowView(i)))
		k.dual(p.Alpha, row, nil, q.RawRowView(i), p.Gauge.Polar(c.RawRowView(i)))
		lower[i], upper[i] = k.lower, k.upper
	}
	return lower, upper
}
