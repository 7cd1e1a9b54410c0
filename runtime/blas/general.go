package blas

import "gonum.org/v1/gonum/blas"

// Dgemm computes C ← α op(A) op(B) + β C for row-major C (m × n), op(A) (m × k) and op(B) (k × n). With β = 0, C need
// not be set. Like gonum's it panics on shapes that do not fit the slices.
func (impl Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	gemm(&impl.tier().double, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Sgemm computes Dgemm for float32.
func (impl Implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	gemm(&impl.tier().single, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// gemm checks the arguments and computes the product.
func gemm[F float](on *kernels[F], tA, tB blas.Transpose, m, n, k int, alpha F, a []F, lda int, b []F, ldb int, beta F, c []F, ldc int) {
	checkTranspose(tA)
	checkTranspose(tB)
	at, bt := tA != blas.NoTrans, tB != blas.NoTrans
	used := m > 0 && n > 0
	checkOperand("A", at, m, k, a, lda, used)
	checkOperand("B", bt, k, n, b, ldb, used)
	checkOperand("C", false, m, n, c, ldc, true)
	g := product[F]{
		kernels: on, m: m, n: n, k: k, alpha: alpha, c: c, ldc: ldc,
		a: viewOf(a, lda, at), b: viewOf(b, ldb, bt),
	}
	g.run(beta)
}
