package blas

import "gonum.org/v1/gonum/blas"

// Dsyrk computes one triangle of C ← α op(A) op(A)ᵀ + β C; C is n × n and op(A) n × k. An element has the bits that
// Dgemm would give it.
func (impl Implementation) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	syrk(&impl.tier().double, ul, tA, n, k, alpha, a, lda, beta, c, ldc)
}

// Ssyrk computes Dsyrk for float32.
func (impl Implementation) Ssyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	syrk(&impl.tier().single, ul, tA, n, k, alpha, a, lda, beta, c, ldc)
}

// syrk checks the arguments and computes the triangle.
func syrk[F float](on *kernels[F], ul blas.Uplo, tA blas.Transpose, n, k int, alpha F, a []F, lda int, beta F, c []F, ldc int) {
	checkTranspose(tA)
	part := partOf(ul)
	trans := tA != blas.NoTrans
	checkOperand("A", trans, n, k, a, lda, n > 0)
	checkOperand("C", false, n, n, c, ldc, true)
	v := viewOf(a, lda, trans)
	g := product[F]{kernels: on, m: n, n: n, k: k, alpha: alpha, a: v, b: v.t(), c: c, ldc: ldc, part: part}
	g.run(beta)
}

// Dsyr2k computes one triangle of C ← α op(A) op(B)ᵀ + α op(B) op(A)ᵀ + β C, as two products.
func (impl Implementation) Dsyr2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	checkTranspose(tA)
	part := partOf(ul)
	trans := tA != blas.NoTrans
	checkOperand("A", trans, n, k, a, lda, n > 0)
	checkOperand("B", trans, n, k, b, ldb, n > 0)
	checkOperand("C", false, n, n, c, ldc, true)
	v, w := viewOf(a, lda, trans), viewOf(b, ldb, trans)
	g := product[float64]{kernels: &impl.tier().double, m: n, n: n, k: k, alpha: alpha, a: v, b: w.t(), c: c, ldc: ldc, part: part}
	g.run(beta)
	g.a, g.b = w, v.t()
	g.run(1)
}

// Dsymm computes C ← α A B + β C (left) or C ← α B A + β C (right). One triangle of the symmetric A is stored; C and
// B are m × n.
func (impl Implementation) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	left, part := leftOf(s), partOf(ul)
	order := n
	if left {
		order = m
	}
	checkOperand("A", false, order, order, a, lda, m > 0 && n > 0)
	checkOperand("B", false, m, n, b, ldb, true)
	checkOperand("C", false, m, n, c, ldc, true)
	g := product[float64]{kernels: &impl.tier().double, m: m, n: n, alpha: alpha, c: c, ldc: ldc}
	// With k = 0 this scales C.
	g.run(beta)
	if alpha == 0 || m == 0 || n == 0 {
		return
	}
	x := viewOf(a, lda, false)
	if part == upper {
		x = x.t()
	}
	y := viewOf(b, ldb, false)
	if left {
		g.symmetric(order, x, y, c, true)
		return
	}
	g.symmetric(order, x, y, c, false)
}

// symmetric adds α A B or α B A to C; a holds A's lower triangle. It halves A until the diagonal blocks are small
// enough to be written out in full.
func (g *product[F]) symmetric(order int, a, b view[F], c []F, left bool) {
	const small = 256
	if order <= small {
		full := getBuffer[F](order * order)
		defer full.free()
		for i := range order {
			for j := range i + 1 {
				x := a.data[i*a.rs+j*a.cs]
				full.data[i*order+j], full.data[j*order+i] = x, x
			}
		}
		g.times(order, order, viewOf(full.data, order, false), b, c, left)
		return
	}
	h := roundUp(order/2, small)
	if left {
		below := c[h*g.ldc:]
		g.symmetric(h, a, b, c, left)
		g.times(h, order-h, a.at(h, 0).t(), b.at(h, 0), c, left)
		g.times(order-h, h, a.at(h, 0), b, below, left)
		g.symmetric(order-h, a.at(h, h), b.at(h, 0), below, left)
		return
	}
	beside := c[h:]
	g.symmetric(h, a, b, c, left)
	g.times(order-h, h, a.at(h, 0), b.at(0, h), c, left)
	g.times(h, order-h, a.at(h, 0).t(), b, beside, left)
	g.symmetric(order-h, a.at(h, h), b.at(0, h), beside, left)
}

// times adds α A B to C, or α B A if A is not on the left; A is rows × cols.
func (g *product[F]) times(rows, cols int, a, b view[F], c []F, left bool) {
	p := product[F]{kernels: g.kernels, m: rows, n: g.n, k: cols, alpha: g.alpha, a: a, b: b, c: c, ldc: g.ldc}
	if !left {
		p.m, p.n, p.k, p.a, p.b = g.m, cols, rows, b, a
	}
	p.run(1)
}
