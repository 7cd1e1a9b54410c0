package blas

import "gonum.org/v1/gonum/blas"

// Dsyrk computes one triangle of C ← α op(A) op(A)ᵀ + β C; C is n × n and op(A) n × k. An element has the bits that
// Dgemm would give it.
func (impl Implementation) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	checkTranspose(tA)
	part := partOf(ul)
	trans := tA != blas.NoTrans
	checkOperand("A", trans, n, k, a, lda, n > 0)
	checkOperand("C", false, n, n, c, ldc, true)
	v := viewOf(a, lda, trans)
	g := product[float64]{kernels: &impl.tier().double, m: n, n: n, k: k, alpha: alpha, a: v, b: v.t(), c: c, ldc: ldc, part: part}
	g.run(beta)
}
