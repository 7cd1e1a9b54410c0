package operator

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// Structured is the operator that FromDense makes of a plain matrix, such as a problem file's; any other operator stays as it is.
func Structured(a polar.Operator) (polar.Operator, error) {
	plain, ok := a.(*polar.Dense)
	if !ok {
		return a, nil
	}
	r, dim := plain.Dims()
	index, rows := make([]int, r), mat.NewDense(r, dim, nil)
	for i := range index {
		index[i] = i
	}
	plain.Rows(rows, index)
	return FromDense(rows)
}
