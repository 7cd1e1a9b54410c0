package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/metric"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: -want +got\n%s", path, diff)
	}
}

func full() *Report {
	certificate := SummarizeGaps([]float64{1e-4, 2e-4, 9.5e-4}, 1e-3)
	certificate.Scores = SummarizeErrors([]float64{0.02, 0.01, 0.03}, 2)
	certificate.Scores.Train = SummarizeErrors([]float64{0.004}, 2)
	certificate.Scores.Ask(1e-3, 0.01, 0, false)
	m := func(accuracy float64) Metrics {
		return Metrics{Figures: metric.Figures{{Name: metric.Accuracy, Value: accuracy}, {Name: metric.MajorityBaseline, Value: 0.505}}}
	}
	return &Report{
		Spec: "digits.inv", Data: "digits.csv", Method: "embed", MethodReason: "every invariance is a seminorm", Task: "class", NTrain: 100, NTest: 1000, Labels: 10, Dim: 500, Scale: 1.25,
		Metrics: m(0.965), Under: []Under{{Transformation: "rotate(15deg)", Metrics: m(0.92)}},
		Baseline: &Contender{
			Method: "plain", Metrics: m(0.935), Under: []Under{{Transformation: "rotate(15deg)", Metrics: m(0.8)}},
			Regularizer: []Summand{{Name: "steady", Value: 1.25, Test: &Tested{Value: 1.5}}, {Name: "滑らか", Value: 2, Broken: &Broken{Statement: "the score falls with bmi", Train: Count{Broken: 13, Rows: 60}, Test: &Count{Broken: 47, Rows: 442}}}},
			Learner:     &Solution{Text: "svm(C = 0.1)", Objective: 3.5, Gap: 3e-6, Iterations: 300, Converged: true, Strength: 0.1},
			Grid:        &Grid{Metric: "accuracy", Folds: 5, Fits: 10, Chosen: "svm(C = 0.1)", Scores: []Candidate{{"svm(C = 0.1)", 0.9, 0.01, true}, {"svm(C = 1)", 0.85, 0.01, false}}},
		},
		Certificate: certificate,
		Regularizer: []Summand{
			{Name: "steady", Kind: "seminorm", Weight: 1, Functionals: 4000, Value: 0.5214, Test: &Tested{Value: 0.62513, Sampled: &Sampled{Elements: 30, Of: 1000, Error: 0.0312}}, Sampled: &Sampled{Elements: 40, Of: 240, AtLeast: true}},
			{
				Name: "滑らか", Kind: "sublinear", Weight: 0.5, Functionals: 12, Value: Number(math.NaN()),
				Broken: &Broken{Statement: "the score falls with bmi", Train: Count{Broken: 9, Rows: 60}, Test: &Count{Broken: 21, Rows: 442}},
			},
		},
		Lint: []Lint{
			{Name: "steady", Members: 4000, Share: 0.24, Rows: 100, RowsBroken: 24, Broken: 900},
			{Name: "滑らか", Share: Number(math.NaN()), Rows: 100, Untold: 12, Why: "it looks at derivatives of f"},
		},
		Hints:   []string{"another decoding might do better"},
		Span:    &Span{MedianLoss: 0.002, MaxLoss: 0.25, Count: 2000, Functionals: 4012},
		Learner: &Solution{Text: "svm(C = 1)", Objective: 12.5, Gap: 2e-6, Iterations: 1200, Converged: true, Strength: 1},
		Grid: &Grid{Metric: "accuracy", Folds: 5, Fits: 15, Chosen: "C = 1", Scores: []Candidate{
			{"C = 10", 0.955, 0.01, false}, {"C = 1", 0.95, 0.0125, true}, {"C = 0.1", 0.9, Number(math.NaN()), false},
		}},
		Timing: Timing{Figures: metric.Figures{{Name: "open", Value: 0.25}, {Name: "total", Value: 12.345}}, BLAS: "avx512"},
		Seed:   7, SpecSHA256: "aa", DataSHA256: "bb", Warnings: []string{"the feature map loses much of steady"},
	}
}

