package dataset

import "strconv"

// A Cell is the value that a column of a file would hold for a prepared row.
type Cell struct{ Column, Value string }

// rawDigits is how many digits a number of a cell is written with.
const rawDigits = 6

// Cells returns what the file would hold for a prepared row x: numbers to some digits, texts, and gaps as "gap". A text that no training row
// has is "unseen".
func Cells(p *Preparation, x []float64) []Cell {
	var out []Cell
	for i, g := range GroupsOf(p) {
		f := &p.Features[i]
		out = append(out, Cell{f.Name, f.raw(x, g.Columns)})
	}
	return out
}

// raw returns what the cell of a feature holds, whose prepared columns are given.
func (f *Feature) raw(x []float64, columns []int) string {
	if f.Text {
		for k, c := range columns {
			if x[c] > 1.0/2 {
				return f.Categories[k]
			}
		}
		return "unseen"
	}
	for _, c := range columns[1:] {
		if x[c] > 1.0/2 {
			return "gap"
		}
	}
	return strconv.FormatFloat(x[columns[0]]*f.Scale+f.Offset, 'g', rawDigits, 64)
}
