package risk

import (
	"math"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Anchor returns weights of the rows that sum to 1. It also bounds how far the weighted mean of a label's scores is
// from that of the minimizer. The bias is hardly penalized, so the norm of V says little of it; the losses hold it.
// With E = P(V) − D(c, g), both V and the minimizer satisfy
//
//	Σ_i (loss_i(s_i) + loss_i*(g_i) − g_i s_i) ≤ E,
//
// and every summand grows with the distance of s_i from the score s°_i at which g_i is a slope. With p = −tg/C it is
// at least
//
//	svm       C·min(p, 1 − p)·|s_i − s°_i|,
//	squared   C·min(p, 2)·ψ(|s_i − s°_i|), for squared svm, with ψ as below,
//	logistic  C·p(1 − p)·ψ(|s_i − s°_i|),   ψ(d) = exp(−d) + d − 1,
//	poisson   (Ct + g)·ψ(|s_i − s°_i|),
//	quantile  min(Cσq + g, Cσ(1 − q) − g)·|s_i − s°_i|.
//
// Those of logistic and poisson hold because the third derivative of the loss is at most the second. Of squared svm
// the summand is C·d² up to d = p/2, with the slope Cp beyond. That is enough, as ψ(d) ≤ d²/2 and ψ′ ≤ 1. A row of the weight w_i has C·w_i in place
// of C. The returned weights are proportional to these factors. Ridge needs no g: its losses add Σ w_i(s_i − s*_i)²/2λ to the strong
// convexity of P. If no row has a positive factor, there are no weights.
//
// Where the worst of copies counts, each row is followed by its copies. The summand of a row is at least Σ_t λ_t times that of each
// copy at g_t/λ_t. Of ridge that is w_i Σ_t λ_t(s_t − s°_t)²/2λ then, for V and the minimizer alike.
func Anchor(l setting.Learner, t *learn.Targets, label, labels int, r *Result) (weights []float64, within float64) {
	excess := r.Excess()
	n := t.Len()
	copies := max(1, len(r.Shares)/max(1, n))
	share := func(k int) float64 {
		if copies == 1 {
			return 1
		}
		return r.Shares[k]
	}
	weights = make([]float64, n*copies)
	if l.Kind == setting.Ridge {
		for k := range weights {
			weights[k] = share(k) * t.Of(k/copies) / t.Total()
		}
		within = WithinMeans(l, t.Total(), r)
		if copies > 1 {
			within *= 2
		}
		return weights, within
	}
	if len(r.Slopes) != len(weights)*labels {
		return nil, math.Inf(1)
	}
	sum, unit := 0.0, unitOf(l, t)
	for k := range weights {
		c, own := unit*t.Of(k/copies), share(k)
		weights[k] = hold(l.Kind, t, k/copies, label, c, own, r.Slopes[k*labels+label])
		sum += weights[k]
	}
	if !(sum > 0) {
		return nil, math.Inf(1)
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights, reach(l, excess/sum)
}

// unitOf returns the weight of the loss of a row that counts once.
func unitOf(l setting.Learner, t *learn.Targets) float64 {
	if l.Kind == setting.Quantile {
		return l.Strength * t.Spread()
	}
	return l.Strength
}

// reach returns how far a mean of scores may be from that of the minimizer, for an excess of P in units of what holds them. Twice as far, as from V to s°, and from
// there to the minimizer.
func reach(l setting.Learner, excess float64) float64 {
	if !Kinked(l) {
		excess = bend(excess)
	}
	return 2 * excess
}

// WithinMeans bounds how far the mean of a label's scores is from that of the minimizer, under ridge on rows of such a total weight. It bounds the root mean square
// of how far the scores are, too: by strong convexity P(V) − P* ≥ Σ_i w_i(s_i − s_i*)²/2λ.
func WithinMeans(l setting.Learner, total float64, r *Result) float64 {
	return math.Sqrt(2 * l.Strength * r.Excess() / total)
}

// hold returns by how much a loss with the weight c holds a score, where a share of it is a row's and g is a slope. It is the factor of a distance, or
// of ψ of one.
func hold(of setting.LearnerKind, t *learn.Targets, row, label int, c, share, g float64) float64 {
	target := numbers(t)(row, label)
	p := min(max(-target*g/c, 0), share)
	switch {
	case of == setting.SquaredSVM:
		return max(0, min(2*share*c, -target*g))
	case of == setting.Poisson:
		return max(0, share*c*target+g)
	case of == setting.Quantile:
		return max(0, min(share*c*t.Levels[label]+g, share*c*(1-t.Levels[label])-g))
	case of == setting.SVM || share == 0:
		return c * min(p, share-p)
	}
	return c * p * (share - p) / share
}

// bend returns the d ≥ 0 with exp(−d) + d − 1 = v, from above. Newton's method on a convex, increasing function falls
// to the root.
func bend(v float64) float64 {
	// ψ(d) ≥ d²/(2 + d), which is at least v for this d.
	d := v + math.Sqrt(2*v)
	for range 50 {
		slope := -math.Expm1(-d)
		if !(slope > 0) {
			break
		}
		d = max(d-(math.Expm1(-d)+d-v)/slope, math.Sqrt(2*v)) // ψ(d) ≤ d²/2
	}
	return d
}
