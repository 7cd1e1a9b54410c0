package docs_test

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/lab/bench"
)

// TestSquares holds the table of what an R of squares costs to the lines of its file.
func TestSquares(t *testing.T) {
	const begin, end = "<!-- squares: go test ./lab/docs -run TestSquares -update -->\n", "<!-- end of squares -->"
	var b strings.Builder
	if err := bench.WriteSquares(&b, fromLines[bench.Square](t, "experiments/runs/squares.jsonl")); err != nil {
		t.Fatal(err)
	}
	heldOn(t, "measurements.md", begin, b.String(), end)
}
