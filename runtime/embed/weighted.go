package embed

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
)

// Weighted returns x ↦ Vφ(x) for weights V (m×d). Of Nyström features it multiplies V by the whitening matrix, once, so
// that no features are computed.
func Weighted(of Map, v *mat.Dense) Functions {
	m, ok := of.(*nystrom)
	if !ok {
		return &weighted{of, v}
	}
	size, _ := m.whiten.Dims()
	count, _ := v.Dims()
	whiten := mat.NewDense(size, count, nil)
	whiten.Mul(m.whiten, v.T())
	return &nystrom{kernel: m.kernel, marks: m.marks, whiten: whiten}
}

// weighted multiplies the features of a map by weights.
type weighted struct {
	of Map
	v  *mat.Dense
}

// Dim returns how many functions there are.
func (w *weighted) Dim() int {
	m, _ := w.v.Dims()
	return m
}

// Features sets row i of dst to Vφ(x_i).
func (w *weighted) Features(dst, x *mat.Dense) {
	w.blocks(dst, kernel.At(x), func(phi *mat.Dense, x kernel.Argument) { w.of.Features(phi, x.Points) })
}

// Derivatives sets row i of dst to the derivative of Vφ that x asks for.
func (w *weighted) Derivatives(dst *mat.Dense, x kernel.Argument) { w.blocks(dst, x, w.of.Derivatives) }

// blocks sets dst to the products of V and features, of some rows at a time.
func (w *weighted) blocks(dst *mat.Dense, x kernel.Argument, features func(phi *mat.Dense, x kernel.Argument)) {
	n, _ := x.Points.Dims()
	for lo := 0; lo < n; lo += blockRows {
		hi := min(lo+blockRows, n)
		phi := mat.NewDense(hi-lo, w.of.Dim(), nil)
		features(phi, some(x, lo, hi))
		view(dst, lo, hi, 0, w.Dim()).Mul(phi, w.v.T())
	}
}
