package model

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// sloped is a set of n rows with a real target that rises with the first column, and with weights.
func sloped(n int) *dataset.Set {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	s := &dataset.Set{X: mat.NewDense(n, 3, nil), Task: setting.Real, HasTarget: true}
	for i := range n {
		s.X.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
		s.Real = append(s.Real, 40+2*s.X.At(i, 0)+math.Sin(s.X.At(i, 1))+0.3*rng.NormFloat64())
		s.Weight, s.Rows, s.IDs = append(s.Weight, 0.5+rng.Float64()), append(s.Rows, i), append(s.IDs, "")
	}
	return s
}

// apartR is an R of the difference of two means over rows, and of a maximum over differences of rows that follow each other.
func apartR(s *dataset.Set) *regularizer.Regularizer {
	b := &plugins.Block{Start: []int32{0}}
	for i := range s.Len() {
		b.Term(float64(1-2*(i%2))/float64(s.Len()), int32(i), plugins.Evaluation, plugins.NoLabel)
	}
	b.End()
	for i := 1; i < 9; i++ {
		b.Term(1, int32(i), plugins.Evaluation, plugins.NoLabel)
		b.Term(-1, int32(i-1), plugins.Evaluation, plugins.NoLabel)
		b.End()
	}
	return &regularizer.Regularizer{Functionals: b, Rows: s.Len(), Invariances: []regularizer.Invariance{
		{Name: "level", Weight: 3, Kind: regularizer.Seminorm, Count: 1, Gauge: gauge.Leaf(gauge.Abs)},
		{Name: "near", Weight: 2, Kind: regularizer.Seminorm, First: 1, Count: 8, Gauge: gauge.Repeat(8, gauge.MaxOf(gauge.Leaf(gauge.Abs)))},
	}}
}

// A fit whose rows are summed finds the function that it finds with all rows at hand, with a certificate that holds of them, and tells the same of it.
func TestSummedRowsMakeTheSameFit(t *testing.T) {
	numbers, classes, zeros := sloped(200), tossed(200), sloped(200)
	clear(zeros.Real)
	for name, c := range map[string]struct {
		train *dataset.Set
		reg   *regularizer.Regularizer
	}{
		"numbers, maxima":   {numbers, apartR(numbers)},
		"numbers, free":     {numbers, &regularizer.Regularizer{Rows: numbers.Len()}},
		"labels, quadratic": {classes, level(classes)},
		"zeros":             {zeros, apartR(zeros)},
	} {
		o := tellingOptions(setting.Risk)
		o.Features = setting.Features{Kind: setting.Nystrom, Landmarks: setting.CountLandmarks, Count: 12}
		o.Kernel.Width, o.Strengths, o.Gap = 2, nil, 1e-6
		held, err := Fit(t.Context(), c.train, c.reg, o)
		if err != nil {
			t.Fatal(err)
		}
		o.MostHeld = 1
		summed, err := Fit(t.Context(), c.train, c.reg, o)
		if err != nil {
			t.Fatal(err)
		}
		compareFits(t, name, summed, held, c.train, o.Gap)
	}
}

// compareFits fails unless a fit is near another, within what its certificate says.
func compareFits(t *testing.T, name string, got, want *Fitting, rows *dataset.Set, gap float64) {
	t.Helper()
	if g := got.Gaps[0]; !(g <= gap) {
		t.Errorf("%s: a gap of %g", name, g)
	}
	scores := func(f *Fitting) *mat.Dense {
		s, _, err := f.Model.Scores(t.Context(), rows.X, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	apart := mat.DenseCopyOf(scores(got))
	apart.Sub(apart, scores(want))
	most := mat.Max(got.Errors) + mat.Max(want.Errors)
	if far := math.Max(mat.Max(apart), -mat.Min(apart)); far > most {
		t.Errorf("%s: scores are %g apart, and %g are proved", name, far, most)
	}
	square := 0.0
	for i := range rows.Len() {
		square += weightOf(rows, i) * apart.At(i, 0) * apart.At(i, 0)
	}
	if most := got.MeanSquare + mat.Max(want.Errors); got.MeanSquare > 0 && math.Sqrt(square/rows.Total()) > most {
		t.Errorf("%s: scores are %g apart in the root mean square, and %g is proved", name, math.Sqrt(square/rows.Total()), most)
	}
	near := func(what string, a, b float64) {
		if !(math.Abs(a-b) <= 1e-3*math.Abs(b)) {
			t.Errorf("%s: %s is %g, and %g with all rows at hand", name, what, a, b)
		}
	}
	if gap > 1e-6 {
		return
	}
	near("the spread", got.Model.Nearness.Spread, want.Model.Nearness.Spread)
	near("the objective", got.Model.Fit.Objective, want.Model.Fit.Objective)
	if own, with := mat.Max(got.Errors)/got.Model.Nearness.Spread, mat.Max(want.Errors)/want.Model.Nearness.Spread; own > 0.01+12*with*math.Sqrt(max(1, got.Gaps[0]/want.Gaps[0])) { // as bounds go with the root of the gap
		t.Errorf("%s: scores are within %g of their spread, and %g with all rows at hand", name, own, with)
	}
	for k := range want.Measured {
		near("R", float64(got.Measured[k].Value), float64(want.Measured[k].Value))
	}
}

// Losses of rates and copies of rows need the rows themselves.
func TestOtherFitsHoldTheirRows(t *testing.T) {
	train := tossed(60)
	for name, change := range map[string]func(*Options){
		"poisson": func(o *Options) { o.Learner.Kind = setting.Poisson },
		"method":  func(o *Options) { o.Method = setting.Embed },
		"enough":  func(o *Options) { o.MostHeld = 0 },
		"copies": func(o *Options) {
			o.Augment = func(_ context.Context, s *dataset.Set) (*dataset.Set, error) { return s.Subset(everyRow(s)), nil }
		},
		"closure": func(o *Options) { o.Closure = []regularizer.Implication{{}} },
	} {
		o := tellingOptions(setting.Risk)
		o.Strengths, o.MostHeld = nil, 1
		change(&o)
		f := newFitter(t.Context(), train, level(train), o.filled())
		if err := f.features(); err != nil {
			t.Fatal(err)
		}
		if summable(f) {
			t.Errorf("%s: the rows are summed", name)
		}
	}
}

// everyRow returns the positions of all rows.
func everyRow(s *dataset.Set) []int {
	out := make([]int, s.Len())
	for i := range out {
		out[i] = i
	}
	return out
}

// Under a small λ sums prove nothing, and rows are held.
func TestSmallStrengthsHoldTheirRows(t *testing.T) {
	train := sloped(200)
	o := tellingOptions(setting.Risk)
	o.Features = setting.Features{Kind: setting.Nystrom, Landmarks: setting.CountLandmarks, Count: 12}
	o.Kernel.Width, o.Strengths, o.Gap, o.MostHeld, o.Learner.Strength = 2, nil, 1e-4, 1, 1e-9
	f, err := Fit(t.Context(), train, apartR(train), o)
	if err != nil {
		t.Fatal(err)
	}
	if f.Gaps[0] > o.Gap {
		t.Errorf("a gap of %g", f.Gaps[0])
	}
}
