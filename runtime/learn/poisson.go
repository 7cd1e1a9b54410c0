package learn

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// poissonLoss returns half the deviance of a count from the rate exp(s) of its score, and sets its slope.
func poissonLoss(count float64, scores, slopes []float64) float64 {
	s := scores[0]
	rate := math.Exp(s)
	slopes[0] = rate - count
	loss := rate - count*s - count
	if count > 0 {
		loss += count * math.Log(count)
	}
	return math.Max(0, loss)
}

// leastMean is the mean that counts of 0 alone start from.
const leastMean = 1e-6

// logMean returns the logarithm of the mean count.
func logMean(t *Targets) float64 { return math.Log(math.Max(stat.Mean(t.Real, t.Weight), leastMean)) }
