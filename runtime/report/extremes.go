package report

import (
	"math"
	"slices"
)

// extremes returns the largest and the median of some numbers; NaN counts as larger than all.
func extremes(values []float64) (top, median float64) {
	sorted := slices.Clone(values)
	for k, v := range sorted {
		if math.IsNaN(v) {
			sorted[k] = math.Inf(1)
		}
	}
	slices.Sort(sorted)
	n := len(sorted)
	return sorted[n-1], (sorted[(n-1)/2] + sorted[n/2]) / 2
}
