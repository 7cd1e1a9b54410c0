package gauge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawFlat draws a root whose blocks are mostly groups.
func drawFlat(t *rapid.T) *Node {
	root := &Node{Op: Norm, P: 2}
	for range rapid.IntRange(1, 4).Draw(t, "blocks") {
		switch rapid.IntRange(0, 4).Draw(t, "block") {
		case 0:
			root.Children = append(root.Children, Leaf(rapid.SampledFrom([]Op{Abs, Pos}).Draw(t, "leaf")))
		case 1:
			root.Children = append(root.Children, drawNode(t, 2))
		default:
			leaf := Leaf(rapid.SampledFrom([]Op{Abs, Pos}).Draw(t, "leaf"))
			group := Repeat(rapid.IntRange(1, 40).Draw(t, "m"), MaxOf(leaf))
			if rapid.Bool().Draw(t, "scaled") {
				group = Scaled(group, rapid.Float64Range(0.2, 4).Draw(t, "w"))
			}
			root.Children = append(root.Children, Repeat(rapid.IntRange(1, 30).Draw(t, "copies"), Hypot(group)))
		}
	}
	if err := root.Validate(); err != nil {
		t.Fatal(err)
	}
	return root
}

// recursion is Square without what flat roots have of their own.
func recursion(n *Node) *Prox {
	p := NewProx(n)
	p.flat = nil
	return p
}

func TestFlatRootsAgreeWithTheRecursion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawFlat(t)
		u := drawVector(t, n.Size(), "u")
		tau := rapid.SampledFrom([]float64{1e-3, 0.1, 1, 3, 1e3}).Draw(t, "tau")
		want, got := make([]float64, len(u)), make([]float64, len(u))
		slow, quick := recursion(n), NewProx(n)
		rho := slow.Square(want, u, tau)
		if v := quick.Square(got, u, tau); !near(v, rho, 1e-3*math.Sqrt(dot(u, u)), 1e-12) {
			t.Fatalf("%v: ρ = %v, want %v", n, v, rho)
		}
		for i := range want {
			if !near(got[i], want[i], 1, 1e-12) {
				t.Fatalf("%v: leaf %d of %v is %v, want %v", n, i, u, got[i], want[i])
			}
		}
		if a, b := quick.Active(nil), slow.Active(nil); !slices.Equal(a, b) {
			t.Fatalf("%v: active %v, want %v", n, a, b)
		}
		single(t, n, quick, u, want, rho, tau)
	})
}

func single(t *rapid.T, n *Node, p *Prox, u, want []float64, rho, tau float64) {
	u32 := make([]float32, len(u))
	narrow(u32, u)
	if v := p.Square32(u32, u32, tau); !near(v, rho, 1e-6*n.Value(u), 1e-5) {
		t.Fatalf("%v in single precision: ρ = %v, want %v", n, v, rho)
	}
	for i := range want {
		if !near(float64(u32[i]), want[i], 1, 1e-4) {
			t.Fatalf("%v in single precision: leaf %d of %v is %v, want %v", n, i, u, u32[i], want[i])
		}
	}
}

// Every way to find levels gives the same bits.
func TestLevelsAgreeBitForBit(t *testing.T) {
	ways := levelers()
	rapid.Check(t, func(t *rapid.T) {
		m, count := rapid.IntRange(2, 70).Draw(t, "m"), rapid.IntRange(1, 40).Draw(t, "groups")
		pos := rapid.Bool().Draw(t, "pos")
		n := Repeat(count, Hypot(Repeat(m, MaxOf(Leaf(map[bool]Op{false: Abs, true: Pos}[pos])))))
		u := make([]float64, n.Size())
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)) //nolint:gosec // a test
		for i := range u {
			u[i] = math.Round(8*rng.NormFloat64()) / 8 * math.Exp2(float64(rng.IntN(3)))
		}
		kappa := rapid.SampledFrom([]float64{1e-9, 0.1, 3, 1e6}).Draw(t, "kappa")
		u32 := make([]float32, len(u))
		narrow(u32, u)
		f := flatten(compile(n))
		var first []float64
		var first32 []float32
		for k := range slices.Backward(ways) {
			b, b32 := newBench(f, ways[k].double), newBench(f, ways[k].single)
			got, got32 := make([]float64, len(u)), make([]float32, len(u))
			b.square(f, got, u, kappa)
			b32.square(f, got32, u32, kappa)
			if first == nil {
				first, first32 = got, got32
			}
			if !slices.Equal(got, first) || !slices.Equal(got32, first32) {
				t.Fatalf("way %d of %d differs for %d groups of %d, κ = %v, u = %v", k, len(ways), count, m, kappa, u)
			}
		}
	})
}

