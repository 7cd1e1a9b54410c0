package proof

import "math"

// at returns ∂_v^order ∂_w^other κ(v, w). Orders are at most 2, and at most what the base has.
func (b *Base) at(v ball, order int, w float64, other int) ball {
	if b.Kind == Linear {
		return linear(v, order, w, other).times(exactly(1).plus(exactly(b.Slope)))
	}
	out := b.profile(v.minus(exactly(w)), order+other)
	if other == 1 {
		out.v = -out.v
	}
	if b.Slope != 0 {
		out = out.plus(linear(v, order, w, other).times(exactly(b.Slope)))
	}
	return out
}

// linear returns a derivative of v·w.
func linear(v ball, order int, w float64, other int) ball {
	if order > 1 || other > 1 {
		return ball{}
	}
	left, right := v, exactly(w)
	if order == 1 {
		left = exactly(1)
	}
	if other == 1 {
		right = exactly(1)
	}
	return left.times(right)
}

// profile returns the derivative of an order up to 4 of ψ at t, where κ(v, w) = ψ(v − w).
func (b *Base) profile(t ball, order int) ball {
	var out, rate ball
	switch b.Kind {
	case Gaussian:
		rate = exactly(1).over(b.Width)
		out = hermite(t.over(b.Width), order)
	case Matern32, Matern52:
		rate = b.rate()
		out = matern(t.times(rate), order, b.Kind)
	case Periodic:
		rate = pi.times(exactly(2)).over(b.Period)
		out = wave(t.over(b.Period), b.sharpness(), order)
	}
	for range order {
		out = out.times(rate)
	}
	return out
}

// sharpness returns 1/(ω Width)² of a periodic kernel. 1/2π is within 2⁻⁵⁵ of its double.
func (b *Base) sharpness() ball {
	inverse := ball{1 / (2 * math.Pi), 0x1p-55}
	root := inverse.times(exactly(b.Period)).over(b.Width)
	return root.times(root)
}

// rate returns the a of r = a|t| in Matérn kernels.
func (b *Base) rate() ball {
	if b.Kind == Matern32 {
		return root(3).over(b.Width)
	}
	return root(5).over(b.Width)
}

// hermite returns the derivative of exp(−x²/2), (−1)^n He_n(x) exp(−x²/2).
func hermite(x ball, order int) ball {
	square := x.times(x)
	e := exp(ball{-square.v / 2, square.r / 2})
	c := exactly
	switch order {
	case 1:
		return ball{-x.v, x.r}.times(e)
	case 2:
		return square.minus(c(1)).times(e)
	case 3:
		return x.times(c(3).minus(square)).times(e)
	case 4:
		return square.times(square.minus(c(6))).plus(c(3)).times(e)
	}
	return e
}

// matern returns the derivative of ψ by x, where r = |x|. Away from 0 it is sign(x)^n p(r) e^−r with
//
//	3/2:  p = (−1)^n (r + 1 − n)
//	5/2:  p = (−1)^n (r²/3 + (1 − 2n/3) r + 1 − n + n(n−1)/3)
//
// For odd orders that exist p(0) = 0, so that sign(x) r = x, and the formula holds at 0.
func matern(x ball, order int, kind Kind) ball {
	r := x.size()
	e := exp(ball{-r.v, r.r})
	c := exactly
	if kind == Matern32 {
		switch order {
		case 1:
			return ball{-x.v, x.r}.times(e)
		case 2:
			return r.minus(c(1)).times(e)
		}
		return r.plus(c(1)).times(e)
	}
	var p ball
	third := r.over(3)
	switch order {
	case 1:
		p = ball{-x.v, x.r}.over(3).times(r.plus(c(1)))
	case 2:
		p = r.times(r.minus(c(1))).minus(c(1)).over(3)
	case 3:
		p = x.times(c(1).minus(third))
	case 4:
		p = third.times(r.minus(c(5))).plus(c(1))
	default:
		p = r.times(third.plus(c(1))).plus(c(1))
	}
	return p.times(e)
}

// wave returns the derivative of y = exp(b(cos θ − 1)) by θ = 2πt for t given. With S = sin θ and C = cos θ it is y times
//
//	−bS,  b²S² − bC,  b³(−S³) + 3b²SC + bS,  b⁴S⁴ − 6b³S²C + b²(3C² − 4S²) + bC.
//
// As cos θ − 1 = −2 sin²(θ/2), y is exp(−2b sin²πt).
func wave(t, b ball, order int) ball {
	s, c := turn(t)
	k := exactly
	y := exp(b.times(c.minus(k(1))))
	bs, bc := b.times(s), b.times(c)
	switch order {
	case 1:
		return ball{-bs.v, bs.r}.times(y)
	case 2:
		return bs.times(bs).minus(bc).times(y)
	case 3:
		return bs.times(k(1).plus(k(3).times(bc)).minus(bs.times(bs))).times(y)
	case 4:
		q := bs.times(bs)
		p := q.times(q).minus(k(6).times(q).times(bc))
		p = p.plus(k(3).times(bc).times(bc)).minus(k(4).times(b).times(bs).times(s)).plus(bc)
		return p.times(y)
	}
	return y
}

