package report_test

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/report"
)

// Each statement has a line, with its worst point where it is not proved; of many under one name, those that are proved share one.
func TestRequirementLines(t *testing.T) {
	margin := report.Number(0.25)
	all := []report.Requirement{
		{Name: "rising", Text: "rising: d/d(a) f >= 0", Answer: "proved", Margin: &margin, Aim: 0.5, Cells: 3},
		{Name: "low", Text: "f(x) <= 1", Answer: "refuted", Low: -0.5, High: -0.25, At: []report.Coordinate{{Column: "a", Value: "2"}, {Column: "town", Value: "b"}}},
	}
	for range 9 {
		all = append(all, report.Requirement{Name: "swept", Text: "swept: f >= 0", Answer: "proved", Margin: &margin, Within: 0.125})
	}
	all = append(all, report.Requirement{Name: "swept", Text: "swept: f >= 0", Answer: "open", Why: "too many cells"})
	var b strings.Builder
	report.WriteRequirements(&b, all)
	want := `required      rising: d/d(a) f >= 0: proved, by 0.25 at least (aimed at 0.5), 3 cells
              low: f(x) <= 1: refuted, 0 cells
                -0.5 to -0.25 at a = 2, town = b
              swept: f >= 0: open, 0 cells: too many cells
              swept: 9 of 10 statements proved, by 0.25 at least; equations are kept to within 0.12
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
	if got, want := report.Unproved(all), "not all of 12 statements are proved: low is refuted, swept is open"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := report.Unproved(all[:1]); got != "" {
		t.Errorf("%q where all is proved", got)
	}
}
