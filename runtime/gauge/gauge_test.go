package gauge

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawNode draws a tree.
func drawNode(t *rapid.T, depth int) *Node {
	kinds := 7
	if depth == 0 {
		kinds = 2
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return Leaf(Abs)
	case 1:
		return Leaf(Pos)
	case 2:
		return drawChildren(t, &Node{Op: Max}, depth)
	case 3:
		return drawChildren(t, &Node{Op: Sum}, depth)
	case 4:
		p := rapid.SampledFrom([]float64{2, 2, 3, 1.5, 1.2, 2.7, 8, 1.001, 1 + 1e-7, 40, 1e4, 1e9}).Draw(t, "p")
		return drawChildren(t, &Node{Op: Norm, P: p}, depth)
	}
	return drawChildren(t, &Node{Op: Top, K: rapid.IntRange(1, 3).Draw(t, "k")}, depth)
}

// repaired is c where the polar is finite; it is not far away.
func repaired(t *rapid.T, n *Node, c []float64, tol float64) []float64 {
	out := slices.Clone(c)
	n.Repair(out)
	for i := range c {
		if math.Abs(out[i]-c[i]) > tol {
			t.Fatalf("%v: repair moves %v to %v", n, c, out)
		}
	}
	return out
}

func drawChildren(t *rapid.T, n *Node, depth int) *Node {
	m := rapid.IntRange(1, 4).Draw(t, "children")
	if rapid.Bool().Draw(t, "repeat") {
		n.Repeat = m
		n.Children = []*Node{drawNode(t, depth-1)}
	} else {
		for range m {
			n.Children = append(n.Children, drawNode(t, depth-1))
		}
	}
	if rapid.Bool().Draw(t, "weighted") {
		for range m {
			n.Weights = append(n.Weights, rapid.Float64Range(0.2, 4).Draw(t, "w"))
		}
	}
	return n
}

// drawVector draws numbers among which ties, zeros and large ratios occur.
func drawVector(t *rapid.T, n int, name string) []float64 {
	x := make([]float64, n)
	for i := range x {
		switch rapid.IntRange(0, 9).Draw(t, "case") {
		case 0:
			x[i] = 0
		case 1:
			x[i] = float64(rapid.IntRange(-2, 2).Draw(t, name))
		case 2:
			x[i] = 1e-6 * rapid.Float64Range(-1, 1).Draw(t, name)
		default:
			x[i] = rapid.Float64Range(-3, 3).Draw(t, name)
		}
		if math.Abs(x[i]) < 1e-12 {
			x[i] = 0
		}
	}
	return x
}

func drawGauge(t *rapid.T) *Node {
	n := drawNode(t, rapid.IntRange(0, 3).Draw(t, "depth"))
	if err := n.Validate(); err != nil {
		t.Fatal(err)
	}
	return n
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func minus(a, b []float64) []float64 {
	out := slices.Clone(a)
	for i := range b {
		out[i] -= b[i]
	}
	return out
}

func scaledBy(a []float64, f float64) []float64 {
	out := slices.Clone(a)
	for i := range out {
		out[i] *= f
	}
	return out
}

// positive is u without what one-sided leaves do not see.
func positive(n *Node, u []float64) []float64 {
	t := make([]float64, len(u))
	NewProx(n).Project(t, u, 0)
	return minus(u, t)
}

func near(a, b, scale, tol float64) bool {
	return math.Abs(a-b) <= tol*(math.Abs(a)+math.Abs(b)+scale)
}

func TestGaugeIsSublinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawGauge(t)
		x, y := drawVector(t, n.Size(), "x"), drawVector(t, n.Size(), "y")
		f := rapid.Float64Range(0, 5).Draw(t, "f")
		vx, vy := n.Value(x), n.Value(y)
		if vx < 0 || !near(n.Value(scaledBy(x, f)), f*vx, 0, 1e-13) {
			t.Fatalf("%v: ρ(%g x) = %v, %g ρ(x) = %v", n, f, n.Value(scaledBy(x, f)), f, f*vx)
		}
		sum := minus(x, scaledBy(y, -1))
		if n.Value(sum) > (vx+vy)*(1+1e-13) {
			t.Fatalf("%v: ρ(x+y) = %v > %v", n, n.Value(sum), vx+vy)
		}
		if n.Symmetric() && !near(n.Value(scaledBy(x, -1)), vx, 0, 1e-14) {
			t.Fatalf("%v is not symmetric", n)
		}
	})
}

