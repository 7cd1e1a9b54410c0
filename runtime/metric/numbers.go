package metric

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// Numbers measures predicted numbers. A number counts by its weight; nil means ones.
func Numbers(truth, predicted, weight []float64) Figures {
	return Figures{
		{RMSE, RootMeanSquareError(truth, predicted, weight)}, {MAE, meanAbsoluteError(truth, predicted, weight)}, {R2, determination(truth, predicted, weight)},
	}
}

// Counts measures predicted rates of counts. A count counts by its weight; nil means ones.
func Counts(truth, rates, weight []float64) Figures {
	return append(Figures{{Deviance, PoissonDeviance(truth, rates, weight)}}, Numbers(truth, rates, weight)...)
}

// PoissonDeviance returns the mean of [DevianceOf]. A count counts by its weight; nil means ones.
func PoissonDeviance(truth, rates, weight []float64) float64 {
	var sum float64
	for i, t := range truth {
		sum += weightOf(weight, i) * DevianceOf(t, rates[i])
	}
	return sum / totalOf(weight, len(truth))
}

// DevianceOf returns 2(t log(t/μ) − t + μ) of a count t and a rate μ, which is 0 where they are equal.
func DevianceOf(count, rate float64) float64 {
	if count == 0 {
		return 2 * rate
	}
	return math.Max(0, 2*(count*math.Log(count/rate)-count+rate))
}

// Quantiles measures predicted quantiles (n×m) at m levels, ascending. A number counts by its weight; nil means ones. Behind the figures
// of all levels stands the coverage of each: the share of the numbers that are not above its quantile.
func Quantiles(truth, levels []float64, predicted *mat.Dense, weight []float64) Figures {
	total := totalOf(weight, len(truth))
	covered, crossed := make([]float64, len(levels)), 0.0
	for i, t := range truth {
		row, w := predicted.RawRowView(i), weightOf(weight, i)
		for k, v := range row {
			if t <= v {
				covered[k] += w
			}
		}
		if crosses(row) {
			crossed += w
		}
	}
	off := 0.0
	for k, q := range levels {
		off += math.Abs(covered[k]/total-q) / float64(len(levels))
	}
	out := Figures{{Pinball, PinballLoss(truth, levels, predicted, weight)}, {CoverageError, off}, {Crossing, crossed / total}}
	for k, q := range levels {
		out = append(out, Figure{CoverageOf + strconv.FormatFloat(q, 'g', -1, 64), covered[k] / total})
	}
	return out
}

// crosses reports whether a quantile lies above that of a higher level.
func crosses(quantiles []float64) bool { return !slices.IsSorted(quantiles) }

// PinballLoss returns the mean of [PinballOf]. A number counts by its weight; nil means ones.
func PinballLoss(truth, levels []float64, predicted *mat.Dense, weight []float64) float64 {
	var sum float64
	for i, t := range truth {
		sum += weightOf(weight, i) * PinballOf(t, levels, predicted.RawRowView(i))
	}
	return sum / totalOf(weight, len(truth))
}

// PinballOf returns the mean over the levels q of max(q (t − s), (q − 1)(t − s)), for a number t and its quantiles s.
func PinballOf(truth float64, levels, predicted []float64) float64 {
	var sum float64
	for k, q := range levels {
		off := truth - predicted[k]
		sum += math.Max(q*off, (q-1)*off)
	}
	return sum / float64(len(levels))
}