// sparse has whatever may be missing or undefined.
func sparse() *Report {
	return &Report{
		Spec: "labels.inv", Data: "a<b>.svm.gz", Test: "test.svm.gz", Method: "embed", MethodReason: "the spec names it", Task: "multilabel", NTrain: 2, NTest: 1, Dim: 3,
		Metrics: Metrics{
			Figures:    metric.Figures{{Name: metric.AUPRC, Value: math.NaN()}, {Name: metric.RMSE, Value: 123456.789}},
			Violations: metric.Figures{{Name: "logic", Value: 3}, {Name: "order", Value: 0.125}},
		},
		Certificate: SummarizeGaps([]float64{1e-4, 0.02, math.Inf(1)}, 1e-3), All: true,
	}
}

func TestWrite(t *testing.T) {
	all := full()
	all.All = true
	all.Metrics.Figures = append(all.Metrics.Figures, metric.Figure{Name: metric.AUC, Value: 0.99}, metric.Figure{Name: metric.ECE, Value: 0.02})
	_, all.Metrics.Classes, _ = metric.Classes([]string{"4", "9"}, []int{0, 0, 1, 1, 1}, []int{0, 1, 1, 1, 1}, []int{0, 1}, mat.NewDense(5, 1, []float64{-2, 1, 1, 2, 3}), nil, metric.Weights{})
	all.Metrics.Calibration = []metric.Bin{{From: 0.5, To: 0.6, Count: 1, Confidence: 0.52, Share: 1}, {From: 0.9, To: 1, Count: 4, Confidence: 0.95, Share: 0.75}}
	for name, r := range map[string]*Report{"full": full(), "all": all, "sparse": sparse()} {
		var text, object bytes.Buffer
		if err := r.WriteTable(&text); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", text.Bytes())
		if err := r.WriteJSON(&object); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".json", object.Bytes())
		var read map[string]any
		if err := json.Unmarshal(object.Bytes(), &read); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReproducibleLeavesTheTimingOut(t *testing.T) {
	r := full()
	var b bytes.Buffer
	if err := r.Reproducible().WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "timing") || len(r.Timing.Figures) == 0 {
		t.Errorf("timing is in\n%s", b.String())
	}
}

