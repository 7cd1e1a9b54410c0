package reproduce

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// taxonomyData are two data sets of a taxonomy of six labels, laid out as the command expects them.
func taxonomyData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, set := range []string{setEnron, setWIPO} {
		if err := os.MkdirAll(filepath.Join(dir, set), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, set, edgesFile), []byte("0 1\n0 2\n1 3\n1 4\n2 5\n"))
		write(t, filepath.Join(dir, set, labelsFile), []byte("0\tR\troot\n1\tA\ta\n2\tB\tb\n3\tC\tc\n4\tD\td\n5\tE\te\n"))
		for _, part := range []struct { // in this order: they share a generator
			name  string
			count int
		}{{trainTopics, 60}, {testTopics, 30}} {
			var rows strings.Builder
			for i := range part.count {
				rows.WriteString([]string{"0,1,3", "0,1,4", "0,2,5", "0,2"}[i%4])
				for j := range 6 {
					fmt.Fprintf(&rows, " %d:%.6f", j+1, rng.NormFloat64()+float64(i%4*(j%3)))
				}
				rows.WriteByte('\n')
			}
			write(t, filepath.Join(dir, set, part.name), gzipped(t, []byte(rows.String())))
		}
	}
	return dir
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func splitLines(text string) iter.Seq[string] { return strings.SplitSeq(strings.TrimSpace(text), "\n") }
