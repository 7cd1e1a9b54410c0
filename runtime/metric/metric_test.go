package metric_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/metric"
)

func check(t *testing.T, got, want metric.Figures) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for k := range want {
		same := math.Abs(got[k].Value-want[k].Value) <= 1e-12 || (math.IsNaN(got[k].Value) && math.IsNaN(want[k].Value))
		if got[k].Name != want[k].Name || !same {
			t.Errorf("got %v, want %v", got[k], want[k])
		}
	}
}

// classes returns the figures of classes without names.
func classes(truth, predicted, train []int, scores, probabilities *mat.Dense) metric.Figures {
	_, m := scores.Dims()
	f, _, _ := metric.Classes(make([]string, max(2, m)), truth, predicted, train, scores, probabilities, metric.Weights{})
	return f
}

// labels returns the figures of labels without names.
func labels(truth, predicted, scores, train, probabilities *mat.Dense, roots []bool) metric.Figures {
	_, m := truth.Dims()
	f, _, _ := metric.Labels(make([]string, m), truth, predicted, scores, train, probabilities, roots, metric.Weights{})
	return f
}

// Classes decided 0, 1, 2, 1, 2 where 0, 1, 2, 2 and an unknown one are true: F1 is 1, 2/3 and 1/2.
func TestClasses(t *testing.T) {
	truth, predicted, train := []int{0, 1, 2, 2, -1}, []int{0, 1, 2, 1, 2}, []int{2, 2, 1, 0}
	scores := mat.NewDense(5, 3, []float64{2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 1, 0.5, 0, 0, 1})
	check(t, classes(truth, predicted, train, scores, nil), metric.Figures{
		{Name: "accuracy", Value: 0.6},
		{Name: "majority_baseline", Value: 0.4},
		{Name: "macro_f1", Value: (1 + 2.0/3 + 1.0/2) / 3},
		{Name: "auc", Value: (1 + 1 + 5.0/6) / 3}, // of class 2: 2 and 0.5 against 0, 0 and 1
	})

	p := mat.NewDense(2, 2, []float64{0.5, 0.5, 0.75, 0.25})
	s := mat.NewDense(2, 1, []float64{0, -1})
	check(t, classes([]int{0, 1}, []int{0, 0}, []int{1, 0}, s, p), metric.Figures{
		{Name: "accuracy", Value: 0.5},
		{Name: "majority_baseline", Value: 0.5},
		{Name: "log_loss", Value: (math.Log(2) + math.Log(4)) / 2},
		{Name: "precision", Value: math.NaN()},
		{Name: "recall", Value: 0},
		{Name: "f1", Value: 0},
		{Name: "auc", Value: 0},
		{Name: "ece", Value: (0.5 + 0.75) / 2}, // the first, surest of 0.5, is right; the second, of 0.75, is not
	})
	check(t, classes([]int{0, -1}, []int{0, 0}, []int{0}, s, p)[2:3], metric.Figures{{Name: "log_loss", Value: math.NaN()}})
}

// Of two classes the figures are those of the second: decided 1 1 0 1 0 where 1 0 1 1 0 is true.
func TestBinary(t *testing.T) {
	truth, predicted := []int{1, 0, 1, 1, 0}, []int{1, 1, 0, 1, 0}
	scores := mat.NewDense(5, 1, []float64{2, 1, -1, 1, -3})
	got := classes(truth, predicted, truth, scores, nil)
	check(t, got[2:], metric.Figures{
		{Name: "precision", Value: 2.0 / 3},
		{Name: "recall", Value: 2.0 / 3},
		{Name: "f1", Value: 2.0 / 3},
		{Name: "auc", Value: (2 + 1 + 1.5) / 6}, // 2 beats both, −1 one, and 1 one and half of its equal
	})
	_, each, _ := metric.Classes([]string{"no", "yes"}, truth, predicted, truth, scores, nil, metric.Weights{})
	want := []metric.Class{
		{Name: "no", Rows: 2, TruePositive: 1, FalsePositive: 1, FalseNegative: 1, TrueNegative: 2, Decided: map[string]int{"no": 1, "yes": 1}},
		{Name: "yes", Rows: 3, TruePositive: 2, FalsePositive: 1, FalseNegative: 1, TrueNegative: 1, Decided: map[string]int{"no": 1, "yes": 2}},
	}
	for k := range want {
		check(t, each[k].Figures[3:], metric.Figures{{Name: "auc", Value: 4.5 / 6}})
		each[k].Figures = nil
		if d := cmp.Diff(want[k], each[k]); d != "" {
			t.Error(d)
		}
	}
}

