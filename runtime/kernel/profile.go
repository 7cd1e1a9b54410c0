package kernel

import (
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/blas"
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
