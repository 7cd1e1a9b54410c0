package metric_test

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/internal/limits"
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
	means := []*metric.Measure{metric.MeasureMean("mean", x), metric.MeasureMean("mean", y)}
	r, err := metric.Resample(context.Background(), 7, n, 1000, nil, means)
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
	again, err := metric.Resample(context.Background(), 7, n, 1000, nil, means)
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
	first := make([]float64, n) // a mean of it is the share of the first rows in a draw
	for i := range n / 20 {
		first[i] = 1
	}
	var measures []*metric.Measure
	for _, name := range names {
		measures = append(measures, metric.MeasureMean(name, first))
	}
	measures = append(measures, metric.MeasureMean(metric.Accuracy, first))
	r, err := metric.Resample(t.Context(), 7, n, count, nil, measures)
	if err != nil {
		t.Fatal(err)
	}
	free := r.Of(0, metric.Figure{Name: names[0], Value: 5})
	half := free.High - 5
	if !(half > 0) || math.Abs(5-free.Low-half) > 1e-12 {
		t.Fatalf("the interval about 5 is %v", free)
	}
	for _, c := range []struct {
		measure int
		value   float64
		want    metric.Interval
	}{
		{1, 1, metric.Interval{Low: 1 - half, High: 1}},
		{1, 0, metric.Interval{High: half}},
		{2, 0, metric.Interval{High: half}},
		{2, 3, metric.Interval{Low: 3 - half, High: 3 + half}},
		{3, 0, metric.Interval{Low: -half, High: half}},
		{3, 1, metric.Interval{Low: 1 - half, High: 1}},
	} {
		if got := r.Of(c.measure, metric.Figure{Name: names[c.measure], Value: c.value}); math.Abs(got.Low-c.want.Low) > 1e-12 || math.Abs(got.High-c.want.High) > 1e-12 {
			t.Errorf("%s of %v lies in %v, want %v", names[c.measure], c.value, got, c.want)
		}
	}
	if got := r.Less(1, 4, metric.Accuracy, 0.5); got != (metric.Interval{Low: 0.5, High: 0.5}) {
		t.Errorf("a difference that all draws agree on lies in %v", got)
	}
}

func TestResampleEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := metric.Resample(ctx, 0, 5, 10, nil, []*metric.Measure{metric.MeasureMean("mean", make([]float64, 5))}); err == nil {
		t.Error("draws went on")
	}
}

