// Package pagetest reads pages and their tables for tests that hold them to files.
package pagetest

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Records returns the lines of a CSV file, by the names of its columns.
func Records(t *testing.T, path string) []map[string]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, line := range lines[1:] {
		r := map[string]string{}
		for k, name := range lines[0] {
			r[name] = line[k]
		}
		out = append(out, r)
	}
	return out
}

// Number returns the number that a text is.
func Number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A Gap is the mean of a paired difference in points, half of its 95 % interval, and in how many runs it is positive.
type Gap struct {
	Mean, Half float64
	Wins, Runs int
}

// Paired returns the gap between figures of the same runs.
func Paired(a, b []float64) Gap {
	g := Gap{Runs: len(a)}
	d := make([]float64, len(a))
	for i := range a {
		if d[i] = a[i] - b[i]; d[i] > 0 {
			g.Wins++
		}
	}
	g.Mean = 100 * stat.Mean(d, nil)
	if n := float64(len(d)); n > 1 {
		g.Half = 100 * distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * stat.StdDev(d, nil) / math.Sqrt(n)
	}
	return g
}

func (g Gap) String() string {
	if g.Runs < 2 {
		return fmt.Sprintf("%+.2f", g.Mean)
	}
	return fmt.Sprintf("%+.2f ± %.2f (%d of %d)", g.Mean, g.Half, g.Wins, g.Runs)
}

// Cells returns the cells of a line of a table, nil for other lines.
func Cells(line string) []string {
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	var out []string
	for _, c := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|"), "|") {
		out = append(out, strings.TrimSpace(c))
	}
	return out
}

// Section returns what stands under a heading that begins so, up to the next of its depth, and the lines above it.
func Section(t *testing.T, page, heading string) (text string, above int) {
	t.Helper()
	head, rest, ok := strings.Cut(page, "\n## "+heading)
	if !ok {
		t.Fatalf("there is no section %q", heading)
	}
	text, _, _ = strings.Cut(rest, "\n## ")
	return text, strings.Count(head, "\n") + 1
}

// Decimals returns how many digits stand behind the point of a number.
func Decimals(number string) int {
	_, digits, _ := strings.Cut(number, ".")
	return len(digits)
}

// Read returns the text of a file.
func Read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Rows returns the cells of the table whose header is given, without backslashes before bars.
func Rows(t *testing.T, page, header string) [][]string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "\n"+header+"\n")
	if !ok {
		t.Fatalf("there is no table %q", header)
	}
	_, rest, _ = strings.Cut(rest, "\n") // the line below the header
	var out [][]string
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		line = strings.ReplaceAll(strings.TrimSpace(line), `\|`, "\x00")
		var cells []string
		for _, cell := range strings.Split(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|")))
		}
		out = append(out, cells)
	}
	return out
}
