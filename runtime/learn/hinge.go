package learn

import (
	"math"
	"slices"
)

// A hinge problem is
//
//	min ½‖w‖² + C Σ_i max(0, t_i(a_i − ⟨w, x_i⟩ − b_{g(i)}))
//
// over rows that fall into groups g with a bias each, t = ±1. Rows with classes have a = t, so that the loss is
// max(0, 1 − t s). The dual over β_i = t_i α_i, 0 ≤ α_i ≤ C, is
//
//	max Σ_i a_i β_i − ½‖Σ_i β_i x_i‖²   with Σ_{i∈g} β_i = 0 for every group.
//
// The equalities come from the free biases (Cortes and Vapnik 1995).
type hinge struct {
	rows *rows
	// sign is t, and target is a.
	sign   []float64
	target []float64
	// c is C, the bound of every |β_i|.
	c float64
}

// hingeSolution is a primal point with bounds on either side of the minimum.
type hingeSolution struct {
	w, bias []float64
	// upper is the objective at w and bias, lower a dual value: the minimum lies between them.
	upper, lower float64
	// iterations are steps or sweeps.
	iterations int
}

// relativeGap returns the share of upper that may lie above the minimum.
func (s *hingeSolution) relativeGap() float64 { return relative(s.upper-s.lower, s.upper) }

// primal returns the objective at the best biases, and these, given the scores without them and ‖w‖².
func (p *hinge) primal(scores []float64, square float64) (value float64, bias []float64) {
	m := p.rows.group
	bias = make([]float64, m)
	kinks := make([]float64, 0, len(scores)/m)
	var loss float64
	for g := range m {
		// Groups have separate biases, so each is minimized alone.
		kinks = kinks[:0]
		positives := 0
		for i := g; i < len(scores); i += m {
			kinks = append(kinks, p.target[i]-scores[i])
			if p.sign[i] > 0 {
				positives++
			}
		}
		bias[g] = bestBias(kinks, positives)
		for i := g; i < len(scores); i += m {
			loss += math.Max(0, p.sign[i]*(p.target[i]-(scores[i]+bias[g])))
		}
	}
	return square/2 + p.c*loss, bias
}

// bestBias minimizes Σ max(0, t_i(a_i − s_i − b)) over b, where s are the scores without a bias. Each summand has its
// kink at r_i = a_i − s_i. The slope begins at minus the number of positive rows and grows by one at each kink. So
// the minimum is between the kinks of that rank. It reorders r.
func bestBias(r []float64, positives int) float64 {
	slices.Sort(r)
	// With rows of one sign the minima form a half-line, and its end is taken.
	switch positives {
	case 0:
		return r[0]
	case len(r):
		return r[len(r)-1]
	}
	// After as many kinks as positive rows the slope is 0, up to the next kink.
	return (r[positives-1] + r[positives]) / 2
}

// relative returns part/whole, and 0 if part is not positive.
func relative(part, whole float64) float64 {
	if part <= 0 {
		return 0
	}
	return part / math.Max(whole, math.SmallestNonzeroFloat64)
}
