package sipc_test

import (
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/report"
)

// above counts the rows in which a column is larger than a number.
func (d *rowTable) above(column string, least float64) int {
	n := 0
	for _, row := range d.rows {
		if row[d.at(column)] > least {
			n++
		}
	}
	return n
}

// Broken rows are counted among those that the statement is about, by its condition or by a factor that is not 0. The labels say the contrary,
// so that plain breaks nearly all.
func TestBrokenRowsAreOfThoseSpokenOf(t *testing.T) {
	train, test := drawn(40, 1), drawn(60, 2)
	for _, d := range []*rowTable{train, test} {
		for _, row := range d.rows {
			row[d.at("price")] = -3 * row[d.at("u")]
			row[d.at("cat")] = 0
			if row[d.at("u")] > 0.5 {
				row[d.at("cat")] = 1
			}
		}
	}
	data := "data { target price : real; columns u, v; standardize }\n"
	for name, statement := range map[string]string{
		"where":  "rms over x where u(x) > 0.5 of pos(-d/d(u) f)",
		"factor": "rms over x of cat(x) * pos(-d/d(u) f)",
	} {
		t.Run(name, func(t *testing.T) {
			spec := specOf(t, "kernel linear\nfeatures nystrom(landmarks = all)\nregularize 0.001 * s\n"+data+"invariance s = "+statement+"\nlearn ridge(lambda = 0.01)\n")
			rep, err := sipc.Run(t.Context(), spec, sipc.RunOptions{Data: train.write(t), Test: test.write(t), Baseline: true})
			if err != nil {
				t.Fatal(err)
			}
			n, m := train.above("u", 0.5), test.above("u", 0.5)
			got := rep.Baseline.Regularizer[0].Broken
			if got.Train != (report.Count{Broken: n, Rows: n, Among: 40}) || *got.Test != (report.Count{Broken: m, Rows: m, Among: 60}) {
				t.Errorf("%+v of training, %+v of test rows; the statement is about %d and %d", got.Train, got.Test, n, m)
			}
			var text strings.Builder
			if err := rep.WriteTable(&text); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text.String(), "training rows that it is about") {
				t.Error(text.String())
			}
		})
	}
}
