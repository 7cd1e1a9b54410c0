//go:build openblas && (linux || darwin)

package blas

import (
	"os"
	"sync"
	"unsafe"

	"gonum.org/v1/gonum/blas"

	"github.com/sipc-ml/sipc/runtime/blas/openblas"
)

// withOpenBLAS tells whether this build can take OpenBLAS.
const withOpenBLAS = true

// OpenBLAS is gonum's BLAS with the level-3 routines of the OpenBLAS that the
// machine has; the others are those of the fastest tier. Its bits depend on the
// number of threads.
type OpenBLAS struct {
	Implementation
	lib *openblas.Library
}

var (
	_ blas.Float64 = OpenBLAS{}
	_ blas.Float32 = OpenBLAS{}
)

var library = sync.OnceValues(func() (*openblas.Library, error) {
	return openblas.Load(os.Getenv(openblas.Variable))
})

// NewOpenBLAS loads OpenBLAS, once, from the file that the environment variable
// SIPC_OPENBLAS names, or from where the system keeps it.
func NewOpenBLAS() (OpenBLAS, error) {
	lib, err := library()
	return OpenBLAS{Implementation{on: available()[0]}, lib}, err
}

// Library is the library itself.
func (o OpenBLAS) Library() *openblas.Library { return o.lib }

func openBLAS() (*selection, error) {
	o, err := NewOpenBLAS()
	if err != nil {
		return nil, err
	}
	return &selection{
		name: openBLASName, detail: o.lib.Detail(), tier: o.on,
		double: o, single: o, lapack: OpenLapack{lib: o.lib},
	}, nil
}

func pointer[F float](x []F) *F { return unsafe.SliceData(x) }

func transposeOf(t blas.Transpose) int32 {
	checkTranspose(t)
	if t == blas.NoTrans {
		return openblas.NoTrans
	}
	return openblas.Trans
}

func triangleOf(ul blas.Uplo) int32 {
	if partOf(ul) == upper {
		return openblas.Upper
	}
	return openblas.Lower
}

// Dgemm computes C ← α op(A) op(B) + β C.
func (o OpenBLAS) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	openGemm(o.lib.Dgemm, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Sgemm is Dgemm for float32.
func (o OpenBLAS) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	openGemm(o.lib.Sgemm, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func openGemm[F float](f openblas.Gemm[F], tA, tB blas.Transpose, m, n, k int, alpha F, a []F, lda int, b []F, ldb int, beta F, c []F, ldc int) {
	ta, tb := transposeOf(tA), transposeOf(tB)
	checkOperand("A", tA != blas.NoTrans, m, k, a, lda, m > 0 && n > 0)
	checkOperand("B", tB != blas.NoTrans, k, n, b, ldb, m > 0 && n > 0)
	checkOperand("C", false, m, n, c, ldc, true)
	if m > 0 && n > 0 {
		f(openblas.RowMajor, ta, tb, int32(m), int32(n), int32(k), alpha, pointer(a), int32(lda), pointer(b), int32(ldb), beta, pointer(c), int32(ldc))
	}
}

// Dsyrk computes one triangle of C ← α op(A) op(A)ᵀ + β C.
func (o OpenBLAS) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	openSyrk(o.lib.Dsyrk, ul, tA, n, k, alpha, a, lda, beta, c, ldc)
}

// Ssyrk is Dsyrk for float32.
func (o OpenBLAS) Ssyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	openSyrk(o.lib.Ssyrk, ul, tA, n, k, alpha, a, lda, beta, c, ldc)
}

func openSyrk[F float](f openblas.Syrk[F], ul blas.Uplo, tA blas.Transpose, n, k int, alpha F, a []F, lda int, beta F, c []F, ldc int) {
	t, part := transposeOf(tA), triangleOf(ul)
	checkOperand("A", tA != blas.NoTrans, n, k, a, lda, n > 0)
	checkOperand("C", false, n, n, c, ldc, true)
	if n > 0 {
		f(openblas.RowMajor, part, t, int32(n), int32(k), alpha, pointer(a), int32(lda), beta, pointer(c), int32(ldc))
	}
}

// Dsyr2k computes one triangle of C ← α op(A) op(B)ᵀ + α op(B) op(A)ᵀ + β C.
func (o OpenBLAS) Dsyr2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	t, part := transposeOf(tA), triangleOf(ul)
	checkOperand("A", tA != blas.NoTrans, n, k, a, lda, n > 0)
	checkOperand("B", tA != blas.NoTrans, n, k, b, ldb, n > 0)
	checkOperand("C", false, n, n, c, ldc, true)
	if n > 0 {
		o.lib.Dsyr2k(openblas.RowMajor, part, t, int32(n), int32(k), alpha, pointer(a), int32(lda), pointer(b), int32(ldb), beta, pointer(c), int32(ldc))
	}
}

// Dsymm computes C ← α A B + β C or C ← α B A + β C for a symmetric A.
func (o OpenBLAS) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	side, order, part := int32(openblas.Right), n, triangleOf(ul)
	if leftOf(s) {
		side, order = openblas.Left, m
	}
	checkOperand("A", false, order, order, a, lda, m > 0 && n > 0)
	checkOperand("B", false, m, n, b, ldb, true)
	checkOperand("C", false, m, n, c, ldc, true)
	if m > 0 && n > 0 {
		o.lib.Dsymm(openblas.RowMajor, side, part, int32(m), int32(n), alpha, pointer(a), int32(lda), pointer(b), int32(ldb), beta, pointer(c), int32(ldc))
	}
}

// Dtrsm solves op(A) X = α B or X op(A) = α B for a triangular A.
func (o OpenBLAS) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	openTriangular(o.lib.Dtrsm, s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Strsm is Dtrsm for float32.
func (o OpenBLAS) Strsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	openTriangular(o.lib.Strsm, s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Dtrmm computes B ← α op(A) B or B ← α B op(A) for a triangular A.
func (o OpenBLAS) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	openTriangular(o.lib.Dtrmm, s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Strmm is Dtrmm for float32.
func (o OpenBLAS) Strmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	openTriangular(o.lib.Strmm, s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func openTriangular[F float](f openblas.Triangular[F], s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha F, a []F, lda int, b []F, ldb int) {
	side, order, part, t := int32(openblas.Right), n, triangleOf(ul), transposeOf(tA)
	if leftOf(s) {
		side, order = openblas.Left, m
	}
	diagonal := int32(openblas.NonUnit)
	if unitOf(d) {
		diagonal = openblas.Unit
	}
	checkOperand("A", false, order, order, a, lda, m > 0 && n > 0)
	checkOperand("B", false, m, n, b, ldb, true)
	if m > 0 && n > 0 {
		f(openblas.RowMajor, side, part, t, diagonal, int32(m), int32(n), alpha, pointer(a), int32(lda), pointer(b), int32(ldb))
	}
}
