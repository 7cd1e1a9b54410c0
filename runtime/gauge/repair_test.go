package gauge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

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
