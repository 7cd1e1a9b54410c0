package docs_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/lab/bench"
)

// farthest is the factor by which a forecast of memory may be off.
const farthest = 2

// TestMemory holds the table of forecasts to the lines of its file, and says which are farther from the peak than they are to be.
func TestMemory(t *testing.T) {
	const begin, end = "<!-- memory: go test ./lab/docs -run Memory -update -->\n", "<!-- end of memory -->"
	all := fromLines[bench.Foreseen](t, "experiments/runs/memory.jsonl")
	held(t, begin, foreseen(all), end)
}

// fromLines reads a JSON object from each line of a page's file, of which there must be some.
func fromLines[T any](t *testing.T, path string) (all []T) {
	t.Helper()
	for line := range strings.Lines(pagetest.Read(t, path)) {
		var one T
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		t.Fatalf("%s: nothing was measured", path)
	}
	return all
}

// foreseen returns the table of forecasts and peaks, and the sentence on the worst of them.
func foreseen(all []bench.Foreseen) string {
	var b strings.Builder
	b.WriteString("| problem | work | forecast, MB | peak, MB | forecast / peak | most of it for |\n|---|---|---|---|---|---|\n")
	least, most, off, ended := all[0].Ratio(), all[0].Ratio(), 0, 0
	for _, f := range all {
		r := f.Ratio()
		least, most = min(least, r), max(most, r)
		mark := ""
		if r > farthest || r < 1/float64(farthest) {
			off++
			mark = " (beyond)"
		}
		if f.Error != "" {
			ended++
			mark += " (ended early)"
		}
		fmt.Fprintf(&b, "| %s | %s | %.0f | %d | %.2f%s | %s |\n", f.Name, f.Work, f.Bytes/1e6, f.Peak/1e6, r, mark, f.Largest)
	}
	fmt.Fprintf(&b, "\nForecasts are %.2f to %.2f times the peak. Beyond a factor of %d, of %d: %d. Ended early, with the peak until then: %d.\n",
		least, most, farthest, len(all), off, ended)
	return b.String()
}
