package risk_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/risk"
)

// A conflict has multipliers on the cuts that contradict each other alone. Where some V keeps all, the norm is that of the smallest.
func TestConflictNamesTheCutsAndTheNorm(t *testing.T) {
	rows := mat.NewDense(4, 3, []float64{
		0, 0, 5,
		1, 0, 0,
		-2, 0, 0,
		0, 1, 0,
	})
	c := &risk.Cuts{Rows: rows, Least: []float64{1, 1, -1, -3}, Margin: []float64{0, 0, 0, 0}}
	// x ≥ 1 and −2x ≥ −1.
	got := c.Conflict(0)
	if u := got.Multipliers; !(u[1] > 0 && u[2] > 0) || u[0] != 0 || u[3] != 0 || got.Norm < 1e9 {
		t.Errorf("%+v for x >= 1 and x <= 1/2", got)
	}
	// z ≥ 1/5, x ≥ 1 and x ≤ 2.
	c.Least[2] = -4
	if got, want := c.Conflict(0).Norm, math.Hypot(1, 0.2); math.Abs(got-want) > 1e-9 || got > want {
		t.Errorf("the norm is %v at least, want %v", got, want)
	}
	// Margins alone: x ≥ 0 and x ≤ 0.
	c.Least, c.Margin = []float64{-1, 0, 0, -1}, []float64{0, 0.1, 0.1, 0}
	if got := c.Conflict(0); got.Norm != 0 {
		t.Errorf("%+v where 0 keeps all", got)
	}
	if got := c.Conflict(1); got.Norm < 1e8 {
		t.Errorf("%+v where x is to be both at least 0.1 and at most -0.05", got)
	}
}

// Two directions that are nearly opposite need a large V, and do not contradict each other.
func TestNearlyOppositeCutsAreNoContradiction(t *testing.T) {
	c := &risk.Cuts{Rows: mat.NewDense(2, 2, []float64{1, 0, -1, 1e-3}), Least: []float64{1, 1}, Margin: []float64{0, 0}}
	if got := c.Conflict(0).Norm; !(got > 1900 && got < 2001) {
		t.Errorf("the norm is %v at least; V = (1, 2000) keeps both", got)
	}
}

// Cuts whose rows cancel are told apart from such that are nearly opposite, whatever else is there: the squares of rows alone lose half of the digits.
func TestCutsThatCancelContradictEachOther(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, together := range []int{2, 3, 4} {
		const dim, others = 9, 12
		rows := mat.NewDense(together+others, dim, nil)
		c := &risk.Cuts{Rows: rows, Least: make([]float64, together+others), Margin: make([]float64, together+others)}
		inside := make([]float64, dim)
		for j := range inside {
			inside[j] = rng.NormFloat64()
		}
		for i := range together + others {
			for j := range dim {
				rows.Set(i, j, rng.NormFloat64())
			}
			c.Least[i] = floats.Dot(rows.RawRowView(i), inside) - 0.01 // which inside keeps
		}
		last := rows.RawRowView(together - 1)
		clear(last)
		c.Least[together-1] = -0.2
		for i := range together - 1 {
			floats.AddScaled(last, -1-float64(i), rows.RawRowView(i))
			c.Least[together-1] -= (1 + float64(i)) * c.Least[i]
		}
		got := c.Conflict(0)
		if got.Norm > 1e4 {
			t.Errorf("%d cuts that inside keeps with their bounds: %+v", together, got)
		}
		c.Least[together-1] += 0.2 + 1e-3
		got = c.Conflict(0)
		for i, u := range got.Multipliers {
			if (u > 0) != (i < together) {
				t.Errorf("of %d cuts that cancel, cut %d has the multiplier %v", together, i, u)
			}
		}
		if got.Norm < 1e9 {
			t.Errorf("%d cuts that cancel: the norm is above %v", together, got.Norm)
		}
	}
}
