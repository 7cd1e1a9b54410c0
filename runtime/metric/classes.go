package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// weightOf returns the weight of an example; nil means ones.
func weightOf(weight []float64, i int) float64 {
	if weight == nil {
		return 1
	}
	return weight[i]
}

// totalOf returns the sum of the weights of n examples.
func totalOf(weight []float64, n int) float64 {
	if weight == nil {
		return float64(n)
	}
	return floats.Sum(weight)
}

// ShareEqual returns the share of places at which two lists of equal length agree; NaN if they are empty. A place counts by its
// weight; nil means ones.
func ShareEqual(a, b []int, weight []float64) float64 {
	equal := 0.0
	for i := range a {
		if a[i] == b[i] {
			equal += weightOf(weight, i)
		}
	}
	return equal / totalOf(weight, len(a))
}

// majorityOf returns the most frequent class, the first of equally frequent ones.
func majorityOf(class []int, weight []float64) int {
	counts := make([]float64, slices.Max(append([]int{0}, class...))+1)
	for i, c := range class {
		if c >= 0 {
			counts[c] += weightOf(weight, i)
		}
	}
	return slices.Index(counts, slices.Max(counts))
}

// majorityShare returns the share of truth in the most frequent class of train.
func majorityShare(truth, train []int, of Weights) float64 {
	majority := majorityOf(train, of.Train)
	constant := make([]int, len(truth))
	for i := range constant {
		constant[i] = majority
	}
	return ShareEqual(truth, constant, of.Rows)
}

// surprise returns −log of a probability, which it keeps above 10⁻¹⁵, so that one confident mistake does not make a mean infinite.
func surprise(p float64) float64 { return -math.Log(math.Max(p, 1e-15)) }

// logLoss returns the mean of −log p(true class). It is NaN if a true class is unknown.
func logLoss(truth []int, probabilities *mat.Dense, weight []float64) float64 {
	var sum float64
	for i, c := range truth {
		if c < 0 {
			return math.NaN()
		}
		sum += weightOf(weight, i) * surprise(probabilities.At(i, c))
	}
	return sum / totalOf(weight, len(truth))
}

// labelLogLoss returns the mean of −log p over all n·m decisions.
func labelLogLoss(truth, probabilities *mat.Dense, weight []float64) float64 {
	n, m := truth.Dims()
	var sum float64
	for i := range n {
		for y := range m {
			p := probabilities.At(i, y)
			if truth.At(i, y) == 0 {
				p = 1 - p
			}
			sum += weightOf(weight, i) * surprise(p)
		}
	}
	return sum / (totalOf(weight, n) * float64(m))
}

// RootMeanSquareError returns the root of the mean of (y − ŷ)². A number counts by its weight; nil means ones.
func RootMeanSquareError(truth, predicted, weight []float64) float64 {
	return math.Sqrt(squareError(truth, predicted, weight) / totalOf(weight, len(truth)))
}

// squareError returns Σ (y − ŷ)².
func squareError(truth, predicted, weight []float64) float64 {
	var sum float64
	for i, y := range truth {
		sum += weightOf(weight, i) * (y - predicted[i]) * (y - predicted[i])
	}
	return sum
}

// meanAbsoluteError returns the mean of |y − ŷ|.
func meanAbsoluteError(truth, predicted, weight []float64) float64 {
	var sum float64
	for i, y := range truth {
		sum += weightOf(weight, i) * math.Abs(y-predicted[i])
	}
	return sum / totalOf(weight, len(truth))
}

// determination returns R² = 1 − Σ (y − ŷ)² / Σ (y − ȳ)²; NaN if all targets are equal.
func determination(truth, predicted, weight []float64) float64 {
	mean, all := 0.0, totalOf(weight, len(truth))
	for i, y := range truth {
		mean += weightOf(weight, i) * y / all
	}
	constant := make([]float64, len(truth))
	for i := range constant {
		constant[i] = mean
	}
	total := squareError(truth, constant, weight)
	if len(truth) < 2 || slices.Min(truth) == slices.Max(truth) {
		return math.NaN()
	}
	return 1 - squareError(truth, predicted, weight)/total
}