func TestSubgradientAttainsDuality(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawGauge(t)
		x, y := drawVector(t, n.Size(), "x"), drawVector(t, n.Size(), "y")
		g := make([]float64, n.Size())
		n.Subgradient(g, x)
		if p := n.Polar(g); p > 1+1e-12 {
			t.Fatalf("%v: ρ°(g) = %v", n, p)
		}
		if !near(dot(g, x), n.Value(x), 0, 1e-12) {
			t.Fatalf("%v: ⟨g, x⟩ = %v, ρ(x) = %v", n, dot(g, x), n.Value(x))
		}
		if polar := n.Polar(y); dot(x, y) > n.Value(x)*polar*(1+1e-12)+1e-12 {
			t.Fatalf("%v: ⟨x, y⟩ = %v > ρρ° = %v", n, dot(x, y), n.Value(x)*polar)
		}
	})
}

// The polar of the polar is the gauge: the largest ⟨c, t⟩ over ρ°(c) ≤ 1 is ρ(t), attained where Subgradient says. Here the
// polar's own supremum over random t is compared.
func TestPolarIsSharp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawGauge(t)
		c := drawVector(t, n.Size(), "c")
		polar := n.Polar(c)
		if math.IsInf(polar, 1) {
			if n.Symmetric() {
				t.Fatalf("%v: ρ°(%v) is infinite", n, c)
			}
			n.Repair(c)
			if polar = n.Polar(c); math.IsInf(polar, 1) {
				t.Fatalf("%v: ρ°(%v) is infinite, repaired", n, c)
			}
		}
		if polar == 0 {
			return
		}
		// c/ρ° is a subgradient somewhere: at the projection of a far multiple of c on the unit ball.
		p := NewProx(n)
		far := scaledBy(c, 1e3/polar)
		q := make([]float64, n.Size())
		p.Project(q, far, 1e-3)
		if got := dot(c, q) / n.Value(q); !near(got, polar, 0, 1e-3) {
			t.Fatalf("%v: ⟨c, t⟩/ρ(t) = %v, ρ°(c) = %v", n, got, polar)
		}
	})
}

func TestProxSquareIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawGauge(t)
		u, v := drawVector(t, n.Size(), "u"), drawVector(t, n.Size(), "v")
		tau := rapid.SampledFrom([]float64{1e-3, 0.1, 1, 3, 1e3}).Draw(t, "tau")
		p := NewProx(n)
		x, y := make([]float64, n.Size()), make([]float64, n.Size())
		rho := p.Square(x, u, tau)
		c := scaledBy(minus(u, x), 1/tau)
		scale := n.Value(u) + 1e-3*math.Sqrt(dot(u, u))
		if !near(rho, n.Value(x), scale, 1e-13) {
			t.Fatalf("%v: the prox says ρ = %v, it is %v", n, rho, n.Value(x))
		}
		// The subgradient inclusion c ∈ ρ(x) ∂ρ(x).
		tol := 1e-12 * math.Max(1, 1/tau)
		c = repaired(t, n, c, tol*(1+scale))
		if polar := n.Polar(c); !near(polar, rho, scale, tol) {
			t.Fatalf("%v: ρ°(c) = %v, ρ(t) = %v\nu %v\nt %v", n, polar, rho, u, x)
		}
		if !near(dot(c, x), rho*rho, scale*scale+1e-3*dot(u, u), tol) {
			t.Fatalf("%v: ⟨c, t⟩ = %v, ρ² = %v\nu %v\nt %v", n, dot(c, x), rho*rho, u, x)
		}
		p.Square(y, v, tau)
		dx, du := minus(x, y), minus(u, v)
		if dot(dx, dx) > dot(dx, du)*(1+1e-9)+1e-13 {
			t.Fatalf("%v: not firmly nonexpansive: %v > %v", n, dot(dx, dx), dot(dx, du))
		}
	})
}

