package sipc_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// inGroups are rows whose column cat is 1 where u is above 0, else 0, and twice that much higher a price.
func inGroups(n int, seed uint64) *rowTable {
	d := drawn(n, seed)
	for _, row := range d.rows {
		row[d.at("cat")] = 0
		if row[d.at("u")] > 0 {
			row[d.at("cat")] = 1
		}
		row[d.at("price")] = row[d.at("v")]/10 + 2*row[d.at("cat")]
	}
	return d
}

// apart is the distance of the mean scores of two groups.
func apart(d *rowTable, scores *mat.Dense) float64 {
	var sum, count [2]float64
	for i, row := range d.rows {
		g := int(row[d.at("cat")])
		sum[g], count[g] = sum[g]+scores.At(i, 0), count[g]+1
	}
	return math.Abs(sum[1]/count[1] - sum[0]/count[0])
}

const parityOfGroups = `data { target price : real; columns u, v, cat; standardize }
kernel gaussian
features nystrom(landmarks = all)
invariance fair = |mean over x where cat(x) > 0.5 of f(x) - mean over x where cat(x) < 0.5 of f(x)|
regularize 30 * fair
learn ridge(lambda = 0.01)
`

// The value by test rows of a two-sided statement is that of the scores that the test rows have, beside that of plain's.
func TestValueByTestRows(t *testing.T) {
	train, test := inGroups(40, 1), inGroups(60, 2)
	spec := specOf(t, parityOfGroups)
	for _, method := range []setting.Method{setting.Embed, setting.Risk} {
		t.Run(string(method), func(t *testing.T) {
			out, err := sipc.Perform(t.Context(), spec, sipc.RunOptions{Data: train.write(t), Test: test.write(t), Method: method, Baseline: true})
			if err != nil {
				t.Fatal(err)
			}
			atTrain, _, err := out.Model.Scores(t.Context(), out.Train.X, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, rep := apart(test, out.Scores)/deviationOfScores(atTrain), out.Report
			own, plain := rep.Regularizer[0].Test, rep.Baseline.Regularizer[0].Test
			if own == nil || math.Abs(float64(own.Value)-want) > 1e-3*want {
				t.Fatalf("%+v by the test rows, of their scores it is %g", own, want)
			}
			if plain == nil || plain.Value <= own.Value {
				t.Errorf("plain has %+v, the method %+v", plain, own)
			}
			var text strings.Builder
			if err := rep.WriteTable(&text); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text.String(), "  plain  test rows  plain") {
				t.Error(text.String())
			}
		})
	}
}

// The summary of seeds holds it with the difference of each seed from plain's, and shows it.
func TestValueByTestRowsOverSeeds(t *testing.T) {
	s, err := sipc.RunSeeds(t.Context(), specOf(t, parityOfGroups), sipc.RunOptions{Data: inGroups(60, 1).write(t), Baseline: true}, []uint64{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Contenders[0].Metrics {
		if c.Metric == "value by test rows of fair" && c.Pairs == 3 && c.DifferenceInterval > 0 {
			var text strings.Builder
			if err := s.WriteTable(&text); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text.String(), "\nvalue by test rows of fair\n") {
				t.Error(text.String())
			}
			return
		}
	}
	t.Errorf("%+v has no value by the test rows", s.Contenders[0].Metrics)
}

// Where a two-sided statement has no element among the test rows, report and JSON say so, and the run goes on.
func TestNoValueByTestRowsHasAReason(t *testing.T) {
	train, test := inGroups(40, 1), inGroups(60, 2)
	for _, row := range test.rows {
		row[test.at("cat")] = 0
	}
	rep, err := sipc.Run(t.Context(), specOf(t, parityOfGroups), sipc.RunOptions{Data: train.write(t), Test: test.write(t), Baseline: true})
	if err != nil {
		t.Fatal(err)
	}
	got := rep.Regularizer[0].Test
	if got == nil || !math.IsNaN(float64(got.Value)) || got.Unknown != model.NoneThere {
		t.Fatalf("%+v", got)
	}
	var text strings.Builder
	if err := rep.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "test rows     have no value of fair: "+model.NoneThere+"\n") {
		t.Error(text.String())
	}
	if s := report.Summarize([]*report.Report{rep}); len(s.Untested) != 1 {
		t.Errorf("%+v of the summary", s.Untested)
	}
}

// A certificate at the nodes of one invariance is at those of all: none of them says that it holds for its interval.
func TestOneIntegralAtNodesLeavesAllThere(t *testing.T) {
	text := "use mixup\ndata { target price : real; columns u, v }\nkernel gaussian(width = 2)\nfeatures nystrom(landmarks = all)\n" +
		"invariance steepest = rms over pairs(count = 8) of max over λ in [0, 1] of |d/dλ f|\n" +
		"invariance total = rms over pairs(count = 8) of mean over λ in [0, 1] of |d/dλ f|\n" +
		"regularize 0.1 * steepest, 0.1 * total\nlearn ridge(lambda = 0.01)\n"
	for method, want := range map[setting.Method]string{setting.Dual: "nodes", setting.Risk: "proved"} {
		rep, err := sipc.Run(t.Context(), specOf(t, text), sipc.RunOptions{Data: drawn(20, 1).write(t), Method: method})
		if err != nil {
			t.Fatal(err)
		}
		for _, inv := range append(rep.Regularizer, report.Summand{Between: rep.Certificate.Between}) {
			if inv.Between != want {
				t.Errorf("method %s: between the nodes of %q it is %q, want %q", method, inv.Name, inv.Between, want)
			}
		}
	}
}