// Where the time is over, the draws that are done make the interval, and it is known how many were asked for.
func TestResampleEndsWithItsTime(t *testing.T) {
	const n = 500_000 // eight draws at once
	of := make([]float64, n)
	for i := range of {
		of[i] = float64(i)
	}
	for looks := range 5 {
		var asked atomic.Int64
		ctx := limits.WithClock(t.Context(), time.Duration(looks)*time.Hour, func() time.Time { return time.Unix(0, 0).Add(time.Duration(asked.Add(1)) * time.Hour) })
		r, err := metric.Resample(ctx, 3, n, 24, nil, []*metric.Measure{metric.MeasureMean("mean", of)})
		if err != nil {
			t.Fatal(err)
		}
		want := min(8*max(looks-1, 0), 24)
		if r.Count != want || r.Asked != 24 {
			t.Errorf("after %d looks at the clock %d of %d draws are done, want %d", looks, r.Count, r.Asked, want)
		}
		if known := r.Of(0, metric.Figure{Name: "mean", Value: n / 2}).Known(); known != (want > 0) {
			t.Errorf("%d draws make an interval: %v", r.Count, known)
		}
		if ended := limits.Ended(ctx) != ""; ended != (want < 24) {
			t.Errorf("%d draws are said to be cut off: %v", r.Count, ended)
		}
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
	r, err := metric.Resample(t.Context(), 1, n, 1000, nil, []*metric.Measure{
		metric.MeasureClasses([]string{"a", "b", "c"}, truth, truth, truth, scores, nil, nil), metric.MeasureLabels(scores, scores, scores, scores, nil, nil, nil),
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

// Under any weights a measure comes to the figures that the weighted rows have.
func TestMeasuresAreTheFiguresUnderWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 30).Draw(t, "n"), rapid.IntRange(2, 4).Draw(t, "m")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		matrix := func(number func() float64) *mat.Dense {
			out := mat.NewDense(n, m, nil)
			out.Apply(func(_, _ int, _ float64) float64 { return number() }, out)
			return out
		}
		class, decided, train := make([]int, n), make([]int, n), make([]int, n)
		truth, predicted, weight := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			class[i], decided[i], train[i] = random.IntN(m+1)-random.IntN(2), random.IntN(m), random.IntN(m)
			class[i] = min(class[i], m-1)
			truth[i], predicted[i], weight[i] = float64(random.IntN(4)), random.ExpFloat64(), float64(random.IntN(3))
		}
		weight[0] = 1 // a draw has some row
		two, both := make([]int, n), make([]int, n)
		for i := range n {
			two[i], both[i] = random.IntN(2), random.IntN(2)
		}
		some := rapid.Bool().Draw(t, "probabilities")
		bit := func() float64 { return float64(random.IntN(2)) }
		labels, sets, tied, likely, pair := matrix(bit), matrix(bit), matrix(func() float64 { return float64(random.IntN(9)) }), matrix(random.Float64), mat.NewDense(n, 2, nil)
		pair.Apply(func(_, _ int, _ float64) float64 { return random.Float64() }, pair)
		if !some {
			likely, pair = nil, nil
		}
		names, roots := []string{"a", "b", "c", "d"}[:m], []bool{true, false, false, false}[:m]
		levels := []float64{0.1, 0.5, 0.8, 0.9}[:m]
		column := tied.Slice(0, n, 0, 1).(*mat.Dense)
		for _, w := range [][]float64{nil, weight} {
			by := metric.Weights{Rows: w, Train: weight}
			ofClasses, _, _ := metric.Classes(names, class, decided, train, tied, likely, by)
			ofTwo, _, _ := metric.Classes(names[:2], two, both, two, column, pair, by)
			ofLabels, _, _ := metric.Labels(names, labels, sets, tied, labels, likely, roots, by)
			same(t, "numbers", metric.MeasureNumbers(truth, predicted).Under(w), metric.Numbers(truth, predicted, w))
			together := metric.MeasureMeans([]*metric.Measure{metric.MeasureNumbers(truth, predicted), metric.MeasureNumbers(truth, truth)}).Under(w)
			halves := metric.Numbers(truth, predicted, w)
			for k, f := range metric.Numbers(truth, truth, w) {
				halves[k].Value = (halves[k].Value + f.Value) / 2
			}
			same(t, "means", together, halves)
			same(t, "counts", metric.MeasureCounts(truth, predicted).Under(w), metric.Counts(truth, predicted, w))
			same(t, "quantiles", metric.MeasureQuantiles(truth, levels, tied).Under(w), metric.Quantiles(truth, levels, tied, w))
			same(t, "classes", metric.MeasureClasses(names, class, decided, train, tied, likely, weight).Under(w), ofClasses)
			same(t, "two classes", metric.MeasureClasses(names[:2], two, both, two, column, pair, weight).Under(w), ofTwo)
			same(t, "labels", metric.MeasureLabels(labels, sets, tied, labels, likely, roots, weight).Under(w), ofLabels)
		}
	})
}

// same compares figures up to rounding. One that is not finite is as good as another.
func same(t *rapid.T, of string, got, want metric.Figures) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d figures, want %d", of, len(got), len(want))
	}
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	for k, f := range want {
		if g := got[k]; g.Name != f.Name || finite(g.Value) != finite(f.Value) || finite(f.Value) && math.Abs(g.Value-f.Value) > 1e-9*math.Max(1, math.Abs(f.Value)) {
			t.Errorf("%s: %s is %v, want %v of %s", of, g.Name, g.Value, f.Value, f.Name)
		}
	}
}
