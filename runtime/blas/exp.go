package blas

import "math"

// exponentials are a tier's elementwise functions; dst may be src.
type exponentials struct {
	exp      func(dst, src []float64)
	gaussian func(dst, src []float64, scale, shift float64, offset []float64)
	// addGaussian is AddGaussian for slices of one length.
	addGaussian func(sums, squares, src []float64, at, scale float64)
}

// Exp sets dst[i] = exp(src[i]) with an error below one unit in the last place. dst and src have one length, and are
// the same or do not overlap. The bits do not depend on GOMAXPROCS, nor on the tier if the processor has FMA.
func Exp(dst, src []float64) { Implementation{}.Exp(dst, src) }

// Exp computes [Exp] on the implementation's tier.
func (impl Implementation) Exp(dst, src []float64) {
	if len(dst) != len(src) {
		refuse("lengths of an exponential differ")
	}
	on := impl.tier()
	inPieces(len(src), func(i, j int) { on.exp(dst[i:j], src[i:j]) })
}

// Gaussian sets dst[i] = exp(min(0, scale·src[i] + (offset[i] + shift))).
//
// It makes a row of a Gaussian kernel matrix from inner products: with
// src[i] = ⟨x, yᵢ⟩, scale = 2γ, shift = −γ‖x‖² and offset[i] = −γ‖yᵢ‖² the result
// is exp(−γ‖x − yᵢ‖²). The minimum keeps rounding from making it exceed 1.
// The slices have one length; dst may be src or offset.
func (impl Implementation) Gaussian(dst, src []float64, scale, shift float64, offset []float64) {
	if len(dst) != len(src) || len(offset) != len(src) {
		refuse("lengths of a Gaussian differ")
	}
	on := impl.tier()
	inPieces(len(src), func(i, j int) { on.gaussian(dst[i:j], src[i:j], scale, shift, offset[i:j]) })
}

// AddGaussian adds g = exp(scale·(at − src[i])²) to sums[i], and g² to squares[i], on the calling goroutine. The slices have one length, and do not overlap.
// A sum over columns of Gaussian kernels and that over their pairs need no more.
func AddGaussian(sums, squares, src []float64, at, scale float64) {
	Implementation{}.AddGaussian(sums, squares, src, at, scale)
}

// AddGaussian computes [AddGaussian] on the implementation's tier.
func (impl Implementation) AddGaussian(sums, squares, src []float64, at, scale float64) {
	if len(sums) != len(src) || len(squares) != len(src) {
		refuse("lengths of Gaussians to be added differ")
	}
	impl.tier().addGaussian(sums, squares, src, at, scale)
}

// perExponential is how many multiplications an exponential takes as long as.
const perExponential = 32

// inPieces calls f for pieces of 0 … n, on several goroutines if n is large.
func inPieces(n int, f func(i, j int)) {
	const piece = 1 << 13
	if n <= 2*piece {
		f(0, n)
		return
	}
	count := (n + piece - 1) / piece
	parallel(workers(perExponential*n), count, func(next func() int) {
		for t := next(); t < count; t = next() {
			f(t*piece, min((t+1)*piece, n))
		}
	})
}

// Constants of the exponential; the assembly has the same ones. ln2High + ln2Low is ln 2 to twice the precision.
const (
	log2e   = 0x1.71547652b82fep+0
	ln2High = 0x1.62e42fefa39efp-1
	ln2Low  = 0x1.abc9e3b39803fp-56
	highest = 710  // exp overflows before
	lowest  = -746 // exp has rounded to zero before
)

// expFused computes step by step what the assembly computes: x = n ln2 + r, and exp(x) = 2ⁿ p(r). The polynomial p is
// within 2⁻⁵⁵ of exp on |r| ≤ ln2/2, found by interpolation at the Chebyshev nodes.
func expFused(x float64) float64 {
	switch {
	case x > highest:
		x = highest
	case x < lowest:
		x = lowest
	}
	// Cody and Waite: n ln2 is subtracted in two parts, so that r keeps its last digits.
	n := math.RoundToEven(x * log2e)
	r := math.FMA(-ln2High, n, x)
	r = math.FMA(-ln2Low, n, r)
	p := math.FMA(0x1.af635e4f6b5eep-26, r, 0x1.28b43a93fe57ap-22)
	p = math.FMA(p, r, 0x1.71ddf5514be0cp-19)
	p = math.FMA(p, r, 0x1.a01991731e6fap-16)
	p = math.FMA(p, r, 0x1.a01a01b150ad2p-13)
	p = math.FMA(p, r, 0x1.6c16c1881156bp-10)
	p = math.FMA(p, r, 0x1.111111110f205p-7)
	p = math.FMA(p, r, 0x1.555555554f067p-5)
	p = math.FMA(p, r, 0x1.555555555555ap-3)
	p = math.FMA(p, r, 0x1.0000000000011p-1)
	p = math.FMA(p, r, 1)
	p = math.FMA(p, r, 1)
	// A NaN has no exponent to build a power of two from.
	if math.IsNaN(p) {
		return p
	}
	whole := int(n)
	// In two factors, as 2ⁿ alone leaves the range where the result does not.
	half := whole >> 1
	return p * powerOfTwo(half) * powerOfTwo(whole-half)
}

// powerOfTwo returns 2ⁿ for exponents of normal numbers.
func powerOfTwo(n int) float64 { return math.Float64frombits(uint64(n+1023) << 52) }

// portable makes the elementwise functions from a scalar exponential.
func portable(exp func(float64) float64) exponentials {
	return exponentials{
		exp: func(dst, src []float64) {
			for i, x := range src {
				dst[i] = exp(x)
			}
		},
		gaussian: func(dst, src []float64, scale, shift float64, offset []float64) {
			for i, x := range src {
				t := math.FMA(scale, x, offset[i]+shift)
				if t > 0 {
					t = 0
				}
				dst[i] = exp(t)
			}
		},
		addGaussian: func(sums, squares, src []float64, at, scale float64) {
			for i, x := range src {
				d := at - x
				g := exp(scale * (d * d))
				sums[i] += g
				squares[i] += float64(g * g) // rounded by itself, as elsewhere
			}
		},
	}
}
