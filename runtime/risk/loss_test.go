package risk

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// drawLoss draws a loss of m scores, of whose rows the first is looked at.
func drawLoss(t *rapid.T) (l Loss, m int) {
	m = rapid.IntRange(1, 5).Draw(t, "labels")
	strength := math.Pow(10, rapid.Float64Range(-3, 3).Draw(t, "log strength"))
	kind := rapid.SampledFrom([]setting.LearnerKind{setting.SVM, setting.SquaredSVM, setting.Logistic, setting.Softmax, setting.Ridge, setting.Poisson, setting.Quantile}).Draw(t, "kind")
	rows := rapid.IntRange(1, 6).Draw(t, "rows") // whose sets softmax tells apart
	targets := &learn.Targets{Task: setting.Multilabel, Multi: mat.NewDense(rows, m, nil)}
	for i := range rows {
		for y := range m {
			if rapid.Bool().Draw(t, "has") {
				targets.Multi.Set(i, y, 1)
			}
		}
	}
	if kind == setting.Softmax && rapid.Bool().Draw(t, "classes") {
		targets = &learn.Targets{Task: setting.Class, Class: []int{rapid.IntRange(0, m-1).Draw(t, "class")}}
	}
	if kind == setting.Poisson {
		targets = &learn.Targets{Task: setting.Counts, Real: []float64{float64(rapid.IntRange(0, 30).Draw(t, "count"))}}
	}
	if kind == setting.Quantile {
		targets = &learn.Targets{Task: setting.Quantiles, Real: []float64{float64(rapid.IntRange(-10, 10).Draw(t, "number")), 0.5}}
		for y := range m {
			targets.Levels = append(targets.Levels, float64(1+y)/float64(1+m))
		}
	}
	if rapid.Bool().Draw(t, "weighted") {
		for range targets.Len() {
			targets.Weight = append(targets.Weight, math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, "log weight")))
		}
	}
	l, err := NewLoss(setting.Learner{Kind: kind}, targets, nil, strength)
	if err != nil {
		t.Fatal(err)
	}
	if sets, ok := l.(*setLoss); ok {
		if err := sets.eliminate(); err != nil {
			t.Fatal(err)
		}
	}
	return l, m
}

// kinks reports whether a loss is that of svm or of quantiles, weighted or not.
func kinks(l Loss) bool {
	switch bare(l).(type) {
	case *hinge, *pinball:
		return true
	}
	return false
}

// bare returns a loss without its weights.
func bare(l Loss) Loss {
	if w, ok := l.(*weighted); ok {
		return w.single
	}
	return l
}

// A learner whose loss is not known is refused, and not taken for another.
func TestUnknownLossesAreRefused(t *testing.T) {
	targets := &learn.Targets{Task: setting.Real, Real: []float64{1, 2}}
	if l, err := NewLoss(setting.Learner{Kind: setting.SVR}, targets, nil, 1); err == nil {
		t.Errorf("svr has the loss %T", l)
	}
}

// The proximal point s of u has (u − s)/τ among the loss's subgradients: the inequality of Fenchel and Young is an equation
// there, and an inequality everywhere else.
func TestProximalPointsAreThose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, m := drawLoss(t)
		tau := math.Pow(10, rapid.Float64Range(-3, 3).Draw(t, "log tau"))
		u := rapid.SliceOfN(rapid.Float64Range(-30, 30), m, m).Draw(t, "u")
		other := rapid.SliceOfN(rapid.Float64Range(-30, 30), m, m).Draw(t, "other")
		start := rapid.SliceOfN(rapid.Float64Range(-30, 30), m, m).Draw(t, "start")
		s := append([]float64(nil), u...)
		proxFrom(l, 0, s, start, tau)
		g := make([]float64, m)
		for y := range g {
			g[y] = (u[y] - s[y]) / tau
		}
		if !kinks(l) {
			want := make([]float64, m)
			l.Gradient(0, want, s)
			if off := floats.Distance(g, want, 2); off > 1e-6*(1+floats.Norm(want, 2)+floats.Norm(u, 2)/tau) {
				t.Fatalf("at the proximal point %v of %v the gradient is %v, want %v", s, u, want, g)
			}
		}
		l.Clip(0, g, s)
		dual, off := l.Conjugate(0, g)
		if off > 1e-9*(l.Slope()+floats.Norm(g, 1)) {
			t.Fatalf("multipliers lie beside the domain by %v", off)
		}
		size := 1 + math.Abs(dual) + l.Value(0, u) + floats.Norm(g, 1)*floats.Norm(s, math.Inf(1)) + floats.Norm(u, 2)/tau
		if gap := l.Value(0, s) + dual - floats.Dot(s, g); math.Abs(gap) > 1e-7*size {
			t.Fatalf("at the proximal point %v of %v the loss is %v, its conjugate %v, and they differ by %v", s, u, l.Value(0, s), dual, gap)
		}
		if gap := l.Value(0, other) + dual - floats.Dot(other, g); gap < -1e-9*(size+floats.Norm(g, 1)*30) {
			t.Fatalf("the conjugate at %v is too small by %v for %v", g, gap, other)
		}
	})
}