func TestScaleAndProjectAreMoreau(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawGauge(t)
		u := drawVector(t, n.Size(), "u")
		p := NewProx(n)
		x, y := make([]float64, n.Size()), make([]float64, n.Size())
		level := n.Value(u) * rapid.Float64Range(0, 1.2).Draw(t, "level")
		if level < 1e-3*n.Value(u) { // the multiplier of a small level is only as sharp as u
			level = 0
		}
		lam := p.Project(x, u, level)
		if v := n.Value(x); v > level+1e-12*(1+level) {
			t.Fatalf("%v: projected on %v, ρ = %v", n, level, v)
		}
		c := repaired(t, n, minus(u, x), 1e-12)
		most := repaired(t, n, positive(n, u), 1e-12)
		if polar := n.Polar(c); !near(polar, lam, n.Value(u)+n.Polar(most)+1e-5*math.Sqrt(dot(u, u)), 1e-10) {
			t.Fatalf("%v: multiplier %v, ρ°(u−t) = %v", n, lam, polar)
		}
		if !near(dot(c, x), lam*n.Value(x), dot(u, u), 1e-10) {
			t.Fatalf("%v: ⟨u−t, t⟩ = %v, λρ = %v", n, dot(c, x), lam*n.Value(x))
		}
		if lam == 0 || level == 0 {
			return
		}
		p.Scale(y, u, lam)
		for i := range x {
			if !near(x[i], y[i], 1, 1e-9) {
				t.Fatalf("%v: projection %v, prox of λρ %v", n, x, y)
			}
		}
	})
}

// Flat nodes in closed form against the generic recursion, to which one more level of nesting leads.
func TestFlatNodesAgreeWithTheRecursion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flat := drawChildren(t, &Node{Op: rapid.SampledFrom([]Op{Max, Sum, Norm, Top}).Draw(t, "op"), P: 2, K: 2}, 1)
		for i := range flat.Children {
			flat.Children[i] = Leaf(rapid.SampledFrom([]Op{Abs, Pos}).Draw(t, "leaf"))
		}
		deep := *flat
		deep.Children = nil
		for _, c := range flat.Children {
			deep.Children = append(deep.Children, NormOf(3.7, MaxOf(c)))
		}
		u := drawVector(t, flat.Size(), "u")
		a, b := make([]float64, len(u)), make([]float64, len(u))
		flat.ProxSquare(a, u, 0.7)
		deep.ProxSquare(b, u, 0.7)
		for i := range a {
			if !near(a[i], b[i], 1, 1e-12) {
				t.Fatalf("%v: %v, %v: %v", flat, a, &deep, b)
			}
		}
	})
}

func TestProxSquareMayOverwriteItsArgument(t *testing.T) {
	n := SumOf(MaxOf(Leaf(Abs), Leaf(Pos)), NormOf(3, Leaf(Abs), Leaf(Abs)))
	u := []float64{1, -2, 0.5, 3}
	want := make([]float64, 4)
	n.ProxSquare(want, u, 0.3)
	n.ProxSquare(u, u, 0.3)
	if !slices.Equal(want, u) {
		t.Fatalf("%v in place, %v apart", u, want)
	}
}

func TestProxDoesNotAllocate(t *testing.T) {
	for _, n := range []*Node{
		Repeat(50, Hypot(Repeat(4, MaxOf(Leaf(Abs))))),
		Repeat(4, MaxOf(Repeat(20, Hypot(Leaf(Abs))))),
		Repeat(20, TopOf(5, Repeat(3, NormOf(3, Leaf(Pos))))),
	} {
		u, x := make([]float64, n.Size()), make([]float64, n.Size())
		for i := range u {
			u[i] = math.Sin(float64(i) * 1.7)
		}
		p := NewProx(n)
		p.Square(x, u, 0.5)
		if got := testing.AllocsPerRun(10, func() { p.Square(x, u, 0.5) }); got > 0 {
			t.Errorf("%v: %v allocations a call", n, got)
		}
	}
}

func TestQuadratic(t *testing.T) {
	n := Weighted(Hypot(Weighted(Repeat(2, Hypot(Leaf(Abs))), 2, 3), Scaled(Leaf(Abs), 5)), 0.5, 2)
	w, ok := n.Quadratic()
	if want := []float64{1, 2.25, 100}; !ok || !slices.Equal(w, want) {
		t.Fatalf("%v: weights %v, want %v", n, w, want)
	}
	for _, n := range []*Node{Hypot(Leaf(Pos)), MaxOf(Leaf(Abs), Leaf(Abs)), NormOf(3, Leaf(Abs), Leaf(Abs))} {
		if _, ok := n.Quadratic(); ok {
			t.Errorf("%v counts as quadratic", n)
		}
	}
}

