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

// long has 200 bits.
var long = digits(200).arithmetic()

// wide returns the number 0 of 200 bits.
func wide() *big.Float { return digits(200).of(0) }

// digits are bits of a number.
type digits uint

func (d digits) of(v float64) *big.Float { return new(big.Float).SetPrec(uint(d)).SetFloat64(v) }

// arithmetic returns that of so many bits.
func (d digits) arithmetic() *arithmetic[*big.Float] {
	of := func() *big.Float { return d.of(0) }
	pi := d.pi()
	return &arithmetic[*big.Float]{
		of:  d.of,
		add: func(a, b *big.Float) *big.Float { return of().Add(a, b) }, sub: func(a, b *big.Float) *big.Float { return of().Sub(a, b) },
		mul: func(a, b *big.Float) *big.Float { return of().Mul(a, b) }, div: func(a, b *big.Float) *big.Float { return of().Quo(a, b) },
		exp: d.exp, cos: func(x *big.Float) *big.Float { return d.cos(x, pi) }, root: func(v float64) *big.Float { return of().Sqrt(d.of(v)) },
		pi: pi, negative: func(a *big.Float) bool { return a.Sign() < 0 }, zero: func(a *big.Float) bool { return a.Sign() == 0 },
	}
}

// exp returns e^x by the series of x/2⁴⁰, squared forty times, with guard bits. Below e^−2²⁸ it returns 0.
func (d digits) exp(x *big.Float) *big.Float {
	if x.Cmp(d.of(-0x1p28)) < 0 {
		return d.of(0)
	}
	guard := uint(d) + 80
	y := new(big.Float).SetPrec(guard).SetMantExp(x, -40)
	sum, term := new(big.Float).SetPrec(guard).SetInt64(1), new(big.Float).SetPrec(guard).SetInt64(1)
	for k := range int64(d/12 + 8) {
		term.Mul(term, y)
		term.Quo(term, new(big.Float).SetInt64(k+1))
		sum.Add(sum, term)
	}
	for range 40 {
		sum.Mul(sum, sum)
	}
	return d.of(0).Set(sum)
}

// cos returns cos x by its series after 2π has been taken off.
func (d digits) cos(x, pi *big.Float) *big.Float {
	turn := d.of(0).Mul(pi, d.of(2))
	q, _ := d.of(0).Add(d.of(0).Quo(x, turn), d.of(0.5)).Int(nil)
	y := d.of(0).Sub(x, d.of(0).Mul(turn, d.of(0).SetInt(q)))
	y.Mul(y, y)
	sum, term := d.of(1), d.of(1)
	for k := range int64(40 + d/8) {
		term.Mul(term, y)
		term.Quo(term, d.of(0).SetInt64(-2*(k+1)*(2*k+1)))
		sum.Add(sum, term)
	}
	return sum
}

// pi returns π by Machin's formula.
func (d digits) pi() *big.Float {
	arctan := func(inverse int64) *big.Float {
		x := d.of(0).Quo(d.of(1), d.of(0).SetInt64(inverse))
		square := d.of(0).Mul(x, x)
		sum := d.of(0)
		for k := range int64(d) {
			term := d.of(0).Quo(x, d.of(0).SetInt64(2*k+1))
			if k%2 == 1 {
				term.Neg(term)
			}
			sum.Add(sum, term)
			x.Mul(x, square)
		}
		return sum
	}
	a := d.of(0).Mul(arctan(5), d.of(16))
	return a.Sub(a, d.of(0).Mul(arctan(239), d.of(4)))
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
func (c *calculator[T]) component(k *proof.Component, x, z map[int]jet[T]) jet[T] {
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
	return evaluateBy(a, m, s, x, func(term, i int, at []T) T {
		return meet(a, m, &m.Landmarks[i], tangents(s.Terms[term].Derive, len(at)), at)
	})
}

// evaluateBy returns g(x), by a function for ∂^α L_i k(·, z_i) of a term at a point.
func evaluateBy[T any](a *arithmetic[T], m *proof.Model, s *statement.Statement, x []float64, kernel func(term, i int, at []T) T) T {
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
			sum = a.add(sum, a.mul(a.mul(a.of(t.Coef), a.of(m.Coef[i][t.Label])), kernel(k, i, at)))
		}
	}
	return sum
}