// Multipliers that are negative throughout, as those of rows far from their proximal points, leave no probability to divide by.
func TestNoProbabilityIsLeft(t *testing.T) {
	l := &softmax{class: []int{1}, weight: 100}
	g := []float64{-3, -1e6, 0}
	l.Clip(0, g, make([]float64, 3))
	if most, _ := l.Conjugate(0, g); !(floats.Norm(g, 1) == 0) || !(math.Abs(most) < 1e-6) {
		t.Errorf("they become %v, and the conjugate %v", g, most)
	}
}

// Gradients are what finite differences say, away from kinks.
func TestGradientsAreThose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, m := drawLoss(t)
		s := rapid.SliceOfN(rapid.Float64Range(-5, 5), m, m).Draw(t, "s")
		if kinks(l) {
			for y, v := range s {
				if q, ok := bare(l).(*pinball); ok && math.Abs(q.target[0]-v) < 1e-3 {
					s[y] = v + 1
				} else if !ok && math.Abs(math.Abs(v)-1) < 1e-3 {
					s[y] = 0
				}
			}
		}
		g := make([]float64, m)
		l.Gradient(0, g, s)
		const h = 1e-5
		for y, v := range s {
			s[y] = v + h
			up := l.Value(0, s)
			s[y] = v - h
			down := l.Value(0, s)
			s[y] = v
			if got := (up - down) / (2 * h); math.Abs(got-g[y]) > 1e-5*(l.Slope()+math.Abs(got)+up) {
				t.Fatalf("the derivative along score %d is %v, and by differences %v", y, g[y], got)
			}
		}
	})
}

// The proximal map of the logistic loss solves its equation for steps of all sizes.
func TestLogisticProx(t *testing.T) {
	for v := -60.0; v <= 60; v += 0.37 {
		for exponent := -6.0; exponent <= 8; exponent += 0.013 {
			step := math.Pow(10, exponent)
			y := logisticProx(v, step)
			if left := y - v - step*sigmoid(-y); math.Abs(left) > 1e-12*(1+math.Abs(y)+math.Abs(v)+step*sigmoid(-y))*(1+step*sigmoid(y)*sigmoid(-y)) {
				t.Fatalf("y − %v − %vσ(−y) is %v at y = %v", v, step, left, y)
			}
		}
	}
}

// Most bounds the loss of all scores within the errors.
func TestMostBoundsScoresNearby(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, m := drawLoss(t)
		s := rapid.SliceOfN(rapid.Float64Range(-5, 5), m, m).Draw(t, "s")
		e := rapid.SliceOfN(rapid.Float64Range(0, 1), m, m).Draw(t, "e")
		size := rapid.Float64Range(0, 3).Draw(t, "size")
		at := make([]float64, m)
		for y := range at {
			at[y] = s[y] + rapid.SampledFrom([]float64{-1, 0, 1, 0.5}).Draw(t, "by")*size*e[y]
		}
		if most, value := l.Most(0, s, e, size), l.Value(0, at); value > most*(1+1e-12)+1e-12 {
			t.Fatalf("the loss at %v is %v, above the bound %v around %v", at, value, most, s)
		}
	})
}

// What a loss holds a score by is no more than what it and its conjugate leave, at every distance from the score at which a slope is one.
func TestLossesHoldScores(t *testing.T) {
	targets := map[setting.LearnerKind]*learn.Targets{
		setting.Poisson:  {Task: setting.Counts, Real: []float64{3}},
		setting.Quantile: {Task: setting.Quantiles, Real: []float64{2, 0}, Levels: []float64{0.3}},
	}
	for _, kind := range []setting.LearnerKind{setting.SVM, setting.SquaredSVM, setting.Logistic, setting.Poisson, setting.Quantile} {
		own := targets[kind]
		if own == nil {
			own = &learn.Targets{Task: setting.Binary, Class: []int{1}}
		}
		rapid.Check(t, func(t *rapid.T) {
			c, share := math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, "log strength")), rapid.Float64Range(0.1, 1).Draw(t, "share")
			l, err := NewLoss(setting.Learner{Kind: kind}, own, nil, c)
			if err != nil {
				t.Fatal(err)
			}
			// A slope at a score, as it is or within the interval of a kink.
			center, g := []float64{rapid.Float64Range(-3, 3).Draw(t, "center")}, []float64{0}
			l.Gradient(0, g, center)
			if kinks(l) {
				center[0] = map[setting.LearnerKind]float64{setting.SVM: 1, setting.Quantile: 2}[kind]
				g[0] *= rapid.Float64Range(0, 1).Draw(t, "part")
			}
			dual, _ := l.Conjugate(0, g)
			unit := c
			if kind == setting.Quantile {
				unit *= own.Spread()
			}
			weight := hold(kind, own, 0, 0, unit, share, share*g[0])
			s := []float64{center[0] + rapid.Float64Range(-4, 4).Draw(t, "apart")}
			left, d := share*(l.Value(0, s)+dual-g[0]*s[0]), math.Abs(s[0]-center[0])
			psi := math.Exp(-d) + d - 1
			if kinks(l) {
				psi = d
			}
			if weight < 0 || weight*psi > left+1e-9*(1+c+l.Value(0, s)) {
				t.Fatalf("%s: the score %v of slope %v at %v leaves %v, and is said to leave %v", kind, s, g, center, left, weight*psi)
			}
		})
	}
}