func TestFiguresComeBackFromJSON(t *testing.T) {
	want := metric.Figures{{Name: "b", Value: 0.1}, {Name: "a", Value: math.NaN()}, {Name: "c", Value: -3}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != `{"b":0.1,"a":null,"c":-3}` {
		t.Errorf("got %s", text)
	}
	var got metric.Figures
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[0] != want[0] || !math.IsNaN(got[1].Value) || got[2] != want[2] {
		t.Errorf("got %v", got)
	}
	for _, bad := range []string{`[]`, `{"a":"x"}`, `3`} {
		if json.Unmarshal([]byte(bad), &got) == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func TestProgressIsOneLineAndSparing(t *testing.T) {
	var out strings.Builder
	clock := time.Unix(0, 0)
	p := &Progress{w: &out, width: func() int { return 24 }, now: func() time.Time { return clock }}
	p.Stage("solving")
	clock = clock.Add(time.Second)
	p.Step(7, 100)
	p.show()
	p.Clear()
	p.show() // nothing is new
	p.Step(8, 100)
	p.show()
	if want := "\rsolving … 7 of 100, ab…\x1b[K\r\x1b[K\rsolving … 8 of 100, ab…\x1b[K"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if strings.Contains(out.String(), "\n") {
		t.Error("progress broke the line")
	}
	out.Reset()
	p.Stage("an uncommonly long name of a stage")
	p.show()
	if want := "\ran uncommonly long nam…\x1b[K"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	out.Reset()
	p.Clear()
	p.Clear()
	if want := "\r\x1b[K"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// Where there is no terminal, a line tells the stage, its share and what is left.
func TestProgressIsLinesWithoutATerminal(t *testing.T) {
	var out strings.Builder
	clock := time.Unix(0, 0)
	p := &Progress{w: &out, now: func() time.Time { return clock }, stop: func() {}}
	p.show() // nothing has begun
	p.Stage("factor 900 features")
	clock = clock.Add(12 * time.Second)
	p.show()
	p.Stage("choose from the grid")
	p.Step(0, 40)
	p.Step(1, 40)
	p.show() // one part tells nothing of the others
	clock = clock.Add(time.Minute)
	p.Step(10, 40)
	p.show()
	p.Step(40, 40)
	p.show()
	p.Stage("pass 3 over rows")
	p.Step(30, 40) // as an earlier run has kept them
	p.show()
	clock = clock.Add(10 * time.Second)
	p.Step(35, 40)
	p.show()
	p.Clear()
	p.Close()
	p.show()
	want := "factor 900 features … for 12 s\nchoose from the grid … 1 of 40 (2 %)\nchoose from the grid … 10 of 40 (25 %), about 3 min left\nchoose from the grid … 40 of 40 (100 %)\n" +
		"pass 3 over rows … 30 of 40 (75 %)\npass 3 over rows … 35 of 40 (87 %), about 10 s left\n"
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

// Lines come by themselves, also where no step does.
func TestProgressIsWrittenWhileNothingIsTold(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "err"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	p := NewProgress(file, time.Millisecond)
	p.Stage("solving")
	for written := int64(0); written == 0; time.Sleep(time.Millisecond) {
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		written = info.Size()
	}
	p.Close()
	text, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsAny(text, "\r\x1b") || !strings.HasPrefix(string(text), "solving … for 0 s\n") {
		t.Errorf("got %q", text)
	}
}

func TestNumberRoundTrip(t *testing.T) {
	for _, v := range []float64{0, -1.5, math.Inf(1), math.NaN()} {
		text, err := json.Marshal(Number(v))
		if err != nil {
			t.Fatal(err)
		}
		back := Number(7)
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if finite := !math.IsInf(v, 0) && !math.IsNaN(v); finite && float64(back) != v || !finite && !math.IsNaN(float64(back)) {
			t.Errorf("%v comes back from %s as %v", v, text, back)
		}
	}
	if err := json.Unmarshal([]byte(`"x"`), new(Number)); err == nil {
		t.Error("a text was read as a number")
	}
}

func TestPercentWithoutPowersOfTen(t *testing.T) {
	for share, want := range map[Number]string{1: "100 %", 0.996: "100 %", 0.994: "99 %", 0.42: "42 %", 0.0421: "4.2 %", 0.0000312: "0.0031 %", 0: "0 %"} {
		if got := percent(share); got != want {
			t.Errorf("%g is shown as %s, want %s", float64(share), got, want)
		}
	}
}

// Bounds fall as the root of the gap; what is near enough, or as near as rounding lets it come, asks for nothing.
func TestGapsThatScoresAskFor(t *testing.T) {
	for _, c := range []struct {
		largest, train, gap, rounding float64
		want                          Number
	}{
		{0.1, 0.05, 1e-3, 0, 1e-5},
		{0.05, 0.1, 1e-3, 0, 1e-5},
		{0.02, 0, 1e-4, 0, 2e-5},
		{0.01, 0.01, 1e-3, 0, 0},
		{math.Inf(1), 0, 1e-3, 0, 0},
		{0.1, 0.1, 1e-10, 0, 0},
		{50, 1, 1e-3, 0, 1e-7},
		{8000, 1, 1e-3, 0, 0},
		{0.1, 0.05, 1e-3, 3e-6, 1e-5},
		{0.1, 0.05, 1e-3, 4e-6, 0},
		{50, 1, 1e-3, 1e-14, 1e-7},
		{50, 1, 1e-3, 5e-8, 2e-7},
		{80, 1, 1e-3, 1e-7, 0},
		{50, 1, 1e-3, 7e-8, 3e-7},
		{40, 1, 8e-6, 2e-9, 0}, // 31 % at 6e-9, which no run reaches
		{58, 1, 7e-6, 2e-6, 0},
	} {
		e := SummarizeErrors([]float64{c.largest}, 1)
		e.Train = SummarizeErrors([]float64{c.train}, 1)
		if e.Ask(c.gap*(1+1e-12), 0.01, c.rounding, false); math.Abs(float64(e.Gap-c.want)) > 1e-9*float64(c.want) {
			t.Errorf("errors of %v and %v at gap %v above rounding %v ask for %v, want %v", c.largest, c.train, c.gap, c.rounding, e.Gap, c.want)
		}
	}
	c := SummarizeGaps([]float64{2.5e-5}, 1e-3) // of a run that went on from 1e-3, which no run brings below 8e-6
	c.Scores = SummarizeErrors([]float64{11}, 1)
	if c.Ask(0.01, 2e-9); c.Scores.Gap != 0 {
		t.Errorf("errors above a deviation after a run that went on ask for %v", c.Scores.Gap)
	}
	if SummarizeErrors([]float64{1}, 0) != nil || SummarizeErrors(nil, 1) != nil {
		t.Error("errors of scores that do not vary, or of none")
	}
}

// Where no single score is bounded, all of them may be together.
func TestMeansOfErrors(t *testing.T) {
	e := SummarizeErrors([]float64{3}, 1)
	e.Train = SummarizeErrors([]float64{2}, 1)
	e.Train.MeanSquare = 0.004
	var b strings.Builder
	if e.line(&b); !strings.HasPrefix(b.String(), "scores        within 0.4 % of their standard deviation in the root mean square over the training rows;") {
		t.Errorf("the line is %q", b.String())
	}
}

// A bound above what scores differ by says nothing of them, and no share of it is worth a digit.
func TestUselessBoundsAreSaidInWords(t *testing.T) {
	for _, largest := range []float64{80, 8041, math.Inf(1), math.NaN()} {
		r := full()
		r.Certificate.Scores.Train.Largest, r.Certificate.Scores.Gap = Number(largest), 0
		r.Certificate.Scores.Ask(1e-3, 0.01, 0, false)
		var b bytes.Buffer
		if err := r.WriteTable(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "scores        uncertain: the gap is too wide to bound them") {
			t.Errorf("a bound of %g deviations is told as a share:\n%s", largest, b.String())
		}
		missed := full()
		missed.Certificate.Scores.Train.Largest, missed.Certificate.Scores.Gap, missed.Certificate.Reached = Number(largest), 0, 0
		missed.Certificate.Ask(0.01, 0)
		var without bytes.Buffer
		if err := missed.WriteTable(&without); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(without.String(), "; --gap ") || !strings.Contains(without.String(), "the one asked for is not reached") {
			t.Errorf("where the gap is missed a smaller one is asked for:\n%s", without.String())
		}
		if asks := strings.Contains(b.String(), "; --gap 1e-07 asks for "); asks != (largest == 80) || asks == strings.Contains(b.String(), "no --gap within reach") {
			t.Errorf("a bound of %g deviations asks for no gap, and does not say so:\n%s", largest, b.String())
		}
	}
}

// The weights of a choice are those to write in a spec, and what is left out is named.
func TestChosenWeights(t *testing.T) {
	for want, weights := range map[string][]Weight{
		"":                                nil,
		"weights       300 * a\n":         {{"a", 300}},
		"weights       0.5 * a, 30 * b\n": {{"a", 0.5}, {"b", 30}},
		"weights       30 * b; a: chosen factor 0, not used\n": {{"a", 0}, {"b", 30}},
		"weights       none; a: chosen factor 0, not used\n":   {{"a", 0}},
	} {
		var b strings.Builder
		if (&Grid{Weights: weights}).weights(&b); b.String() != want {
			t.Errorf("%v: %q, want %q", weights, b.String(), want)
		}
	}
}
