package blas

// The assembly works on whole vectors; what is left over goes through a copy.

// avx512Exponentials returns functions of eight numbers at a time. The assembly works on whole vectors; the rest goes
// through a copy.
func avx512Exponentials() exponentials {
	const lanes = 8
	return exponentials{
		exp: func(dst, src []float64) {
			n := len(src) &^ (lanes - 1)
			if n > 0 {
				exp512(n, &dst[0], &src[0])
			}
			if n < len(src) {
				var x [lanes]float64
				copy(x[:], src[n:])
				exp512(lanes, &x[0], &x[0])
				copy(dst[n:], x[:])
			}
		},
		gaussian: func(dst, src []float64, scale, shift float64, offset []float64) {
			n := len(src) &^ (lanes - 1)
			if n > 0 {
				gaussian512(n, &dst[0], &src[0], scale, shift, &offset[0])
			}
			if n < len(src) {
				var x, y [lanes]float64
				copy(x[:], src[n:])
				copy(y[:], offset[n:])
				gaussian512(lanes, &x[0], &x[0], scale, shift, &y[0])
				copy(dst[n:], x[:])
			}
		},
	}
}

// avx2Exponentials returns functions of four numbers at a time.
func avx2Exponentials() exponentials {
	const lanes = 4
	return exponentials{
		exp: func(dst, src []float64) {
			n := len(src) &^ (lanes - 1)
			if n > 0 {
				exp256(n, &dst[0], &src[0])
			}
			if n < len(src) {
				var x [lanes]float64
				copy(x[:], src[n:])
				exp256(lanes, &x[0], &x[0])
				copy(dst[n:], x[:])
			}
		},
		gaussian: func(dst, src []float64, scale, shift float64, offset []float64) {
			n := len(src) &^ (lanes - 1)
			if n > 0 {
				gaussian256(n, &dst[0], &src[0], scale, shift, &offset[0])
			}
			if n < len(src) {
				var x, y [lanes]float64
				copy(x[:], src[n:])
				copy(y[:], offset[n:])
				gaussian256(lanes, &x[0], &x[0], scale, shift, &y[0])
				copy(dst[n:], x[:])
			}
		},
	}
}
