package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
)

// Of thousands of diagnostics the first are shown, errors rather than warnings, and the others are counted.
func TestTheFirstOfManyDiagnosticsAreShown(t *testing.T) {
	var list diag.List
	for i := range 3000 {
		d := &diag.Diagnostic{Code: "W1", Severity: diag.Warning, Summary: fmt.Sprintf("number %d.", i)}
		if i >= 2950 {
			d.Code, d.Severity = "E1", diag.Error
		}
		list.Add(d)
	}
	var b strings.Builder
	RenderSources(&b, nil, list)
	got := b.String()
	if n := strings.Count(got, "number "); n != limits.ShownDiagnostics {
		t.Errorf("%d are shown", n)
	}
	for _, want := range []string{"number 0.", "number 49.", "number 2950.", "number 2999.", "\n2900 more errors and warnings are not shown"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
	b.Reset()
	if RenderSources(&b, nil, list[:limits.ShownDiagnostics]); strings.Contains(b.String(), "not shown") {
		t.Error("all are shown")
	}
}
