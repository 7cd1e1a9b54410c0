package learn_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Examples with whole weights are as good as repeated ones: for every learner and task, on shared and joint designs.
func TestWeightsAreRepetitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := rapid.SampledFrom([]setting.Task{setting.Binary, setting.Class, setting.Real, setting.Multilabel, setting.Counts, setting.Quantiles}).Draw(t, "task")
		kinds := map[setting.Task][]setting.LearnerKind{
			setting.Real: {setting.Ridge, setting.SVR}, setting.Binary: {setting.SVM, setting.SquaredSVM, setting.Logistic, setting.Ridge},
			setting.Class: {setting.SVM, setting.SquaredSVM, setting.Softmax, setting.Ridge}, setting.Multilabel: {setting.SVM, setting.SquaredSVM, setting.Logistic, setting.Softmax, setting.Ridge},
			setting.Counts: {setting.Poisson}, setting.Quantiles: {setting.Quantile},
		}
		l := setting.Learner{Kind: rapid.SampledFrom(kinds[task]).Draw(t, "kind"), Strength: 0.7, Epsilon: 0.1, Gap: 1e-14, MaxSweeps: 20000}
		n, dim, m := rapid.IntRange(3, 12).Draw(t, "n"), rapid.IntRange(1, 20).Draw(t, "dim"), 1
		if task.Joint() {
			m = 3
		}
		joint := task.Joint() && rapid.Bool().Draw(t, "joint")
		of := &learn.Targets{Task: task, Multi: mat.NewDense(n, m, nil)}
		if task == setting.Quantiles {
			of.Levels = []float64{0.2, 0.5, 0.7}
		}
		var twice []int
		width := dim
		if joint {
			width *= m
		}
		x := make([]float64, n*width)
		for k := range x {
			x[k] = rapid.Float64Range(-1, 1).Draw(t, "x")
		}
		for i := range n {
			w := rapid.IntRange(1, 3).Draw(t, "weight")
			of.Weight = append(of.Weight, float64(w))
			for range w {
				twice = append(twice, i)
			}
			of.Class, of.Real = append(of.Class, i%max(2, m)), append(of.Real, rapid.Float64Range(-2, 2).Draw(t, "real"))
			for y := range m {
				of.Multi.Set(i, y, float64((i>>y)%2))
			}
		}
		d, err := learn.Shared(mat.NewDense(n, width, x), m)
		if joint {
			d, err = learn.Joint(x, n, m, dim)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range of.Real {
			if task == setting.Counts {
				of.Real[i] = math.Abs(of.Real[i])
			}
		}
		repeated := of.Subset(twice)
		repeated.Weight = nil
		a, err := learn.Solve(t.Context(), l, d, of)
		if err != nil {
			t.Fatal(err)
		}
		b, err := learn.Solve(t.Context(), l, d.Subset(twice), repeated)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(a.Objective-b.Objective) > 1e-9*(1+b.Objective) {
			t.Fatalf("%s: the objective is %v, and of repeated examples %v", l, a.Objective, b.Objective)
		}
		one, _ := a.Scores(d)
		two, _ := b.Scores(d)
		for y, bias := range a.Bias { // of svm the best biases may fill an interval, whose middle both take
			if math.Abs(bias-b.Bias[y]) > 1e-5 && l.Kind != setting.SVM && l.Kind != setting.SVR {
				t.Fatalf("%s: biases %v and %v", l, a.Bias, b.Bias)
			}
		}
		if l.Kind != setting.SVM && l.Kind != setting.SVR && !mat.EqualApprox(one, two, 1e-6) || !mat.EqualApprox(a.Weights, b.Weights, 1e-6) {
			t.Fatalf("%s: scores\n%v\n%v", l, mat.Formatted(one), mat.Formatted(two))
		}
	})
}

// Weights must be positive, and as many as examples.
func TestWeightsAreChecked(t *testing.T) {
	d, err := learn.Shared(mat.NewDense(2, 1, []float64{1, 2}), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range [][]float64{{1}, {1, 0}, {1, -1}, {1, math.NaN()}, {1, math.Inf(1)}} {
		of := &learn.Targets{Task: setting.Real, Real: []float64{1, 2}, Weight: w}
		if _, err := learn.Solve(t.Context(), setting.Learner{Kind: setting.Ridge}, d, of); err == nil {
			t.Errorf("weights %v pass", w)
		}
	}
}
