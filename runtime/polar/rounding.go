package polar

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A Rounded operator bounds the rounding errors of its products. With γ_n = nu/(1 − nu),
//
//	|t_j − ⟨a_j, V⟩| ≤ γ_apply s_j‖V‖  for Apply,   ‖q − Aᵀc‖ ≤ γ_applyT Σ_j s_j|c_j|  for ApplyT.
type Rounded interface {
	Operator
	// Rounding returns the sizes s_j and both numbers of operations.
	Rounding() (sizes []float64, apply, applyT int)
}

// Rounding returns the sizes s_j and the numbers of operations of A's products. An operator that does not implement
// Rounded is taken for a plain matrix: sizes are the lengths of its rows, found by unit vectors.
func Rounding(a Operator) (sizes []float64, apply, applyT int) {
	if r, ok := a.(Rounded); ok {
		return r.Rounding()
	}
	r, dim := a.Dims()
	sizes = make([]float64, r)
	unit, row := mat.NewDense(1, r, nil), mat.NewDense(1, dim, nil)
	for j := range sizes {
		unit.Set(0, j, 1)
		a.ApplyT(row, unit)
		sizes[j] = mat.Norm(row, 2)
		unit.Set(0, j, 0)
	}
	return sizes, dim, r
}

// few is the number of operations that a bound takes beside its sums.
const few = 8

// up returns at least what few operations on positive numbers were meant to give.
func up(x float64) float64 { return x * (1 + gauge.Gamma(few)) }

// down returns at most what few operations on positive numbers were meant to give.
func down(x float64) float64 { return x * (1 - gauge.Gamma(few)) }

// Gap returns upper/lower − 1 rounded up. It is +Inf as long as nothing is proved, and 0 if both are zero. It is NaN
// if the bounds contradict each other, which is impossible in exact arithmetic.
func Gap(lower, upper float64) float64 {
	switch {
	case lower == 0 && upper == 0:
		return 0
	case !(lower > 0) || math.IsInf(lower, 1) || math.IsInf(upper, 1):
		return math.Inf(1)
	case !(upper >= lower):
		return math.NaN()
	}
	return up(upper/lower) - 1
}

// rounding adds the rounding errors of the operator and of the gauge to those that the operator names.
func (m *Measure) rounding() {
	p := m.problem
	sizes, apply, applyT := Rounding(p.A)
	var r gauge.Rounding
	leaves := 0
	if p.Gauge != nil {
		r, leaves = p.Gauge.Rounding(), p.Gauge.Size()
	}
	m.value, m.polars = 1+gauge.Gamma(r.Value+few), 1+gauge.Gamma(r.Polar+few)
	leaf, multiplier := gauge.Gamma(float64(apply)+few), gauge.Gamma(float64(applyT)+few)
	at, of := make([]float64, len(sizes)), make([]float64, len(sizes))
	for j, s := range sizes {
		e := 0.0
		if m.errors != nil {
			e = m.errors[j]
		}
		at[j], of[j] = e+leaf*s, e+multiplier*s
	}
	m.values, m.sizes, m.errors = slices.Clone(at), make([]float64, len(sizes)), of
	for j, s := range sizes {
		m.sizes[j] = of[j] + s*(1+leaf)
	}
	if p.Curves != nil {
		p.Curves.rounding(at, sizes)
	}
	m.width = up(p.width(at[:leaves]) * m.value)
}

// rounding adds to errors at the nodes what rounding loses between them. The coefficients of a polynomial through N
// numbers, and the sums of these, are off by less than 4N²u of the largest.
func (c *Curves) rounding(errors, sizes []float64) {
	for i := range c.runs {
		r := &c.runs[i]
		lost := gauge.Gamma(4 * float64(r.Nodes*r.Nodes))
		for k := range r.Count {
			most := 0.0
			for node := range r.Nodes {
				most = max(most, sizes[r.Leaf(k, node)])
			}
			for node := range r.Nodes {
				errors[r.Leaf(k, node)] += lost * most
			}
		}
	}
}
