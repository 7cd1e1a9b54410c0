package operator

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

// panel is the number of columns factored between two matrix products. It balances the share of slow unblocked work
// against the reuse of a panel in the caches.
const panel = 256

// ErrIndefinite reports that the matrix of a linear system with R is not positive definite in floating point.
var ErrIndefinite = errors.New("operator: the matrix of a linear system is not positive definite to rounding, as the weights of its rows are too large beside α; " +
	"write smaller weights and factors of invariances, or take a larger α")

// invert replaces a symmetric positive definite matrix, given by its lower triangle, by its inverse, both triangles
// of it. With A = LLᵀ the inverse is L⁻ᵀL⁻¹. The three steps factor A, invert L and square the result. All work in
// panels, so that nearly all time goes into matrix products, and so that each looks at ctx between them.
func invert(ctx context.Context, a blas64.General) error {
	for _, step := range []func(context.Context, blas64.General) error{factorLower, invertLower, squareLower} {
		if err := step(ctx, a); err != nil {
			return err
		}
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

// factorLower replaces the lower triangle by L, LLᵀ = A. Its diagonal blocks become L_kk⁻¹ instead of L_kk, because
// this step and the next one need only these.
func factorLower(ctx context.Context, a blas64.General) error {
	n := a.Rows
	for k := 0; k < n; k += panel {
		if err := ctx.Err(); err != nil {
			return err
		}
		size := min(panel, n-k)
		diagonal := block(a, k, k, size, size)
		// Potrf fails on a pivot that is not positive, which exact arithmetic cannot give.
		t, ok := lapack64.Potrf(blas64.Symmetric{N: size, Stride: a.Stride, Data: diagonal.Data, Uplo: blas.Lower})
		if !ok || !lapack64.Trtri(t) {
			return ErrIndefinite
		}
		rest := n - k - size
		if rest == 0 {
			break
		}
		inverse := lowerOf(diagonal)
		below := block(a, k+size, k, rest, size)
		old := copyOf(below)
		// L_ik = A_ik L_kk⁻ᵀ: a product with the small inverse instead of a triangular solve.
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, old, inverse, 0, below)
		for j := 0; j < rest; j += panel {
			if err := ctx.Err(); err != nil {
				return err
			}
			width := min(panel, rest-j)
			// The rest of A loses L_ik L_jkᵀ, in the lower triangle only.
			blas64.Gemm(blas.NoTrans, blas.Trans, -1, block(below, j, 0, rest-j, size), block(below, j, 0, width, size),
				1, block(a, k+size+j, k+size+j, rest-j, width))
		}
	}
	return nil
}

// lowerOf returns a copy of a lower triangle with zeros above it.
func lowerOf(a blas64.General) blas64.General {
	out := copyOf(a)
	for i := range out.Rows {
		clear(rowOf(out, i)[i+1:])
	}
	return out
}

// invertLower replaces L by X = L⁻¹, row of panels by row of panels: X_i = −L_ii⁻¹ L_i,<i X_<i. The rows above i hold
// X by then, and row i still holds L.
func invertLower(ctx context.Context, a blas64.General) error {
	n := a.Rows
	for i := panel; i < n; i += panel {
		size := min(panel, n-i)
		inverse := lowerOf(block(a, i, i, size, size))
		left := copyOf(block(a, i, 0, size, i))
		sum := newGeneral(size, i)
		for j := 0; j < i; j += panel {
			if err := ctx.Err(); err != nil {
				return err
			}
			// Rows of X from j on reach column j+panel−1; the blocks above the diagonal hold what A had there.
			width := min(panel, i-j)
			x := lowerOf(block(a, j, j, width, width))
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, block(left, 0, j, size, width), x, 1, block(sum, 0, j, size, width))
			if below := i - j - width; below > 0 {
				blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, block(left, 0, j+width, size, below), block(a, j+width, j, below, width), 1, block(sum, 0, j, size, width))
			}
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, inverse, sum, 0, block(a, i, 0, size, i))
	}
	return nil
}

// squareLower replaces the lower triangular X by the lower triangle of XᵀX, row of panels by row of panels. Row i of
// the result needs only the rows of X from i on, so that it may take the place of row i.
func squareLower(ctx context.Context, a blas64.General) error {
	n := a.Rows
	for i := 0; i < n; i += panel {
		if err := ctx.Err(); err != nil {
			return err
		}
		size := min(panel, n-i)
		// The sum is computed apart, as its products still read the row that it replaces.
		diagonal := lowerOf(block(a, i, i, size, size))
		below := n - i - size
		sum := newGeneral(size, i+size)
		if i > 0 {
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, diagonal, copyOf(block(a, i, 0, size, i)), 0, block(sum, 0, 0, size, i))
		}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, diagonal, diagonal, 0, block(sum, 0, i, size, size))
		if below > 0 {
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, block(a, i+size, i, below, size), block(a, i+size, 0, below, i+size), 1, sum)
		}
		for r := range size {
			copy(a.Data[(i+r)*a.Stride:(i+r)*a.Stride+i+r+1], rowOf(sum, r))
		}
	}
	return nil
}
