package kernel

import (
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A profile is κ, as a function of one number.
type profile interface {
	// value replaces every element t of a row by κ(t).
	value(t []float64)
	// derive replaces every element t of a row by the derivative of κ of an order from 1 to 4.
	derive(t []float64, order int)
}

// gaussianProfile is κ(t) = exp(−t/2s²), t being the squared distance.
type gaussianProfile struct{ width float64 }

// value replaces t by κ(t).
func (g gaussianProfile) value(t []float64) { expScaled(t, -1/(2*g.width*g.width)) }

// derive replaces t by the derivative of an order, (−1/2s²)^order κ(t).
func (g gaussianProfile) derive(t []float64, order int) {
	g.value(t)
	one, two := -1/(2*g.width*g.width), 1/(4*g.width*g.width*g.width*g.width)
	scale(t, [...]float64{1, one, two, one * two, two * two}[order])
}

// laplacianProfile is κ(t) = exp(−√t/s). Its derivatives are infinite at 0, where derive gives 0; see Differentiable.
// With r = √t, the derivative of order m is (−2r)^{−m}κ/(s r^{m−1}) times the reverse Bessel polynomial of degree m −
// 1 in r/s.
type laplacianProfile struct{ width float64 }

// value replaces t by κ(t).
func (l laplacianProfile) value(t []float64) {
	for i, v := range t {
		t[i] = math.Sqrt(v)
	}
	expScaled(t, -1/l.width)
}

// derive replaces t by the derivative of an order, and by 0 at t = 0.
func (l laplacianProfile) derive(t []float64, order int) {
	squares := slices.Clone(t)
	l.value(t)
	for i, v := range squares {
		if v == 0 {
			t[i] = 0
			continue
		}
		w, r := 1/l.width, math.Sqrt(v)
		switch order {
		case 1:
			t[i] /= -2 * l.width * r
		case 2:
			t[i] *= (w + 1/r) / (4 * l.width * v)
		case 3:
			t[i] *= -(w*w + 3*w/r + 3/v) / (8 * l.width * v * r)
		case 4:
			t[i] *= (w*w*w + 6*w*w/r + 15*w/v + 15/(v*r)) / (16 * l.width * v * v)
		}
	}
}

// maternProfile is κ(t) = (1 + u)e^(−u), u = c√t and c = √3/s, or (1 + u + u²/3)e^(−u), c = √5/s (Matérn 1960). In units of e^(−u) and of
// c^(2m), its derivatives of order m in t are
//
//	           m = 1          m = 2    m = 3              m = 4
//	matern32   −1/2           1/4u     −(1 + u)/8u³       (3 + 3u + u²)/16u⁵
//	matern52   −(1 + u)/6     1/12     −1/24u             (1 + u)/48u³
//
// Those that are infinite at 0 are 0 there: up to the order that the kernel's functions have, they stand before factors that vanish
// faster.
type maternProfile struct {
	rate float64 // c
	five bool    // Matérn 5/2
}

// newMatern returns the profile of a kernel's kind and width.
func newMatern(kind setting.KernelKind, width float64) maternProfile {
	if kind == setting.Matern52 {
		return maternProfile{math.Sqrt(5) / width, true}
	}
	return maternProfile{math.Sqrt(3) / width, false}
}

// value replaces t by κ(t).
func (m maternProfile) value(t []float64) {
	for i, v := range t {
		t[i] = m.rate * math.Sqrt(v)
	}
	u := slices.Clone(t)
	expScaled(t, -1)
	for i, v := range u {
		factor := 1 + v
		if m.five {
			factor += v * v / 3
		}
		t[i] *= factor
	}
}

// derive replaces t by the derivative of an order. In u = cr, dκ/dt = (c²/2u) dκ/du.
func (m maternProfile) derive(t []float64, order int) {
	for i, v := range t {
		t[i] = m.rate * math.Sqrt(v)
	}
	u := slices.Clone(t)
	expScaled(t, -1)
	square := m.rate * m.rate
	for i, v := range u {
		t[i] *= m.factor(v, order) * [...]float64{1, square, square * square, square * square * square, square * square * square * square}[order]
	}
}

// factor returns the derivative of an order in units of c^(2·order) and of e^(−u).
func (m maternProfile) factor(u float64, order int) float64 {
	const vanishing = 1e-30 // below it u is 0
	switch {
	case m.five && order == 1:
		return -(1 + u) / 6
	case m.five && order == 2:
		return 1.0 / 12
	case !m.five && order == 1:
		return -0.5
	case u < vanishing:
		return 0
	case m.five && order == 3:
		return -1 / (24 * u)
	case m.five:
		return (1 + u) / (48 * u * u * u)
	case order == 2:
		return 1 / (4 * u)
	case order == 3:
		return -(1 + u) / (8 * u * u * u)
	}
	return (3 + 3*u + u*u) / (16 * u * u * u * u * u)
}

// powerProfile is κ(t) = (t + c)^q, t being the inner product.
type powerProfile struct {
	degree int
	offset float64
}

// value replaces t by κ(t).
func (p powerProfile) value(t []float64) { p.power(t, p.degree, 1) }

// derive replaces t by the derivative of an order, q(q−1)…(t + c)^(q−order). It is 0 if the order exceeds q.
func (p powerProfile) derive(t []float64, order int) {
	factor := 1.0
	for k := range order {
		factor *= float64(p.degree - k)
	}
	p.power(t, p.degree-order, factor)
}

// power replaces t by factor·(t + c)^q, by repeated squaring. q < 0 occurs only with a factor of 0.
func (p powerProfile) power(t []float64, q int, factor float64) {
	if q <= 0 {
		for i := range t {
			t[i] = factor
		}
		return
	}
	for i, v := range t {
		base, out := v+p.offset, factor
		for e := q; e > 0; e >>= 1 {
			if e&1 == 1 {
				out *= base
			}
			base *= base
		}
		t[i] = out
	}
}

// expScaled replaces t by exp(c·t). All exponentials of kernel matrices pass through here.
func expScaled(t []float64, c float64) {
	scale(t, c)
	blas.Exp(t, t)
}

// scale multiplies t by c.
func scale(t []float64, c float64) {
	for i := range t {
		t[i] *= c
	}
}
