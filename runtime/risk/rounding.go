package risk

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Gap returns (upper − lower)/upper rounded up. It is +Inf as long as nothing is proved, and 0 if both are zero. It
// is NaN if the bounds contradict each other, which is impossible in exact arithmetic.
func Gap(lower, upper float64) float64 {
	switch {
	case lower == 0 && upper == 0:
		return 0
	case math.IsInf(lower, -1) || math.IsInf(upper, 1):
		return math.Inf(1)
	case !(upper >= lower):
		return math.NaN()
	}
	return (upper - lower) / math.Max(upper, math.SmallestNonzeroFloat64) * (1 + gamma(0))
}

// Primal returns at least ½(αv² + ρ²) + loss; no argument may be negative.
func Primal(alpha, v, rho, loss float64) float64 {
	return (alpha*v*v/2 + rho*rho/2 + loss) * (1 + gamma(0))
}

// Dual returns at most −q²/2α − ½ρ°² − conjugates.
func Dual(alpha, q, polar, conjugates float64) float64 {
	half := q*q/(2*alpha) + polar*polar/2
	return -(half + conjugates) - gamma(0)*(half+math.Abs(conjugates))
}

// SumUp returns at least the sum of x.
func SumUp(x []float64) float64 { return floats.Sum(x) + gamma(len(x))*floats.Norm(x, 1) }
