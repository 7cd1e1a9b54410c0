package report

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/runtime/metric"
)

// repeatedRuns are three runs with a baseline and a rival; at the second some figures are undefined, and a gap is missed.
func repeatedRuns() []*Report {
	figures := func(accuracy, auc float64) Metrics {
		return Metrics{
			Figures:    metric.Figures{{Name: metric.Accuracy, Value: accuracy}, {Name: metric.MajorityBaseline, Value: 0.5}, {Name: metric.AUC, Value: auc}},
			Violations: metric.Figures{{Name: "logic", Value: 1 - accuracy}},
		}
	}
	var out []*Report
	for k, own := range []float64{0.9, 0.8, 0.7} {
		auc := 0.95
		if k == 1 {
			auc = math.NaN()
		}
		under := func(v float64) []Under { return []Under{{Transformation: "rotate(15deg)", Metrics: figures(v, auc)}} }
		r := &Report{
			Spec: "a.inv", Data: "a.csv", Method: "embed", MethodReason: "the spec says so", Task: "binary", NTrain: 60, NTest: 600,
			Seed: []uint64{0, 1, 7}[k], Metrics: figures(own, auc), Under: under(own - 0.1), Certificate: SummarizeGaps([]float64{1e-4}, 1e-3),
			Baseline: &Contender{Method: "plain", Metrics: figures(own-0.1, 0.9), Under: under(own - 0.2), Regularizer: []Summand{{
				Name: "steady", Value: 2, Broken: &Broken{Train: Count{Broken: 12, Rows: 60}, Test: &Count{Broken: 100, Rows: 600}},
			}, {
				Name: "fair", Value: 2, Test: &Tested{Value: 3},
			}}, Learner: &Solution{Text: "svm(C = 0.1)"}, Grid: &Grid{Chosen: "svm(C = 0.1)"}},
			Rivals: []Contender{{Name: "svm", Setting: []string{"C = 1", "C = 10", "C = 1"}[k], Metrics: figures(0.8, 0.9), Under: under(0.8)}},
			Regularizer: []Summand{{
				Name: "steady", Value: Number(own), Broken: &Broken{Train: Count{Broken: 3 * k, Rows: 60}, Test: &Count{Broken: 60, Rows: 600}},
			}, {
				Name: "fair", Value: Number(own), Test: &Tested{Value: Number(own + 0.5)},
			}, {
				Name: "linked", Value: 1, Test: &Tested{Value: Number(math.NaN()), Unknown: "none of its elements is among them"},
			}}, Warnings: []string{"few rows", "told"}, Told: []string{"told"}, Grid: &Grid{Chosen: "w = 3"},
		}
		if k == 1 {
			r.Certificate = SummarizeGaps([]float64{1}, 1e-3)
			r.Warnings = r.Warnings[1:]
		}
		out = append(out, r)
	}
	return out
}

// Folds of 30 rows share their training rows, so that the variance of a mean of three is (1/3 + 1/2) times that of one.
func TestSummarizeFolds(t *testing.T) {
	runs := repeatedRuns()
	for _, r := range runs {
		r.NTrain, r.NTest = 20, 10
	}
	s := SummarizeFolds(runs, []uint64{1, 2, 4}, 4, false)
	half := 4.302652729911275 * 0.1 * math.Sqrt(1.0/3+1.0/2)
	if m := s.Metrics[0]; math.Abs(float64(m.Interval)-half) > 1e-9 || s.Folds != 4 || !slices.Equal(s.Seeds, []uint64{1, 2, 4}) {
		t.Errorf("%+v, want ± %g", s, half)
	}
	if runs[1].Seed != 1 {
		t.Errorf("a report was changed: %d", runs[1].Seed)
	}
	var b bytes.Buffer
	if err := s.WriteTable(&b); err != nil || !bytes.Contains(b.Bytes(), []byte("folds 1, 2, 4\n")) || bytes.Contains(b.Bytes(), []byte("seed")) {
		t.Errorf("%v\n%s", err, &b)
	}
	if !bytes.Contains(b.Bytes(), []byte("by a model of the others, whose numbers were chosen without it")) {
		t.Errorf("nothing says what folds are predicted from:\n%s", &b)
	}
	b.Reset()
	s = SummarizeFolds(runs, []uint64{1, 2, 4}, 4, true)
	if err := s.WriteTable(&b); err != nil || !s.Later || !bytes.Contains(b.Bytes(), []byte("by a model of the rows before it, whose numbers were chosen without it")) {
		t.Errorf("folds in time are predicted from the others: %v\n%s", err, &b)
	}
}

