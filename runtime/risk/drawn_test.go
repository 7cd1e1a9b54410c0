package risk

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/runtime/learn"
)

// Rows that are drawn stand for the weight of all, in any unit of it. Those that bend are taken before those that do not.
func TestDrawnRowsStandForAll(t *testing.T) {
	const n, m, count = 3000, 3, 600
	for _, unit := range []float64{1e-6, 1, 1e6} {
		rng := rand.New(rand.NewPCG(2, 3))
		at, targets := &passed{sizes: make([]float64, n), scores: make([]float64, n*m)}, &learn.Targets{Weight: make([]float64, n)}
		for i := range n {
			targets.Weight[i] = unit * (0.5 + rng.Float64())
			for y := range m {
				at.scores[i*m+y] = rng.NormFloat64()
			}
			if i%10 > 0 { // nine of ten are certain
				at.scores[i*m] = 40
			}
		}
		index, weights := draw(at, targets, count, 1)
		bends := 0
		for _, i := range index {
			if i%10 == 0 {
				bends++
			}
		}
		if got, want := floats.Sum(weights), floats.Sum(targets.Weight); math.Abs(float64(len(index)-count)) > 1 || bends != n/10 || math.Abs(got/want-1) > 0.2 {
			t.Errorf("weights of %g: %d rows are drawn, %d of those that bend, with a weight of %g in place of %g", unit, len(index), bends, got, want)
		}
	}
	// Where none bends, any rows do.
	at := &passed{sizes: make([]float64, n), scores: make([]float64, n*m)}
	for i := range n {
		at.scores[i*m] = 1000
	}
	if index, weights := draw(at, &learn.Targets{}, count, 1); math.Abs(float64(len(index)-count)) > 1 || math.Abs(floats.Sum(weights)-n) > 1e-6*n {
		t.Errorf("%d rows of a weight of %g are drawn where none bends", len(index), floats.Sum(weights))
	}
}
