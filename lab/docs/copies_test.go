package docs_test

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/lab/bench/copies"
)

// TestCopies holds the table of an orbit beside random copies to the lines of its file.
func TestCopies(t *testing.T) {
	const begin, end = "<!-- copies: go test ./lab/docs -run TestCopies -update -->\n", "<!-- end of copies -->"
	var b strings.Builder
	if err := copies.Write(&b, fromLines[copies.Line](t, "experiments/runs/copies.jsonl"), "orbit", copies.Rivals[1]); err != nil {
		t.Fatal(err)
	}
	heldOn(t, "experiments/transform.md", begin, b.String(), end)
}
