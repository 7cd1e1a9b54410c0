package dual

import "slices"

// Envelopes begin wide, since the minimum under wide ones is found in a step or two.
const (
	// firstBeta is the first β of the envelope of ½ρ².
	firstBeta = 10
	// firstWidth is the first τ of the envelope of hinges, as a share of the kernel's spread. τ is at most 1/2C, when
	// all scores between the classes are in the bent part.
	firstWidth = 3
	// spreads stages take τ from their own kernels.
	spreads = 6
	// τ falls at most by this factor from stage to stage.
	spreadFall = 4
)

const (
	// Envelopes are shifted when F under them could gain less than nearShare of what they leave out, and at the
	// latest after mostHeld stages.
	nearShare = 0.1
	mostHeld  = 12
	// Envelopes with more than fairShare of what is left out become sharper if a single stage was enough. Before
	// that, what is left out must have failed to fall by the factor fall since the last shift.
	fairShare = 0.2
	fall      = 2
	sharper   = 2
	mostBeta  = 1e9
)

// Envelopes replace the loss and ½ρ².
type envelopes struct {
	data *sample
	// tau is that of the envelope of hinges; 0 means the loss as it is. width is τ as a share of the kernel's spread.
	tau   float64
	width float64
	// beta is that of the envelope of ½ρ²; 0 means ρ as it is.
	beta float64
	// pull shifts the envelope of hinges, and hold that of ½ρ²; nil means no shift.
	pull []float64
	hold []float64
	// held counts stages since a shift, at which the envelopes left out left.
	held int
	left float64
}

// adapt decides at the end of a stage whether the envelopes are shifted, and how sharp they are from then on. P − F ≥
// 0, what the envelopes leave out, is the error of the method of multipliers. What F could still gain is that of the
// problem within. As F ≤ P at the minimum of P, the sum bounds by how much P lies above its minimum. So the problem
// within need be solved only to a share of the former (Rockafellar 1976).
func (v *envelopes) adapt(at *place, gradient, norm2 float64) {
	rho, hinges := v.leftOut(at, norm2)
	all := rho + hinges
	v.held++
	near := gradient*gradient/2 <= nearShare*all
	if !near && v.held < mostHeld {
		return
	}
	if near && v.held == 1 && all > v.left/fall {
		if rho > fairShare*all {
			v.beta = min(mostBeta, sharper*v.beta)
		}
		if hinges > fairShare*all {
			v.width, v.tau = v.width/sharper, v.tau/sharper
		}
	}
	v.held, v.left = 0, all
	v.shift(at)
}

// leftOut returns by how much F under envelopes is less than P, for the envelope of ½ρ² and for those of the hinges.
func (v *envelopes) leftOut(at *place, norm2 float64) (rho, hinges float64) {
	if v.beta > 0 {
		rho = norm2/2 - at.point.Value
	}
	if v.tau > 0 {
		hinges = v.data.total(at.scores) - (at.value - at.point.Value)
	}
	return max(0, rho), max(0, hinges)
}

// shift shifts the envelopes by the multipliers of a place.
func (v *envelopes) shift(at *place) {
	if v.tau > 0 {
		v.pull = at.g
	}
	if v.beta > 0 {
		v.hold = at.point.Multipliers
	}
}

// lossAt sets g of a place, and returns the loss there.
func (v *envelopes) lossAt(p *place) float64 {
	return v.data.sum(func(k int) float64 { return v.smoothed(k, v.data.row(p.g, k), v.data.row(p.scores, k)) })
}

// smoothed returns the loss of the k-th row, or its shifted Moreau envelope min_u loss(u) + ‖s + τp − u‖²/2τ −
// τ‖p‖²/2. It sets g to the gradient.
func (v *envelopes) smoothed(k int, g, s []float64) float64 {
	i := v.data.rows[k]
	if v.tau == 0 {
		v.data.loss.Gradient(i, g, s)
		return v.data.loss.Value(i, s)
	}
	pull := func(int) float64 { return 0 }
	if v.pull != nil {
		own := v.data.row(v.pull, k)
		pull = func(y int) float64 { return own[y] }
	}
	for y, score := range s {
		g[y] = score + v.tau*pull(y)
	}
	v.data.loss.Prox(i, g, v.tau)
	sum := v.data.loss.Value(i, g)
	for y, u := range g {
		p := pull(y)
		g[y] = (s[y]-u)/v.tau + p
		sum += v.tau / 2 * (g[y]*g[y] - p*p)
	}
	return sum
}

// curvatures returns the second derivatives of the smoothed losses along each score, by differences. Those of hinges
// are large only in a part of the line, which is much wider than the differences.
func (v *envelopes) curvatures(scores []float64) []float64 {
	const h = 1e-4
	out := make([]float64, len(scores))
	v.data.sum(func(k int) float64 {
		s, up, down := slices.Clone(v.data.row(scores, k)), make([]float64, v.data.solver.m), make([]float64, v.data.solver.m)
		for y, score := range s {
			s[y] = score + h
			v.smoothed(k, up, s)
			s[y] = score - h
			v.smoothed(k, down, s)
			s[y] = score
			out[k*v.data.solver.m+y] = max(0, (up[y]-down[y])/(2*h))
		}
		return 0
	})
	return out
}
