package report_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

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
	all = append(all, report.Requirement{
		Name: "swept", Text: "swept: f >= 0", Answer: "open", Why: "too many cells", Seconds: 0.25, Open: 5,
		Left: []report.Cell{{Where: "a in [0, 1]", Least: -2}, {Where: "a in [1, 2]", Least: -1}, {Where: "a in [2, 3]", Least: -0.5}, {Where: "a in [3, 4]", Least: -0.25}},
	})
	var b strings.Builder
	report.WriteRequirements(&b, all)
	want := `required      rising: d/d(a) f >= 0: proved, by 0.25 at least (aimed at 0.5), 3 cells
              low: f(x) <= 1: refuted, 0 cells
                the sides differ by -0.5 to -0.25 at a = 2, town = b
              swept: f >= 0: open, 0 cells, 0.25 s: too many cells
                open, -2 at least: a in [0, 1]
                open, -1 at least: a in [1, 2]
                open, -0.5 at least: a in [2, 3]
                and 2 more cells
              swept: 9 of 10 statements proved, by 0.25 at least; equations are kept to within 0.13
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
	for i := range all {
		all[i].Held = fmt.Sprintf("held by %d", i)
	}
	b.Reset()
	report.WriteRequirements(&b, all[2:])
	want = `                held: held by 2
                held: held by 3
                held: held by 4
                and 6 more, which --json lists
`
	if !strings.HasSuffix(b.String(), want) || strings.Count(b.String(), "held: held by 11\n") != 1 {
		t.Errorf("%s\nwant at its end\n%s", b.String(), want)
	}
	if got, want := report.Unproved(all), "not all of 12 statements are proved: low is refuted, swept is open"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := report.Unproved(all[:1]); got != "" {
		t.Errorf("%q where all is proved", got)
	}
}

// Bounds are rounded outwards: what a terminal shows holds, too.
func TestProvenBoundsAreNeverOverstated(t *testing.T) {
	margin := report.Number(0.0019996)
	all := []report.Requirement{
		{Name: "a", Text: "f >= 0", Answer: "proved", Margin: &margin, Within: 0.00101},
		{Name: "b", Text: "f >= 0", Answer: "open", Low: -0.00123456, High: 0.00123412, At: []report.Coordinate{{Column: "a", Value: "2"}}, Left: []report.Cell{{Where: "a in [0, 1]", Least: -0.0012341}}},
	}
	for range 9 {
		all = append(all, report.Requirement{Name: "c", Text: "f >= 0", Answer: "proved", Margin: &margin, Within: 0.00101})
	}
	var b strings.Builder
	report.WriteRequirements(&b, all)
	for _, want := range []string{
		"a: f >= 0: proved, by 0.00199 at least,", "the sides differ by -0.001235 to 0.001235 at", "open, -0.00124 at least:",
		"9 of 9 statements proved, by 0.00199 at least; equations are kept to within 0.0011\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the lines lack %q:\n%s", want, b.String())
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v, digits := rapid.Float64Range(-1e300, 1e300).Draw(t, "v"), rapid.IntRange(1, 6).Draw(t, "digits")
		for _, format := range []byte("gf") {
			low, err := strconv.ParseFloat(report.Bound(v, -1, format, digits), 64)
			high, err2 := strconv.ParseFloat(report.Bound(v, 1, format, digits), 64)
			if err != nil && !math.IsInf(low, 0) || err2 != nil && !math.IsInf(high, 0) || low > v || high < v {
				t.Fatalf("%v is bounded by %v and %v; %v, %v", v, low, high, err, err2)
			}
		}
	})
}
