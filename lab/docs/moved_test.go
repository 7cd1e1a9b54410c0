package docs_test

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/lab/bench/moved"
)

// TestMoved holds the table of an orbit beside random copies to the lines of its file.
func TestMoved(t *testing.T) {
	const begin, end = "<!-- moved: go test ./lab/docs -run Moved -update -->\n", "<!-- end of moved -->"
	var b strings.Builder
	if err := moved.Write(&b, fromLines[moved.Line](t, "experiments/runs/moved.jsonl"), "orbit", moved.Rivals[1]); err != nil {
		t.Fatal(err)
	}
	heldOn(t, "experiments/transform.md", begin, b.String(), end)
}
