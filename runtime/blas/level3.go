package blas

import "gonum.org/v1/gonum/blas"

// Dgemm computes C ← α op(A) op(B) + β C for row-major C (m × n), op(A)
// (m × k) and op(B) (k × n). With β = 0, C need not be set. It panics, as
// gonum's does, on shapes that do not fit the slices.
func (impl Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	gemm(&impl.tier().double, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Sgemm is Dgemm for float32.
func (impl Implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	gemm(&impl.tier().single, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func gemm[F float](on *kernels[F], tA, tB blas.Transpose, m, n, k int, alpha F, a []F, lda int, b []F, ldb int, beta F, c []F, ldc int) {
	checkTranspose(tA)
	checkTranspose(tB)
	checkSize(m, "m")
	checkSize(n, "n")
	checkSize(k, "k")
	at, bt := tA != blas.NoTrans, tB != blas.NoTrans
	checkStride("A", lda, columns(at, m, k))
	checkStride("B", ldb, columns(bt, k, n))
	checkStride("C", ldc, n)
	if m == 0 || n == 0 {
		return
	}
	if k > 0 {
		checkLength("A", len(a), lda, columns(!at, m, k), columns(at, m, k))
		checkLength("B", len(b), ldb, columns(!bt, k, n), columns(bt, k, n))
	}
	checkLength("C", len(c), ldc, m, n)
	g := product[F]{
		kernels: on, m: m, n: n, k: k, alpha: alpha, c: c, ldc: ldc,
		a: viewOf(a, lda, at), b: viewOf(b, ldb, bt),
	}
	g.run(beta)
}

// columns returns the stored width of a matrix whose op has the given shape.
func columns(trans bool, rows, cols int) int {
	if trans {
		return rows
	}
	return cols
}
