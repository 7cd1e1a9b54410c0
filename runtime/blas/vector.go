package blas

import "unsafe"

// vectors are a tier's routines on vectors of one element type.
type vectors[F float] struct {
	dot  func(x, y []F) F
	axpy func(alpha F, x, y []F) // y += αx
}

// conversions are a tier's routines between precisions, for multiples of a round.
type conversions struct {
	narrow func(alpha float64, dst []float32, src []float64)
	widen  func(alpha float64, dst []float64, src []float32)
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

// roundOfConversion is how many numbers a tier converts at a time.
const roundOfConversion = 32

// Narrow sets dst[i] = float32(α src[i]). The slices have one length.
func (impl Implementation) Narrow(dst []float32, alpha float64, src []float64) {
	if len(dst) != len(src) {
		refuse("lengths of a conversion differ")
	}
	whole := len(src) &^ (roundOfConversion - 1)
	if whole > 0 {
		impl.tier().narrow(alpha, dst[:whole], src[:whole])
	}
	for i := whole; i < len(src); i++ {
		dst[i] = float32(alpha * src[i])
	}
}

// Widen sets dst[i] = α float64(src[i]). The slices have one length.
func (impl Implementation) Widen(dst []float64, alpha float64, src []float32) {
	if len(dst) != len(src) {
		refuse("lengths of a conversion differ")
	}
	whole := len(src) &^ (roundOfConversion - 1)
	if whole > 0 {
		impl.tier().widen(alpha, dst[:whole], src[:whole])
	}
	for i := whole; i < len(src); i++ {
		dst[i] = alpha * float64(src[i])
	}
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

// portableConversions returns conversions written in Go.
func portableConversions() conversions {
	return conversions{
		narrow: func(alpha float64, dst []float32, src []float64) {
			for i, v := range src {
				dst[i] = float32(alpha * v)
			}
		},
		widen: func(alpha float64, dst []float64, src []float32) {
			for i, v := range src {
				dst[i] = alpha * float64(v)
			}
		},
	}
}
