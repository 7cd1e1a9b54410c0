package polar

import (
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// A precision is one that iterations may run in.
type precision interface{ float32 | float64 }

// A batch is a matrix with one right-hand side a row, in consecutive memory.
type batch[T precision] struct {
	rows, cols int
	data       []T
}

func newBatch[T precision](rows, cols int) batch[T] {
	return batch[T]{rows, cols, make([]T, rows*cols)}
}

func (b batch[T]) row(i int) []T { return b.data[i*b.cols : (i+1)*b.cols] }

// top is the first n rows, and span rows lo … hi−1, in the same memory.
func (b batch[T]) top(n int) batch[T] { return b.span(0, n) }

func (b batch[T]) span(lo, hi int) batch[T] {
	return batch[T]{hi - lo, b.cols, b.data[lo*b.cols : hi*b.cols]}
}
func dense(b batch[float64]) *mat.Dense { return mat.NewDense(b.rows, b.cols, b.data) }
func general(b batch[float32]) blas32.General {
	return blas32.General{Rows: b.rows, Cols: b.cols, Stride: b.cols, Data: b.data}
}

// convert copies numbers from one precision to another.
func convert[S, T precision](dst []T, src []S) {
	for i, x := range src {
		dst[i] = T(x)
	}
}
