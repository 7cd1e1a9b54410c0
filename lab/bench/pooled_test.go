package bench

import (
	"math"
	"testing"
)

// Pooled is the paired interval of Student for one group, and weighs groups alike.
func TestPooled(t *testing.T) {
	mean, half := Pooled([][]float64{{1, 2, 3}})
	if math.Abs(mean-2) > 1e-12 || math.Abs(half-4.302653*math.Sqrt(1.0/3)) > 1e-5 {
		t.Errorf("one group: %v ± %v", mean, half)
	}
	if mean, _ = Pooled([][]float64{{1, 2, 3}, {10, 10, 10, 10}}); math.Abs(mean-6) > 1e-12 {
		t.Errorf("two groups: %v", mean)
	}
	if mean, half = Pooled([][]float64{{0, 0}}); mean != 0 || half != 0 {
		t.Errorf("no difference: %v ± %v", mean, half)
	}
}
