package size

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/internal/limits"
)

// scaled are the numbers of rows whose cost is told.
var scaled = []float64{1e6, 1e7, 1e8, 1e9}

// tableBytes is what a row takes in temporary files: twenty numbers as they are read, and as many prepared ones.
const tableBytes = 8 * 2 * manyColumns

// A counter counts bytes.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// Scale writes what runs with signs and fairness take of very many rows. Seconds and memory grow as between the two largest runs that were measured.
func Scale(w io.Writer, lines []Line) error {
	var runs []Line
	for _, l := range lines {
		if l.Fit == Signs {
			runs = append(runs, l)
		}
	}
	slices.SortFunc(runs, func(a, b Line) int { return cmp.Compare(a.Rows, b.Rows) })
	if len(runs) < 2 {
		return fmt.Errorf("size: %d runs with signs, and two tell how cost grows", len(runs))
	}
	const rows = 1000
	var file counter
	if err := WriteRows(&file, rows, 1); err != nil {
		return err
	}
	last, before := runs[len(runs)-1], runs[len(runs)-2]
	more := float64(last.Rows - before.Rows)
	seconds, bytes := (last.Seconds-before.Seconds)/more, float64(last.Peak-before.Peak)/more
	fmt.Fprintf(w, "| rows | hours of a processor | data, GB | temporary files, GB | memory, GB | |\n|%s\n", strings.Repeat("---|", 6))
	for _, n := range scaled {
		beyond, known := n-float64(last.Rows), "reckoned"
		took, files, memory := last.Seconds+seconds*beyond, 0.0, fmt.Sprintf("%.3g", (float64(last.Peak)+bytes*beyond)/1e9)
		if n >= limits.PagedRows {
			files = n * tableBytes / 1e9
		}
		if n >= limits.PagedRows && before.Rows < limits.PagedRows { // rows at hand tell nothing of those in files
			memory = "not known"
		}
		if k := slices.IndexFunc(runs, func(l Line) bool { return float64(l.Rows) == n }); k >= 0 {
			took, memory, known = runs[k].Seconds, fmt.Sprintf("%.3g", float64(runs[k].Peak)/1e9), "measured"
		}
		fmt.Fprintf(w, "| %.0e | %.3g | %.3g | %.3g | %s | %s |\n", n, took/3600, n*float64(file)/rows/1e9, files, memory, known)
	}
	_, err := fmt.Fprintf(w, "\nA further row takes %.3g ms of a processor.\n", 1000*seconds)
	return err
}