// Bins hold what lies in them, the last one its end, and the error is their mean distance.
func TestCalibration(t *testing.T) {
	p := mat.NewDense(4, 2, []float64{1, 0, 0.62, 0.38, 0.34, 0.66, 0, 1})
	_, _, got := metric.Classes([]string{"a", "b"}, []int{0, 1, 1, 0}, []int{0, 0, 1, 1}, []int{0, 0, 1, 1}, p, p, metric.Weights{})
	want := []metric.Bin{{From: 0.6, To: 0.7, Count: 2, Confidence: 0.64, Share: 0.5}, {From: 0.9, To: 1, Count: 2, Confidence: 1, Share: 0.5}}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
	p, truth := mat.NewDense(2, 2, []float64{0.95, 0.05, 0.15, 0.92}), mat.NewDense(2, 2, []float64{1, 0, 1, 1})
	_, _, got = metric.Labels([]string{"a", "b"}, truth, truth, p, truth, p, nil, metric.Weights{})
	want = []metric.Bin{
		{From: 0, To: 0.1, Count: 1, Confidence: 0.05},
		{From: 0.1, To: 0.2, Count: 1, Confidence: 0.15, Share: 1},
		{From: 0.9, To: 1, Count: 2, Confidence: 0.935, Share: 1},
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
}

// Rows of weight 0 leave no mark: with or without them the bins and the error are the same.
func TestCalibrationLeavesOutRowsWithoutWeight(t *testing.T) {
	p := mat.NewDense(4, 2, []float64{1, 0, 0.62, 0.38, 0.34, 0.66, 0.05, 0.95})
	f, _, bins := metric.Classes([]string{"a", "b"}, []int{0, 1, 1, 0}, []int{0, 0, 1, 1}, []int{0}, p, p, metric.Weights{Rows: []float64{1, 2, 0, 0}})
	want := []metric.Bin{{From: 0.6, To: 0.7, Count: 1, Confidence: 0.62, Weight: 2}, {From: 0.9, To: 1, Count: 1, Confidence: 1, Share: 1, Weight: 1}}
	if d := cmp.Diff(want, bins, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
	if ece, _ := f.Get(metric.ECE); math.Abs(ece-2*0.62/3) > 1e-12 {
		t.Errorf("ece is %v", ece)
	}
	truth := mat.NewDense(4, 2, []float64{1, 0, 0, 1, 1, 0, 1, 0})
	f, _, _ = metric.Labels([]string{"a", "b"}, truth, truth, p, truth, p, nil, metric.Weights{Rows: []float64{1, 0, 0, 0}})
	if ece, _ := f.Get(metric.ECE); ece != 0 {
		t.Errorf("ece of labels is %v", ece)
	}
}

// The area is the share of pairs in order, counted one by one.
func TestAreaCountsPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		truth, predicted := make([]int, n), make([]int, n)
		scores := mat.NewDense(n, 1, nil)
		for i := range n {
			truth[i] = rapid.IntRange(0, 1).Draw(t, "truth")
			scores.Set(i, 0, float64(rapid.IntRange(-2, 2).Draw(t, "score")))
		}
		var wins, pairs float64
		for i := range n {
			for j := range n {
				if truth[i] == 1 && truth[j] == 0 {
					pairs++
					switch a, b := scores.At(i, 0), scores.At(j, 0); {
					case a > b:
						wins++
					case a == b:
						wins += 0.5
					}
				}
			}
		}
		got, _ := classes(truth, predicted, truth, scores, nil).Get(metric.AUC)
		if want := wins / pairs; math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// By hand: decisions 6, of which 4 right; TP 2, FP 1, FN 1. Scores from the top: 1 (0.9), 0 (0.8), 1 (0.7), 1 (−0.1), so the
// average precision is (1 + 2/3 + 3/4)/3.
func TestLabels(t *testing.T) {
	truth := mat.NewDense(2, 3, []float64{1, 0, 0, 1, 1, 0})
	scores := mat.NewDense(2, 3, []float64{0.9, 0.8, -1, 0.7, -0.1, -2})
	predicted := mat.NewDense(2, 3, []float64{1, 1, 0, 1, 0, 0})
	train := mat.NewDense(3, 3, []float64{1, 0, 0, 1, 1, 0, 0, 1, 0})
	check(t, labels(truth, predicted, scores, train, nil, nil), metric.Figures{
		{Name: "hamming_accuracy", Value: 4.0 / 6},
		{Name: "majority_baseline", Value: 5.0 / 6},
		{Name: "exact_match", Value: 0},
		{Name: "micro_f1", Value: 2 * 2.0 / (2*2 + 1 + 1)},
		{Name: "macro_f1", Value: 1.0 / 3},
		{Name: "auprc", Value: (1 + 2.0/3 + 3.0/4) / 3},
		{Name: "micro_precision", Value: 2.0 / 3},
		{Name: "micro_recall", Value: 2.0 / 3},
		{Name: "auc", Value: 0}, // only the second label has rows of both kinds, in the wrong order
	})
	half := mat.NewDense(2, 3, []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5})
	if v, ok := labels(truth, truth, half, train, half, nil).Get(metric.LogLoss); !ok || math.Abs(v-math.Log(2)) > 1e-12 {
		t.Errorf("log_loss %v", v)
	}
	// All scores equal: the curve is one point, its precision the share of positives.
	if v, _ := labels(truth, predicted, half, train, nil, nil).Get(metric.AUPRC); math.Abs(v-0.5) > 1e-12 {
		t.Errorf("auprc of equal scores is %v, want 0.5", v)
	}
	// A root that all rows have counts for nothing.
	rooted, rootedScores := mat.NewDense(2, 4, nil), mat.NewDense(2, 4, nil)
	rooted.Augment(truth, mat.NewDense(2, 1, []float64{1, 1}))
	rootedScores.Augment(scores, mat.NewDense(2, 1, []float64{9, 9}))
	want, _ := labels(truth, predicted, scores, train, nil, nil).Get(metric.AUPRC)
	trained := mat.NewDense(2, 4, nil)
	got, _ := labels(rooted, rooted, rootedScores, trained, nil, []bool{false, false, false, true}).Get(metric.AUPRC)
	all, _ := labels(rooted, rooted, rootedScores, trained, nil, nil).Get(metric.AUPRC)
	if got != want || all <= want {
		t.Errorf("auprc without the root is %v, want %v; with it %v", got, want, all)
	}
	none := mat.NewDense(2, 3, nil)
	if v, _ := labels(none, predicted, scores, train, nil, nil).Get(metric.AUPRC); !math.IsNaN(v) {
		t.Errorf("auprc without a positive is %v", v)
	}
}

func TestQuantiles(t *testing.T) {
	predicted := mat.NewDense(3, 2, []float64{0, 2, 3, 1, 1, 5})
	got := metric.Quantiles([]float64{1, 2, 0}, []float64{0.1, 0.8}, predicted, []float64{1, 2, 1})
	loss := (0.1*1+0.2*1)/2 + 2*(0.9*1+0.8*1)/2 + (0.9*1+0.2*5)/2
	check(t, got, metric.Figures{
		{Name: "pinball", Value: loss / 4},
		{Name: "coverage_error", Value: (0.65 + 0.3) / 2},
		{Name: "crossing", Value: 0.5},
		{Name: "coverage_0.1", Value: 0.75},
		{Name: "coverage_0.8", Value: 0.5},
	})
	if !metric.Coverage("coverage_0.1") || metric.Coverage("coverage_error") {
		t.Error("the coverage of a level is not told from the error of all")
	}
}

func TestCounts(t *testing.T) {
	got := metric.Counts([]float64{0, 2, 3}, []float64{0.5, 2, 1}, []float64{1, 1, 2})
	check(t, got[:1], metric.Figures{{Name: "deviance", Value: (2*0.5 + 2*2*(3*math.Log(3)-3+1)) / 4}})
	if len(got) != len(metric.Names("counts")) || metric.PoissonDeviance([]float64{1}, []float64{0}, nil) != math.Inf(1) {
		t.Errorf("%v, and a rate of 0 for a count is at a finite distance", got)
	}
}

func TestNumbers(t *testing.T) {
	check(t, metric.Numbers([]float64{1, 2, 3}, []float64{1, 2, 5}, nil), metric.Figures{{Name: "rmse", Value: math.Sqrt(4.0 / 3)}, {Name: "mae", Value: 2.0 / 3}, {Name: "r2", Value: -1}})
	check(t, metric.Numbers([]float64{2, 2}, []float64{1, 2}, nil), metric.Figures{{Name: "rmse", Value: math.Sqrt(0.5)}, {Name: "mae", Value: 0.5}, {Name: "r2", Value: math.NaN()}})
}

// Scores that put every positive before every negative have area 1; any increasing change of the scores keeps the area.
func TestAreaDependsOnTheOrderAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		truth, scores, moved := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
		truth.Set(0, 0, 1)
		for i := range n {
			for y := range 2 {
				if rapid.Bool().Draw(t, "truth") {
					truth.Set(i, y, 1)
				}
				s := float64(rapid.IntRange(-3, 3).Draw(t, "score"))
				scores.Set(i, y, s)
				moved.Set(i, y, math.Exp(s)+s)
			}
		}
		area := func(s *mat.Dense) float64 {
			v, _ := labels(truth, truth, s, truth, nil, nil).Get(metric.AUPRC)
			return v
		}
		if a, b := area(scores), area(moved); math.Abs(a-b) > 1e-12 || a <= 0 || a > 1 {
			t.Fatalf("areas %v and %v", a, b)
		}
		if a := area(truth); math.Abs(a-1) > 1e-12 {
			t.Fatalf("perfect scores have area %v", a)
		}
	})
}

// All figures that a task may have are named.
func TestNames(t *testing.T) {
	column := func(v ...float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }
	two := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	three := mat.NewDense(3, 3, []float64{.8, .1, .1, .1, .8, .1, .1, .1, .8})
	binary, _, _ := metric.Classes([]string{"a", "b"}, []int{0, 1}, []int{0, 1}, []int{0, 1}, column(-1, 1), two, metric.Weights{})
	class, _, _ := metric.Classes([]string{"a", "b", "c"}, []int{0, 1, 2}, []int{0, 1, 2}, []int{0, 1, 2}, three, three, metric.Weights{})
	labels, _, _ := metric.Labels([]string{"a", "b"}, two, two, two, two, two, nil, metric.Weights{})
	for task, figures := range map[string]metric.Figures{"binary": binary, "class": class, "multilabel": labels, "real": metric.Numbers([]float64{1, 2}, []float64{1, 2}, nil)} {
		var got []string
		for _, f := range figures {
			got = append(got, f.Name)
		}
		slices.Sort(got)
		want := metric.Names(task)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s has %q, and names %q", task, got, want)
		}
	}
}
