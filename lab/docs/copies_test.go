package docs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
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
	// The README has its last figure.
	_, last, _ := strings.Cut(b.String(), "mean over the cells: ")
	if want := "R " + strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(last), ".")) + " better on moved digits"; !strings.Contains(pagetest.Read(t, filepath.Join("..", "..", "README.md")), want) {
		t.Errorf("README.md does not say: %s", want)
	}
}