// Folds in time have no such variance: they are no draws. The table says what their intervals leave out.
func TestSummarizeFoldsInTime(t *testing.T) {
	s := SummarizeFolds(repeatedRuns(), []uint64{1, 2, 3}, 3, true)
	half := 4.302652729911275 * 0.1 / math.Sqrt(3)
	if m := s.Metrics[0]; math.Abs(float64(m.Interval)-half) > 1e-9 || !s.Later {
		t.Errorf("%+v, want ± %g", m, half)
	}
	var b bytes.Buffer
	if err := s.WriteTable(&b); err != nil || bytes.Contains(b.Bytes(), []byte("Nadeau")) || !bytes.Contains(b.Bytes(), []byte("it allows for no change over time")) {
		t.Errorf("%v\n%s", err, &b)
	}
	drawn, later := &TunedRival{}, &TunedRival{}
	own, others := []float64{0.9, 0.8, 0.7}, []float64{0.7, 0.7, 0.7}
	drawn.Compare(own, others, false)
	later.Compare(own, others, true)
	if math.Abs(float64(later.Interval)-half) > 1e-9 || math.Abs(float64(drawn.Interval)-half*math.Sqrt(1+3.0/2)) > 1e-9 {
		t.Errorf("a difference of drawn folds ± %v, of folds in time ± %v", drawn.Interval, later.Interval)
	}
}

// Where rows do not change over time, deviations of folds in time are not correlated. So Student's t holds for their mean: here that of squared
// errors by the mean of all numbers before a fold, whose expectations are known.
func TestIntervalsOverFoldsInTimeHold(t *testing.T) {
	const rows, folds, draws = 60, 5, 4000
	random, within := rand.New(rand.NewPCG(3, 5)), 0
	for range draws {
		var all, errors, expected []float64
		for range rows {
			all = append(all, random.NormFloat64())
		}
		for k := range folds {
			from, to := rows/2+k*rows/2/folds, rows/2+(k+1)*rows/2/folds
			mean := stat.Mean(all[:from], nil)
			sum := 0.0
			for _, v := range all[from:to] {
				sum += (v - mean) * (v - mean)
			}
			errors, expected = append(errors, sum/float64(to-from)), append(expected, 1+mean*mean)
		}
		if mean, half := interval(errors, 0); math.Abs(float64(mean)-stat.Mean(expected, nil)) <= float64(half) {
			within++
		}
	}
	if share := float64(within) / draws; share < 0.93 {
		t.Errorf("%.3f of the intervals of 95 %% hold the expectation", share)
	}
}

// Of 0.9, 0.8 and 0.7 the standard deviation is 0.1, and the quantile of Student's t of two degrees of freedom 4.302653.
func TestSummarize(t *testing.T) {
	s := Summarize(repeatedRuns())
	half := 4.302652729911275 * 0.1 / math.Sqrt(3)
	if m := s.Metrics[0]; math.Abs(float64(m.Mean)-0.8) > 1e-12 || math.Abs(float64(m.Interval)-half) > 1e-9 || len(m.Values) != 3 {
		t.Errorf("%+v, want 0.8 ± %g", m, half)
	}
	if got := []int{s.Metrics[0].Inexact, s.Metrics[2].Inexact, s.Under[0].Metrics[0].Inexact}; !slices.Equal(got, []int{1, 0, 1}) {
		t.Errorf("%v seeds of the means missed their gaps: the second did, which has no area", got)
	}
	missed := repeatedRuns()
	for k, r := range missed {
		r.Learner = &Solution{Converged: k < 2}
		r.Baseline.Learner = &Solution{Converged: k != 1}
	}
	if s := Summarize(missed); !slices.Equal(s.Contenders[0].GapsMissed, []uint64{missed[1].Seed}) || len(s.Contenders[1].GapsMissed) != 0 {
		t.Errorf("the baseline's learner missed its gap at the seeds %v, the rival's at %v", s.Contenders[0].GapsMissed, s.Contenders[1].GapsMissed)
	}
	if s := Summarize(missed); s.Metrics[0].Inexact != 2 || !slices.Equal(s.GapsMissed, []uint64{missed[1].Seed, missed[2].Seed}) {
		t.Errorf("%d seeds, %v, missed a gap: an embedding's, and the learner's", s.Metrics[0].Inexact, s.GapsMissed)
	}
	if m := s.Metrics[2]; math.Abs(float64(m.Mean)-0.95) > 1e-12 || math.Abs(float64(m.Interval)) > 1e-12 {
		t.Errorf("of the two seeds with an area: %+v", m)
	}
	plain, svm := s.Contenders[0], s.Contenders[1]
	if c := plain.Metrics[0]; math.Abs(float64(c.Difference)-0.1) > 1e-12 || float64(c.DifferenceInterval) > 1e-12 || c.Better != 3 || c.Pairs != 3 {
		t.Errorf("the method leads plain by 0.1 at every seed: %+v", c)
	}
	if c := svm.Metrics[0]; math.Abs(float64(c.Difference)) > 1e-12 || math.Abs(float64(c.DifferenceInterval)-half) > 1e-9 || c.Better != 1 {
		t.Errorf("the method is better than svm at one seed: %+v", c)
	}
	if c := plain.Metrics[3]; c.Metric != "violations of logic" || c.Better != 3 || float64(c.Difference) > 0 {
		t.Errorf("fewer violations are better: %+v", c)
	}
	if c := plain.Metrics[4]; c.Metric != "value of steady" || c.Better != 3 || math.Abs(float64(c.Difference)+1.2) > 1e-12 || len(svm.Metrics) != 4 {
		t.Errorf("R is smaller than plain's: %+v", c)
	}
	if c := plain.Metrics[5]; c.Metric != "share of training rows that break steady" || c.Better != 3 || math.Abs(float64(c.Difference)+0.15) > 1e-12 {
		t.Errorf("of 60 rows 0, 3 and 6 break it, of plain 12: %+v", c)
	}
	if c := plain.Metrics[8]; c.Metric != "value by test rows of fair" || c.Better != 3 || math.Abs(float64(c.Difference)+1.7) > 1e-12 {
		t.Errorf("by test rows it is 1.4, 1.3 and 1.2, of plain 3: %+v", c)
	}
	if len(s.Untested) != 1 || len(s.Untested[0].Seeds) != 3 {
		t.Errorf("%+v have no value by the test rows", s.Untested)
	}
	if c := svm.Metrics[2]; c.Pairs != 2 {
		t.Errorf("the areas can be compared at two seeds: %+v", c)
	}
	late := repeatedRuns()
	late[0].Regularizer[0].Broken, late[0].Baseline.Regularizer[0].Broken = nil, nil
	if c := Summarize(late).Contenders[0].Metrics[7]; c.Metric != "share of training rows that break steady" || c.Pairs != 2 || c.Better != 2 {
		t.Errorf("rows are counted at two seeds: %+v", c)
	}
	one := Summarize(repeatedRuns()[:1])
	if m := one.Metrics[0]; !math.IsNaN(float64(m.Interval)) {
		t.Errorf("one seed has no interval: %+v", m)
	}
}

