package sipc_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/dataset"
)

// Without a test every row trains, whatever the spec draws. The report has values of R by the training rows, and no figures of others.
func TestAllRowsTrain(t *testing.T) {
	data := drawn(40, 1).write(t)
	for _, split := range []string{"", "split train = 10, test = 5\n", "unlabelled test\n"} {
		spec := specOf(t, "data { target price : real; columns u, v; standardize\n"+split+"}\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = all)\n"+
			"invariance s = rms over x of |d/d(u) f|\nmeasure w = rms over x of |d/d(v) f|\nregularize s\nlearn ridge\nexpect rmse < 100\n")
		out, err := sipc.Perform(t.Context(), spec, sipc.RunOptions{Data: data, Whole: true, Keep: true})
		if err != nil {
			t.Fatalf("%q: %v", split, err)
		}
		r := out.Report
		if r.NTrain != 40 || r.NTest != 0 || len(r.Metrics.Figures) > 0 || len(r.Expected) > 0 || out.Model.Witnesses == nil {
			t.Errorf("%q: %d training and %d test rows, %v", split, r.NTrain, r.NTest, r.Metrics.Figures)
		}
		for _, s := range append(r.Regularizer, r.Measures...) {
			if math.IsNaN(float64(s.Value)) || s.Test == nil || s.Test.Unknown != "there are no test rows" {
				t.Errorf("%q: %+v", split, s)
			}
		}
		if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, "what the spec expects is not judged") {
			t.Errorf("%q: %s", split, all)
		}
	}
}

// What only test rows tell cannot be asked for without any.
func TestNothingIsComparedWithoutTestRows(t *testing.T) {
	spec := specOf(t, "data { target price : real }\nkernel gaussian\nfeatures nystrom\nlearn ridge\n")
	for _, o := range []sipc.RunOptions{{Baseline: true}, {Out: t.TempDir()}, {Rivals: []sipc.RivalOptions{{Name: "ridge"}}}} {
		o.Data, o.Whole = drawn(20, 1).write(t), true
		if _, err := sipc.Perform(t.Context(), spec, o); err == nil || !strings.Contains(err.Error(), "there are no test rows") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// Embeddings of a table are those that a file of them has, and a method that makes none is refused.
func TestEmbeddingsOfTables(t *testing.T) {
	d := drawn(30, 1)
	table, err := dataset.Open(t.Context(), d.write(t))
	if err != nil {
		t.Fatal(err)
	}
	for method, embeds := range map[string]bool{"embed": true, "risk": false} {
		spec := specOf(t, "data { target price : real; columns u, v }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = all)\n"+
			"invariance s = rms over x of |d/d(u) f|\nregularize s\nlearn ridge\nmethod "+method+"\n")
		out, err := sipc.Perform(t.Context(), spec, sipc.RunOptions{Data: d.write(t), Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		rows, done, err := sipc.EmbedTable(t.Context(), out.Model, table, false, sipc.ApplyOptions{})
		if refused, ok := errors.AsType[*sipc.EmbeddingsError](err); ok == embeds || ok && string(refused.Method) != method {
			t.Errorf("%s: %v", method, err)
		}
		if n := table.Len(); embeds && (done.Certificate.Count != n || rows.RawMatrix().Rows != n || rows.RawMatrix().Cols != out.Model.Represent.Dim()) {
			t.Errorf("%s: %d rows of %d numbers, %+v", method, rows.RawMatrix().Rows, rows.RawMatrix().Cols, done.Certificate)
		}
		phi, _, err := sipc.EmbedTable(t.Context(), out.Model, table, true, sipc.ApplyOptions{})
		if err != nil || phi.RawMatrix().Cols != out.Model.Represent.Features.Dim() {
			t.Errorf("%s: features %v", method, err)
		}
	}
}
