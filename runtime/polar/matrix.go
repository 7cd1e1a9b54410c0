package polar

import (
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// A precision is one that iterations may run in.
type precision interface{ float32 | float64 }

// A matrix has one right-hand side a row, in consecutive memory.
type matrix[T precision] struct {
	rows, cols int
	data       []T
}

// newMatrix returns a matrix of zeros.
func newMatrix[T precision](rows, cols int) matrix[T] {
	return matrix[T]{rows, cols, make([]T, rows*cols)}
}

// A room is memory for matrices that are needed one after another.
type room[T precision] struct{ data []T }

// matrix returns a matrix with arbitrary numbers, which overwrites the last one.
func (r *room[T]) matrix(rows, cols int) matrix[T] {
	if cap(r.data) < rows*cols {
		r.data = make([]T, rows*cols)
	}
	return matrix[T]{rows, cols, r.data[:rows*cols]}
}

// row returns row i, in the same memory.
func (b matrix[T]) row(i int) []T { return b.data[i*b.cols : (i+1)*b.cols] }

// top returns the first n rows, in the same memory.
func (b matrix[T]) top(n int) matrix[T] { return b.span(0, n) }

// span returns rows lo … hi−1, in the same memory.
func (b matrix[T]) span(lo, hi int) matrix[T] {
	return matrix[T]{hi - lo, b.cols, b.data[lo*b.cols : hi*b.cols]}
}

// dense returns b for gonum, in the same memory.
func dense(b matrix[float64]) *mat.Dense { return mat.NewDense(b.rows, b.cols, b.data) }

// general returns b for blas32, in the same memory.
func general(b matrix[float32]) blas32.General {
	return blas32.General{Rows: b.rows, Cols: b.cols, Stride: b.cols, Data: b.data}
}

// convert copies numbers from one precision to another.
func convert[S, T precision](dst []T, src []S) {
	for i, x := range src {
		dst[i] = T(x)
	}
}
