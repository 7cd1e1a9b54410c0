package gauge

// unitRoundoff is half the distance of 1 to the next number.
const unitRoundoff = 0x1p-53

// Gamma returns Higham's γ_n = nu/(1 − nu), u = 2⁻⁵³. It bounds the relative error of n rounded operations one after
// the other. It also bounds the error of a sum of n + 1 products relative to the sum of their magnitudes. Both hold
// in any order, with or without fused operations (Accuracy and Stability of Numerical Algorithms, 2nd ed. 2002, lemma
// 3.1 and section 3.1).
func Gamma(n float64) float64 { return n * unitRoundoff / (1 - n*unitRoundoff) }

// A Rounding bounds the rounding errors of a gauge and its polar, as numbers of operations n. Computed values have
// relative errors of at most γ_n: all numbers are nonnegative and none is subtracted, so errors cannot grow by
// cancellation.
type Rounding struct {
	Value, Polar float64
}

// What powers and a root add to a sum of m numbers. The root divides the relative error of the sum by p, and a power has an
// error of 3p + 11, so that each number counts (3p + 11)/p ≤ 14.
const (
	powerRounding  = 14
	squareRounding = 4
	rootRounding   = 8
)

// Rounding returns the bounds of the gauge. Along a path they add; of several children the worst counts.
func (n *Node) Rounding() Rounding {
	if n.leaf() {
		return Rounding{}
	}
	var r Rounding
	for _, c := range n.Children {
		k := c.Rounding()
		r = Rounding{max(r.Value, k.Value), max(r.Polar, k.Polar)}
	}
	m := float64(n.count())
	r.Value, r.Polar = r.Value+1, r.Polar+1 // of the weights
	switch n.Op {
	case Max:
		r.Polar += m
	case Sum:
		r.Value += m
	case Top:
		r.Value, r.Polar = r.Value+m, r.Polar+m+1
	case Norm:
		each := float64(powerRounding)
		if n.P == 2 {
			each = squareRounding
		}
		r.Value, r.Polar = r.Value+each*m+rootRounding, r.Polar+each*m+rootRounding
	}
	return r
}
