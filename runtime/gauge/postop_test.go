package gauge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// pairwise is max_{a<b} [t_a + t_b]₊, written out.
func pairwise(t []float64) float64 {
	most := 0.0
	for a := range t {
		for b := range a {
			most = max(most, t[a]+t[b])
		}
	}
	return most
}

func TestPosTopIsTheLargestOfAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(2, 9).Draw(t, "m")
		n := PosTopOf(2, m)
		x := drawVector(t, m, "x")
		if got, want := n.Value(x), pairwise(x); got != want {
			t.Fatalf("ρ(%v) = %v, the pairs say %v", x, got, want)
		}
		// A combination of pairs has the sum of its weights for its polar; no one has less.
		c, weights := make([]float64, m), 0.0
		for range rapid.IntRange(0, 6).Draw(t, "pairs") {
			a := rapid.IntRange(0, m-1).Draw(t, "a")
			b := (a + rapid.IntRange(1, m-1).Draw(t, "b")) % m
			w := rapid.Float64Range(0, 2).Draw(t, "w")
			c[a] += w
			c[b] += w
			weights += w
		}
		if got := n.Polar(c); !near(got, weights, 0, 1e-13) {
			t.Fatalf("ρ°(%v) = %v, want %v", c, got, weights)
		}
	})
}

// The face is found by walking; here the least of the objective over many points must not lie below.
func TestPosTopProxBeatsRandomPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawPosTop(t)
		u := drawVector(t, n.Size(), "u")
		tau := rapid.SampledFrom([]float64{0.01, 1, 100}).Draw(t, "tau")
		x := make([]float64, len(u))
		n.ProxSquare(x, u, tau)
		objective := func(t []float64) float64 {
			d, v := minus(t, u), n.Value(t)
			return dot(d, d)/2 + tau/2*v*v
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)) //nolint:gosec // a test
		best := objective(x)
		for k := range 50 {
			y := slices.Clone(x)
			for i := range y {
				y[i] += rng.NormFloat64() * math.Exp2(-float64(k%20))
			}
			if v := objective(y); v < best-1e-12*(1+best) {
				t.Fatalf("%v at %v, τ = %v: %v has %v, %v has %v", n, u, tau, x, best, y, v)
			}
		}
	})
}

func TestRepairMovesOnlyWhatIsOutside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawGauge(t)
		c := drawVector(t, n.Size(), "c")
		if !math.IsInf(n.Polar(c), 1) {
			if out := repaired(t, n, c, 0); !slices.Equal(out, c) {
				t.Fatalf("%v: %v is inside and becomes %v", n, c, out)
			}
			return
		}
		n.Repair(c)
		if math.IsInf(n.Polar(c), 1) {
			t.Fatalf("%v: ρ°(%v) is infinite, repaired", n, c)
		}
	})
}

// The multipliers that a solver makes of a proximal point have a finite polar without repair, in both precisions.
func TestProxLeavesFinitePolars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawFlat(t)
		if rapid.Bool().Draw(t, "nested") {
			n = drawGauge(t)
		}
		if fullPosTop(n) {
			t.Skip("a PosTop of all leaves wants all multipliers to be equal")
		}
		u := make([]float64, n.Size())
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)) //nolint:gosec // a test
		for i := range u {
			u[i] = rng.NormFloat64()
		}
		u32, t32, t64 := make([]float32, len(u)), make([]float32, len(u)), make([]float64, len(u))
		narrow(u32, u)
		tau, beta := rapid.SampledFrom([]float64{0.1, 1, 10}).Draw(t, "tau"), rapid.Float64Range(0.1, 10).Draw(t, "beta")
		p := NewProx(n)
		p.Square(t64, u, tau)
		p.Square32(t32, u32, tau)
		c, c32 := make([]float64, len(u)), make([]float64, len(u))
		for i := range u {
			c[i] = beta * 0.7 * (u[i] - t64[i])
			c32[i] = beta * 0.7 * (float64(u32[i]) - float64(t32[i]))
		}
		if math.IsInf(n.Polar(c), 1) || math.IsInf(n.Polar(c32), 1) {
			t.Fatalf("%v, τ = %v: polars %v and %v at %v\nu = %v", n, tau, n.Polar(c), n.Polar(c32), c, u)
		}
	})
}

func fullPosTop(n *Node) bool {
	return (n.Op == PosTop && n.K == n.count()) || slices.ContainsFunc(n.Children, fullPosTop)
}
