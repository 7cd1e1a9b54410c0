package risk

import (
	"math"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// entropy returns p log p, and 0 for p ≤ 0.
func entropy(p float64) float64 {
	if p <= 0 {
		return 0
	}
	return p * math.Log(p)
}

// softplus returns log(1 + exp x), without overflow.
func softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}

// sigmoid returns 1/(1 + exp(−x)), without overflow.
func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// few is the number of operations that a bound takes beside its sums. Functions of package math count as eight.
const few = 32

// gamma bounds the relative error of a sum of n numbers and few more operations.
func gamma(n int) float64 { return gauge.Gamma(float64(n + few)) }
