package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// drawScored are scores with labels that they tell something of.
func drawScored(t *rapid.T) (scores []float64, positive []bool) {
	n := rapid.IntRange(1, 60).Draw(t, "examples")
	scale := math.Pow(10, float64(rapid.IntRange(-6, 6).Draw(t, "scale")))
	shift := rapid.Float64Range(-3, 3).Draw(t, "shift") * scale
	along := rapid.Float64Range(-2, 2).Draw(t, "along")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	for range n {
		s := rng.NormFloat64()
		scores, positive = append(scores, shift+scale*s), append(positive, rng.NormFloat64() < along*s)
	}
	return scores, positive
}

func TestNewtonsDerivativesAreThoseOfTheLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores, positive := drawScored(t)
		for i := range scores {
			scores[i] = math.Mod(scores[i], 3)
		}
		p := &plattLoss{scores: scores, targets: plattTargets(positive, nil)}
		at := []float64{rapid.Float64Range(-2, 2).Draw(t, "slope"), rapid.Float64Range(-2, 2).Draw(t, "offset")}
		value := func(x []float64) float64 { return p.value(Sigmoid{x[0], x[1]}) }
		slope, offset, ss, so, oo := p.derivatives(Sigmoid{at[0], at[1]})
		tolerance := 1e-5 * float64(len(scores))
		for k, v := range fd.Gradient(nil, value, at, &fd.Settings{Formula: fd.Central}) {
			if got := []float64{slope, offset}[k]; math.Abs(got-v) > tolerance {
				t.Errorf("derivative %d is %v, by differences %v", k, got, v)
			}
		}
		h := mat.NewSymDense(2, nil)
		fd.Hessian(h, value, at, nil)
		for k, got := range []float64{ss, so, oo} {
			if v := h.At([]int{0, 0, 1}[k], []int{0, 1, 1}[k]); math.Abs(got-v) > 100*tolerance {
				t.Errorf("second derivative %d is %v, by differences %v", k, got, v)
			}
		}
	})
}

// The sigmoid rises with the score, is nowhere 0 or 1 at the scores it was fitted to, and no other that rises has less loss.
func TestSigmoidsAreTheBestThatRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores, positive := drawScored(t)
		g := FitSigmoid(scores, positive, nil)
		if !(g.Slope > 0) || math.IsNaN(g.Offset) || math.IsInf(g.Offset, 0) {
			t.Fatalf("%+v", g)
		}
		p := &plattLoss{scores: scores, targets: plattTargets(positive, nil)}
		least, tolerance, lowest := p.value(g), 1e-7, 0.0
		if _, spread := stat.PopMeanStdDev(scores, nil); g.Slope*spread < 1.01*slopeLeast { // at the bound offsets are those of no slope
			tolerance, lowest = 1e-5, 1
		}
		for range 20 {
			other := Sigmoid{g.Slope * rapid.Float64Range(lowest, 3).Draw(t, "slope"), g.Offset + rapid.Float64Range(-1, 1).Draw(t, "offset")}
			if v := p.value(other); v < least-tolerance*(1+least) {
				t.Fatalf("%+v has the loss %v, %+v %v", g, least, other, v)
			}
		}
		for _, s := range scores {
			if v := g.At(s); !(v > 0 && v < 1) {
				t.Fatalf("the probability of %v is %v", s, v)
			}
		}
	})
}

// calibrated is a fit of m labels whose sigmoids are drawn.
func calibrated(t *rapid.T, task setting.Task, m int) *Fit {
	f := &Fit{Learner: setting.Learner{Kind: setting.SVM, Probabilities: true}, Task: task, Odds: task == setting.Multilabel && rapid.Bool().Draw(t, "odds")}
	common := rapid.Float64Range(1e-3, 5).Draw(t, "common")
	for range m {
		g := Sigmoid{Slope: common}
		if task != setting.Class {
			g.Slope = rapid.Float64Range(1e-3, 5).Draw(t, "slope")
		}
		if f.Odds {
			g.Offset = rapid.Float64Range(-3, 3).Draw(t, "offset")
		}
		f.Sigmoids = append(f.Sigmoids, g)
	}
	if err := f.CheckSigmoids(m); err != nil {
		t.Fatal(err)
	}
	return f
}

