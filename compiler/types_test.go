package compiler

import "testing"

// What the type of a column says of its sign is proved without data, and what it leaves open the training rows decide.
func TestTypesDecideSigns(t *testing.T) {
	const spec = "data { target price : real; types age : integer [0, 120], change : real [-1, 1], grade : {1, 2} }\nkernel gaussian\nfeatures nystrom\ninvariance i = rms over x of "
	for body, want := range map[string]int{"age * |f|": 0, "(age + grade) * |f|": 0, "change * |f|": 1, "(1 - change) * |f|": 0, "(grade - 1.5) * |f|": 1} {
		plan, list := check(t, spec+body, testOptions(nil))
		if list.HasErrors() {
			t.Fatalf("%s: %v", body, list)
		}
		if got := plan.At(nil).Explain(nil).Invariances[0].If; len(got) != want {
			t.Errorf("%s is proved if %q", body, got)
		}
		_ = plan.Close()
	}
}
