package risk

import (
	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A softening replaces losses with kinks by smooth ones, their Moreau envelopes about multipliers h,
//
//	e_i(s) = max_a { as − loss_i*(a) − ½τ(a − h_i)² },   a = (z − prox z)/τ,  z = s + τh_i,
//
// where the slope a lies in the domain of the conjugate, and has the derivative of the proximal map. Steps of Newton's method lower P with e in place of
// the losses. Moved to the last slopes, h makes this the method of multipliers (Rockafellar 1976). Bounds are those of the losses themselves, at V and at
// a. They lie as far apart as those of e, and by
//
//	Σ_i loss_i(s_i) + loss_i*(a_i) − a_is_i
//
// more, which is what τ and h leave open.
//
// Losses of w equal rows have τ/w, and those in another unit the same τ. So τ is C⁻¹ times a width of a kink, whatever slopes are.
type softening struct {
	tau  float64        // of a row of weight 1; 0 says that losses are smooth
	of   *learn.Targets // the weights
	held []float64      // h, n×m; nil means 0
	// damp is the share of its largest curvature, w/τ, that each row has at least.
	damp float64
}

const (
	// firstWidth is how far apart scores are between which a softened kink bends, in spreads of the targets under quantile. Near the minimum nearWidth is enough.
	firstWidth, nearWidth = 2, 0.2
	// Softenings move where they account for openShare of the gap, and narrow by the factor narrower then.
	openShare, narrower = 0.3, 0.3
	// Few rows may lie where a narrow kink bends, so that steps are too long. Where shares are below tooShort, rows are damped by firstDamp, then by moreDamp
	// times as much, up to 1. Each other pass leaves lessDamp of it, and nothing below leastDamp.
	tooShort, firstDamp, moreDamp, lessDamp, leastDamp = 0.3, 1e-2, 10, 1.0 / 3, 1e-3
)

// Kinked reports whether the losses of a learner have kinks.
func Kinked(l setting.Learner) bool { return l.Kind == setting.SVM || l.Kind == setting.Quantile }

// soften returns how a loss is softened at first, far from the minimum or near it.
func soften(of setting.Learner, t *learn.Targets, near bool) softening {
	switch {
	case !Kinked(of):
		return softening{}
	case near:
		return softening{tau: nearWidth / of.Strength, of: t}
	}
	return softening{tau: firstWidth / of.Strength, of: t}
}

// step returns the τ of a row.
func (f *softening) step(i int) float64 { return f.tau / f.of.Of(i) }

// near sets z and its proximal point u.
func (f *softening) near(l Loss, i int, z, u, s []float64) {
	copy(z, s)
	if f.held != nil {
		floats.AddScaled(z, f.step(i), f.held[i*len(s):(i+1)*len(s)])
	}
	copy(u, z)
	l.Prox(i, u, f.step(i))
}

// value returns e_i(s), or loss_i(s) where nothing is softened. The room has two numbers for each score.
func (f *softening) value(l Loss, i int, s, room []float64) float64 {
	if f.tau == 0 {
		return l.Value(i, s)
	}
	m := len(s)
	z, u := room[:m], room[m:2*m]
	f.near(l, i, z, u, s)
	sum := l.Value(i, u) + squaredDistance(z, u)/(2*f.step(i))
	if f.held != nil {
		h := f.held[i*m : (i+1)*m]
		sum -= f.step(i) * dot(h, h) / 2
	}
	return sum
}

// slopes sets g to the slope of e_i at s, and d to its curvatures, damped. A smooth loss may have a nil d, as nobody asks for curvatures then. It
// returns what the softening leaves open. The room has three numbers for each score.
func (f *softening) slopes(l bending, i int, g, d, s, room []float64) (open float64) {
	m := len(s)
	z, u, r := room[:m], room[m:2*m], room[2*m:3*m]
	if f.tau == 0 {
		l.Gradient(i, g, s)
		if l.Clip(i, g, s); d == nil {
			return 0
		}
		// With a step of 1/slope the map's derivative d = h/(slope + h) is at most ½, and gives h without loss of digits.
		slope := l.Slope()
		l.Bend(i, d, r, s, s, 1/slope)
		for y, v := range d {
			d[y] = slope * v / (1 - v)
		}
		return 0
	}
	// The slope is the multiplier of the proximal point, and the derivative of
	// this has the one of the proximal map.
	f.near(l, i, z, u, s)
	floats.SubTo(g, z, u)
	floats.Scale(1/f.step(i), g)
	l.Clip(i, g, u)
	l.Bend(i, d, r, z, u, f.step(i))
	for y, v := range d {
		d[y] = max(v, f.damp)
	}
	floats.Scale(1/f.step(i), d)
	conjugate, _ := l.Conjugate(i, g)
	return max(0, l.Value(i, s)+conjugate-dot(g, s))
}
