package kernel

import (
	"math"

	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A univariate is κ(r) of the difference r = v − v′ of two numbers. Derivatives of k(v, v′) = κ(v − v′) are
//
//	∂ᵖ∂′^q k = (−1)^q κ^(p+q)(v − v′)
//
// so that those of first and second order in each argument need κ up to order 4. Norms of derivatives are ‖∂ᵖk(v, ·)‖² = (−1)ᵖ κ^(2p)(0):
//
//	            p = 1             p = 2
//	gaussian    1/s²              3/s⁴
//	matern32    3/s²              infinite
//	matern52    5/(3s²)           25/s⁴
//	periodic    1/s²              3/s⁴ + ω²/s²,  ω = 2π/P
type univariate interface {
	// fill sets to[m][i] to the derivative of order m of κ at r[i], for every m below len(to), at most 5. It may write to r.
	fill(to [][]float64, r []float64)
}

// newUnivariate returns κ of a component, nil for one that is not a function of the difference.
func newUnivariate(b *setting.Base) univariate {
	switch b.Kind {
	case setting.Gaussian:
		return gaussianLine{b.Width}
	case setting.Matern32, setting.Matern52:
		return maternLine(newMatern(b.Kind, b.Width))
	case setting.Periodic:
		omega := 2 * math.Pi / b.Period
		return periodicLine{omega: omega, sharpness: 1 / (omega * omega * b.Width * b.Width)}
	case setting.Laplacian, setting.Linear, setting.Polynomial, setting.Additive, setting.Pairwise, setting.Category:
	}
	return nil
}

// gaussianLine is κ(r) = exp(−r²/2s²). Its derivatives are κ times Hermite polynomials.
type gaussianLine struct{ width float64 }

// exponent returns the c of exp(c·r²).
func (g gaussianLine) exponent() float64 { return -1 / (2 * g.width * g.width) }

// fill computes one exponential for all orders.
func (g gaussianLine) fill(to [][]float64, r []float64) {
	c, value := g.exponent(), to[0]
	for i, v := range r {
		value[i] = c * (v * v)
	}
	blas.Exp(value, value)
	w := 1 / g.width
	for order := 1; order < len(to); order++ {
		for i, v := range r {
			to[order][i] = value[i] * hermite(v*w, order)
		}
		scale(to[order], math.Pow(-w, float64(order)))
	}
}

// hermite returns the probabilists' Hermite polynomial of an order from 1 to 4.
func hermite(u float64, order int) float64 {
	switch order {
	case 1:
		return u
	case 2:
		return u*u - 1
	case 3:
		return u * (u*u - 3)
	}
	return (u*u-6)*u*u + 3
}

// maternLine is κ(r) = (1 + c|r|)e^(−c|r|), or (1 + c|r| + c²r²/3)e^(−c|r|).
type maternLine maternProfile

// fill computes one exponential for all orders. They have it in common, times a polynomial in c|r|.
func (m maternLine) fill(to [][]float64, r []float64) {
	decay := to[0]
	for i, v := range r {
		r[i] = m.rate * v
		decay[i] = -math.Abs(r[i])
	}
	blas.Exp(decay, decay)
	for order := len(to) - 1; order >= 0; order-- { // the value last, as the others are multiples of what stands there
		out := to[order]
		for i, u := range r {
			out[i] = decay[i] * m.factor(u, order)
		}
		if order > 0 {
			scale(out, math.Pow(m.rate, float64(order)))
		}
	}
}

// factor returns the derivative of an order in u = cr, in units of e^(−|u|). Derivatives of odd order that jump at 0 are 0 there.
func (m maternLine) factor(u float64, order int) float64 {
	a := math.Abs(u)
	if m.five {
		switch order {
		case 0:
			return 1 + a + a*a/3
		case 1:
			return -u * (1 + a) / 3
		case 2:
			return -(1 + a - a*a) / 3
		case 3:
			return u * (3 - a) / 3
		}
		return (3 - 5*a + a*a) / 3
	}
	switch order {
	case 0:
		return 1 + a
	case 1:
		return -u
	case 2:
		return a - 1
	case 3:
		if u == 0 {
			return 0
		}
		return math.Copysign(2-a, u*(2-a))
	}
	return a - 3
}

// periodicLine is κ(r) = exp(−a(1 − cos ωr)), ω = 2π/P and a = 1/(ωs)². The circle of circumference P has the radius 1/ω. Its chord
// between two points is c = (2/ω) sin(ωr/2), so that c²/2s² = a(1 − cos ωr). Near r = 0 it is the Gaussian kernel of width s. With
// u = aω sin ωr and w = aω² cos ωr, the derivatives are κ times
//
//	−u,   u² − w,   −u³ + 3uw + ω²u,   u⁴ − 6u²w + 3w² − 4ω²u² + ω²w
type periodicLine struct{ omega, sharpness float64 }

// fill computes the exponent by the half angle, which loses no digits near r = 0.
func (p periodicLine) fill(to [][]float64, r []float64) {
	value := to[0]
	for i, v := range r {
		half := math.Sin(p.omega * v / 2)
		value[i] = -2 * p.sharpness * (half * half)
	}
	blas.Exp(value, value)
	if len(to) == 1 {
		return
	}
	square := p.omega * p.omega
	for i, v := range r {
		sin, cos := math.Sincos(p.omega * v)
		s, c := p.sharpness*p.omega*sin, p.sharpness*square*cos
		all := [...]float64{1, -s, s*s - c, s * (3*c + square - s*s), s*s*(s*s-6*c-4*square) + c*(3*c+square)}
		for order := 1; order < len(to); order++ {
			to[order][i] = value[i] * all[order]
		}
	}
}
