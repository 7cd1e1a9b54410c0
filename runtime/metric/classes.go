package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// ShareEqual returns the share of places at which two lists of equal length agree; NaN if they are empty.
func ShareEqual(a, b []int) float64 {
	equal := 0
	for i := range a {
		if a[i] == b[i] {
			equal++
		}
	}
	return float64(equal) / float64(len(a))
}

// majorityShare returns the share of truth in the most frequent class of train, the first of equally frequent ones.
func majorityShare(truth, train []int) float64 {
	counts := make([]int, slices.Max(append([]int{0}, train...))+1)
	for _, c := range train {
		if c >= 0 {
			counts[c]++
		}
	}
	majority := slices.Index(counts, slices.Max(counts))
	constant := make([]int, len(truth))
	for i := range constant {
		constant[i] = majority
	}
	return ShareEqual(truth, constant)
}

// logLoss returns the mean of −log p(true class). It keeps p above 10⁻¹⁵, so that one confident mistake does not make
// it infinite. It is NaN if a true class is unknown.
func logLoss(truth []int, probabilities *mat.Dense) float64 {
	var sum float64
	for i, c := range truth {
		if c < 0 {
			return math.NaN()
		}
		sum -= math.Log(math.Max(probabilities.At(i, c), 1e-15))
	}
	return sum / float64(len(truth))
}

// labelLogLoss returns the mean of −log p over all n·m decisions.
func labelLogLoss(truth, probabilities *mat.Dense) float64 {
	n, m := truth.Dims()
	var sum float64
	for i := range n {
		for y := range m {
			p := probabilities.At(i, y)
			if truth.At(i, y) == 0 {
				p = 1 - p
			}
			sum -= math.Log(math.Max(p, 1e-15))
		}
	}
	return sum / float64(n*m)
}

// RootMeanSquareError returns the root of the mean of (y − ŷ)².
func RootMeanSquareError(truth, predicted []float64) float64 {
	return math.Sqrt(squareError(truth, predicted) / float64(len(truth)))
}

// squareError returns Σ (y − ŷ)².
func squareError(truth, predicted []float64) float64 {
	var sum float64
	for i, y := range truth {
		sum += (y - predicted[i]) * (y - predicted[i])
	}
	return sum
}

// meanAbsoluteError returns the mean of |y − ŷ|.
func meanAbsoluteError(truth, predicted []float64) float64 {
	var sum float64
	for i, y := range truth {
		sum += math.Abs(y - predicted[i])
	}
	return sum / float64(len(truth))
}

// determination returns R² = 1 − Σ (y − ŷ)² / Σ (y − ȳ)²; NaN if all targets are equal.
func determination(truth, predicted []float64) float64 {
	var mean float64
	for _, y := range truth {
		mean += y / float64(len(truth))
	}
	constant := make([]float64, len(truth))
	for i := range constant {
		constant[i] = mean
	}
	total := squareError(truth, constant)
	if len(truth) < 2 || slices.Min(truth) == slices.Max(truth) {
		return math.NaN()
	}
	return 1 - squareError(truth, predicted)/total
}
