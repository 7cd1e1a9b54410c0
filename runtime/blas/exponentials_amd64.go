package blas

// avx512Exponentials returns functions of eight numbers at a time.
func avx512Exponentials() exponentials { return vectorized(8, exp512, gaussian512, addgaussian512) }

// avx2Exponentials returns functions of four numbers at a time.
func avx2Exponentials() exponentials { return vectorized(4, exp256, gaussian256, addgaussian256) }

// vectorized makes functions of assembly, which works on whole vectors of so many lanes. The portable functions take the rest, as they have the same bits.
func vectorized(
	lanes int,
	exp func(n int, dst, src *float64),
	gaussian func(n int, dst, src *float64, scale, shift float64, offset *float64),
	addGaussian func(n int, sums, squares, src *float64, at, scale float64),
) exponentials {
	rest := portable(expFused)
	return exponentials{
		exp: func(dst, src []float64) {
			n := len(src) &^ (lanes - 1)
			if n > 0 {
				exp(n, &dst[0], &src[0])
			}
			rest.exp(dst[n:], src[n:])
		},
		gaussian: func(dst, src []float64, scale, shift float64, offset []float64) {
			n := len(src) &^ (lanes - 1)
			if n > 0 {
				gaussian(n, &dst[0], &src[0], scale, shift, &offset[0])
			}
			rest.gaussian(dst[n:], src[n:], scale, shift, offset[n:])
		},
		addGaussian: func(sums, squares, src []float64, at, scale float64) {
			n := len(src) &^ (lanes - 1)
			if n > 0 {
				addGaussian(n, &sums[0], &squares[0], &src[0], at, scale)
			}
			rest.addGaussian(sums[n:], squares[n:], src[n:], at, scale)
		},
	}
}
