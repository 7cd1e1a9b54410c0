package kernel

import (
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// A profile is κ. Its methods replace every element t of a row by κ(t), κ′(t) or κ″(t).
type profile interface {
	value(t []float64)
	slope(t []float64)
	curve(t []float64)
}

// gaussianProfile is κ(t) = exp(−t/2s²).
type gaussianProfile struct{ width float64 }

func (g gaussianProfile) value(t []float64) { expScaled(t, -1/(2*g.width*g.width)) }

func (g gaussianProfile) slope(t []float64) {
	g.value(t)
	scale(t, -1/(2*g.width*g.width))
}

func (g gaussianProfile) curve(t []float64) {
	g.value(t)
	scale(t, 1/(4*g.width*g.width*g.width*g.width))
}

// laplacianProfile is κ(t) = exp(−√t/s). Its slope is infinite at 0, where slope and curve say 0; see Differentiable.
type laplacianProfile struct{ width float64 }

func (l laplacianProfile) value(t []float64) {
	for i, v := range t {
		t[i] = math.Sqrt(v)
	}
	expScaled(t, -1/l.width)
}

func (l laplacianProfile) slope(t []float64) {
	squares := slices.Clone(t)
	l.value(t)
	for i, v := range squares {
		if v == 0 {
			t[i] = 0
			continue
		}
		t[i] /= -2 * l.width * math.Sqrt(v)
	}
}

func (l laplacianProfile) curve(t []float64) {
	squares := slices.Clone(t)
	l.value(t)
	for i, v := range squares {
		if v == 0 {
			t[i] = 0
			continue
		}
		t[i] *= (1/l.width + 1/math.Sqrt(v)) / (4 * l.width * v)
	}
}

// powerProfile is κ(t) = (t + c)^q.
type powerProfile struct {
	degree int
	offset float64
}

func (p powerProfile) value(t []float64) { p.power(t, p.degree, 1) }

func (p powerProfile) slope(t []float64) { p.power(t, p.degree-1, float64(p.degree)) }

func (p powerProfile) curve(t []float64) {
	p.power(t, p.degree-2, float64(p.degree)*float64(p.degree-1))
}

// power replaces t by factor·(t + c)^q; q < 0 goes with a factor of 0 only.
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

func scale(t []float64, c float64) {
	for i := range t {
		t[i] *= c
	}
}
