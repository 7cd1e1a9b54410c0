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
// of nonnegative least squares (Lawson and Hanson 1974, chapter 23), or of two cuts that are opposite to each other. The squares lose half of the
// digits, so that the least singular vector of the cuts with a multiplier is tried, too. The norm counts rounding errors, so that it holds
// for any u. Cuts without a row are left out.
func (c *Cuts) Conflict(share float64) Conflict {
	k, dim := c.Rows.Dims()
	f := &farkas{rows: mat.NewDense(k, dim, nil), bounds: make([]float64, k)}
	for i := range k {
		from := c.Rows.RawRowView(i)
		if size := floats.Norm(from, 2); size > 0 && !math.IsInf(1/size, 0) {
			floats.ScaleTo(f.rows.RawRowView(i), 1/size, from)
			f.bounds[i] = (c.Least[i] + share*c.Margin[i]) / size
			f.most = math.Max(f.most, f.bounds[i])
		}
	}
	out := Conflict{Multipliers: make([]float64, k)}
	if !(f.most > 0) || math.IsInf(f.most, 0) {
		return out
	}
	q := mat.NewDense(k, k, nil)
	q.Mul(f.rows, f.rows.T())
	opposite := f.opposite(q)
	shares := make([]float64, k)
	for i, b := range f.bounds {
		shares[i] = b / f.most
	}
	for i := range k {
		floats.AddScaled(q.RawRowView(i), shares[i], shares)
	}
	least := leastForce(q, shares, make([]bool, k))
	for _, u := range [][]float64{least, opposite, f.singular(least)} {
		if norm := f.norm(u); norm > out.Norm {
			out.Norm, out.Multipliers = norm, u
		}
	}
	return out
}

// A farkas knows cuts with rows of length 1 or 0, their bounds, and the largest of these. Rows of length 1 make multipliers comparable:
// in ⟨b, V⟩ ≥ l and ⟨10b, V⟩ ≥ 10l the same bound is the same.
type farkas struct {
	rows   *mat.Dense
	bounds []float64
	most   float64
}

// norm returns the norm that multipliers prove, and sets those to 0 that have no part in it. It is 0 for nil.
func (f *farkas) norm(u []float64) float64 {
	if u == nil {
		return 0
	}
	k, dim := f.rows.Dims()
	largest := floats.Max(u)
	left, sum, size := make([]float64, dim), 0.0, 0.0
	for i, v := range u {
		if !(v > leastPart*largest) {
			u[i] = 0
			continue
		}
		floats.AddScaled(left, v, f.rows.RawRowView(i))
		sum += v * f.bounds[i]
		size += v * (1 + math.Abs(f.bounds[i])/f.most)
	}
	off := gamma(k+dim) * size
	return math.Max(0, (sum-off*f.most)/(floats.Norm(left, 2)+off))
}

// nearlyOpposite is how far the inner product of two rows may be from −1 where they count as opposite.
const nearlyOpposite = 1e-12

// opposite returns multipliers of the two cuts that contradict each other most, of those with opposite rows; nil where none do. q is BBᵀ.
func (f *farkas) opposite(q *mat.Dense) []float64 {
	k, first, second, most := len(f.bounds), -1, -1, 0.0
	for i := range k {
		for j := range i {
			if sum := f.bounds[i] + f.bounds[j]; q.At(i, j) < nearlyOpposite-1 && sum > most {
				first, second, most = i, j, sum
			}
		}
	}
	if first < 0 {
		return nil
	}
	u := make([]float64, k)
	u[first], u[second] = 1, 1
	return u
}

// mostSingular bounds the cuts of which a least singular vector is taken.
const mostSingular = 64

// singular returns the left singular vector u of the least singular value of the rows that have a multiplier. Of all u with ‖u‖ = 1 it has
// the least ‖Bᵀu‖, to all digits: for three labels at one point,
//
//	f_a ≥ f_b + 1,  f_b ≥ f_c,  f_c ≥ f_a    have    Bᵀu = 0    at    u ∝ (1, 1, 1) for rows of length 1.
//
// It returns nil where numbers of u have different signs, as there is then no V that they forbid.
func (f *farkas) singular(u []float64) []float64 {
	_, dim := f.rows.Dims()
	largest := floats.Max(u)
	var set []int
	for i, v := range u {
		if v > leastPart*largest {
			set = append(set, i)
		}
	}
	if len(set) < 2 || len(set) > min(mostSingular, dim) {
		return nil
	}
	part := mat.NewDense(len(set), dim, nil)
	for k, i := range set {
		part.SetRow(k, f.rows.RawRowView(i))
	}
	var svd mat.SVD
	if !svd.Factorize(part, mat.SVDThin) {
		return nil
	}
	var left mat.Dense
	svd.UTo(&left)
	out, sign := make([]float64, len(u)), 1.0
	for k, i := range set {
		out[i] = left.At(k, len(set)-1)
	}
	if floats.Sum(out) < 0 {
		sign = -1
	}
	floats.Scale(sign, out)
	if floats.Min(out) < -leastPart*floats.Max(out) {
		return nil
	}
	return out
}
