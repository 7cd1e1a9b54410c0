package metric

import "math"

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
