package compiler

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
)

// d/dλ derives what depends on that λ, and nothing else.
func TestDerivativesAlongOneParameter(t *testing.T) {
	const spec = "data { target animal, cat, dog : multilabel }\nkernel gaussian(width = 1)\nfeatures exact\ninvariance i = rms over pairs(count = 3) of "
	value := func(body string) float64 {
		t.Helper()
		v := 0.0
		next := func() float64 { v += 0.71; return math.Mod(v, 2) - 1 }
		data := testData(5, []string{"animal", "cat", "dog"}, next)
		plan := accepted(t, spec+body+"\n", testOptions(nil))
		return grounded(t, plan, &ground.Data{Data: data, Seed: 3}, newProbe(3, 3, next))["i"]
	}
	want := value("max over λ in [0, 1] of |d/dλ f|")
	if want == 0 {
		t.Fatal("f is the same along all paths")
	}
	for _, body := range []string{
		"max over λ in [0, 1] of |d/dλ (f - mean over μ in [0, 1] of f)|",
		"max over λ in [0, 1] of |d/dλ (f - mean over z in rows of f(z) + 2 * (mean over μ in [0, 0.5] of f))|",
		"max over λ in [0, 1] of |d/dλ f - (mean {d/dλ f, 0} - d/dλ (f / 2))|",
	} {
		if got := value(body); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s is %v, want %v", body, got, want)
		}
	}
	for _, body := range []string{
		"max over λ in [0, 1] of |d/dλ (mean over μ in [0, 1] of f)|",
		"max over λ in [0, 1] of mean over μ in [0, 1] of |d/dλ f|",
		"|d/dλ (mean over μ in [0, 1] of f)|",
		"max over (z, s) in pairs(count = 3) of |d/ds f(x)|",
	} {
		_, list := check(t, spec+body+"\n", testOptions(nil))
		if len(list) != 1 || list[0].Code != codes.NoDerivative {
			t.Errorf("%s: %v, want %s", body, list, codes.NoDerivative)
		}
	}
}

// A derivative along a column is derived along a column again, and along nothing else; no third time, and under no kernel whose functions
// have no second derivative but 0.
func TestSecondDerivatives(t *testing.T) {
	const spec = "data { target price : real }\nkernel %s\nfeatures exact\ninvariance i = rms over x of %s\n"
	for _, c := range []struct{ kernel, body, fault string }{
		{"gaussian(width = 1)", "|d/d(area) d/d(age) f|", ""},
		{"gaussian(width = 1)", "pos(-d/d(area) (d/d(area) f - f))", ""},
		{"polynomial(degree = 2)", "|d/d(area) d/d(area, unit = raw) f|", ""},
		{"gaussian(width = 1)", "|d/d(area) d/d(area) f - d/d(area) (d/d(area) f)|", "the same whatever f is"},
		{"gaussian(width = 1)", "|d/d(area) d/d(age) f - d/d(age) d/d(area) f|", "the same whatever f is"},
		{"gaussian(width = 1)", "|d/d(area) d/d(area) d/d(age) f|", "three times"},
		{"gaussian(width = 1)", "|d/ddouble d/d(area) f|", "along (area), and again along double"},
		{"gaussian(width = 1)", "|d/d(area) d/ddouble f|", "along double, and again along (area)"},
		{"laplacian(width = 1)", "|d/d(area) d/d(area) f|", "no second derivative under the laplacian kernel"},
		{"linear", "hypot(convex(area), |f|)", "no second derivative under the linear kernel"},
		{"polynomial(degree = 1)", "hypot(concave(area), |f|)", "no second derivative under the polynomial kernel"},
	} {
		_, list := check(t, fmt.Sprintf(spec, c.kernel, c.body), testOptions(nil))
		switch {
		case c.fault == "" && list.HasErrors():
			t.Errorf("%s under %s: %v", c.body, c.kernel, list)
		case c.fault != "" && (len(list) != 1 || !list.HasErrors() || !strings.Contains(list[0].Summary, c.fault)):
			t.Errorf("%s under %s: %v, want %q", c.body, c.kernel, list, c.fault)
		}
	}
}
