package dual

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The envelopes begin wide, as the minimum under wide ones is found in a step or two: with this β for that of ½ρ², and for that of
// hinges a τ of so much of the kernel's spread; of 1/2C at most, where all scores between the classes are in the bent part.
const (
	firstBeta  = 10
	firstWidth = 3
	spreads    = 6 // stages that take τ from their own kernels
	spreadFall = 4 // or from the last, where that is more than so much larger
)

// Envelopes are shifted where F under them could gain less than nearShare of what they leave out, and no later than after mostHeld
// stages. Those that leave out more than fairShare of it become sharper where what is left out has not fallen by fall since the last
// shift, and a single stage was enough.
const (
	nearShare = 0.1
	mostHeld  = 12
	fairShare = 0.2
	fall      = 2
	sharper   = 2
	mostBeta  = 1e9
)

// adapt decides at the end of a stage whether the envelopes are shifted, and how sharp they are henceforth. P − F ≥ 0, what the
// envelopes leave out, bounds by how much P lies above its minimum, but for what F could still gain: F ≤ P at the minimum of P. So the
// former is the error of the method of multipliers, the latter that of the problem within, which need be solved to a share of it
// alone (Rockafellar 1976).
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

// leftOut is by how much F under envelopes is less than P: what that of ½ρ² and those of the hinges leave out.
func (w *work) leftOut(at *place) (rho, hinges float64) {
	if w.beta > 0 {
		rho = w.norm2(at)/2 - at.point.Value
	}
	if w.tau > 0 {
		hinges = w.sum(func(k int) float64 { return w.loss.Value(w.rows[k], w.row(at.scores, k)) }) - (at.value - at.point.Value)
	}
	return max(0, rho), max(0, hinges)
}

// norm2 is J(V) at a place, without an envelope.
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

// spread is what a kernel's diagonal has over the mean of its label: what a constant feature adds does not count.
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