// A contender that some runs had no time for is not compared, and the seeds of these are told. Others are found by their names.
func TestSummarizeRunsWithoutTimeForAll(t *testing.T) {
	for lacking, change := range map[string]func(runs []*Report){
		"plain": func(runs []*Report) { runs[2].Baseline = nil },
		"svm":   func(runs []*Report) { runs[0].Rivals = runs[0].Rivals[1:] },
		"":      func(runs []*Report) { slices.Reverse(runs[1].Rivals) },
	} {
		runs := repeatedRuns()
		for _, r := range runs {
			second := r.Rivals[0]
			second.Name, second.Metrics.Figures = "trees", metric.Figures{{Name: metric.Accuracy, Value: 0.6}}
			r.Rivals = append(r.Rivals, second)
		}
		change(runs)
		s := Summarize(runs)
		var names, hints []string
		for _, c := range s.Contenders {
			names = append(names, c.Name)
			if got := float64(c.Metrics[0].Values[1]); c.Name == "trees" && got != 0.6 || c.Name == "svm" && got != 0.8 {
				t.Errorf("without %s: %s has %v", lacking, c.Name, got)
			}
		}
		for _, h := range s.Hints {
			hints = append(hints, h.Text)
		}
		if want := slices.DeleteFunc([]string{"plain", "svm", "trees"}, func(n string) bool { return n == lacking }); !slices.Equal(slices.Sorted(slices.Values(names)), want) {
			t.Errorf("without %q: %v are compared", lacking, names)
		}
		if told := slices.Contains(hints, lacking+" is left out of the comparison, as the time was over before it"); told != (lacking != "") {
			t.Errorf("without %q: %q", lacking, hints)
		}
	}
}

func TestWriteSummary(t *testing.T) {
	s := Summarize(repeatedRuns())
	s.SameRows = true
	s.Failed = []Failed{{Seed: 3, Error: "a.csv: all 3 training rows are of the class \"no\"\n  help: draw more"}}
	var text, object bytes.Buffer
	if err := s.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "summary.txt", text.Bytes())
	if err := s.WriteJSON(&object); err != nil {
		t.Fatal(err)
	}
	golden(t, "summary.json", object.Bytes())
	text.Reset()
	if err := Summarize(repeatedRuns()[:1]).WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "summary-one.txt", text.Bytes())
}

func TestSeedsText(t *testing.T) {
	for want, seeds := range map[string][]uint64{
		"seed 4": {4}, "seeds 0, 1": {0, 1}, "seeds 0 to 9": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, "seeds 7, 0 to 2, 9": {7, 0, 1, 2, 9},
	} {
		if got := new(Summary).seedsText(seeds); got != want {
			t.Errorf("%v: %s, want %s", seeds, got, want)
		}
	}
}