// most is the highest order of derivatives that errors of interpolation ask for: one more than its degree, and 2 + 2 of a kernel.
const most = degree + 5

// sups returns bounds of |ψ^(n)| on the whole line for n ≤ most. Where a Matérn kernel has a kink, they hold on both sides of it.
//
// Gaussian: |He_n(x)| exp(−x²/4) ≤ 1.0865 √n! (Cramér; Abramowitz and Stegun 22.14.17). Matérn: each term of p by itself, with
// r e^−r ≤ 1/e and r² e^−r ≤ 4/e². Periodic: all Fourier coefficients of ψ are positive, hence |ψ^(2n)| is greatest at 0, where it is the
// derivative of exp(b(cosh θ − 1)), and |ψ^(2n+1)|² ≤ |ψ^(2n)(0)| |ψ^(2n+2)(0)|. The recurrence y' = b sinh θ y has positive terms alone.
func (b *Base) sups() []float64 {
	out := make([]float64, most+1)
	if b.Kind == Linear {
		return out
	}
	rate, factor := 1.0, 1.0
	var a float64
	switch b.Kind {
	case Gaussian:
		a = 1 / b.Width
	case Periodic:
		a = 2 * math.Pi / b.Period
	default:
		a = b.rate().v
	}
	waves := evenWaves(b.sharpness().abs())
	for n := range out {
		m := float64(n)
		switch b.Kind {
		case Gaussian:
			out[n] = 1.0865 * math.Sqrt(factor)
		case Matern32:
			out[n] = math.Abs(1-m) + 1/math.E
		case Matern52:
			out[n] = math.Abs(1-m+m*(m-1)/3) + math.Abs(1-2*m/3)/math.E + 4/(3*math.E*math.E)
		case Periodic:
			if out[n] = waves[n]; n%2 == 1 {
				out[n] = math.Sqrt(waves[n-1] * waves[n+1])
			}
		}
		out[n] = up(up(out[n] * rate))
		rate *= a
		factor *= m + 1
	}
	return out
}

// evenWaves returns the derivatives of exp(b(cosh θ − 1)) at 0, by y^(n+1) = b Σ over odd k of C(n, k) y^(n−k).
func evenWaves(b float64) []float64 {
	y := make([]float64, most+3)
	y[0] = 1
	for n := range len(y) - 1 {
		choose := float64(n) // C(n, 1)
		for k := 1; k <= n; k += 2 {
			y[n+1] += b * choose * y[n-k]
			choose *= float64(n-k) * float64(n-k-1) / (float64(k+1) * float64(k+2))
		}
	}
	return y
}

// bounds sets d[k] to a bound of the derivative of order k of x ↦ ∂_v^order ∂_w^other κ(v, w), v = mul·x + add, where |v| ≤ top. It is
// infinite where w may lie within and a kink of ψ is there.
func (b *Base) bounds(d, sups []float64, mul, top float64, order int, w float64, other int, within bool) {
	kink := math.MaxInt
	switch b.Kind {
	case Matern32:
		kink = 3
	case Matern52:
		kink = 5
	}
	scale := 1.0
	for k := range d {
		switch {
		case b.Kind == Linear:
			d[k] = 0
		case within && order+other+k > kink:
			d[k] = math.Inf(1)
		default:
			d[k] = sups[order+other+k]
		}
		weight := math.Abs(b.Slope)
		if b.Kind == Linear {
			weight++
		}
		if order+k <= 1 && weight > 0 {
			d[k] = up(d[k] + up(weight*linear(exactly(top), order+k, math.Abs(w), other).abs()))
		}
		if d[k] > 0 {
			d[k] = up(d[k] * scale)
		}
		scale = up(scale * math.Abs(mul))
	}
}

// length returns a width over which the base changes much, infinite for what is linear.
func (b *Base) length() float64 {
	switch b.Kind {
	case Matern32, Matern52:
		return b.Width / 2
	case Periodic:
		return min(b.Width, b.Period/(2*math.Pi))
	case Linear:
		return math.Inf(1)
	}
	return b.Width
}