func TestMajorantIsAbove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawGauge(t)
		m, u := make([]float64, n.Size()), drawVector(t, n.Size(), "u")
		n.Majorant(m)
		rho, above := n.Value(u), 0.0
		for j, v := range u {
			above += m[j] * v * v
		}
		if rho*rho > above*(1+1e-12) {
			t.Fatalf("%v: ρ² is %v, and its majorant %v", n, rho*rho, above)
		}
	})
}

// A majorant touches the square of a norm: at one number of a maximum, at equal numbers of a sum.
func TestMajorantTouches(t *testing.T) {
	one, equal := []float64{2, 0, 0, 0}, []float64{2, 2, 2, 2}
	abs := []*Node{Leaf(Abs), Leaf(Abs), Leaf(Abs), Leaf(Abs)}
	for _, c := range []struct {
		node *Node
		at   []float64
	}{{MaxOf(abs...), one}, {NormOf(3, abs...), one}, {NormOf(2, abs...), one}, {NormOf(1.5, abs...), equal}, {NormOf(1, abs...), equal}} {
		m, above := make([]float64, 4), 0.0
		c.node.Majorant(m)
		for j, v := range c.at {
			above += m[j] * v * v
		}
		if rho := c.node.Value(c.at); !near(rho*rho, above, above, 1e-12) {
			t.Errorf("%v: ρ² is %v, and its majorant %v", c.node, rho*rho, above)
		}
	}
}

func TestSeparateKeepsTheProx(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawGauge(t)
		scaled, w := n.Separate(rapid.SampledFrom([]func(*Node, []float64){(*Node).Surrogate, (*Node).Majorant}).Draw(t, "form"))
		if err := scaled.Validate(); err != nil {
			t.Fatalf("%v: %v", n, err)
		}
		u := drawVector(t, n.Size(), "u")
		beta := 0.8
		x, c := make([]float64, len(u)), make([]float64, len(u))
		scaled.ProxSquare(x, u, 1/beta)
		for i := range c {
			c[i] = beta * w[i] * (u[i] - x[i])
		}
		c = repaired(t, n, c, 1e-9*(1+n.Value(u)))
		rho := n.Value(x)
		if !near(n.Polar(c), rho, n.Value(u)+1e-3*math.Sqrt(dot(u, u)), 1e-9) || !near(dot(c, x), rho*rho, n.Value(u)*n.Value(u), 1e-9) {
			t.Fatalf("%v, scaled %v, metric %v: ρ %v, ρ° %v, ⟨c, t⟩ %v", n, scaled, w, rho, n.Polar(c), dot(c, x))
		}
	})
}

func TestValidateNamesTheFault(t *testing.T) {
	for _, c := range []struct {
		node *Node
		want string
	}{
		{nil, "nil"},
		{MaxOf(), "no child"},
		{MaxOf(nil), "nil"},
		{NormOf(1, Leaf(Abs)), "exponent"},
		{NormOf(math.Inf(1), Leaf(Abs)), "exponent"},
		{NormOf(math.NaN(), Leaf(Abs)), "exponent"},
		{TopOf(0, Leaf(Abs)), "count"},
		{&Node{Op: 17, Children: []*Node{Leaf(Abs)}}, "unknown"},
		{Weighted(MaxOf(Leaf(Abs)), 1, 2), "2 weights for 1"},
		{Weighted(MaxOf(Leaf(Abs)), -1), "positive"},
		{Weighted(MaxOf(Leaf(Abs)), math.NaN()), "positive"},
		{Repeat(2, MaxOf(Leaf(Abs), Leaf(Pos))), "2 children"},
		{&Node{Op: Abs, Children: []*Node{Leaf(Abs)}}, "leaf"},
		{Repeat(1<<20, MaxOf(Repeat(1<<20, MaxOf(Leaf(Abs))))), "more than"},
	} {
		if err := c.node.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q in it", c.node, err, c.want)
		}
	}
}

func TestText(t *testing.T) {
	n := Hypot(Scaled(Repeat(3, MaxOf(Leaf(Abs))), 0.5), TopOf(2, Leaf(Pos), NormOf(3, Leaf(Abs))))
	if got, want := n.String(), "hypot(max(0.5·|·| ×3), top[2]([·]₊, norm[3](|·|)))"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