// A memo keeps the factors of a statement's terms with all landmarks at the coordinates that it has met.
type memo struct {
	m    *proof.Model
	s    *statement.Statement
	kept map[place][]jet[float64]
}

// A place is a component of a term at values of its columns, of which there are at most two.
type place struct {
	term, component int
	x               [2]float64
}

// value returns g(x).
func (k *memo) value(x []float64) float64 {
	factors := make([]jet[float64], len(k.m.Components))
	var all [][]jet[float64]
	return evaluateBy(double, k.m, k.s, x, func(term, i int, at []float64) float64 {
		if i == 0 {
			all = k.factors(term, at)
		}
		for j, of := range all {
			factors[j] = of[i]
		}
		c := &calculator[float64]{double, len(k.s.Terms[term].Derive) + k.m.Landmarks[i].Order}
		return c.together(k.m, factors)
	})
}

// factors returns those of all components with all landmarks.
func (k *memo) factors(term int, at []float64) (all [][]jet[float64]) {
	for j := range k.m.Components {
		key := place{term: term, component: j}
		for i, c := range columnsOf(&k.m.Components[j]) {
			key.x[i] = at[c]
		}
		if k.kept[key] == nil {
			along := tangents(k.s.Terms[term].Derive, len(at))
			for i := range k.m.Landmarks {
				l := &k.m.Landmarks[i]
				c := &calculator[float64]{double, len(along) + l.Order}
				k.kept[key] = append(k.kept[key], c.factor(k.m, l, j, along, at))
			}
		}
		all = append(all, k.kept[key])
	}
	return all
}

// tangents returns unit vectors along columns.
func tangents(columns []int, p int) (along [][]float64) {
	for _, c := range columns {
		along = append(along, make([]float64, p))
		along[len(along)-1][c] = 1
	}
	return along
}

// meet returns L k(·, z), differentiated along tangents at a point.
func meet[T any](a *arithmetic[T], m *proof.Model, l *proof.Landmark, along [][]float64, at []T) T {
	c := &calculator[T]{a, len(along) + l.Order}
	k := make([]jet[T], len(m.Components))
	for j := range k {
		k[j] = c.factor(m, l, j, along, at)
	}
	return c.together(m, k)
}

// factor returns component j of L k(·, z), differentiated along tangents at a point.
func (c *calculator[T]) factor(m *proof.Model, l *proof.Landmark, j int, along [][]float64, at []T) jet[T] {
	k := &m.Components[j]
	x, z := map[int]jet[T]{}, map[int]jet[T]{}
	for _, i := range columnsOf(k) {
		x[i], z[i] = c.constant(at[i]), c.constant(c.of(l.Point[i]))
		for e, t := range along {
			x[i][1<<e] = c.of(t[i])
		}
		for e := range l.Order {
			z[i][1<<(len(along)+e)] = c.of(l.Tangent[i])
		}
	}
	return c.component(k, x, z)
}

func columnsOf(k *proof.Component) []int {
	if k.Value < 0 {
		return k.Masks
	}
	return append([]int{k.Value}, k.Masks...)
}

// together returns the derivative by all numbers of the sum of products of factors.
func (c *calculator[T]) together(m *proof.Model, k []jet[T]) T {
	sum := c.of(0)
	for _, p := range m.Products {
		v := c.constant(c.of(p.Weight))
		for _, j := range p.Of {
			v = c.times(v, k[j])
		}
		sum = c.add(sum, v[len(v)-1])
	}
	return sum
}

// norm returns ‖Σ_y weight_y f_y‖ without biases, the root of aᵀKa.
func norm(m *proof.Model, weight []float64) float64 {
	sum := 0.0
	coef := make([]float64, len(m.Landmarks))
	for i, row := range m.Coef {
		for y, w := range weight {
			coef[i] += w * row[y]
		}
	}
	for i := range m.Landmarks {
		l := &m.Landmarks[i]
		var along [][]float64
		for range l.Order {
			along = append(along, l.Tangent)
		}
		for k := range m.Landmarks {
			sum += coef[i] * coef[k] * meet(double, m, &m.Landmarks[k], along, l.Point)
		}
	}
	return math.Sqrt(max(sum, 0))
}
