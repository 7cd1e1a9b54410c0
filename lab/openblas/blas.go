//go:build linux || darwin

package openblas

import (
	"os"
	"sync"
	"unsafe"

	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// BLAS implements gonum's interfaces by OpenBLAS.
type BLAS struct {
	blas.Implementation
	lib *library
}

var (
	_ gonum.Float64 = BLAS{}
	_ gonum.Float32 = BLAS{}
)

var loaded = sync.OnceValues(func() (*library, error) { return open(os.Getenv(Variable)) })

// Load returns the OpenBLAS that the environment variable SIPC_OPENBLAS names, or that of the system. It fails where there is none.
func Load() (BLAS, error) {
	lib, err := loaded()
	return BLAS{lib: lib}, err
}

// Detail returns the library's version, the processor that it chose its kernels for, and the number of its threads.
func (o BLAS) Detail() string { return o.lib.detail() }

// Lapack returns the factorizations of the same library.
func (o BLAS) Lapack() Lapack { return Lapack{lib: o.lib} }

// Use registers OpenBLAS with gonum, in place of what package blas registered; [blas.Select] takes that back.
func (o BLAS) Use() {
	blas64.Use(o)
	blas32.Use(o)
	lapack64.Use(o.Lapack())
}

// float is the type of a matrix's elements.
type float interface{ float32 | float64 }

func pointer[F float](x []F) *F { return unsafe.SliceData(x) }

func transposeOf(t gonum.Transpose) int32 {
	if t == gonum.NoTrans {
		return noTrans
	}
	return trans
}

func triangleOf(ul gonum.Uplo) int32 {
	if ul == gonum.Upper {
		return upper
	}
	return lower
}

// Dgemm computes C ← α op(A) op(B) + β C.
func (o BLAS) Dgemm(tA, tB gonum.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	openGemm(o.lib.dgemm, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Sgemm computes Dgemm in float32.
func (o BLAS) Sgemm(tA, tB gonum.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	openGemm(o.lib.sgemm, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func openGemm[F float](f gemm[F], tA, tB gonum.Transpose, m, n, k int, alpha F, a []F, lda int, b []F, ldb int, beta F, c []F, ldc int) {
	ta, tb := transposeOf(tA), transposeOf(tB)
	if m > 0 && n > 0 {
		f(rowMajor, ta, tb, int32(m), int32(n), int32(k), alpha, pointer(a), int32(lda), pointer(b), int32(ldb), beta, pointer(c), int32(ldc))
	}
}

// Dsyrk computes one triangle of C ← α op(A) op(A)ᵀ + β C.
func (o BLAS) Dsyrk(ul gonum.Uplo, tA gonum.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	openSyrk(o.lib.dsyrk, ul, tA, n, k, alpha, a, lda, beta, c, ldc)
}

func openSyrk(f syrk, ul gonum.Uplo, tA gonum.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	t, part := transposeOf(tA), triangleOf(ul)
	if n > 0 {
		f(rowMajor, part, t, int32(n), int32(k), alpha, pointer(a), int32(lda), beta, pointer(c), int32(ldc))
	}
}

// Dtrsm solves op(A) X = α B or X op(A) = α B for a triangular A.
func (o BLAS) Dtrsm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	openTriangular(o.lib.dtrsm, s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Dtrmm computes B ← α op(A) B or B ← α B op(A) for a triangular A.
func (o BLAS) Dtrmm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	openTriangular(o.lib.dtrmm, s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func openTriangular(f triangular, s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	side, part, t := int32(right), triangleOf(ul), transposeOf(tA)
	if s == gonum.Left {
		side = left
	}
	diagonal := int32(nonUnit)
	if d == gonum.Unit {
		diagonal = unit
	}
	if m > 0 && n > 0 {
		f(rowMajor, side, part, t, diagonal, int32(m), int32(n), alpha, pointer(a), int32(lda), pointer(b), int32(ldb))
	}
}