// Probabilities rise with their own score, whatever the target; those of classes sum to 1. They agree with what is decided: a label has more than ½
// exactly where it is decided for, and no class has more than the one that is decided.
func TestCalibratedProbabilitiesRiseWithScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := rapid.SampledFrom([]setting.Task{setting.Binary, setting.Class, setting.Multilabel}).Draw(t, "task")
		m, at := 1, 1 // the column of the label looked at
		if task != setting.Binary {
			m = rapid.IntRange(2, 5).Draw(t, "labels")
			at = rapid.IntRange(0, m-1).Draw(t, "label")
		}
		f := calibrated(t, task, m)
		scores := mat.NewDense(2, m, nil)
		for y := range m {
			s := rapid.OneOf(rapid.Float64Range(-5, 5), rapid.SampledFrom([]float64{0, 1e-300, -1e-300, 1e-18, 1e300, -1e300})).Draw(t, "score")
			scores.Set(0, y, s)
			scores.Set(1, y, s)
		}
		own := min(at, m-1)
		scores.Set(1, own, scores.At(1, own)+rapid.Float64Range(0, 3).Draw(t, "more"))
		f.Finish(scores)
		p, decided := f.Probabilities(scores), Decide(task, scores)
		if p.At(1, at) < p.At(0, at)-1e-15 {
			t.Fatalf("the probability falls from %v to %v", p.At(0, at), p.At(1, at))
		}
		if sum := mat.Sum(p.RowView(0)); task != setting.Multilabel && !(math.Abs(sum-1) <= 1e-12) {
			t.Fatalf("probabilities sum to %v", sum)
		}
		for i := range 2 {
			row := p.RawRowView(i)
			switch task {
			case setting.Multilabel:
				for y, v := range row {
					if (v > 0.5) != (decided.Multi.At(i, y) == 1) {
						t.Fatalf("label %d with the score %v has the probability %v", y, scores.At(i, y), v)
					}
				}
			case setting.Binary:
				if (row[1] > 0.5) != (decided.Class[i] == 1) {
					t.Fatalf("the score %v has the probability %v", scores.At(i, 0), row[1])
				}
			default:
				if mat.Max(p.RowView(i)) > row[decided.Class[i]] {
					t.Fatalf("class %d is decided, and probabilities are %v", decided.Class[i], row)
				}
			}
		}
	})
}

// The slope that classes share has no less loss beside it.
func TestTemperatureIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(2, 40).Draw(t, "examples"), rapid.IntRange(2, 4).Draw(t, "classes")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		scores, class := mat.NewDense(n, m, nil), make([]int, n)
		scale := math.Pow(10, float64(rapid.IntRange(-6, 6).Draw(t, "scale")))
		for i := range n {
			class[i] = rng.IntN(m)
			for y := range m {
				s := rng.NormFloat64()
				if y == class[i] {
					s++
				}
				scores.Set(i, y, scale*s)
			}
		}
		loss := func(a float64) (sum float64) {
			p, other := make([]float64, m), 1/float64(n+m)
			for i := range n {
				for y, s := range scores.RawRowView(i) {
					p[y] = a * s
				}
				linear := 0.0
				for y, z := range p {
					target := other
					if y == class[i] {
						target = 1 - float64(m-1)*other
					}
					linear += target * z
				}
				sum += softmax(p, p) - linear
			}
			return sum
		}
		a, unit := fitTemperature(scores, class, nil), mat.Norm(scores, 2)/math.Sqrt(float64(n*m))
		for _, factor := range []float64{0.5, 0.9, 0.99, 1.01, 1.1, 2} {
			if v := loss(a); v > loss(a*factor)+1e-9*(1+v) && a*unit*factor >= slopeLeast {
				t.Fatalf("slope %v has the loss %v, %v times that %v", a, v, factor, loss(a*factor))
			}
		}
	})
}

