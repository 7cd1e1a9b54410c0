package proof

import "math"

// A ball is every real number within r of v. Operations on balls return balls that contain all results. It is assumed that the machine
// rounds sums, products, quotients and roots to nearest, as IEEE 754 says. No function of the mathematical library is trusted with more.
type ball struct{ v, r float64 }

const (
	unit  = 0x1p-53   // the largest relative error of one rounding
	least = 0x1p-1022 // above the absolute error of every operation that underflows
	slack = 1 + 0x1p-30
)

// up returns a bound of the exact value of what was computed as x, a sum of up to 2²⁰ products of non-negative numbers. Up to 2²²
// roundings lose less than a relative 2⁻³⁰.
func up(x float64) float64 { return x*slack + least }

// exactly returns the ball of one number.
func exactly(v float64) ball { return ball{v, 0} }

// abs returns the largest absolute value in the ball, rounded up.
func (a ball) abs() float64 { return up(math.Abs(a.v) + a.r) }

// low returns a lower bound of the ball, rounded down.
func (a ball) low() float64 { return math.Nextafter(a.v-a.r, math.Inf(-1)) }

// high returns an upper bound of the ball, rounded up.
func (a ball) high() float64 { return math.Nextafter(a.v+a.r, math.Inf(1)) }

// plus returns a + b. Its rounding error is computed exactly (Knuth's two-sum), so that exact sums stay exact.
func (a ball) plus(b ball) ball {
	s := a.v + b.v
	t := s - a.v
	e := (a.v - (s - t)) + (b.v - t)
	return ball{s, grown(a.r+b.r, math.Abs(e))}
}

// minus returns a − b.
func (a ball) minus(b ball) ball { return a.plus(ball{-b.v, b.r}) }

// times returns a·b. The rounding error of p = a·b is the fused a·b − p, exact unless it underflows.
func (a ball) times(b ball) ball {
	p := a.v * b.v
	e := math.Abs(math.FMA(a.v, b.v, -p))
	if math.Abs(p) < 0x1p-900 && p != 0 || p == 0 && a.v != 0 && b.v != 0 {
		e += least
	}
	return ball{p, grown(math.Abs(a.v)*b.r+math.Abs(b.v)*a.r+a.r*b.r, e)}
}

// grown returns the radius r + e rounded up, and 0 where both are.
func grown(r, e float64) float64 {
	if r += e; r != 0 {
		return up(r)
	}
	return 0
}

// over returns a/b for b > 0 that is exact.
func (a ball) over(b float64) ball {
	q := a.v / b
	return ball{q, grown(a.r/b, math.Abs(q)*unit+least)}
}

// root returns √a for a number a ≥ 0.
func root(a float64) ball {
	s := math.Sqrt(a)
	return ball{s, grown(0, s*unit)}
}

// size returns |a|.
func (a ball) size() ball { return ball{math.Abs(a.v), a.r} }

// log 2 in two parts: the first has 32 bits, so that its product with a whole number below 2²⁰ is exact. The sum of both is within
// 2⁻⁸⁶ of log 2.
const (
	log2High = 6.93147180369123816490e-01
	log2Low  = 1.90821492927058770002e-10
)

// exp returns e^a for a ≤ 700.
//
// With k the whole number nearest to a/log 2 and ρ = a − k·log 2, e^a = 2^k e^ρ, |ρ| ≤ 0.35 (k may be off by a rounding). With u = 2⁻⁵³ the
// computed ρ is wrong by at most 2·0.36u + 2⁻⁷⁵ < 0.8u: two differences round, and k·log2Low and log 2 itself are wrong by less than
// 2⁻⁷⁵. The series up to ρ¹³/13! leaves less than 0.35¹⁴ e^0.35/14! < 0.1u. In Horner's rule the last sum, below 1.43, is wrong by
// 1.43u and the last product by 0.35·1.2u. The factor that it multiplies by ρ is wrong by less than 2u. Together that is less than 2.6u. As
// e^ρ > 0.7, the relative error is below 0.8u + 2.7u/0.7 < 5u, and 8u = 2⁻⁵⁰ is taken. The radius r of a adds at most e^a(e^r − 1) ≤ e^a·2r for r ≤ 1.
func exp(a ball) ball {
	if a.r > 1 {
		top := exp(exactly(math.Min(up(math.Max(a.v, 0)+a.r), 700)))
		return ball{0, up(top.v + top.r)}
	}
	if a.v < -708 { // e^−708·e < 5·2⁻¹⁰²²
		return ball{0, 8 * least}
	}
	k := math.Floor(a.v*(1/math.Ln2) + 0.5)
	rho := (a.v - k*log2High) - k*log2Low
	e := 1.0 / 6227020800
	for _, c := range inverseFactorials {
		e = e*rho + c
	}
	e *= math.Float64frombits(uint64(int64(k)+1023) << 52)
	return ball{e, up(e * (0x1p-50 + 2*a.r))}
}

// inverseFactorials are 1/12!, …, 1/1!, 1/0!.
var inverseFactorials = [...]float64{
	1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1,
}

// pi is π, which is within 2⁻⁵² of its double.
var pi = ball{math.Pi, 0x1p-52}

// turn returns sin 2πa and cos 2πa. Whole numbers are taken from a first, which is exact. With x = πa, |x| ≤ 1.6, it sums
// the series of sin x and cos x/x-terms up to x²⁵, which leave less than 1.6²⁶/26! < 2⁻⁷¹, and doubles the angle.
func turn(a ball) (sine, cosine ball) {
	a = a.minus(exactly(math.Round(a.v)))
	if !(a.r < 0x1p-10) {
		return ball{0, 1}, ball{0, 1}
	}
	x := a.times(pi)
	square := x.times(x)
	one := exactly(1)
	s, c := ball{1, 0x1p-60}, ball{1, 0x1p-60}
	for k := 24.0; k >= 2; k -= 2 {
		s = one.minus(square.times(s).over(k * (k + 1)))
		c = one.minus(square.times(c).over(k * (k - 1)))
	}
	s = s.times(x)
	return s.times(c).times(exactly(2)), one.minus(s.times(s).times(exactly(2)))
}

// largest returns the largest absolute value.
func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}
