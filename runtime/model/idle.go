package model

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/represent"
)

// idleEmbedded returns the largest gap of embeddings by the upper bound ‖φ(x)‖², which multipliers of 0 prove.
func idleEmbedded(f *fitter) float64 {
	n, p := f.learnt.X.Dims()
	per, largest := f.rep.PerRow(), 0.0
	for lo := 0; lo < n; lo += represent.BlockRows {
		hi := min(lo+represent.BlockRows, n)
		phi := mat.NewDense(hi-lo, f.rep.Features.Dim(), nil)
		f.rep.Features.Features(phi, f.learnt.X.Slice(lo, hi, 0, p).(*mat.Dense)) //nolint:forcetypeassert // a slice of a Dense is one
		for i := lo; i < hi; i++ {
			row := phi.RowView(i - lo)
			size := mat.Dot(row, row) / represent.Alpha
			for _, lower := range f.norm2[i*per : (i+1)*per] {
				if size > 0 {
					largest = max(largest, size/lower-1)
				}
			}
		}
	}
	return largest
}
