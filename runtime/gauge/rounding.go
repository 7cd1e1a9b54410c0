package gauge

// unitRoundoff is half the distance of 1 to the next number.
const unitRoundoff = 0x1p-53

// Gamma returns Higham's γ_n = nu/(1 − nu), u = 2⁻⁵³, which bounds the relative error of n rounded operations one after the other (Accuracy and
// Stability of Numerical Algorithms, 2002, lemma 3.1), and of a sum of n + 1 products relative to that of their magnitudes,
// in whatever order and with or without fused operations.
func Gamma(n float64) float64 { return n * unitRoundoff / (1 - n*unitRoundoff) }

// A Rounding says how far what floating point makes of a gauge and its polar may be from them, as numbers of operations n: errors are
// at most γ_n of the results, as no number is subtracted from another.
type Rounding struct {
	Value, Polar float64
}

// What powers and a root add to a sum of m numbers: (Σ x^p)^(1/p) has a p-th of the error of the sum, and a power's is 3p + 11.
const (
	powerRounding  = 14
	squareRounding = 4
	rootRounding   = 8
)

// Rounding returns the bounds of the gauge.
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
