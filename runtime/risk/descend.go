package risk

import "math"

// An objective is a strongly convex function that Newton's method minimizes.
type objective interface {
	value(s []float64) float64
	// direction sets d to Newton's direction at s, H⁻¹ times the gradient. It returns how steeply the function falls
	// against it.
	direction(d, s []float64) (slope float64)
}

const (
	newtonSteps  = 100
	newtonHalves = 40
	// enoughFall is the share of the slope's promise that a step must keep.
	enoughFall = 0.25
	// Over a shortStep the Hessian hardly changes, so Newton's step needs no test. After a lastStep the error is
	// about its square.
	shortStep = 0.05
	lastStep  = 1e-7
)

// descend moves s to the minimum of an objective. It halves long steps until they descend. d and trial are room.
func descend(h objective, s, d, trial []float64) {
	at := math.Inf(1)
	for range newtonSteps {
		slope := h.direction(d, s)
		size := 0.0
		for _, v := range d {
			size += math.Abs(v)
		}
		if size <= shortStep {
			for j, v := range d {
				s[j] -= v
			}
			if at = math.Inf(1); size <= lastStep {
				return
			}
			continue
		}
		if math.IsInf(at, 1) {
			at = h.value(s)
		}
		next := search(h, trial, s, d, at, slope)
		if !(next < at) {
			return
		}
		copy(s, trial)
		at = next
	}
}

// search sets trial to a point against d that is lower than at, if there is one, and returns its value.
func search(h objective, trial, s, d []float64, at, slope float64) (next float64) {
	step := 1.0
	for range newtonHalves {
		for j, v := range s {
			trial[j] = v - step*d[j]
		}
		if next = h.value(trial); next <= at-enoughFall*step*slope {
			break
		}
		step /= 2
	}
	return next
}

// squaredDistance returns ‖s − u‖².
func squaredDistance(s, u []float64) (sum float64) {
	for j, v := range s {
		sum += (v - u[j]) * (v - u[j])
	}
	return sum
}
