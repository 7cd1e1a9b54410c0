package operator

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A number is of one of the two precisions.
type number interface{ float32 | float64 }

// A matrix is row-major, with the fields of blas64.General in either precision.
type matrix[T number] struct {
	Rows, Cols int
	Data       []T
	Stride     int
}

// newMatrix returns an r×c matrix of zeros.
func newMatrix[T number](r, c int) matrix[T] {
	return matrix[T]{Rows: r, Cols: c, Stride: max(1, c), Data: make([]T, r*c)}
}

// denseMatrix returns m as a matrix, in the same memory.
func denseMatrix(m *mat.Dense) matrix[float64] { return matrix[float64](m.RawMatrix()) }

// singleMatrix converts m, whose fields stand in another order, in the same memory.
func singleMatrix(m blas32.General) matrix[float32] {
	return matrix[float32]{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: m.Data}
}

// general32 converts m back, in the same memory.
func general32(m matrix[float32]) blas32.General {
	return blas32.General{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: m.Data}
}

// row returns row i, in the same memory.
func (m matrix[T]) row(i int) []T { return m.Data[i*m.Stride : i*m.Stride+m.Cols] }

// span returns rows lo … hi−1, in the same memory.
func (m matrix[T]) span(lo, hi int) matrix[T] {
	if lo == hi || m.Cols == 0 {
		m.Rows, m.Data = hi-lo, nil
		return m
	}
	m.Rows, m.Data = hi-lo, m.Data[lo*m.Stride:(hi-1)*m.Stride+m.Cols]
	return m
}

// cut returns count columns from lo on, in the same memory.
func (m matrix[T]) cut(lo, count int) matrix[T] {
	m.Data, m.Cols = m.Data[min(lo, len(m.Data)):], count
	return m
}

// stacked returns a view of rows of k·size numbers as k rows of size numbers each. m must be whole or have one row.
func (m matrix[T]) stacked(size int) matrix[T] {
	return matrix[T]{Rows: m.Rows * m.Cols / size, Cols: size, Stride: size, Data: m.Data}
}

// whole reports whether the rows follow each other without a gap.
func (m matrix[T]) whole() bool { return m.Stride == m.Cols }

// zero sets all elements to 0.
func (m matrix[T]) zero() {
	for i := range m.Rows {
		clear(m.row(i))
	}
}

// copyFrom copies a matrix of the same shape.
func (m matrix[T]) copyFrom(from matrix[T]) {
	for i := range m.Rows {
		copy(m.row(i), from.row(i))
	}
}

// convert returns a copy in another precision.
func convert[T, F number](from matrix[F]) matrix[T] {
	out := newMatrix[T](from.Rows, from.Cols)
	convertTo(out, from)
	return out
}

// as returns m itself, or a copy if the precision differs.
func as[T, F number](m matrix[F]) matrix[T] {
	if same, ok := any(m).(matrix[T]); ok {
		return same
	}
	return convert[T](m)
}

// convertTo copies a matrix of the same shape, in another precision.
func convertTo[T, F number](dst matrix[T], from matrix[F]) {
	for i := range from.Rows {
		to := dst.row(i)
		for j, v := range from.row(i) {
			to[j] = T(v)
		}
	}
}

// gemm sets c to alpha·op(a)·op(b) + beta·c.
func gemm[T number](ta, tb blas.Transpose, alpha T, a, b matrix[T], beta T, c matrix[T]) {
	switch c := any(c).(type) {
	case matrix[float64]:
		x, _ := any(a).(matrix[float64])
		y, _ := any(b).(matrix[float64])
		blas64.Gemm(ta, tb, float64(alpha), blas64.General(x), blas64.General(y), float64(beta), blas64.General(c))
	case matrix[float32]:
		x, _ := any(a).(matrix[float32])
		y, _ := any(b).(matrix[float32])
		blas32.Gemm(ta, tb, float32(alpha), general32(x), general32(y), float32(beta), general32(c))
	}
}
