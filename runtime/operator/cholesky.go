package operator

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// invert replaces a symmetric positive definite matrix, given by its lower triangle, by its inverse, both triangles
// of it. With A = LLᵀ the inverse is L⁻ᵀL⁻¹. If ctx ends, a must not be used any more.
// The error is polar.ErrIndefinite if rounding has left a matrix that is not positive definite, as very large weights beside α
// do.
func invert(ctx context.Context, a blas64.General) error {
	ok := false
	err := parallel.Await(ctx, func() {
		// Potrf fails on a pivot that is not positive, which exact arithmetic cannot give.
		var l blas64.Triangular
		if l, ok = lapack64.Potrf(blas64.Symmetric{N: a.Rows, Stride: a.Stride, Data: a.Data, Uplo: blas.Lower}); ok {
			_, ok = lapack64.Potri(l)
		}
	})
	switch {
	case err != nil:
		return err
	case !ok:
		return polar.ErrIndefinite
	}
	return mirror(ctx, a)
}

// mirror copies the lower triangle to the upper one, square by square, since the elements of a column lie far apart
// in memory.
func mirror(ctx context.Context, a blas64.General) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	const side = 32
	parallel.For(a.Rows, side, func(lo, hi int) {
		for j := 0; j < hi; j += side {
			for i := lo; i < hi; i++ {
				for k := j; k < min(j+side, i); k++ {
					a.Data[k*a.Stride+i] = a.Data[i*a.Stride+k]
				}
			}
		}
	})
	return nil
}

// block returns rows i … i+r−1 and columns j … j+c−1, in the same memory.
func block(a blas64.General, i, j, r, c int) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: a.Stride, Data: a.Data[i*a.Stride+j:]}
}

// copyOf returns a copy without gaps between its rows.
func copyOf(a blas64.General) blas64.General {
	out := newGeneral(a.Rows, a.Cols)
	for i := range a.Rows {
		copy(rowOf(out, i), rowOf(a, i))
	}
	return out
}
