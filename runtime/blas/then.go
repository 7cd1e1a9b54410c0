package blas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// GemmThen computes C ← α A op(B), and calls then for rectangles that together are all of the result. Each is handed
// over once it is final and still in a near cache. It has rows i … i+rows−1 of columns j … j+cols−1, and then may
// change it.
//
// The calls come from several goroutines in any order, and the cuts may depend on the number of processors. So then
// must treat every element alike for the bits not to depend on it.
//
// With lower set, C is square, and only rectangles that meet its lower triangle are computed and handed over. What
// they hold above the diagonal is undefined.
func GemmThen(tB blas.Transpose, alpha float64, a, b, c blas64.General, lower bool, then func(i, j, rows, cols int)) {
	Implementation{}.gemmThen(tB, alpha, a, b, c, lower, then)
}

// gemmThen computes GemmThen on the implementation's tier.
func (impl Implementation) gemmThen(tB blas.Transpose, alpha float64, a, b, c blas64.General, lowerOnly bool, then func(i, j, rows, cols int)) {
	checkTranspose(tB)
	bt := tB != blas.NoTrans
	checkOperand("A", false, c.Rows, a.Cols, a.Data, a.Stride, true)
	checkOperand("B", bt, a.Cols, c.Cols, b.Data, b.Stride, true)
	checkOperand("C", false, c.Rows, c.Cols, c.Data, c.Stride, true)
	g := product[float64]{
		kernels: &impl.tier().double, m: c.Rows, n: c.Cols, k: a.Cols, alpha: alpha, c: c.Data, ldc: c.Stride,
		a: viewOf(a.Data, a.Stride, false), b: viewOf(b.Data, b.Stride, bt), then: then,
	}
	if lowerOnly {
		g.part = lower
	}
	g.run(0)
}
