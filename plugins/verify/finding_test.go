package verify

import (
	"errors"
	"slices"
	"testing"

	"github.com/sipc-ml/sipc/plugins"
)

// What differs by its numbers alone is told once, and counted.
func TestAlike(t *testing.T) {
	s := &suite{findings: lines{most: 3}, notes: lines{most: 3}}
	turn, shift := &subject{of: &plugins.MapSchema{Name: "turn"}}, &subject{of: &plugins.MapSchema{Name: "shift"}, labels: 2}
	s.faultf(turn, "", "f is %g, not %g", 1.5, -2e-7)
	s.faultf(shift, "large data", "f is %g, not %g", -3.0, 4.0)
	s.faultf(shift, "", "f is %g, not %g", 5.0, 6.0)
	s.faultf(turn, "", "f is %g, not %g", 1.5, -2e-7) // said already
	s.faultf(turn, "", "its process ended")
	s.findf("it does not end")
	s.findf("one too many")
	want := []string{
		"turn(), rows without labels (and 2 more alike, also of shift): f is 1.5, not -2e-07",
		"turn(), rows without labels: its process ended",
		"it does not end",
	}
	if got := s.findings.texts(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	s = &suite{findings: lines{most: 3}, notes: lines{most: 3}}
	s.faultf(turn, "", "it ends; its last words:\n    fault at 12\n    fault at 15\n    panic: a")
	s.faultf(turn, "large data", "it ends; its last words:\n    fault at 17\n    panic: a") // as often as the process happens to say so
	s.faultf(turn, "", "it ends; its last words:\n    fault at 18\n    panic: b")
	if got := s.findings.texts(); len(got) != 2 {
		t.Errorf("%q", got)
	}
	s.refusal(turn, "", errors.New("give 3 or more"))
	s.refusal(turn, "usual data", errors.New("give 2 or more"))
	s.notef("it starts in %d ms", 4)
	s.notef("it starts in %d ms", 5) // what is measured stands each for itself
	s.notef("it starts in %d ms", 6)
	want = []string{"turn(), rows without labels (and 1 more alike): it refuses: give 3 or more", "it starts in 4 ms", "it starts in 5 ms"}
	if got := s.notes.texts(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
