package proof

import (
	"math"
	"math/big"
	"sync"
)

// degree of the polynomials that stand for factors on a piece of an interval, and how many coefficients they have.
const (
	degree = 12
	Terms  = degree + 1
)

// An interpolation knows the polynomial of the degree through values at nodes of [−1, 1] by its Bernstein coefficients.
type interpolation struct {
	nodes    [Terms]float64        // near those of Chebyshev; whatever they are, the rest is right for them
	matrix   [Terms][Terms]float64 // values → coefficients, each rounded once
	norm     float64               // the largest sum of absolute values of a row, rounded up
	product  float64               // ≥ |Π (τ − τ_k)| on [−1, 1]
	lebesgue float64               // ≥ Σ_k |ℓ_k(τ)|, ℓ_k the polynomials of Lagrange
}

// chebyshev returns the interpolation that all pieces use.
var chebyshev = sync.OnceValue(newInterpolation)

// newInterpolation computes the matrix from Lagrange's polynomials in 400 bits. In p = (1 + τ)/2 and m = (1 − τ)/2 each factor is
// homogeneous, τ − τ_l = (1 − τ_l) p − (1 + τ_l) m, and the coefficient of p^b m^(degree−b), divided by C(degree, b), is that of Bernstein.
func newInterpolation() *interpolation {
	c := &interpolation{}
	for k := range Terms {
		c.nodes[k] = math.Cos(math.Pi * (float64(k) + 0.5) / Terms)
	}
	for k := range Terms {
		for b, v := range lagrange(c.nodes[:], k) {
			c.matrix[b][k] = v
		}
	}
	for b := range Terms {
		sum := 0.0
		for _, v := range c.matrix[b] {
			sum += math.Abs(v)
		}
		c.norm = max(c.norm, up(sum))
	}
	c.measure()
	return c
}

// lagrange returns the Bernstein coefficients of ℓ_k.
func lagrange(nodes []float64, k int) []float64 {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	poly := []*big.Float{number(1)}
	for l, node := range nodes {
		if l == k {
			continue
		}
		left, right := number(1), number(1)
		left.Sub(left, number(node))
		right.Add(right, number(node))
		scale := number(nodes[k])
		scale.Sub(scale, number(node))
		next := make([]*big.Float, len(poly)+1)
		for b := range next {
			next[b] = number(0)
			if b > 0 {
				next[b].Add(next[b], number(0).Mul(poly[b-1], left))
			}
			if b < len(poly) {
				next[b].Sub(next[b], number(0).Mul(poly[b], right))
			}
			next[b].Quo(next[b], scale)
		}
		poly = next
	}
	out := make([]float64, len(poly))
	for b, v := range poly {
		out[b], _ = v.Quo(v, new(big.Float).SetInt(new(big.Int).Binomial(degree, int64(b)))).Float64()
	}
	return out
}

// measure bounds the product of τ − τ_k and the sum of |ℓ_k| on a grid of [−1, 1]. A polynomial of degree n is nowhere larger than
// 1/(1 − n²δ/2) times what it is on a grid of step δ, by Markov's inequality |P'| ≤ n² max |P|. (For the sum take the polynomial Σ ±ℓ_k with
// the signs of the place.) With n = 13 and δ = 10⁻⁴ that is 1.0086, and 1.01 covers the roundings too.
func (c *interpolation) measure() {
	const steps = 20000
	for i := range steps + 1 {
		tau := 2*float64(i)/steps - 1
		product, sum := 1.0, 0.0
		for k, node := range c.nodes {
			product *= tau - node
			ell := 1.0
			for l, other := range c.nodes {
				if l != k {
					ell *= (tau - other) / (node - other)
				}
			}
			sum += math.Abs(ell)
		}
		c.product, c.lebesgue = max(c.product, 1.01*math.Abs(product)), max(c.lebesgue, 1.01*sum)
	}
}

// miss bounds the error of interpolation on a piece of half-width h, for a function whose derivative of order k is at most d[k].
//
// The best of: h^n/n! d[n] max |Π (τ − τ_k)|, n = degree + 1; and, for k ≤ degree, (1 + Λ) times how near a polynomial comes: h^k d[k]/(2^(k−1) k!)
// by one of degree k − 1, or (π/2)^k h^k d[k]/(n (n−1) … (n−k+1)) by Jackson's theorem (Cheney, Introduction to Approximation
// Theory, 4.6), which hold where the derivative of order k − 1 is Lipschitz.
func (c *interpolation) miss(d []float64, h float64) float64 {
	best, power := math.Inf(1), 1.0
	factorial, falling, half := 1.0, 1.0, 2.0
	for k := 1; k <= Terms; k++ {
		power *= h
		factorial *= float64(k)
		falling *= float64(Terms-k+1) / (math.Pi / 2)
		half /= 2
		if math.IsInf(d[k], 1) {
			break
		}
		near := (1 + c.lebesgue) * min(half/factorial, 1/falling)
		if k == Terms {
			near = min(near, c.product/factorial)
		}
		best = min(best, up(up(near*power)*d[k]))
	}
	return best
}

// coefficients sets dst to the Bernstein coefficients of the polynomial through values. It returns a bound of their errors. The norm of the
// matrix magnifies the radii and 16 roundings a sum.
func (c *interpolation) coefficients(dst []float64, values *[Terms]ball) float64 {
	worst := 0.0
	for _, v := range values {
		worst = max(worst, v.r+16*unit*math.Abs(v.v))
	}
	for b := range dst {
		sum := 0.0
		for k, m := range c.matrix[b] {
			sum += m * values[k].v
		}
		dst[b] = sum
	}
	return up(c.norm * worst)
}

// Bernstein returns the values of the Bernstein polynomials at a reference coordinate; of a point, 1.
func Bernstein(at float64, rows int) []float64 {
	out := make([]float64, rows)
	choose := 1.0
	for b := range out {
		out[b] = choose * math.Pow(at, float64(b)) * math.Pow(1-at, float64(rows-1-b))
		choose *= float64(rows-1-b) / float64(b+1)
	}
	return out
}
