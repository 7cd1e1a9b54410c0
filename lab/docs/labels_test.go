package docs_test

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/lab/bench/labels"
)

// TestThousandsOfLabels holds the table of thousands of labels to the lines of its file. Each run has the gap asked for.
func TestThousandsOfLabels(t *testing.T) {
	const begin, end = "<!-- labels: go test ./lab/docs -run Labels -update -->\n", "<!-- end of labels -->"
	all := fromLines[labels.Line](t, "experiments/runs/labels.jsonl")
	for _, l := range all {
		if !l.Reached {
			t.Errorf("%s ends at a gap of %g", l.Method, l.Gap)
		}
	}
	var b strings.Builder
	labels.Table(&b, all)
	heldOn(t, "measurements.md", begin, b.String(), end)
}
