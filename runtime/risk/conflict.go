package risk

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// leastPart is the share of the largest multiplier below which a cut has no part in a conflict.
const leastPart = 1e-6

// A Conflict proves that small V cannot keep some cuts together.
type Conflict struct {
	// Multipliers are u ≥ 0, for cuts whose rows have length 1. Those of cuts that have no part in it are 0.
	Multipliers []float64
	// Norm ≤ ‖V‖ for all V that keep the bounds. It is 0 where V = 0 keeps them.
	Norm float64
}

// Conflict returns the multipliers u of Farkas' lemma that prove the largest norm,
//
//	⟨b_k, V⟩ ≥ l_k + share·ε_k for all k   ⇒   ‖V‖ ≥ Σ_k u_k (l_k + share·ε_k) / ‖Bᵀu‖.
//
// No V keeps the cuts where Bᵀu = 0 and the sum is positive. In floating point the norm is large and finite then. The multipliers are those
// of nonnegative least squares (Lawson and Hanson 1974, chapter 23). The norm counts rounding errors, so that it holds for any u. Cuts
// without a row are left out.
func (c *Cuts) Conflict(share float64) Conflict {
	k, dim := c.Rows.Dims()
	out, bounds, most := Conflict{Multipliers: make([]float64, k)}, make([]float64, k), 0.0
	rows := mat.NewDense(k, dim, nil)
	for i := range k {
		from := c.Rows.RawRowView(i)
		if size := floats.Norm(from, 2); size > 0 && !math.IsInf(1/size, 0) {
			floats.ScaleTo(rows.RawRowView(i), 1/size, from)
			bounds[i] = (c.Least[i] + share*c.Margin[i]) / size
			most = math.Max(most, bounds[i])
		}
	}
	if !(most > 0) || math.IsInf(most, 0) {
		return out
	}
	q := mat.NewDense(k, k, nil)
	q.Mul(rows, rows.T())
	shares := make([]float64, k)
	for i, b := range bounds {
		shares[i] = b / most
	}
	for i := range k {
		floats.AddScaled(q.RawRowView(i), shares[i], shares)
	}
	u := leastForce(q, shares, make([]bool, k))
	largest := floats.Max(u)
	left, sum, size := make([]float64, dim), 0.0, 0.0
	for i, v := range u {
		if v > leastPart*largest {
			out.Multipliers[i] = v
			floats.AddScaled(left, v, rows.RawRowView(i))
			sum += v * bounds[i]
			size += v * (1 + math.Abs(bounds[i])/most)
		}
	}
	off := gamma(k+dim) * size
	out.Norm = math.Max(0, (sum-off*most)/(floats.Norm(left, 2)+off))
	return out
}
