package blas

import "unsafe"

// vectors are a tier's routines on vectors of one element type.
type vectors[F float] struct {
	dot  func(x, y []F) F
	axpy func(alpha F, x, y []F) // y += αx
}

// fewForVectors is the length below which gonum's routines are as fast.
const fewForVectors = 8

// Ddot returns ⟨x, y⟩. With unit increments it is a sum of 32 partial sums, in the same order on every tier.
func (impl Implementation) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if incX != 1 || incY != 1 || n < fewForVectors || len(x) < n || len(y) < n {
		return impl.Implementation.Ddot(n, x, incX, y, incY)
	}
	return impl.tier().doubles.dot(x[:n], y[:n])
}

// Sdot computes Ddot for float32, with 64 partial sums.
func (impl Implementation) Sdot(n int, x []float32, incX int, y []float32, incY int) float32 {
	if incX != 1 || incY != 1 || n < fewForVectors || len(x) < n || len(y) < n {
		return impl.Implementation.Sdot(n, x, incX, y, incY)
	}
	return impl.tier().singles.dot(x[:n], y[:n])
}

// Daxpy adds αx to y.
func (impl Implementation) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	if incX != 1 || incY != 1 || n < fewForVectors || len(x) < n || len(y) < n || alpha == 0 {
		impl.Implementation.Daxpy(n, alpha, x, incX, y, incY)
		return
	}
	impl.tier().doubles.axpy(alpha, x[:n], y[:n])
}

// Saxpy computes Daxpy for float32.
func (impl Implementation) Saxpy(n int, alpha float32, x []float32, incX int, y []float32, incY int) {
	if incX != 1 || incY != 1 || n < fewForVectors || len(x) < n || len(y) < n || alpha == 0 {
		impl.Implementation.Saxpy(n, alpha, x, incX, y, incY)
		return
	}
	impl.tier().singles.axpy(alpha, x[:n], y[:n])
}

// portableVectors returns routines written in Go. If muladd is one fused operation, they give the bits of the
// assembly.
//
// Element i goes to partial sum i modulo a round of 256 bytes. Of what is left, 64 bytes at a time go to the first
// partial sums. The last elements are added to the sum of all.
func portableVectors[F float](muladd func(x, y, z F) F) vectors[F] {
	wide := 64 / int(unsafe.Sizeof(F(0)))
	return vectors[F]{
		dot: func(x, y []F) F {
			var all [64]F
			acc := all[:4*wide]
			for _, n := range []int{4 * wide, wide} {
				for ; len(x) >= n; x, y = x[n:], y[n:] {
					for i := range n {
						acc[i] = muladd(x[i], y[i], acc[i])
					}
				}
			}
			for h := len(acc) / 2; h > 0; h /= 2 {
				for i := range h {
					acc[i] += acc[i+h]
				}
			}
			sum := acc[0]
			for i, v := range x {
				sum = muladd(v, y[i], sum)
			}
			return sum
		},
		axpy: func(alpha F, x, y []F) {
			for i, v := range x {
				y[i] = muladd(alpha, v, y[i])
			}
		},
	}
}
