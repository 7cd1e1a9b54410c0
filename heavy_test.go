package sipc_test

import (
	"errors"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/compiler/codes"
)

// A linear system that rounding makes indefinite is an error at the invariance with the largest weight, in a fit and where a grid is chosen.
func TestIndefiniteSystemsHaveAPlace(t *testing.T) {
	const data = "data { target price : real; columns u, v; standardize }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = all)\n" +
		"invariance t = rms over x of |d/d(v) f|\ninvariance s = rms over x of |d/d(u) f|\nlearn ridge(lambda = 0.01)\nmethod warp\n"
	for _, regularize := range []string{"0.5 * t, 1e14 * s", "grid(0.5, 1) * t, 1e14 * s", "auto * t, 1e14 * s"} {
		spec := specOf(t, data+"regularize "+regularize+"\n")
		_, err := sipc.Run(t.Context(), spec, sipc.RunOptions{Data: drawn(60, 1).write(t)})
		list, ok := errors.AsType[*sipc.SpecError](err)
		if !ok {
			t.Fatalf("%s: %v has no place", regularize, err)
		}
		d := list.Diagnostics[0]
		if d.Code != codes.OutOfRange || !strings.HasPrefix(d.Summary, "the weight 1e+14 of s ") || d.Subject.Start.Line != 8 {
			t.Errorf("%s: %v at %v", regularize, d.Summary, d.Subject)
		}
	}
}
