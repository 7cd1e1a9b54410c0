package blas

import "gonum.org/v1/gonum/blas"

// BLAS routines have no way to return an error: like gonum's, these panic on
// arguments that only a mistake in the calling program can produce.

// refuse panics. BLAS routines have no way to return an error. Like gonum's, these panic on arguments that only a
// mistake in the calling program can produce.
func refuse(what string) {
	panic("blas: " + what) //nolint:forbidigo // gonum's contract for shapes that do not fit
}

// checkTranspose panics unless t is a transposition.
func checkTranspose(t blas.Transpose) {
	if t != blas.NoTrans && t != blas.Trans && t != blas.ConjTrans {
		refuse("illegal transpose")
	}
}

// partOf returns the region of a triangle.
func partOf(ul blas.Uplo) region {
	switch ul {
	case blas.Upper:
		return upper
	case blas.Lower:
		return lower
	}
	refuse("illegal triangle")
	return whole
}

// leftOf reports whether s is the left side.
func leftOf(s blas.Side) bool {
	if s != blas.Left && s != blas.Right {
		refuse("illegal side")
	}
	return s == blas.Left
}

// unitOf reports whether d is a diagonal of ones.
func unitOf(d blas.Diag) bool {
	if d != blas.Unit && d != blas.NonUnit {
		refuse("illegal diagonal")
	}
	return d == blas.Unit
}

// checkOperand panics if a matrix whose op is rows × cols has wrong sizes or a wrong stride. If it is used, it also
// panics if the slice is too short.
func checkOperand[F float](name string, trans bool, rows, cols int, data []F, ld int, used bool) {
	if rows < 0 || cols < 0 {
		refuse("negative size of " + name)
	}
	if trans {
		rows, cols = cols, rows
	}
	if ld < max(1, cols) {
		refuse("bad leading dimension of " + name)
	}
	if used && rows > 0 && cols > 0 && len(data) < ld*(rows-1)+cols {
		refuse("insufficient length of " + name)
	}
}
