package sipc_test

import (
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Every method stops at the limit of iterations, and says so by a gap above the one that it reaches without.
func TestIterationsAreLimited(t *testing.T) {
	const spec = "data { target price : real; columns u, v; standardize }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = all)\n" +
		"invariance up = max over x of hypot(pos(-d/d(u) f), |d/d(v) f|)\ninvariance even = sum over x of |d/d(v) f|\n" +
		"regularize 10 * up, even\nlearn ridge(lambda = 0.01)\n"
	data := drawn(30, 1).write(t)
	// A gap that is missed is not a ground to ask for a smaller one.
	gap := func(method setting.Method, limit int) float64 {
		r, err := sipc.Run(t.Context(), specOf(t, spec), sipc.RunOptions{Data: data, Method: method, Gap: 1e-4, MaxIterations: limit})
		if err != nil {
			t.Fatal(err)
		}
		if limit > 0 && r.Certificate.Scores != nil && (r.Certificate.Scores.Gap != 0 || !r.Certificate.Scores.Missed) {
			t.Errorf("method %s misses the gap and asks for %v", method, r.Certificate.Scores.Gap)
		}
		return float64(r.Certificate.MaxGap)
	}
	for _, method := range []setting.Method{setting.Embed, setting.Risk, setting.Dual} {
		if free, bound := gap(method, 0), gap(method, 2); free > 1e-4 || !(bound > 1e-4) {
			t.Errorf("method %s reaches a gap of %v, and of %v in 2 iterations, where 1e-4 is asked for", method, free, bound)
		}
	}
}
