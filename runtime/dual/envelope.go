package dual

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

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

// adapt decides at the end of a stage whether the envelopes are shifted, and how sharp they are from then on. P − F ≥
// 0, what the envelopes leave out, is the error of the method of multipliers. What F could still gain is that of the
// problem within. As F ≤ P at the minimum of P, the sum bounds by how much P lies above its minimum. So the problem
// within need be solved only to a share of the former (Rockafellar 1976).
func (w *work) adapt(at *place) {
	rho, hinges := w.leftOut(at)
	all := rho + hinges
	w.held++
	near := w.out.Gradient*w.out.Gradient/2 <= nearShare*all
	if !near && w.held < mostHeld {
		return
	}
	if near && w.held == 1 && all > w.left/fall {
		if rho > fairShare*all {
			w.beta = min(mostBeta, sharper*w.beta)
		}
		if hinges > fairShare*all {
			w.width, w.tau = w.width/sharper, w.tau/sharper
		}
	}
	w.held, w.left = 0, all
	w.shift(at)
}

// leftOut returns by how much F under envelopes is less than P, for the envelope of ½ρ² and for those of the hinges.
func (w *work) leftOut(at *place) (rho, hinges float64) {
	if w.beta > 0 {
		rho = w.norm2(at)/2 - at.point.Value
	}
	if w.tau > 0 {
		hinges = w.sum(func(k int) float64 { return w.loss.Value(w.rows[k], w.row(at.scores, k)) }) - (at.value - at.point.Value)
	}
	return max(0, rho), max(0, hinges)
}

// norm2 returns J(V) at a place, without an envelope.
func (w *work) norm2(at *place) float64 {
	v := at.point.Iota
	j := w.solver.problem.Alpha * floats.Dot(v, v)
	if w.solver.problem.Gauge != nil {
		rho := w.solver.problem.Gauge.Value(w.values(at))
		j += rho * rho
	}
	return j
}

// values returns AV at a place.
func (w *work) values(at *place) []float64 {
	out := mat.NewDense(1, len(at.point.Multipliers), nil)
	w.solver.problem.A.Apply(out, mat.NewDense(1, len(at.point.Iota), at.point.Iota))
	return out.RawRowView(0)
}

// shift shifts the envelopes by the multipliers of a place.
func (w *work) shift(at *place) {
	if w.tau > 0 {
		w.pull = at.g
	}
	if w.beta > 0 {
		w.hold = at.point.Multipliers
	}
}

// spread returns the mean of a kernel's diagonal less that of all its entries within a label. A constant feature does
// not change it.
func (w *work) spread(kernel *mat.Dense) float64 {
	n := len(w.rows)
	labels := 1
	if w.solver.joint {
		labels = w.solver.m
	}
	sum := 0.0
	for i := range n * labels {
		for j, k := range kernel.RawRowView(i) {
			if j%labels == i%labels {
				sum += k
			}
		}
	}
	return (mat.Trace(kernel) - sum/float64(n)) / float64(n*labels)
}
