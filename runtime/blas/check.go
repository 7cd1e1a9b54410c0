package blas

import "gonum.org/v1/gonum/blas"

// BLAS routines have no way to return an error: like gonum's, these panic on
// arguments that only a mistake in the calling program can produce.

func checkTranspose(t blas.Transpose) {
	switch t {
	case blas.NoTrans, blas.Trans, blas.ConjTrans:
		return
	}
	panic("blas: illegal transpose")
}

func checkSize(n int, name string) {
	if n < 0 {
		panic("blas: " + name + " < 0")
	}
}

func checkStride(matrix string, ld, cols int) {
	if ld < max(1, cols) {
		panic("blas: bad leading dimension of " + matrix)
	}
}

func checkLength(matrix string, have, ld, rows, cols int) {
	if have < ld*(rows-1)+cols {
		panic("blas: insufficient length of " + matrix)
	}
}