func TestFlatRootsShowWhatIsNotANumber(t *testing.T) {
	for _, way := range levelers() {
		n := Repeat(20, Hypot(Repeat(3, MaxOf(Leaf(Abs)))))
		f := flatten(compile(n))
		u := make([]float64, n.Size())
		u[4] = math.NaN()
		x := make([]float64, len(u))
		if v := newBench(f, way.double).square(f, x, u, 1); !math.IsNaN(v) || !math.IsNaN(x[4]) {
			t.Errorf("ρ² = %v, t = %v", v, x)
		}
	}
}

func TestFlatRootsKeepTheirRange(t *testing.T) {
	n := Repeat(5, Hypot(Repeat(3, MaxOf(Leaf(Abs)))))
	for _, size := range []float64{0, 1e-200, 1e200} {
		u := make([]float64, n.Size())
		for i := range u {
			u[i] = size * float64(1+i%3)
		}
		p := NewProx(n)
		if got, want := p.Square(u, u, 1), n.Value(u); !near(got, n.Value(u), 0, 1e-14) || (size > 0 && !(got > 0)) {
			t.Errorf("ρ = %v, want %v", got, want)
		}
	}
}

func TestValuesOfGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawFlat(t)
		for _, c := range n.Children {
			if c.Op != Norm || c.P != 2 { // a group, or many
				continue
			}
			v := drawVector(t, c.Size(), "v")
			v[rapid.IntRange(0, len(v)-1).Draw(t, "at")] = math.Copysign(math.NaN(), float64(rapid.SampledFrom([]int{-1, 1}).Draw(t, "sign")))
			if r := c.Value(v); everyLeafCounts(c) && !math.IsNaN(r) {
				t.Fatalf("%v: ρ(%v) = %v", c, v, r)
			}
		}
	})
}

// everyLeafCounts says whether there is no Top, of which only some children count.
func everyLeafCounts(n *Node) bool {
	return n.Op != Top && !slices.ContainsFunc(n.Children, func(c *Node) bool { return !everyLeafCounts(c) })
}

func BenchmarkFlat(b *testing.B) {
	mixed := Repeat(150, Hypot(MaxOf(Repeat(4, MaxOf(Leaf(Abs)))), Repeat(6, MaxOf(Leaf(Abs))), Repeat(11, MaxOf(Leaf(Pos)))))
	mixed.Children = []*Node{Hypot(Repeat(4, MaxOf(Leaf(Abs))), Repeat(6, MaxOf(Leaf(Abs))), Repeat(11, MaxOf(Leaf(Pos))))}
	for _, c := range []struct {
		name string
		node *Node
	}{
		{"200x11", Repeat(200, Hypot(Repeat(11, MaxOf(Leaf(Abs)))))},
		{"150x4", Repeat(150, Hypot(Repeat(4, MaxOf(Leaf(Abs)))))},
		{"150x(4,6,11pos)", mixed},
		{"200x64", Repeat(200, Hypot(Repeat(64, MaxOf(Leaf(Pos)))))},
	} {
		for _, tau := range []float64{0.1, 1, 10} {
			scaled, _ := c.node.Separate((*Node).Surrogate)
			n, rows := scaled.Size(), 16
			u, t := make([]float64, n*rows), make([]float64, n)
			u32, t32 := make([]float32, n*rows), make([]float32, n)
			rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a benchmark
			for i := range u {
				u[i] = rng.NormFloat64()
			}
			narrow(u32, u)
			p := NewProx(scaled)
			at := 0
			row := func() int { at = (at + 1) % rows; return at * n }
			run := func(name string, body func()) {
				b.Run(fmt.Sprintf("%s/tau=%g/%s", c.name, tau, name), func(b *testing.B) {
					for b.Loop() {
						body()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/leaf")
				})
			}
			run("square", func() { k := row(); p.Square(t, u[k:k+n], tau) })
			if tau == 1 {
				run("value", func() { k := row(); c.node.Value(u[k : k+n]) })
				run("polar", func() { k := row(); c.node.Polar(u[k : k+n]) })
			}
			run("square32", func() { k := row(); p.Square32(t32, u32[k:k+n], tau) })
		}
	}
}
