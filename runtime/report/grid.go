package report

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// A grid is a table of texts in aligned columns.
type grid struct {
	right []bool   // columns aligned to the right
	names []string // of the figures to show; nil: all
	rows  [][]string
}

// add appends a row.
func (t *grid) add(cells ...string) { t.rows = append(t.rows, cells) }

// write lays the columns out by the width that their characters take on a terminal.
func (t *grid) write(b *strings.Builder) {
	var widths []int
	for _, row := range t.rows {
		for k, cell := range row {
			if k == len(widths) {
				widths = append(widths, 0)
			}
			if len(row) > 1 { // a row of one cell may run over the columns
				widths[k] = max(widths[k], runewidth.StringWidth(cell))
			}
		}
	}
	for _, row := range t.rows {
		var line strings.Builder
		for k, cell := range row {
			fill := strings.Repeat(" ", max(0, widths[k]-runewidth.StringWidth(cell)))
			if k > 0 {
				line.WriteString("  ")
			}
			if t.right[k] {
				line.WriteString(fill + cell)
			} else {
				line.WriteString(cell + fill)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
