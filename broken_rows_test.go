package sipc_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
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
			if got.Statement != "the score falls with u" {
				t.Errorf("%q is broken", got.Statement)
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

// Where no test row can be counted, as a factor is negative there or no row satisfies the condition, report and JSON say why.
func TestUncountedTestRowsHaveAReason(t *testing.T) {
	train, test := drawn(40, 1), drawn(60, 2)
	for _, d := range []*rowTable{train, test} {
		for _, row := range d.rows {
			row[d.at("cat")] = 1
		}
	}
	for _, row := range test.rows {
		row[test.at("cat")] = -1
	}
	for statement, want := range map[string]string{
		"rms over x of cat(x) * pos(-d/d(u) f)":         "the factor cat(x) is -1",
		"rms over x where cat(x) > 0 of pos(-d/d(u) f)": "none of its elements is among them",
	} {
		spec := specOf(t, "data { target price : real; columns u, v; standardize }\nkernel linear\nfeatures nystrom(landmarks = all)\n"+
			"invariance s = "+statement+"\nregularize 0.001 * s\nlearn ridge(lambda = 0.01)\n")
		rep, err := sipc.Run(t.Context(), spec, sipc.RunOptions{Data: train.write(t), Test: test.write(t)})
		if err != nil {
			t.Fatal(err)
		}
		got := rep.Regularizer[0].Broken
		if got == nil || got.Test != nil || !strings.HasPrefix(got.Untested, want) {
			t.Errorf("%s: %+v, want %q", statement, got, want)
			continue
		}
		var text strings.Builder
		if err := rep.WriteTable(&text); err != nil {
			t.Fatal(err)
		}
		if line := "; no test row is counted: " + got.Untested + "\n"; !strings.Contains(text.String(), line) {
			t.Errorf("the table does not say %q:\n%s", line, text.String())
		}
	}
}

// Edges name rows of the training file by their numbers. No edge is between rows of another file, also where who opens the files gives no checksums.
func TestEdgesAreOfTheTrainingFile(t *testing.T) {
	edges := filepath.Join(t.TempDir(), "edges.csv")
	if err := os.WriteFile(edges, []byte("a,b\n1,2\n2,3\n3,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := specOf(t, "data { target price : real; columns u, v }\nkernel linear\nfeatures nystrom(landmarks = all)\n"+
		"invariance s = rms over (a, b) in graph(\""+edges+"\") of pos(f(a) - f(b))\nregularize 0.001 * s\nlearn ridge(lambda = 0.01)\n")
	rep, err := sipc.Run(t.Context(), spec, sipc.RunOptions{
		Data: drawn(40, 1).write(t), Test: drawn(60, 2).write(t),
		Open: func(ctx context.Context, path string) (*dataset.Table, error) {
			table, err := dataset.Open(ctx, path)
			if err == nil {
				table.SHA256 = ""
			}
			return table, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := rep.Regularizer[0].Broken; got == nil || got.Test != nil || got.Untested != model.NoneThere {
		t.Errorf("%+v, want no test row", got)
	}
}
