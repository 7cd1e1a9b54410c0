package compiler

import (
	"math"
	"testing"
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
		return grounded(t, plan, &Ground{Data: data, Seed: 3}, newProbe(3, 3, next))["i"]
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
		if len(list) != 1 || list[0].Code != NoDerivative {
			t.Errorf("%s: %v, want %s", body, list, NoDerivative)
		}
	}
}
