package sipc_test

import (
	"math"
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
			if g := left.Metrics.Figures[k]; g != f {
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
