package curve

import "math"

// MostNodes bounds the nodes of a curve. Polynomials of such a degree need no refinement.
const MostNodes = 1025

// Nodes returns the n Lobatto nodes of [0, 1], n ≥ 2, ascending. Those of 2n − 1 contain those of n, bit by bit. An
// odd number of them contains 1/2.
func Nodes(n int) []float64 {
	out := make([]float64, n)
	for k := range out {
		out[k] = parameter(k, n-1)
	}
	return out
}

// Halfway returns the n − 1 values of λ between n nodes, half way in angle: the nodes of 2n − 1 that are not among
// those of n.
func Halfway(n int) []float64 {
	out := make([]float64, n-1)
	for k := range out {
		out[k] = parameter(2*k+1, 2*(n-1))
	}
	return out
}

// parameter returns λ at the angle πk/n. It computes both halves alike, so that the nodes are symmetric about 1/2.
func parameter(k, n int) float64 {
	switch {
	case 2*k == n:
		return 0.5
	case 2*k > n:
		return 1 - parameter(n-k, n)
	}
	return (1 - math.Cos(math.Pi*(float64(k)/float64(n)))) / 2
}

// Weights returns the weights of Clenshaw and Curtis for n nodes of [0, 1]: Σ w_k p(λ_k) = ∫ p for every polynomial
// of degree n − 1. They are positive.
func Weights(n int) []float64 {
	degree := n - 1
	out := make([]float64, n)
	for k := range out {
		sum := 1.0
		for j := 1; 2*j <= degree; j++ {
			b := 2.0
			if 2*j == degree {
				b = 1
			}
			sum -= b / float64(4*j*j-1) * math.Cos(2*math.Pi*float64(j*k%degree)/float64(degree))
		}
		out[k] = sum / float64(degree)
		if k == 0 || k == degree {
			out[k] /= 2
		}
	}
	return out
}

// Series returns the coefficients c_m of Σ c_m cos mθ, the polynomial that has the values at the Lobatto nodes.
func Series(values []float64) []float64 {
	degree := len(values) - 1
	c := make([]float64, len(values))
	waves := around(degree)
	for m := range c {
		for k, v := range values {
			c[m] += half(k, degree) * v * waves[k*m%(2*degree)]
		}
		c[m] *= 2 / float64(degree) * half(m, degree)
	}
	return c
}

// around returns cos(jπ/n), j = 0 … 2n−1.
func around(n int) []float64 {
	out := make([]float64, 2*n)
	for j := range out {
		out[j] = math.Cos(math.Pi * float64(j) / float64(n))
	}
	return out
}
