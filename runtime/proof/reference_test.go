package proof_test

import (
	"math"
	"math/big"
	"slices"

	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// An arithmetic is what the reference needs of numbers. It evaluates kernels by their definitions and differentiates them by nilpotent
// numbers, so it shares no formula with the package.
type arithmetic[T any] struct {
	of            func(float64) T
	add, sub, mul func(a, b T) T
	div           func(a, b T) T
	exp, cos      func(T) T
	root          func(float64) T
	pi            T
	negative      func(T) bool
	zero          func(T) bool
}

var double = &arithmetic[float64]{
	of:  func(v float64) float64 { return v },
	add: func(a, b float64) float64 { return a + b }, sub: func(a, b float64) float64 { return a - b },
	mul: func(a, b float64) float64 { return a * b }, div: func(a, b float64) float64 { return a / b },
	exp: math.Exp, cos: math.Cos, root: math.Sqrt, pi: math.Pi, negative: func(a float64) bool { return a < 0 }, zero: func(a float64) bool { return a == 0 },
}

const bits = 200

func wide() *big.Float { return new(big.Float).SetPrec(bits) }

var long = &arithmetic[*big.Float]{
	of:  func(v float64) *big.Float { return wide().SetFloat64(v) },
	add: func(a, b *big.Float) *big.Float { return wide().Add(a, b) }, sub: func(a, b *big.Float) *big.Float { return wide().Sub(a, b) },
	mul: func(a, b *big.Float) *big.Float { return wide().Mul(a, b) }, div: func(a, b *big.Float) *big.Float { return wide().Quo(a, b) },
	exp: longExp, cos: longCos, root: func(v float64) *big.Float { return wide().Sqrt(wide().SetFloat64(v)) },
	pi: longPi(), negative: func(a *big.Float) bool { return a.Sign() < 0 }, zero: func(a *big.Float) bool { return a.Sign() == 0 },
}

// longExp returns e^x by the series of x/2⁴⁰, squared forty times, with guard bits.
func longExp(x *big.Float) *big.Float {
	const guard = bits + 80
	y := new(big.Float).SetPrec(guard).SetMantExp(x, -40)
	sum, term := new(big.Float).SetPrec(guard).SetInt64(1), new(big.Float).SetPrec(guard).SetInt64(1)
	for k := range int64(12) {
		term.Mul(term, y)
		term.Quo(term, new(big.Float).SetInt64(k+1))
		sum.Add(sum, term)
	}
	for range 40 {
		sum.Mul(sum, sum)
	}
	return wide().Set(sum)
}

// longCos returns cos x by its series after 2π has been taken off.
func longCos(x *big.Float) *big.Float {
	turn := wide().Mul(longPi(), wide().SetInt64(2))
	q, _ := wide().Quo(x, turn).Float64()
	y := wide().Sub(x, wide().Mul(turn, wide().SetFloat64(math.Round(q))))
	y.Mul(y, y)
	sum, term := wide().SetInt64(1), wide().SetInt64(1)
	for k := range int64(60) {
		term.Mul(term, y)
		term.Quo(term, wide().SetInt64(-2*(k+1)*(2*k+1)))
		sum.Add(sum, term)
	}
	return sum
}

// longPi returns π by Machin's formula.
func longPi() *big.Float {
	arctan := func(inverse int64) *big.Float {
		x := wide().Quo(wide().SetInt64(1), wide().SetInt64(inverse))
		square := wide().Mul(x, x)
		sum := wide()
		for k := range int64(150) {
			term := wide().Quo(x, wide().SetInt64(2*k+1))
			if k%2 == 1 {
				term.Neg(term)
			}
			sum.Add(sum, term)
			x.Mul(x, square)
		}
		return sum
	}
	a := wide().Mul(arctan(5), wide().SetInt64(16))
	return a.Sub(a, wide().Mul(arctan(239), wide().SetInt64(4)))
}

// A jet is a polynomial in m numbers whose squares are 0: a coefficient for each of their subsets.
type jet[T any] []T

// calculator evaluates jets.
type calculator[T any] struct {
	*arithmetic[T]
	m int
}

func (c *calculator[T]) constant(v T) jet[T] {
	out := make(jet[T], 1<<c.m)
	for i := range out {
		out[i] = c.of(0)
	}
	out[0] = v
	return out
}

func (c *calculator[T]) plus(a, b jet[T], sign float64) jet[T] {
	out := make(jet[T], len(a))
	for i := range a {
		if sign < 0 {
			out[i] = c.sub(a[i], b[i])
		} else {
			out[i] = c.add(a[i], b[i])
		}
	}
	return out
}

func (c *calculator[T]) times(a, b jet[T]) jet[T] {
	out := c.constant(c.of(0))
	for i := range a {
		if c.zero(a[i]) {
			continue
		}
		for j := range b {
			if i&j == 0 && !c.zero(b[j]) {
				out[i|j] = c.add(out[i|j], c.mul(a[i], b[j]))
			}
		}
	}
	return out
}

// compose returns Σ derivative_k n^k/k!, n what a jet has beside its constant.
func (c *calculator[T]) compose(a jet[T], derivative func(k int) T) jet[T] {
	n := append(jet[T](nil), a...)
	n[0] = c.of(0)
	if !slices.ContainsFunc(n, func(v T) bool { return !c.zero(v) }) {
		return c.constant(derivative(0))
	}
	out, power, factorial := c.constant(derivative(0)), c.constant(c.of(1)), 1.0
	for k := 1; k <= c.m; k++ {
		power = c.times(power, n)
		factorial *= float64(k)
		out = c.plus(out, c.scale(power, c.div(derivative(k), c.of(factorial))), 1)
	}
	return out
}

func (c *calculator[T]) scale(a jet[T], v T) jet[T] {
	out := make(jet[T], len(a))
	for i := range a {
		out[i] = a[i]
		if !c.zero(a[i]) {
			out[i] = c.mul(a[i], v)
		}
	}
	return out
}

func (c *calculator[T]) expOf(a jet[T]) jet[T] {
	e := c.exp(a[0])
	return c.compose(a, func(int) T { return e })
}

func (c *calculator[T]) cosOf(a jet[T]) jet[T] {
	right := c.div(c.pi, c.of(2))
	return c.compose(a, func(k int) T { return c.cos(c.add(a[0], c.mul(right, c.of(float64(k))))) })
}

// base returns κ(v, w).
func (c *calculator[T]) base(b *proof.Base, v, w jet[T]) jet[T] {
	slope := c.scale(c.times(v, w), c.of(b.Slope))
	if b.Kind == proof.Linear {
		return c.plus(c.times(v, w), slope, 1)
	}
	return c.plus(c.profile(b, v, w), slope, 1)
}

// profile returns κ(v, w) without its linear part.
func (c *calculator[T]) profile(b *proof.Base, v, w jet[T]) jet[T] {
	t := c.plus(v, w, -1)
	one, width := c.constant(c.of(1)), c.of(b.Width)
	switch b.Kind {
	case proof.Gaussian:
		x := c.scale(t, c.div(c.of(1), width))
		return c.expOf(c.scale(c.times(x, x), c.of(-0.5)))
	case proof.Periodic:
		omega := c.div(c.mul(c.of(2), c.pi), c.of(b.Period))
		x := c.scale(t, omega)
		omega = c.mul(omega, width)
		return c.expOf(c.scale(c.plus(c.cosOf(x), one, -1), c.div(c.of(1), c.mul(omega, omega))))
	}
	if c.negative(t[0]) {
		t = c.scale(t, c.of(-1))
	}
	nu := 3.0
	if b.Kind == proof.Matern52 {
		nu = 5
	}
	r := c.scale(t, c.div(c.root(nu), width))
	p := c.plus(one, r, 1)
	if nu == 5 {
		p = c.plus(p, c.scale(c.times(r, r), c.div(c.of(1), c.of(3))), 1)
	}
	return c.times(p, c.expOf(c.scale(r, c.of(-1))))
}

// component returns k_j(x, z).
func (c *calculator[T]) component(k *proof.Component, x, z []jet[T]) jet[T] {
	one := c.constant(c.of(1))
	n, m, inner := one, one, c.constant(c.of(0))
	for _, col := range k.Masks {
		n, m = c.plus(n, x[col], -1), c.plus(m, z[col], -1)
		inner = c.plus(inner, c.times(x[col], z[col]), 1)
	}
	n = c.times(n, m)
	if k.Value >= 0 {
		n = c.times(n, c.base(&k.Base, x[k.Value], z[k.Value]))
	}
	return c.plus(n, inner, 1)
}

// evaluate returns g(x) for a statement about a model.
func evaluate[T any](a *arithmetic[T], m *proof.Model, s *statement.Statement, x []float64) T {
	sum := a.of(s.Constant)
	for k := range s.Terms {
		t := &s.Terms[k]
		at := make([]T, len(x))
		for i, v := range x {
			at[i] = a.of(v)
		}
		for _, mv := range t.Move {
			at[mv.Column] = a.add(a.mul(a.of(mv.Mul), a.of(x[mv.From])), a.of(mv.Add))
		}
		if len(t.Derive) == 0 {
			sum = a.add(sum, a.mul(a.of(t.Coef), a.of(m.Bias[t.Label])))
		}
		for i := range m.Landmarks {
			v := landmark(a, m, &m.Landmarks[i], t.Derive, at)
			sum = a.add(sum, a.mul(a.mul(a.of(t.Coef), a.of(m.Coef[i][t.Label])), v))
		}
	}
	return sum
}

// landmark returns ∂^α L k(·, z) at a point.
func landmark[T any](a *arithmetic[T], m *proof.Model, l *proof.Landmark, derive []int, at []T) T {
	c := &calculator[T]{a, len(derive) + l.Order}
	x, z := make([]jet[T], len(at)), make([]jet[T], len(at))
	for i := range at {
		x[i], z[i] = c.constant(at[i]), c.constant(a.of(l.Point[i]))
		for e, col := range derive {
			if col == i {
				x[i][1<<e] = a.of(1)
			}
		}
		for e := range l.Order {
			z[i][1<<(len(derive)+e)] = a.of(l.Tangent[i])
		}
	}
	k := make([]jet[T], len(m.Components))
	for j := range k {
		k[j] = c.component(&m.Components[j], x, z)
	}
	sum := a.of(0)
	for _, p := range m.Products {
		v := c.constant(a.of(p.Weight))
		for _, j := range p.Of {
			v = c.times(v, k[j])
		}
		sum = a.add(sum, v[len(v)-1])
	}
	return sum
}
