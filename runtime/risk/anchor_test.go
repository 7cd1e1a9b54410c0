package risk_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// What the losses hold is held: coarse solutions have weighted means of scores that are as near to those of the minimizer as is said, and
// that is less than what the norm says of a bias that is hardly penalized.
func TestAnchorsHold(t *testing.T) {
	const n, d, bias = 30, 6, 300
	root := gauge.Scaled(gauge.Repeat(9, gauge.Hypot(gauge.Leaf(gauge.Pos))), 0.5)
	learners := []struct {
		task   setting.Task
		kind   setting.LearnerKind
		labels int
	}{{setting.Real, setting.Ridge, 1}, {setting.Binary, setting.SVM, 1}, {setting.Multilabel, setting.SVM, 3}, {setting.Multilabel, setting.SquaredSVM, 3}, {setting.Multilabel, setting.Logistic, 3}, {setting.Counts, setting.Poisson, 1}, {setting.Quantiles, setting.Quantile, 3}}
	for k, c := range slices.Repeat(learners, 2) {
		x := newInstance(t, 5, c.task, n, c.labels, d, root, bias)
		if k >= len(learners) {
			x.problem.Targets.Weight = slices.Repeat([]float64{0.5, 1, 3}, n/3)
		}
		l := setting.Learner{Kind: c.kind, Strength: 2}
		exact := solve(t, x.problem, 1e-10, risk.Request{Learner: l})
		for _, gap := range []float64{0.1, 1e-2, 1e-4} {
			r := solve(t, x.problem, gap, risk.Request{Learner: l})
			radius := math.Sqrt(2 * (r.Upper - r.Lower))
			for y := range c.labels {
				weights, within := risk.Anchor(l, x.problem.Targets, y, c.labels, r)
				if math.Abs(floats.Sum(weights)-1) > 1e-12 {
					t.Fatalf("%s: weights sum to %v", c.kind, floats.Sum(weights))
				}
				apart := 0.0
				for i, w := range weights {
					apart += w * (r.Scores[i*c.labels+y] - exact.Scores[i*c.labels+y])
				}
				if math.Abs(apart) > within*(1+1e-6)+1e-5 {
					t.Errorf("%s at gap %g: label %d is %v off, more than %v", c.kind, gap, y, apart, within)
				}
				if gap < 1e-3 && within > radius*bias/10 {
					t.Errorf("%s: the anchor %v says no more than the norm, %v", c.kind, within, radius*bias)
				}
			}
		}
	}
}

// Slopes that hold no row give no anchor.
func TestAnchorsOfNothing(t *testing.T) {
	l := setting.Learner{Kind: setting.SVM, Strength: 1}
	targets := &learn.Targets{Task: setting.Binary, Class: []int{0, 1}}
	for name, slopes := range map[string][]float64{"none": nil, "at bounds": {0, -1}} {
		if weights, within := risk.Anchor(l, targets, 0, 1, &risk.Result{Upper: 1, Slopes: slopes}); weights != nil || !math.IsInf(within, 1) {
			t.Errorf("%s: weights %v, within %v", name, weights, within)
		}
	}
}
