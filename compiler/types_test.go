package compiler

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/dsl/diag"
)

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

// Ten thousand values of a column are compared with its type one by one. With all at once the test would not end.
func TestManyValuesOfAColumn(t *testing.T) {
	const many = 10_000
	for _, value := range []string{"%d", "t%d"} {
		list := make([]string, many)
		for i := range list {
			list[i] = fmt.Sprintf(value, i)
		}
		set := strings.Join(list, ", ")
		quoted := set
		if strings.HasPrefix(value, "t") {
			quoted = `"` + strings.Join(list, `", "`) + `"`
		}
		check := func(last string) diag.List {
			_, found := check(t, "data { target price : real; types place : {"+set+"} }\nkernel gaussian\nfeatures nystrom\ninvariance i = rms over x where place in {"+quoted+last+"} of |f|\n", testOptions(nil))
			return found
		}
		if found := check(""); len(found) > 0 {
			t.Error(found[0])
		}
		if found := check(`, "u"`); len(found) != 1 || found[0].Severity != diag.Error {
			t.Errorf("u is not among the values: %d diagnostics", len(found))
		}
	}
}
