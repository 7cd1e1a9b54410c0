// Package boxes serves experiments on statements in boxes. It has tables of numbers, the box of some rows, a grid over it, and a timed fit.
package boxes

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A Table has a row of numbers for each line of a file.
type Table [][]float64

// Write writes a table to a CSV file with a header. A row with fewer numbers than names gets 0 for the others.
func (t Table) Write(path string, names []string) error {
	var b strings.Builder
	b.WriteString(strings.Join(names, ",") + "\n")
	for _, row := range t {
		for c := range names {
			v := 0.0
			if c < len(row) {
				v = row[c]
			}
			if c > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(path, []byte(b.String()), 0o600)
}

// A Box has the range of each column.
type Box [][2]float64

// Of returns the ranges of the first columns of a table.
func Of(t Table, columns int) Box {
	b := make(Box, columns)
	for c := range b {
		b[c] = [2]float64{math.Inf(1), math.Inf(-1)}
		for _, row := range t {
			b[c] = [2]float64{min(b[c][0], row[c]), max(b[c][1], row[c])}
		}
	}
	return b
}

// Holds reports whether a row lies in the box. It looks at the columns that the box has.
func (b Box) Holds(row []float64) bool {
	for c, side := range b {
		if row[c] < side[0] || row[c] > side[1] {
			return false
		}
	}
	return true
}

// Places returns a grid over the box with so many places along each side, both ends among them. The last column moves first.
func (b Box) Places(steps int) Table {
	out := Table{nil}
	for _, side := range b {
		var next Table
		for _, row := range out {
			for k := range steps {
				at := side[0] + (side[1]-side[0])*float64(k)/float64(steps-1)
				next = append(next, append(slices.Clone(row), min(at, side[1])))
			}
		}
		out = next
	}
	return out
}
