package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

const (
	// blockRows is the number of rows of a destination between two matrix products.
	blockRows = 512
	// passRows is the number of rows of a parallel pass that one goroutine takes at a time.
	passRows = 16

	// movedNumbers bounds a copy of points, unless blockRows of them are more.
	movedNumbers = 2 << 20
)

// shape panics unless dst is n×m for x of n points and z of m points with as many columns, and every tangent goes
// with its points. A kernel of columns has a number of its own. It reports whether there is anything to compute.
func (k *Function) shape(dst *mat.Dense, x, z Argument) bool {
	n, p := x.Points.Dims()
	m, q := z.Points.Dims()
	if n == 0 || m == 0 {
		return false
	}
	if r, c := dst.Dims(); r != n || c != m || p != q || k.sum != nil && p != k.sum.columns {
		panic(fmt.Sprintf("kernel: destination %d×%d for points %d×%d and %d×%d", r, c, n, p, m, q)) //nolint:forbidigo // wrong shapes are the caller's mistake, as everywhere in gonum
	}
	x.shape()
	z.shape()
	return true
}

// shape panics unless there is a tangent for each point.
func (a *Argument) shape() {
	if a.Order == 0 {
		return
	}
	n, p := a.Points.Dims()
	if r, c := a.Along.Dims(); r != n || c != p || a.Order < 0 || a.Order > MostOrder {
		panic(fmt.Sprintf("kernel: derivatives of order %d along tangents %d×%d at points %d×%d", a.Order, r, c, n, p)) //nolint:forbidigo // wrong shapes are the caller's mistake, as everywhere in gonum
	}
}

// rowsOf returns rows lo … hi−1 of m for BLAS, in the same memory.
func rowsOf(m *mat.Dense, lo, hi int) blas64.General {
	raw := m.RawMatrix()
	raw.Data = raw.Data[lo*raw.Stride : (hi-1)*raw.Stride+raw.Cols]
	raw.Rows = hi - lo
	return raw
}

// products sets dst to scale·x·zᵀ.
func products(dst, x, z blas64.General, scale float64) {
	blas64.Gemm(blas.NoTrans, blas.Trans, scale, x, z, 0, dst)
}

// blocks calls body with runs of at most blockRows rows.
func blocks(n int, body func(lo, hi int)) {
	for lo := 0; lo < n; lo += blockRows {
		body(lo, min(lo+blockRows, n))
	}
}

// pass calls body once for every row of a block, in parallel.
func pass(n int, body func(i int)) {
	parallel.For(n, passRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			body(i)
		}
	})
}

// scratch returns an n×m matrix, at most blockRows high, for the products of one block.
func scratch(n, m int) blas64.General {
	return general(min(n, blockRows), m)
}

// general returns an n×m matrix of zeros.
func general(n, m int) blas64.General {
	return blas64.General{Rows: n, Cols: m, Stride: m, Data: make([]float64, n*m)}
}

// head returns the first n rows of a scratch.
func head(g blas64.General, n int) blas64.General {
	g.Rows = n
	return g
}

// mirror copies the part of a rectangle of g below the diagonal to its place above.
func mirror(g blas64.General, i, j, rows, cols int) {
	// These rows are read side by side: two cache lines of what is written.
	const strip = 16
	for top := i; top < i+rows; top += strip {
		end := min(top+strip, i+rows)
		for q := j; q < min(j+cols, end); q++ {
			to := row(g, q)
			for r := max(top, q+1); r < end; r++ {
				to[r] = g.Data[r*g.Stride+q]
			}
		}
	}
}

// row returns row i, in the same memory.
func row(g blas64.General, i int) []float64 { return g.Data[i*g.Stride : i*g.Stride+g.Cols] }

// rowDots sets dst[i] to ⟨a_i, b_i⟩.
func rowDots(dst []float64, a, b blas64.General) {
	pass(a.Rows, func(i int) { dst[i] = floats.Dot(row(a, i), row(b, i)) })
}
