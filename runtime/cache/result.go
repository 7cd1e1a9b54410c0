package cache

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// room returns a result with room for so many right-hand sides.
func (s *Solver) room(n, dim int) *polar.Result {
	out := &polar.Result{
		Iota: mat.NewDense(n, dim, nil), Gap: make([]float64, n), Norm2: make([]float64, n), Value: make([]float64, n),
		Iterations: make([]int, n), Newton: make([]int, n), Work: make([]float64, n), Status: make([]polar.Status, n),
	}
	if s.order > 0 {
		out.Multipliers = mat.NewDense(n, s.order, nil)
	}
	return out
}

// rows returns rows lo … hi−1 of a matrix, in the same memory.
func rows(m *mat.Dense, lo, hi int) *mat.Dense {
	_, c := m.Dims()
	return m.Slice(lo, hi, 0, c).(*mat.Dense) //nolint:forcetypeassert // a slice of a Dense is one
}

// span returns results lo … hi−1, in the same memory.
func span(r *polar.Result, lo, hi int) *polar.Result {
	out := &polar.Result{
		Iota: rows(r.Iota, lo, hi), Gap: r.Gap[lo:hi], Norm2: r.Norm2[lo:hi], Value: r.Value[lo:hi],
		Iterations: r.Iterations[lo:hi], Newton: r.Newton[lo:hi], Work: r.Work[lo:hi], Status: r.Status[lo:hi],
	}
	if r.Multipliers != nil {
		out.Multipliers = rows(r.Multipliers, lo, hi)
	}
	return out
}

// paste copies a result into one of its size.
func paste(to, from *polar.Result) {
	to.Iota.Copy(from.Iota)
	copy(to.Gap, from.Gap)
	copy(to.Norm2, from.Norm2)
	copy(to.Value, from.Value)
	copy(to.Iterations, from.Iterations)
	copy(to.Newton, from.Newton)
	copy(to.Work, from.Work)
	copy(to.Status, from.Status)
	if to.Multipliers != nil {
		to.Multipliers.Copy(from.Multipliers)
	}
}
