package cache

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

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