// Scores of examples held out are those of a fit without them.
func TestHeldOutScores(t *testing.T) {
	const n = 23
	rng := rand.New(rand.NewPCG(2, 3))
	x := mat.NewDense(n, 4, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	targets := &Targets{Task: setting.Binary}
	for i := range n {
		targets.Class = append(targets.Class, i%2)
	}
	d, err := Shared(x, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := setting.Learner{Kind: setting.SVM}
	folds, err := Folds(targets, UsualFolds, 4)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Compare(context.Background(), d, targets, []setting.Learner{l}, Complement(targets.Len(), folds[2]), folds[2])
	if err != nil {
		t.Fatal(err)
	}
	rest := Complement(n, folds[2])
	fit, err := Solve(context.Background(), Compared(l), d.Subset(rest), targets.Subset(rest))
	if err != nil {
		t.Fatal(err)
	}
	want, err := fit.Scores(d)
	if err != nil {
		t.Fatal(err)
	}
	for r, i := range folds[2] {
		if got[0].At(r, 0) != want.At(i, 0) {
			t.Errorf("example %d has the score %v, held out %v", i, got[0].At(r, 0), want.At(i, 0))
		}
	}
	if _, err := Folds(&Targets{Task: setting.Binary, Class: []int{1}}, UsualFolds, 0); err == nil {
		t.Error("one example is held out of itself")
	}
}

func TestSigmoidsAreChecked(t *testing.T) {
	for _, bad := range [][]Sigmoid{{{1, 0}}, {{1, 0}, {-1, 0}}, {{1, 0}, {0, 0}}, {{1, 0}, {1, math.NaN()}}, {{1, 0}, {1, math.Inf(1)}}} {
		if (&Fit{Task: setting.Multilabel, Odds: true, Sigmoids: bad}).CheckSigmoids(2) == nil {
			t.Errorf("%v is taken for 2 labels", bad)
		}
	}
	for _, bad := range []*Fit{
		{Task: setting.Multilabel, Sigmoids: []Sigmoid{{1, 0}, {1, 2}}},
		{Task: setting.Class, Sigmoids: []Sigmoid{{1, 0}, {2, 0}}},
		{Task: setting.Class, Odds: true, Sigmoids: []Sigmoid{{1, 0}, {1, 0}}},
		{Task: setting.Multilabel, Odds: true},
	} {
		if bad.CheckSigmoids(2) == nil {
			t.Errorf("%+v is taken for 2 labels", bad)
		}
	}
	if err := (&Fit{Task: setting.Multilabel, Odds: true, Sigmoids: []Sigmoid{{1, 0}, {0.1, 2}}}).CheckSigmoids(2); err != nil {
		t.Error(err)
	}
}

// Log odds of all labels are no worse for one more sigmoid, which keeps their order and is a part of those of the labels. Where they rise as labels fall,
// its least slope costs at most that of each.
func TestOneMoreSigmoidIsNoWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 4).Draw(t, "labels")
		f := calibrated(t, setting.Multilabel, m)
		n := rapid.IntRange(1, 20).Draw(t, "rows")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		scores, multi := mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
		var positive []bool
		for i := range n {
			for y := range m {
				scores.Set(i, y, 3*rng.NormFloat64())
				has := rng.NormFloat64() < scores.At(i, y)
				if positive = append(positive, has); has {
					multi.Set(i, y, 1)
				}
			}
		}
		odds := func() []float64 {
			out := mat.DenseCopyOf(scores)
			f.Finish(out)
			return out.RawMatrix().Data
		}
		f.Odds = true
		before := odds()
		f.Recalibrate(&Targets{Task: setting.Multilabel, Multi: multi}, mat.NewDense(n, m, before))
		after := odds()
		loss := func(odds []float64) float64 {
			return (&plattLoss{scores: odds, targets: plattTargets(positive, nil)}).value(Sigmoid{Slope: 1})
		}
		if was, is := loss(before), loss(after); is > was+1e-6*(1+was)+1e-3*float64(len(before)) {
			t.Fatalf("the loss rises from %v to %v", was, is)
		}
		for i := range before {
			for k := range before {
				if before[i] < before[k] && after[i] > after[k]+1e-9*math.Abs(after[k]) {
					t.Fatalf("%v < %v become %v and %v", before[i], before[k], after[i], after[k])
				}
			}
		}
		if err := f.CheckSigmoids(m); err != nil {
			t.Fatal(err)
		}
	})
}
