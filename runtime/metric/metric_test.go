package metric_test

import (
	"math"
	"testing"

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

func TestClasses(t *testing.T) {
	truth, predicted, train := []int{0, 1, 2, 2, -1}, []int{0, 1, 2, 1, 2}, []int{2, 2, 1, 0}
	check(t, metric.Classes(truth, predicted, train, nil), metric.Figures{{Name: "accuracy", Value: 0.6}, {Name: "majority_baseline", Value: 0.4}})

	p := mat.NewDense(2, 2, []float64{0.5, 0.5, 0.75, 0.25})
	check(t, metric.Classes([]int{0, 1}, []int{0, 0}, []int{1, 0}, p), metric.Figures{
		{Name: "accuracy", Value: 0.5}, {Name: "majority_baseline", Value: 0.5}, {Name: "log_loss", Value: (math.Log(2) + math.Log(4)) / 2},
	})
	check(t, metric.Classes([]int{0, -1}, []int{0, 0}, []int{0}, p)[2:], metric.Figures{{Name: "log_loss", Value: math.NaN()}})
}

// By hand: decisions 6, of which 4 right; TP 2, FP 1, FN 1. Scores from the top: 1 (0.9), 0 (0.8), 1 (0.7), 1 (−0.1), so the
// average precision is (1 + 2/3 + 3/4)/3.
func TestLabels(t *testing.T) {
	truth := mat.NewDense(2, 3, []float64{1, 0, 0, 1, 1, 0})
	scores := mat.NewDense(2, 3, []float64{0.9, 0.8, -1, 0.7, -0.1, -2})
	predicted := mat.NewDense(2, 3, []float64{1, 1, 0, 1, 0, 0})
	train := mat.NewDense(3, 3, []float64{1, 0, 0, 1, 1, 0, 0, 1, 0})
	check(t, metric.Labels(truth, predicted, scores, train, nil), metric.Figures{
		{Name: "hamming_accuracy", Value: 4.0 / 6},
		{Name: "majority_baseline", Value: 5.0 / 6},
		{Name: "exact_match", Value: 0},
		{Name: "micro_f1", Value: 2 * 2.0 / (2*2 + 1 + 1)},
		{Name: "macro_f1", Value: 1.0 / 3},
		{Name: "auprc", Value: (1 + 2.0/3 + 3.0/4) / 3},
	})
	half := mat.NewDense(2, 3, []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5})
	if v, ok := metric.Labels(truth, truth, half, train, half).Get(metric.LogLoss); !ok || math.Abs(v-math.Log(2)) > 1e-12 {
		t.Errorf("log_loss %v", v)
	}
	// All scores equal: the curve is one point, its precision the share of positives.
	if v, _ := metric.Labels(truth, predicted, half, train, nil).Get(metric.AUPRC); math.Abs(v-0.5) > 1e-12 {
		t.Errorf("auprc of equal scores is %v, want 0.5", v)
	}
	none := mat.NewDense(2, 3, nil)
	if v, _ := metric.Labels(none, predicted, scores, train, nil).Get(metric.AUPRC); !math.IsNaN(v) {
		t.Errorf("auprc without a positive is %v", v)
	}
}

func TestNumbers(t *testing.T) {
	check(t, metric.Numbers([]float64{1, 2, 3}, []float64{1, 2, 5}), metric.Figures{{Name: "rmse", Value: math.Sqrt(4.0 / 3)}, {Name: "r2", Value: -1}})
	check(t, metric.Numbers([]float64{2, 2}, []float64{1, 2}), metric.Figures{{Name: "rmse", Value: math.Sqrt(0.5)}, {Name: "r2", Value: math.NaN()}})
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
			v, _ := metric.Labels(truth, truth, s, truth, nil).Get(metric.AUPRC)
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
