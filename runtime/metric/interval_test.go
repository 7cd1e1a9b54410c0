package metric_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/metric"
)

func TestWilsonIsThePublishedInterval(t *testing.T) {
	// Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		if i := metric.Wilson(c.k, c.n); math.Abs(i.Low-c.low) > 6e-5 || math.Abs(i.High-c.high) > 6e-5 {
			t.Errorf("%d of %d: %v, want %v to %v", c.k, c.n, i, c.low, c.high)
		}
	}
	if metric.Wilson(0, 0).Known() {
		t.Error("no case has an interval")
	}
}

// A mean of normal numbers has a known standard error, and so has a difference of two means of the same rows.
func TestResampledIntervalsAreThoseOfAMean(t *testing.T) {
	const n = 400
	random := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = random.NormFloat64()
		y[i] = x[i] + 0.1*random.NormFloat64()
	}
	mean := func(of []float64) func([]float64) metric.Figures {
		return func(weight []float64) metric.Figures {
			sum, all := 0.0, 0.0
			for i, w := range weight {
				sum, all = sum+w*of[i], all+w
			}
			return metric.Figures{{Name: "mean", Value: sum / all}}
		}
	}
	r, err := metric.Resample(context.Background(), 7, n, 1000, nil, []func([]float64) metric.Figures{mean(x), mean(y)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		width metric.Interval
		want  float64
	}{{"a mean", r.Of(0, metric.Figure{Name: "mean"}), 2 * 1.96 / math.Sqrt(n)}, {"a paired difference", r.Less(0, 1, "mean", 0), 2 * 1.96 * 0.1 / math.Sqrt(n)}} {
		if got := c.width.High - c.width.Low; math.Abs(got/c.want-1) > 0.15 {
			t.Errorf("%s: the interval is %v wide, want about %v", c.name, got, c.want)
		}
	}
	again, err := metric.Resample(context.Background(), 7, n, 1000, nil, []func([]float64) metric.Figures{mean(x), mean(y)})
	if err != nil || again.Of(0, metric.Figure{Name: "mean"}) != r.Of(0, metric.Figure{Name: "mean"}) {
		t.Errorf("the same seed draws other rows: %v, %v, %v", again.Of(0, metric.Figure{Name: "mean"}), r.Of(0, metric.Figure{Name: "mean"}), err)
	}
	if r.Of(0, metric.Figure{Name: "median"}).Known() {
		t.Error("there is an interval of a figure that nobody has")
	}
}

// The interval of few draws is about the estimate on the rows, and keeps to what a figure may be.
func TestIntervalsOfFewDraws(t *testing.T) {
	const n, count = 40, 50
	names := []string{"mean", metric.Accuracy, metric.RMSE, metric.R2}
	measure := func(weight []float64) metric.Figures { // how many of the first rows a draw has, as a share
		sum := 0.0
		for i := range n / 20 {
			sum += weight[i] / n
		}
		return metric.Figures{{Name: names[0], Value: sum}, {Name: names[1], Value: sum}, {Name: names[2], Value: sum}, {Name: names[3], Value: sum}}
	}
	r, err := metric.Resample(t.Context(), 7, n, count, nil, []func([]float64) metric.Figures{measure, measure})
	if err != nil {
		t.Fatal(err)
	}
	free := r.Of(0, metric.Figure{Name: names[0], Value: 5})
	half := free.High - 5
	if !(half > 0) || math.Abs(5-free.Low-half) > 1e-12 {
		t.Fatalf("the interval about 5 is %v", free)
	}
	for _, c := range []struct {
		name  string
		value float64
		want  metric.Interval
	}{
		{metric.Accuracy, 1, metric.Interval{Low: 1 - half, High: 1}},
		{metric.Accuracy, 0, metric.Interval{High: half}},
		{metric.RMSE, 0, metric.Interval{High: half}},
		{metric.RMSE, 3, metric.Interval{Low: 3 - half, High: 3 + half}},
		{metric.R2, 0, metric.Interval{Low: -half, High: half}},
		{metric.R2, 1, metric.Interval{Low: 1 - half, High: 1}},
	} {
		if got := r.Of(0, metric.Figure{Name: c.name, Value: c.value}); math.Abs(got.Low-c.want.Low) > 1e-12 || math.Abs(got.High-c.want.High) > 1e-12 {
			t.Errorf("%s of %v lies in %v, want %v", c.name, c.value, got, c.want)
		}
	}
	if got := r.Less(0, 1, metric.Accuracy, 0.5); got != (metric.Interval{Low: 0.5, High: 0.5}) {
		t.Errorf("a difference that all draws agree on lies in %v", got)
	}
}

func TestResampleEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	none := func([]float64) metric.Figures { return nil }
	if _, err := metric.Resample(ctx, 0, 5, 10, nil, []func([]float64) metric.Figures{none}); err == nil {
		t.Error("draws went on")
	}
}

// A draw without the one row of a class, or of a label, says nothing of it: where all is decided rightly, F1 is 1 in each draw.
func TestDrawsWithoutAClassLeaveItOut(t *testing.T) {
	const n, m = 50, 3
	truth, scores := make([]int, n), mat.NewDense(n, m, nil)
	for i := range n {
		truth[i] = i % 2
		if i == 0 {
			truth[i] = 2
		}
		scores.Set(i, truth[i], 1)
	}
	names := []string{"a", "b", "c"}
	r, err := metric.Resample(t.Context(), 1, n, 1000, nil, []func([]float64) metric.Figures{
		func(w []float64) metric.Figures {
			f, _, _ := metric.Classes(names, truth, truth, truth, scores, nil, metric.Weights{Rows: w})
			return f
		},
		func(w []float64) metric.Figures {
			f, _, _ := metric.Labels(names, scores, scores, scores, scores, nil, nil, metric.Weights{Rows: w})
			return f
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for machine, of := range []string{"classes", "labels"} {
		if i := r.Of(machine, metric.Figure{Name: metric.MacroF1, Value: 1}); i != (metric.Interval{Low: 1, High: 1}) {
			t.Errorf("macro_f1 of %s lies in %v", of, i)
		}
	}
}

// Figures under weights are the same whether orders of scores are kept or made anew.
func TestKeptRanksChangeNoFigure(t *testing.T) {
	const n, m = 60, 3
	random := rand.New(rand.NewPCG(3, 4))
	truth, predicted, scores := mat.NewDense(n, m, nil), mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
	class, decided, weight := make([]int, n), make([]int, n), make([]float64, n)
	for i := range n {
		class[i], decided[i], weight[i] = random.IntN(m), random.IntN(m), float64(random.IntN(3))
		for y := range m {
			truth.Set(i, y, float64(random.IntN(2)))
			predicted.Set(i, y, float64(random.IntN(2)))
			scores.Set(i, y, float64(random.IntN(9))) // with ties
		}
	}
	names := []string{"a", "b", "c"}
	labels, classes := &metric.Ranks{}, &metric.Ranks{}
	for _, w := range [][]float64{nil, weight} {
		f, _, _ := metric.Labels(names, truth, predicted, scores, truth, nil, []bool{true, false, false}, metric.Weights{Rows: w, Ranks: labels})
		g, _, _ := metric.Classes(names, class, decided, class, scores, nil, metric.Weights{Rows: w, Ranks: classes})
		wantF, _, _ := metric.Labels(names, truth, predicted, scores, truth, nil, []bool{true, false, false}, metric.Weights{Rows: w})
		wantG, _, _ := metric.Classes(names, class, decided, class, scores, nil, metric.Weights{Rows: w})
		for k := range wantF {
			if f[k] != wantF[k] {
				t.Errorf("%s: %v with kept orders, %v without", f[k].Name, f[k].Value, wantF[k].Value)
			}
		}
		for k := range wantG {
			if g[k] != wantG[k] {
				t.Errorf("%s: %v with kept orders, %v without", g[k].Name, g[k].Value, wantG[k].Value)
			}
		}
	}
}
