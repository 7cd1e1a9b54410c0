package fuzz

import (
	"math"
	"math/big"
	"sync"
)

// precision is how many bits the arithmetic of certificates keeps. Products of float64 are exact in it.
const precision = 400

// guard bits make up for what logarithms and powers lose.
const guard = 64

func exact(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }

func zero() *big.Float { return new(big.Float).SetPrec(precision) }

func sum(x, y *big.Float) *big.Float { return zero().Add(x, y) }

func less(x, y *big.Float) *big.Float { return zero().Sub(x, y) }

func times(x, y *big.Float) *big.Float { return zero().Mul(x, y) }

// over returns x/y for y > 0.
func over(x, y *big.Float) *big.Float { return zero().Quo(x, y) }

func larger(x, y *big.Float) *big.Float {
	if x.Cmp(y) < 0 {
		return y
	}
	return x
}

func exacts(x []float64) []*big.Float {
	out := make([]*big.Float, len(x))
	for i, v := range x {
		out[i] = exact(v)
	}
	return out
}

// dot returns ⟨x, y⟩.
func dot(x []float64, y []*big.Float) *big.Float {
	total, factor, product := zero(), zero(), zero()
	for i, v := range x {
		if v != 0 && y[i].Sign() != 0 {
			total.Add(total, product.Mul(factor.SetFloat64(v), y[i]))
		}
	}
	return total
}

// square returns ‖x‖².
func square(x []*big.Float) *big.Float {
	total := zero()
	for _, v := range x {
		total.Add(total, times(v, v))
	}
	return total
}

func wide() *big.Float { return new(big.Float).SetPrec(precision + guard) }

// ln2 is the logarithm of 2: twice the series of artanh at 1/3.
var ln2 = sync.OnceValue(func() *big.Float {
	total, power := wide(), wide().Quo(wide().SetInt64(2), wide().SetInt64(3))
	for k := int64(1); k < precision+guard; k += 2 {
		total.Add(total, wide().Quo(power, wide().SetInt64(k)))
		power.Quo(power, wide().SetInt64(9))
	}
	return total
})

// exponential returns e^x: x = k ln 2 + 2^halvings r, the series at r, squared so often.
func exponential(x *big.Float) *big.Float {
	const halvings, terms = 24, 24
	quotient, _ := wide().Quo(x, ln2()).Float64()
	k := math.Round(quotient)
	r := wide().Sub(x, wide().Mul(wide().SetFloat64(k), ln2()))
	r.SetMantExp(r, -halvings)
	total, term := wide().SetInt64(1), wide().SetInt64(1)
	for n := int64(1); n < terms; n++ {
		term.Quo(term.Mul(term, r), wide().SetInt64(n))
		total.Add(total, term)
	}
	for range halvings {
		total.Mul(total, total)
	}
	return total.SetMantExp(total, int(k))
}

// logarithm returns ln x for x > 0, by Halley's steps from that of package math. Each triples the digits.
func logarithm(x *big.Float) *big.Float {
	mantissa := wide()
	exponent := x.MantExp(mantissa)
	near, _ := mantissa.Float64()
	y := wide().SetFloat64(math.Log(near))
	for range 3 {
		e := exponential(y)
		step := wide().Quo(wide().Sub(mantissa, e), wide().Add(mantissa, e))
		y.Add(y, step.Add(step, step))
	}
	return y.Add(y, wide().Mul(wide().SetInt64(int64(exponent)), ln2()))
}

// power returns x^p for x ≥ 0 and p > 0. What is below 2^−1500 counts as zero, beside terms of size 1.
func power(x, p *big.Float) *big.Float {
	if x.Sign() == 0 {
		return zero()
	}
	if whole, accuracy := p.Int64(); accuracy == big.Exact && whole <= 8 {
		out := exact(1)
		for range whole {
			out.Mul(out, x)
		}
		return out
	}
	y := wide().Mul(p, logarithm(x))
	if size, _ := y.Float64(); size < -1000 {
		return zero()
	}
	return zero().Set(exponential(y))
}
