package compiler

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/dsl"
)

// However many faults there are, in one invariance or in many, mends are tried and counterexamples searched for the first alone.
// Every fault is reported.
func TestFaultsAreReportedInLinearTime(t *testing.T) {
	fault := "-|f(cat)|"
	for _, c := range []struct {
		name                      string
		body                      string
		faults                    int
		attempts, counterexamples int
	}{
		{"one", "invariance i = rms over x of |" + fault + "|\n", 1, 1, 1},
		{"in one invariance", "invariance i = rms over x of max {" + strings.Repeat(fault+", ", 999) + fault + "}\n", 1000, names.AttemptsPerInvariance, names.CounterexamplesPerInvariance},
		{"in many", manyInvariances(1000, "rms over x of "+fault), 1000, names.AttemptsPerSpec, names.CounterexamplesPerSpec},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, list := dsl.Parse("faulty.inv", []byte(withDefaults(c.body)))
			if len(list) > 0 {
				t.Fatal(list[0])
			}
			checker := names.NewSpec(t.Context(), file, testOptions(nil))
			_ = compile(checker).Close()
			shown, faults := 0, 0
			for _, d := range checker.Diags {
				if d.Code != codes.NegatedConvex {
					continue
				}
				faults++
				if len(d.Values) > 0 {
					shown++
				}
			}
			if faults != c.faults || shown != c.counterexamples || checker.Budget.Attempts.Spec != c.attempts {
				t.Errorf("%d faults, of which %d show a counterexample, and %d attempts; want %d, %d, %d",
					faults, shown, checker.Budget.Attempts.Spec, c.faults, c.counterexamples, c.attempts)
			}
		})
	}
}

func manyInvariances(n int, body string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "invariance i%d = %s\n", i, body)
	}
	return b.String()
}

// Twice the unknown names take twice the memory, which stands for the work here.
func TestNamesAreFoundInLinearTime(t *testing.T) {
	unknown := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "invariance i%d = rms over x of |q%d|\n", i, i)
		}
		return b.String()
	}
	allocated := func(n int) float64 {
		file, list := dsl.Parse("many.inv", []byte(withDefaults(unknown(n))))
		if len(list) > 0 {
			t.Fatal(list[0])
		}
		return testing.AllocsPerRun(1, func() {
			if _, found := Check(t.Context(), file, testOptions(nil)); len(found) < n {
				t.Fatalf("%d of %d are found", len(found), n)
			}
		})
	}
	if few, many := allocated(500), allocated(2000); many > 6*few {
		t.Errorf("500 unknown names allocate %.0f times, 2,000 %.0f times", few, many)
	}
}
