package proof

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// series sums terms of x in 300 bits until they vanish; next makes a term of the one before.
func series(first *big.Float, next func(term *big.Float, k int64)) *big.Float {
	sum, term := wide(first), wide(first)
	for k := int64(1); k < 400; k++ {
		next(term, k)
		sum.Add(sum, term)
	}
	return sum
}

func wide(x *big.Float) *big.Float { return new(big.Float).SetPrec(300).Set(x) }

func number(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }

// inside fails unless a ball has a number.
func inside(t *rapid.T, what string, b ball, x *big.Float) {
	low, high := number(b.v), number(b.v)
	low.Sub(low, number(b.r))
	high.Add(high, number(b.r))
	if x.Cmp(low) < 0 || x.Cmp(high) > 0 {
		t.Fatalf("%s: %v is outside %v ± %v", what, x, b.v, b.r)
	}
}

// trueExp returns e^x.
func trueExp(x *big.Float) *big.Float {
	y := wide(x)
	y.SetMantExp(y, -10)
	e := series(number(1), func(term *big.Float, k int64) {
		term.Mul(term, y)
		term.Quo(term, number(float64(k)))
	})
	for range 10 {
		e.Mul(e, e)
	}
	return e
}

func TestExpEnclosesTheExponential(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-712, 20).Draw(t, "x")
		if rapid.Bool().Draw(t, "small") {
			x = math.Ldexp(x, -rapid.IntRange(0, 60).Draw(t, "exponent"))
		}
		b := exp(exactly(x))
		inside(t, "exp", b, trueExp(number(x)))
		if x > -708 && b.r > 0x1p-49*b.v+2*least {
			t.Fatalf("exp(%v) = %v ± %v", x, b.v, b.r)
		}
		r := rapid.Float64Range(0, 3).Draw(t, "r")
		b = exp(ball{x, r})
		for _, end := range []float64{-1, 1} {
			y := number(end * r)
			inside(t, "exp of an end", b, trueExp(y.Add(y, number(x))))
		}
	})
}

func TestTurnEnclosesSineAndCosine(t *testing.T) {
	// π by Machin's formula
	arctan := func(inverse float64) *big.Float {
		x := number(1)
		x.Quo(x, number(inverse))
		square := wide(x)
		square.Mul(square, x)
		sum, sign := number(0), 1.0
		for k := range 200 {
			term := wide(x)
			term.Quo(term, number(sign*float64(2*k+1)))
			sum.Add(sum, term)
			x.Mul(x, square)
			sign = -sign
		}
		return sum
	}
	turned := arctan(5)
	turned.Mul(turned, number(32))
	small := arctan(239)
	turned.Sub(turned, small.Mul(small, number(8))) // 2π
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-30, 30).Draw(t, "x")
		y := number(x - math.Round(x))
		y.Mul(y, turned)
		square := wide(y)
		square.Mul(square, y)
		cosine := series(number(1), func(term *big.Float, k int64) {
			term.Mul(term, square)
			term.Quo(term, number(float64(-2*k*(2*k-1))))
		})
		sine := series(y, func(term *big.Float, k int64) {
			term.Mul(term, square)
			term.Quo(term, number(float64(-2*k*(2*k+1))))
		})
		s, c := turn(exactly(x))
		inside(t, "sin", s, sine)
		inside(t, "cos", c, cosine)
		if max(s.r, c.r) > 1e-14 {
			t.Fatalf("radii %v and %v at %v", s.r, c.r, x)
		}
	})
}

func TestBallsEncloseSumsAndProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(-1e100, 1e100).Draw(t, "a"), rapid.Float64Range(-1e100, 1e100).Draw(t, "b")
		c := rapid.Float64Range(1e-3, 1e3).Draw(t, "c")
		x, y := number(a), number(b)
		inside(t, "sum", exactly(a).plus(exactly(b)), wide(x).Add(x, y))
		inside(t, "product", exactly(a).times(exactly(b)), wide(x).Mul(x, y))
		inside(t, "quotient", exactly(a).over(c), wide(x).Quo(x, number(c)))
		z := ball{a, math.Abs(a) / 3}.times(ball{b, math.Abs(b) / 7})
		edge := wide(x)
		edge.Mul(edge, number(1.25))
		inside(t, "product of balls", z, edge.Mul(edge, y))
		inside(t, "root", root(c), wide(number(c)).Sqrt(number(c)))
	})
}

// The polynomial through values at the nodes has these values, and errors of a known function are within the bound.
func TestInterpolationMissesByLessThanItsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := chebyshev()
		h, shift := rapid.Float64Range(0.01, 3).Draw(t, "h"), rapid.Float64Range(-2, 2).Draw(t, "shift")
		var values [Terms]ball
		for k, node := range c.nodes {
			values[k] = exp(exactly(-(shift + h*node) * (shift + h*node) / 2))
		}
		coef := make([]float64, Terms)
		rounding := c.coefficients(coef, &values)
		d := make([]float64, Terms+1)
		b := Base{Kind: Gaussian, Width: 1}
		b.bounds(d, b.sups(), 1, 10, 0, 0, 0, true)
		bound := c.miss(d, h) + rounding
		for i := range 101 {
			at := float64(i) / 100
			sum := 0.0
			for k, w := range Bernstein(at, Terms) {
				sum += w * coef[k]
			}
			x := shift + h*(2*at-1)
			if off := math.Abs(sum - math.Exp(-x*x/2)); off > bound+1e-13 {
				t.Fatalf("off by %v at %v of a piece of half-width %v, where the bound is %v", off, at, h, bound)
			}
		}
		if h < 0.5 && bound > 1e-10 {
			t.Fatalf("the bound is %v at half-width %v", bound, h)
		}
	})
}

// Derivatives of profiles are those of differences, and below their suprema.
func TestProfilesDerivatives(t *testing.T) {
	for _, b := range []Base{{Kind: Gaussian, Width: 0.7}, {Kind: Matern32, Width: 0.7}, {Kind: Matern52, Width: 0.7}, {Kind: Periodic, Width: 0.4, Period: 1.7}} {
		most := map[Kind]int{Matern32: 2, Matern52: 4}[b.Kind]
		if most == 0 {
			most = 4
		}
		sups := b.sups()
		for x := -3.02; x < 3; x += 0.05 {
			for n := range most + 1 {
				v := b.profile(exactly(x), n)
				if math.Abs(v.v)-v.r > sups[n] {
					t.Errorf("%v: derivative %d is %v at %v, above %v", b.Kind, n, v.v, x, sups[n])
				}
				if n == 0 {
					continue
				}
				const h = 1e-5
				if d := (b.profile(exactly(x+h), n-1).v - b.profile(exactly(x-h), n-1).v) / (2 * h); math.Abs(d-v.v) > 1e-4*(1+sups[n]) {
					t.Errorf("%v: derivative %d at %v is %v, differences give %v", b.Kind, n, x, v.v, d)
				}
			}
		}
	}
}
