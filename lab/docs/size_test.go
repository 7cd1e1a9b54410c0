package docs_test

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/lab/bench/size"
)

// TestSize holds the table of runs as rows grow to the lines of its file.
func TestSize(t *testing.T) {
	const begin, end = "<!-- size: go test ./lab/docs -run Size -update -->\n", "<!-- end of size -->"
	var b strings.Builder
	size.Write(&b, fromLines[size.Line](t, "experiments/runs/size.jsonl"))
	held(t, begin, b.String(), end)
}

// TestScale holds what very many rows cost to the same lines.
func TestScale(t *testing.T) {
	var b strings.Builder
	if err := size.Scale(&b, fromLines[size.Line](t, "experiments/runs/size.jsonl")); err != nil {
		t.Fatal(err)
	}
	heldOn(t, "../../docs/scale.md", "<!-- scale: go test ./lab/docs -run Scale -update -->\n", b.String(), "<!-- end of scale -->")
}
