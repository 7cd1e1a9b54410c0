package blas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// Lapack is gonum's LAPACK with two routines of its own, built on large matrix products. Its Cholesky factorization
// halves the matrix instead of cutting it into narrow columns. Its eigendecomposition divides and conquers; see
// [Lapack.Dsyev]. It computes with what is registered with blas64. [NewLapack] returns one.
type Lapack struct {
	lapack.Float64 // only what lapack64 asks for: each method promoted is code in every program
}

// NewLapack returns the implementation that [Select] registers.
func NewLapack() Lapack { return Lapack{gonum.Implementation{}} }

// smallCholesky is the order from which gonum's unblocked routine is used.
const smallCholesky = 48

// Dpotrf computes the Cholesky factor of an n × n matrix in place, A = Uᵀ U or A = L Lᵀ; a holds the triangle ul. It
// reports whether A is positive definite; if not, the triangle is left half done.
func (Lapack) Dpotrf(ul blas.Uplo, n int, a []float64, lda int) bool {
	part := partOf(ul)
	checkOperand("A", false, n, n, a, lda, true)
	return factor(part, n, a, lda)
}

// factor factors the first half, solves for the block beside it, and factors what remains of the other half: with A =
// [A₁₁ ·; A₂₁ A₂₂], L₂₁ = A₂₁ L₁₁⁻ᵀ and L₂₂ L₂₂ᵀ = A₂₂ − L₂₁ L₂₁ᵀ.
func factor(part region, n int, a []float64, lda int) bool {
	if n <= smallCholesky {
		ul := blas.Lower
		if part == upper {
			ul = blas.Upper
		}
		return n == 0 || gonum.Implementation{}.Dpotf2(ul, n, a, lda)
	}
	// A multiple of the widest vector, so that the halves begin on whole vectors.
	h := roundUp(n/2, 8)
	if !factor(part, h, a, lda) {
		return false
	}
	level3 := blas64.Implementation()
	rest := a[h*lda+h:]
	if part == upper {
		beside := a[h:]
		level3.Dtrsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, h, n-h, 1, a, lda, beside, lda)
		level3.Dsyrk(blas.Upper, blas.Trans, n-h, h, -1, beside, lda, 1, rest, lda)
	} else {
		below := a[h*lda:]
		level3.Dtrsm(blas.Right, blas.Lower, blas.Trans, blas.NonUnit, n-h, h, 1, a, lda, below, lda)
		level3.Dsyrk(blas.Lower, blas.NoTrans, n-h, h, -1, below, lda, 1, rest, lda)
	}
	return factor(part, n-h, rest, lda)
}
