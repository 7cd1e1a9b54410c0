package embed

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
)

// weighted multiplies the features of a map by weights V (m×d).
type weighted struct {
	of Map
	v  *mat.Dense
}

// Dim returns how many functions there are.
func (w *weighted) Dim() int { return w.v.RawMatrix().Rows }

// Features sets row i of dst to Vφ(x_i).
func (w *weighted) Features(dst, x *mat.Dense) { w.Derivatives(dst, kernel.At(x)) }

// Derivatives sets row i of dst to the derivative of Vφ that x asks for, of some rows at a time.
func (w *weighted) Derivatives(dst *mat.Dense, x kernel.Argument) {
	n, _ := x.Points.Dims()
	for lo := 0; lo < n; lo += blockRows {
		hi := min(lo+blockRows, n)
		phi := mat.NewDense(hi-lo, w.of.Dim(), nil)
		w.of.Derivatives(phi, some(x, lo, hi))
		view(dst, lo, hi, 0, w.Dim()).Mul(phi, w.v.T())
	}
}
