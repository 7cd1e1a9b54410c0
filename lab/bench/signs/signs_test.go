package signs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

// A proved fit of drawn rows keeps its signs on every sweep, and a free one of rows that say otherwise does not.
func TestFitsOfDrawnRows(t *testing.T) {
	set := &Set{Name: "drawn", Target: "y", Rises: []string{"a"}, data: "target y : real", pairs: "pairwise(gaussian(width = 2))", landmarks: "rows", lambdas: "0.1, 0.2"}
	var b strings.Builder
	b.WriteString("a,b,y\n")
	for i := range 40 {
		a := float64(i%10) / 3
		fmt.Fprintf(&b, "%g,%d,%g\n", a, i/10, a*(2-a)+float64(i%3)/10)
	}
	data := filepath.Join(t.TempDir(), "drawn.csv")
	if err := os.WriteFile(data, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	job, err := NewJob(set, data, t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(pagetest.Read(t, job.hold), "\n") - 1; rows != 12 {
		t.Errorf("%d test rows of 40", rows)
	}
	for fit, want := range map[string]float64{Free: 1, Proved: 0} {
		line, err := job.Fit(t.Context(), fit)
		if err != nil {
			t.Fatal(err)
		}
		if line.Broken != want || fit == Proved && line.Proved != 1 {
			t.Errorf("%s: sweeps of %v of the rows break the sign, and %d statements are proved", fit, line.Broken, line.Proved)
		}
	}
}

// Rows of a date are on one side of a split.
func TestRowsStayTogether(t *testing.T) {
	rows := [][]string{{"a", "1"}, {"b", "2"}, {"a", "3"}, {"c", "4"}, {"b", "5"}}
	if many := grouped(rows, 0, 1); many != 2 || rows[0][0] != "a" || rows[1][1] != "3" {
		t.Errorf("%d rows first of %v", many, rows)
	}
	if many := grouped(rows, 0, 5); many != 5 {
		t.Errorf("%d of five rows", many)
	}
}
