package dataset

import "math"

// moments returns the mean and the standard deviation of a column without gaps, and how many numbers there are.
func moments(x []float64, stride, n int) (mean, deviation float64, numbers int) {
	var sum float64
	for r := range n {
		if v := x[r*stride]; !math.IsNaN(v) {
			sum += v
			numbers++
		}
	}
	if numbers == 0 {
		return 0, 0, 0
	}
	mean = sum / float64(numbers)
	var square float64
	for r := range n {
		if v := x[r*stride]; !math.IsNaN(v) {
			square += (v - mean) * (v - mean)
		}
	}
	return mean, math.Sqrt(square / float64(numbers)), numbers
}

// extremes returns the least and the greatest number of a column, gaps left out.
func extremes(x []float64, stride, n int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for r := range n {
		if v := x[r*stride]; !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}
