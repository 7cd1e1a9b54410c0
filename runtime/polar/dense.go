package polar

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Dense is A as a plain matrix, r×D.
type Dense struct{ a *mat.Dense }

// NewDense wraps a (r×D), which must not change afterwards. It fails if an element is not finite.
func NewDense(a *mat.Dense) (*Dense, error) {
	r, dim := a.Dims()
	for i := range r {
		for j, v := range a.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("polar: functional %d of %d×%d has %v at place %d", i, r, dim, v, j)
			}
		}
	}
	return &Dense{a: a}, nil
}

// Matrix returns A itself, which must not be changed.
func (d *Dense) Matrix() *mat.Dense { return d.a }

// Dims returns the number r of functionals and the dimension D.
func (d *Dense) Dims() (r, dim int) { return d.a.Dims() }

// Apply sets dst (B×r) to V·Aᵀ.
func (d *Dense) Apply(dst, v *mat.Dense) {
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, v.RawMatrix(), d.a.RawMatrix(), 0, dst.RawMatrix())
}

// ApplyT sets dst (B×D) to C·A.
func (d *Dense) ApplyT(dst, c *mat.Dense) {
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, c.RawMatrix(), d.a.RawMatrix(), 0, dst.RawMatrix())
}

// Rows sets row k of dst to row index[k] of A.
func (d *Dense) Rows(dst *mat.Dense, index []int) {
	for k, i := range index {
		copy(dst.RawRowView(k), d.a.RawRowView(i))
	}
}

// Rounding implements Rounded. Sizes are the lengths of the rows; Apply sums D products and ApplyT r of them.
func (d *Dense) Rounding() (sizes []float64, apply, applyT int) {
	r, dim := d.a.Dims()
	sizes = make([]float64, r)
	for j := range sizes {
		sizes[j] = math.Sqrt(dot(d.a.RawRowView(j), d.a.RawRowView(j)))
	}
	return sizes, dim, r
}

// Factor factors αI + Aᵀ diag(w) A: by Cholesky in D dimensions, or in r by Woodbury's identity if r is smaller.
func (d *Dense) Factor(ctx context.Context, alpha float64, w []float64) (Factor, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, dim := d.a.Dims()
	root := mat.NewDense(r, dim, nil) // √w A
	for i := range r {
		floats.ScaleTo(root.RawRowView(i), math.Sqrt(w[i]), d.a.RawRowView(i))
	}
	g, n, one, other := root.RawMatrix(), dim, blas.Trans, blas.NoTrans
	if r < dim {
		n, one, other = r, other, one
	}
	gram := mat.NewDense(n, n, nil)
	blas64.Gemm(one, other, 1, g, g, 0, gram.RawMatrix())
	chol, err := factorSymmetric(gram, alpha)
	if r < dim {
		return &woodbury{alpha: alpha, root: g, chol: chol}, err
	}
	return &cholesky{chol: chol}, err
}

// ErrIndefinite reports that the matrix of a linear system with R is not positive definite in floating point.
var ErrIndefinite = errors.New("the matrix αI + AᵀWA of a linear system is not positive definite to rounding, as the weights of its rows are too large beside α; " +
	"write smaller weights and factors of invariances, or take a larger α")

// factorSymmetric returns the upper Cholesky factor of gram + αI, in the memory of gram.
func factorSymmetric(gram *mat.Dense, alpha float64) (blas64.Triangular, error) {
	raw := gram.RawMatrix()
	for i := range raw.Rows {
		raw.Data[i*raw.Stride+i] += alpha
	}
	sym := blas64.Symmetric{Uplo: blas.Upper, N: raw.Rows, Stride: raw.Stride, Data: raw.Data}
	chol, ok := lapack64.Potrf(sym)
	if !ok {
		return chol, ErrIndefinite
	}
	return chol, nil
}

// solveRows sets every row b of x to the solution of UᵀU y = b.
func solveRows(u blas64.Triangular, x blas64.General) {
	blas64.Trsm(blas.Right, blas.NoTrans, 1, u, x)
	blas64.Trsm(blas.Right, blas.Trans, 1, u, x)
}

// A cholesky solves in D dimensions.
type cholesky struct{ chol blas64.Triangular }

// Solve sets dst to b times the inverse.
func (f *cholesky) Solve(ctx context.Context, dst, b *mat.Dense) error {
	if dst != b {
		dst.Copy(b)
	}
	solveRows(f.chol, dst.RawMatrix())
	return ctx.Err()
}

// A woodbury solves (αI + GᵀG) x = b by x = (b − Gᵀ(αI + GGᵀ)⁻¹ G b)/α. It corrects the result once by the residual,
// since the difference cancels digits if α is small.
type woodbury struct {
	alpha float64
	root  blas64.General
	chol  blas64.Triangular
}

// Solve sets dst to b times the inverse.
func (f *woodbury) Solve(ctx context.Context, dst, b *mat.Dense) error {
	x := mat.DenseCopyOf(b)
	f.once(x)
	rest, y := mat.DenseCopyOf(b), f.values(x) // b − (αI + GᵀG) x
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, y, f.root, 1, rest.RawMatrix())
	floats.AddScaled(rest.RawMatrix().Data, -f.alpha, x.RawMatrix().Data)
	f.once(rest)
	dst.Add(x, rest)
	return ctx.Err()
}

// once replaces the rows of x by what the identity makes of them.
func (f *woodbury) once(x *mat.Dense) {
	y := f.values(x)
	solveRows(f.chol, y)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, y, f.root, 1, x.RawMatrix())
	x.Scale(1/f.alpha, x)
}

// values returns x Gᵀ.
func (f *woodbury) values(x *mat.Dense) blas64.General {
	y := mat.NewDense(x.RawMatrix().Rows, f.root.Rows, nil).RawMatrix()
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, x.RawMatrix(), f.root, 0, y)
	return y
}
