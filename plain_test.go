package sipc_test

import (
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// plainHead is a spec without R whose landmarks would be drawn at R's points, too.
const plainHead = "data { target price : real; columns u, v; standardize }\nkernel gaussian(width = 0.3)\nfeatures nystrom(landmarks = all)\nlearn ridge(lambda = 0.1)\n"

// The caller's method plain and the spec's are one, and neither knows of R: its functionals cost nothing, and its points are no landmarks.
// A measure is told all the same, as the spec asks for it.
func TestPlainKnowsNothingOfR(t *testing.T) {
	o := sipc.RunOptions{Data: drawn(40, 1).write(t), Test: drawn(20, 2).write(t)}
	regularized := plainHead + "invariance steady = rms over x of max over t in {move(u, 0.3), move(v, 0.3)} of |f(t(x)) - f(x)|\n" +
		"measure kept = steady\nregularize 3 * steady\n"
	alone, err := sipc.Perform(t.Context(), specOf(t, plainHead), o)
	if err != nil {
		t.Fatal(err)
	}
	called := o
	called.Method = setting.Plain
	for name, c := range map[string]struct {
		text string
		o    sipc.RunOptions
	}{"the call": {regularized, called}, "the spec": {regularized + "method plain\n", o}} {
		got, err := sipc.Perform(t.Context(), specOf(t, c.text), c.o)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(alone.Scores, got.Scores) || got.Report.Dim != 40 || got.Report.Landmarks != nil {
			t.Errorf("%s: scores are those of other features: %d dimensions", name, got.Report.Dim)
		}
		if r := got.Report; len(r.Regularizer) > 0 || r.Span != nil || len(r.Lint) > 0 {
			t.Errorf("%s: the report speaks of %v, %v, %v", name, r.Regularizer, r.Span, r.Lint)
		}
		if r := got.Report; len(r.Measures) != 1 || !(r.Measures[0].Value > 0.1) || !(r.Measures[0].Test.Value > 0.1) {
			t.Errorf("%s: measures are %+v", name, r.Measures)
		}
	}
}

// Decisions of method plain are judged by one-sided statements about rows, which the test rows alone are asked for.
func TestPlainTellsViolations(t *testing.T) {
	rows := []string{"u,cat,animal"}
	for k := range 30 {
		rows = append(rows, []string{"0.1,0,0", "0.9,1,1", "2,1,0"}[k%3])
	}
	data := t.TempDir() + "/data.csv"
	if err := os.WriteFile(data, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const text = "data { target cat, animal : multilabel; split test = 9 }\nkernel gaussian(width = 0.3)\nfeatures nystrom(landmarks = all)\nlearn ridge(lambda = 0.01)\n" +
		"invariance logic = rms over x of implies(cat, animal)\ninvariance near = rms over x of |f(cat) - f(animal)|\nregularize 0.1 * logic, 0.1 * near\n"
	rep, err := sipc.Run(t.Context(), specOf(t, text), sipc.RunOptions{Data: data, Method: setting.Plain})
	if err != nil {
		t.Fatal(err)
	}
	v := rep.Metrics.Violations
	if len(v) != 1 || v[0].Name != "logic" || !(v[0].Value > 0) || len(rep.Regularizer) > 0 {
		t.Errorf("violations are %v, R is %v", v, rep.Regularizer)
	}
	rival := sipc.RunOptions{Data: data, Method: setting.Plain, Rivals: []sipc.RivalOptions{{Name: "hr-svm"}}}
	if rep, err = sipc.Run(t.Context(), specOf(t, text), rival); err != nil || len(rep.Rivals) != 1 {
		t.Errorf("a rival that needs implications: %v", err)
	}
}
