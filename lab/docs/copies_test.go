package docs_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/lab/bench/copies"
)

// TestCopies holds the tables of an orbit beside copies to the lines of their files.
func TestCopies(t *testing.T) {
	const begin, end = "<!-- %s: go test ./lab/docs -run TestCopies -update -->\n", "<!-- end of %s -->"
	for _, table := range []struct{ file, of, rival string }{{"copies", "orbit", copies.Rivals[1]}, {"ways", "orbit", copies.Rivals[1]}, {"whole", "whole", ""}} {
		var b strings.Builder
		if err := copies.Write(&b, fromLines[copies.Line](t, "experiments/runs/"+table.file+".jsonl"), table.of, table.rival); err != nil {
			t.Fatal(err)
		}
		heldOn(t, "experiments/transform.md", fmt.Sprintf(begin, table.file), b.String(), fmt.Sprintf(end, table.file))
		if table.file != "copies" {
			continue
		}
		// The README has its last figure.
		_, last, _ := strings.Cut(b.String(), "mean over the cells: ")
		if want := "R " + strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(last), ".")) + " better on moved digits"; !strings.Contains(pagetest.Read(t, filepath.Join("..", "..", "README.md")), want) {
			t.Errorf("README.md does not say: %s", want)
		}
	}
}
