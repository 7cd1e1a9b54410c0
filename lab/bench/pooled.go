package bench

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Pooled returns the mean of the means of groups, and half the width of its 95 % interval. Each group has a variance of its own, and the degrees of
// freedom are those of Welch and Satterthwaite. Half is NaN where a group has a single number, and both are NaN where one has none.
//
// F. E. Satterthwaite, An approximate distribution of estimates of variance components, Biometrics Bulletin 2, 1946.
func Pooled(groups [][]float64) (mean, half float64) {
	k := float64(len(groups))
	var variance, fourth float64
	for _, g := range groups {
		m, v := stat.MeanVariance(g, nil)
		n := float64(len(g))
		mean += m / k
		own := v / n / (k * k)
		variance += own
		fourth += own * own / (n - 1)
	}
	if variance == 0 {
		return mean, 0
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: variance * variance / fourth}
	return mean, t.Quantile(0.975) * math.Sqrt(variance)
}
