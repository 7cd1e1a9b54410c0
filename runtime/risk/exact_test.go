package risk

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// fine is a precision at which what is left of exp and log is nothing to that of float64.
const fine = 300

func wide(x float64) *big.Float { return new(big.Float).SetPrec(fine).SetFloat64(x) }

func zero() *big.Float { return wide(0) }

// bigExp is exp x: a series near 0, squared.
func bigExp(x *big.Float) *big.Float {
	halves := max(0, x.MantExp(nil)+10)
	near := zero().SetMantExp(x, -halves)
	sum, term := wide(1), wide(1)
	for k := range 40 {
		term.Mul(term, near)
		term.Quo(term, wide(float64(k+1)))
		sum.Add(sum, term)
	}
	for range halves {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog is log x, by Halley's method on exp.
func bigLog(x *big.Float) *big.Float {
	mantissa := zero()
	exponent := x.MantExp(mantissa)
	root := func(x *big.Float) *big.Float {
		near, _ := x.Float64()
		y := wide(math.Log(near))
		for range 3 {
			e := bigExp(y)
			step := zero().Sub(x, e)
			step.Quo(step, e.Add(e, x))
			y.Add(y, step.Mul(step, wide(2)))
		}
		return y
	}
	return root(mantissa).Add(root(mantissa), zero().Mul(wide(float64(exponent)), root(wide(2))))
}

// logSumExp is log Σ exp x.
func logSumExp(x ...*big.Float) *big.Float {
	sum := zero()
	for _, v := range x {
		sum.Add(sum, bigExp(v))
	}
	return bigLog(sum)
}

// entropies is Σ p log p.
func entropies(p ...*big.Float) *big.Float {
	sum := zero()
	for _, v := range p {
		if v.Sign() > 0 {
			sum.Add(sum, zero().Mul(v, bigLog(v)))
		}
	}
	return sum
}

// normed is p/Σp.
func normed(p []float64) []*big.Float {
	sum, out := zero(), make([]*big.Float, len(p))
	for _, v := range p {
		sum.Add(sum, wide(v))
	}
	for k, v := range p {
		out[k] = zero().Quo(wide(v), sum)
	}
	return out
}

// exactLoss is the loss of row 0 over its weight.
func exactLoss(l Loss, s []float64) *big.Float {
	sum := zero()
	switch l := l.(type) {
	case *logistic:
		for y, v := range s {
			sum.Add(sum, logSumExp(zero(), wide(-l.target(0, y)*v)))
		}
	case *softmax:
		var scores []*big.Float
		for _, v := range s {
			scores = append(scores, wide(v))
		}
		sum.Sub(logSumExp(scores...), wide(s[l.class[0]]))
	case *setLoss:
		sums := make([]*big.Float, len(l.Each))
		for k, labels := range l.Each {
			sums[k] = zero()
			for _, y := range labels {
				sums[k].Add(sums[k], wide(s[y]))
			}
		}
		sum.Sub(logSumExp(sums...), sums[l.of[0]])
	}
	return sum
}

// exactConjugate is the conjugate over the weight at multipliers g′ near g, of row 0 and the scores s, and g′ over the weight. Row is the
// weight of the row, which is a factor of the weight.
func exactConjugate(l Loss, g, s []float64, row float64) (conjugate *big.Float, near []*big.Float) {
	switch l := l.(type) {
	case *logistic:
		conjugate = zero()
		for y, v := range g {
			whole := zero().Mul(wide(l.weight), wide(row))
			p := zero().Quo(wide(-l.target(0, y)*v), whole)
			conjugate.Add(conjugate, entropies(p, zero().Sub(wide(1), p)))
			near = append(near, zero().Quo(wide(v), whole))
		}
	case *softmax:
		p := make([]float64, len(g))
		for j, v := range g {
			if p[j] = v / row / l.weight; j == l.class[0] {
				p[j]++
			}
			p[j] = max(0, p[j])
		}
		near = normed(p)
		conjugate = entropies(near...)
		near[l.class[0]].Sub(near[l.class[0]], wide(1))
	case *setLoss:
		p := make([]float64, len(l.Each))
		l.probabilities(p, s)
		exact := normed(p)
		conjugate = entropies(exact...)
		for range g {
			near = append(near, zero())
		}
		for k, labels := range l.Each {
			for _, y := range labels {
				near[y].Add(near[y], exact[k])
			}
		}
		for _, y := range l.Each[l.of[0]] {
			near[y].Sub(near[y], wide(1))
		}
	}
	return conjugate, near
}

// above reports whether x is larger than a bound by more than the yardstick may be off.
func above(x, bound *big.Float, weight float64) bool {
	return zero().Sub(x, bound).Cmp(wide(1e-60*weight)) > 0
}

// What losses with logarithms add for rounding is enough: losses and conjugates are no larger than they say, and multipliers are as near as
// they say to those of the conjugate.
func TestLossesHoldInExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, m := drawLoss(t)
		weight, row, inner := 0.0, 1.0, l
		if w, ok := l.(*weighted); ok {
			row, inner = w.weight[0], w.single
		}
		switch l := inner.(type) {
		case *logistic:
			weight = l.weight
		case *softmax:
			weight = l.weight
		case *setLoss:
			weight = l.at(0)
		default:
			t.Skip("rational")
		}
		scale := math.Pow(10, rapid.Float64Range(-2, 2.5).Draw(t, "log scale"))
		s := rapid.SliceOfN(rapid.Float64Range(-1, 1), m, m).Draw(t, "s")
		for y := range s {
			s[y] *= scale
		}
		whole := zero().Mul(wide(weight), wide(row))
		most := wide(l.Most(0, s, make([]float64, m), 0))
		if want := exactLoss(inner, s); above(want.Mul(want, whole), most, weight*row) {
			t.Fatalf("the loss is %v, above its bound %v", want, most)
		}
		g := make([]float64, m)
		l.Gradient(0, g, s)
		l.Clip(0, g, s)
		bound, off := l.Conjugate(0, g)
		conjugate, near := exactConjugate(inner, g, s, row)
		if above(conjugate.Mul(conjugate, whole), wide(bound), weight*row) {
			t.Fatalf("the conjugate at %v is %v, above its bound %v", g, conjugate, bound)
		}
		for y, v := range near {
			v.Sub(v.Mul(v, whole), wide(g[y]))
			if above(v.Abs(v), wide(off), weight*row) {
				t.Fatalf("multiplier %d of %v is off by %v, more than %v", y, g, v, off)
			}
		}
	})
}

// The yardstick is right where it is known.
func TestYardstick(t *testing.T) {
	for _, x := range []float64{-700, -3, -1e-12, 0, 1e-9, 1, 40} {
		if back := bigLog(bigExp(wide(x))); zero().Sub(back, wide(x)).Cmp(wide(1e-60)) > 0 || zero().Sub(wide(x), back).Cmp(wide(1e-60)) > 0 {
			t.Errorf("log exp %v is %v", x, back)
		}
		if e, _ := bigExp(wide(x)).Float64(); math.Abs(e-math.Exp(x)) > 1e-15*e {
			t.Errorf("exp %v is %v", x, e)
		}
	}
}
