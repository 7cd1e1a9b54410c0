package learn

import (
	"cmp"
	"math"
	"slices"
)

// A hinge problem is
//
//	min ½‖w‖² + C Σ_i w_i max(0, t_i(a_i − ⟨w, x_i⟩ − b_{g(i)}))
//
// over rows that fall into groups g with a bias each, t = ±1. Rows with classes have a = t, so that the loss is
// max(0, 1 − t s). Rows have weights w_i. The dual over β_i = t_i α_i, 0 ≤ α_i ≤ C w_i, is
//
//	max Σ_i a_i β_i − ½‖Σ_i β_i x_i‖²   with Σ_{i∈g} β_i = 0 for every group.
//
// The equalities come from the free biases (Cortes and Vapnik 1995). Where hinges are squared, α has no upper bound, and the
// dual has ½Σ β_i²/(2C w_i) less.
type hinge struct {
	rows *rows
	// sign is t, and target is a.
	sign   []float64
	target []float64
	// c is C, the bound of every |β_i| of a row that counts once, unless hinges are squared. weight has that of each row: it counts as so
	// many, and bounds |β_i| by so many times C. Nil means ones.
	c      float64
	weight []float64
	// squared says that the squares of the hinges count.
	squared bool
	// other has the weight of each row on the other side of its kink, where quantiles lose too: v_i max(0, −t_i(a_i − s)) more. Then
	// −C v_i ≤ α_i. Nil means zeros.
	other []float64
}

// most returns the bound of α_i.
func (p *hinge) most(i int) float64 {
	if p.squared {
		return math.Inf(1)
	}
	return p.c * p.of(i)
}

// bend returns the curvature 1/(2C w_i) that a squared hinge gives to the dual along β_i.
func (p *hinge) bend(i int) float64 {
	if p.squared {
		return 1 / (2 * p.c * p.of(i))
	}
	return 0
}

// beyond returns the weight of a row on the other side of its kink.
func (p *hinge) beyond(i int) float64 {
	if p.other == nil {
		return 0
	}
	return p.other[i]
}

// of returns the weight of a row.
func (p *hinge) of(i int) float64 {
	if p.weight == nil {
		return 1
	}
	return p.weight[i]
}

// hingeSolution is a primal point with bounds on either side of the minimum.
type hingeSolution struct {
	w, bias []float64
	// beta attains lower.
	beta []float64
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
	room := make([]kink, 0, len(scores)/m)
	var loss float64
	for g := range m {
		// Groups have separate biases, so each is minimized alone.
		bias[g] = p.bestBias(room, scores, g)
		for i := g; i < len(scores); i += m {
			short := p.sign[i] * (p.target[i] - (scores[i] + bias[g]))
			if p.squared {
				short *= max(0, short)
			}
			loss += math.Max(p.of(i)*short, -p.beyond(i)*short)
		}
	}
	return square/2 + p.c*loss, bias
}

// bestBias returns the bias of least loss of a group, given the scores without it.
func (p *hinge) bestBias(room []kink, scores []float64, group int) float64 {
	if p.squared {
		for i := group; i < len(scores); i += p.rows.group {
			room = append(room, kink{p.target[i] - scores[i], p.sign[i] * p.of(i)})
		}
		return leastSquares(room)
	}
	positives := 0.0
	for i := group; i < len(scores); i += p.rows.group {
		room = append(room, kink{p.target[i] - scores[i], p.of(i) + p.beyond(i)})
		if p.sign[i] > 0 {
			positives += p.of(i)
		} else {
			positives += p.beyond(i)
		}
	}
	return leastHinges(room, positives)
}

// A kink is where the slope of a sum along a bias grows, and by how much.
type kink struct{ at, weight float64 }

// leastHinges minimizes Σ w_i max(0, t_i(a_i − s_i − b)) over b, where s are the scores without a bias. Each summand has its
// kink at r_i = a_i − s_i. The slope begins at minus the weight of the positive rows and grows by w_i at each kink. So
// the minimum is where as much weight is passed. It reorders r.
func leastHinges(r []kink, positives float64) float64 {
	slices.SortFunc(r, func(a, b kink) int { return cmp.Compare(a.at, b.at) })
	total := 0.0
	for _, k := range r {
		total += k.weight
	}
	// Rounding of sums must not tell equal weights apart.
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*total }
	// With rows of one sign the minima form a half-line, and its end is taken.
	switch {
	case near(positives, 0):
		return r[0].at
	case near(positives, total):
		return r[len(r)-1].at
	}
	// Equal rows share a kink, and a row of their weight has it alone: both pass it at once.
	passed := 0.0
	for k := range r {
		passed += r[k].weight
		switch {
		case near(passed, positives) && k+1 < len(r):
			return (r[k].at + r[k+1].at) / 2 // the slope is 0 up to the next kink
		case passed > positives:
			return r[k].at
		}
	}
	return r[len(r)-1].at
}

// leastSquares minimizes Σ |w_i| max(0, ±(r_i − b))² over b, with the signs of w. Half the slope is W b − S between two kinks, where W and S
// sum |w| and |w|r over the rows that lose there. On the left of all kinks these are the rows of w > 0. It reorders r.
func leastSquares(r []kink) float64 {
	slices.SortFunc(r, func(a, b kink) int { return cmp.Compare(a.at, b.at) })
	total, w, s := 0.0, 0.0, 0.0
	for _, k := range r {
		total += math.Abs(k.weight)
		w, s = w+max(0, k.weight), s+max(0, k.weight)*k.at
	}
	for k, next := range r {
		switch {
		case w <= 1e-12*total: // no row loses, but for rounding of sums
			return (r[max(0, k-1)].at + next.at) / 2
		case s <= w*next.at:
			return s / w
		}
		w, s = w-next.weight, s-next.weight*next.at
	}
	if w <= 1e-12*total {
		return r[len(r)-1].at
	}
	return s / w
}

// relative returns part/whole, and 0 if part is not positive.
func relative(part, whole float64) float64 {
	if part <= 0 {
		return 0
	}
	return part / math.Max(whole, math.SmallestNonzeroFloat64)
}
