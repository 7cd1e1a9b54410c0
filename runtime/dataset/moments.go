package dataset

import "math"

// weightOf returns the weight of a row; nil means ones.
func weightOf(weight []float64, row int) float64 {
	if weight == nil {
		return 1
	}
	return weight[row]
}

// moments returns the mean and the standard deviation of a column without gaps, and how many numbers there are. A number with the
// weight w counts as w of them; nil means ones.
func moments(x, weight []float64) (mean, deviation float64, numbers int) {
	var sum, total float64
	for r, v := range x {
		if !math.IsNaN(v) {
			w := weightOf(weight, r)
			sum += w * v
			total += w
			numbers++
		}
	}
	if numbers == 0 {
		return 0, 0, 0
	}
	mean = sum / total
	var square float64
	for r, v := range x {
		if !math.IsNaN(v) {
			square += weightOf(weight, r) * (v - mean) * (v - mean)
		}
	}
	return mean, math.Sqrt(square / total), numbers
}

// extremes returns the least and the greatest number of a column, gaps left out.
func extremes(x []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range x {
		if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// whole reports whether every number of a column is one without a fraction, gaps left out.
func whole(x []float64) bool {
	for _, v := range x {
		if v != math.Trunc(v) && !math.IsNaN(v) {
			return false
		}
	}
	return true
}
