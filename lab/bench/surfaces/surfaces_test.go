package surfaces

import (
	"strings"
	"testing"
)

// Every truth has the shape that is said to be known of it, and its negative does not.
func TestTruths(t *testing.T) {
	for i := range Sets {
		s := &Sets[i]
		job, err := NewJob(s, 50, t.TempDir(), 0)
		if err != nil {
			t.Fatal(err)
		}
		var truth, negative []float64
		for _, row := range job.places {
			truth, negative = append(truth, s.truth(row)), append(negative, -s.truth(row))
		}
		if where := job.bent(truth); len(where) > 0 {
			t.Errorf("%s: the truth breaks its shape at %d places, one of them %v", s.Name, len(where), where[0])
		}
		if where := job.bent(negative); len(where) < len(truth)/2 {
			t.Errorf("%s: the negative breaks the shape at only %d of %d places", s.Name, len(where), len(truth))
		}
	}
}

// A proved fit keeps a shape that a free one breaks, and all its statements are proved.
func TestFits(t *testing.T) {
	for _, name := range []string{"curve", "options"} {
		s, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		job, err := NewJob(s, 60, t.TempDir(), 1)
		if err != nil {
			t.Fatal(err)
		}
		statements := map[string]int{"curve": 1, "options": 4}[name]
		for fit, want := range map[string]int{Free: 0, Proved: statements} {
			line, err := job.Fit(t.Context(), fit)
			if err != nil {
				t.Fatal(err)
			}
			if line.Statements != want || line.Proved != want || (line.Bent > 0) != (fit == Free) || line.Case != "" {
				t.Errorf("%s, %s: %d of %d statements are proved, and the shape is broken at %v of the places; %s", name, fit, line.Proved, line.Statements, line.Bent, line.Case)
			}
			if line.True <= 0 || line.True > line.Test {
				t.Errorf("%s, %s: errors are %v against the truth and %v on further rows", name, fit, line.True, line.Test)
			}
		}
	}
	if _, err := Named("sphere"); err == nil || !strings.Contains(err.Error(), "there are options, curve, plane, solid") {
		t.Errorf("an unknown set: %v", err)
	}
}
