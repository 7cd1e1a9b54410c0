package sipc_test

import (
	"math"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
)

// A run that leaves R unmeasured has the scores, certificate and baseline of one that measures it, and no value of R.
func TestUnmeasured(t *testing.T) {
	data := drawn(40, 3).write(t)
	for _, c := range brokenCases {
		spec := specOf(t, "kernel gaussian\nfeatures nystrom(landmarks = all)\nregularize 3 * s\n"+c.spec)
		measured, err := sipc.Run(t.Context(), spec, sipc.RunOptions{Data: data, Baseline: true})
		if err != nil {
			t.Fatal(err)
		}
		left, err := sipc.Run(t.Context(), spec, sipc.RunOptions{Data: data, Baseline: true, Unmeasured: true, Out: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		for k, f := range measured.Metrics.Figures {
			if g := left.Metrics.Figures[k]; g != f && !(math.IsNaN(g.Value) && math.IsNaN(f.Value)) {
				t.Errorf("%s: %v, and %v where R is measured", c.name, g, f)
			}
		}
		if left.Certificate.MaxGap != measured.Certificate.MaxGap {
			t.Errorf("%s: the gap is %g, and %g where R is measured", c.name, left.Certificate.MaxGap, measured.Certificate.MaxGap)
		}
		for k, s := range left.Regularizer {
			if !math.IsNaN(float64(s.Value)) || s.Broken != nil {
				t.Errorf("%s: %s has the value %g, broken %v", c.name, s.Name, s.Value, s.Broken)
			}
			if v := left.Baseline.Regularizer[k].Value; !math.IsNaN(float64(v)) {
				t.Errorf("%s: the baseline has the value %g", c.name, v)
			}
			if math.IsNaN(float64(measured.Regularizer[k].Value)) {
				t.Errorf("%s: R has no value where it is measured", c.name)
			}
		}
	}
}

// Where measuring a statement would take much more work than the fit of a few rows, it is left out, and the report says why.
func TestMeasuringDoesNotOutlastTheFit(t *testing.T) {
	spec := specOf(t, "data { target price : real; columns u, v; standardize; split train = 4, test = 8 }\nkernel gaussian(width = 0.1)\nfeatures nystrom(landmarks = all)\n"+
		"invariance s = rms over pairs(count = 8) of max over λ in [0, 1] of pos(d/dλ f)\nregularize 3 * s\nlearn ridge\nmethod embed\n")
	rep, err := sipc.Run(t.Context(), spec, sipc.RunOptions{Data: drawn(40, 3).write(t), Gap: 1e-3, Baseline: true})
	if err != nil {
		t.Fatal(err)
	}
	const why = "its embeddings would take more than its share of 4 times the work of the fit"
	if s := rep.Regularizer[0]; !math.IsNaN(float64(s.Value)) || s.Unknown != why || s.Test.Unknown != why {
		t.Errorf("%+v of the training rows, %+v of the test rows", s, s.Test)
	}
	if s := rep.Baseline.Regularizer[0]; math.IsNaN(float64(s.Value)) || s.Unknown != "" {
		t.Errorf("plain, which needs no embedding, has %+v", s)
	}
	var text strings.Builder
	if err := rep.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"training rows have no value of s: ", "test rows     have no value of s: "} {
		if !strings.Contains(text.String(), "\n"+line+why+"\n") {
			t.Errorf("%q is not in\n%s", line, text.String())
		}
	}
}
