package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// checkWeights returns an error unless all tables have a column of weights, each a finite number that is not negative. Tables may
// be nil.
func checkWeights(name string, tables ...*Table) error {
	if name == "" {
		return nil
	}
	for _, t := range tables {
		if t == nil {
			continue
		}
		if !has(t.index, name) {
			return noColumn(t, ItemWeight, name)
		}
		if err := t.checkWeights(name); err != nil {
			return err
		}
	}
	return nil
}

// checkWeights returns an error for the first cell of a column that is not a weight. Nil means that all are, or that there is no such
// column.
func (t *Table) checkWeights(name string) error {
	raw, ok := t.Column(name, rowNumbers(t.rows))
	if name == "" || !ok {
		return nil
	}
	var row int
	var cell, mend string
	if c := t.columnOf(name); raw.Numbers == nil {
		row = max(c.oddRow, 0)
		cell, mend = fmt.Sprintf("%q", cutShort(c.text(row))), WhyText(c.text(row), t.Writing)
	} else if row = slices.IndexFunc(raw.Numbers, func(v float64) bool { return v != 0 && !(v >= leastWeight && v <= mostWeight) }); row >= 0 {
		cell = formatNumber(raw.Numbers[row])
		if math.IsNaN(raw.Numbers[row]) {
			cell = "a gap"
		}
	}
	if row < 0 {
		return nil
	}
	return &Error{
		Code: CodeNumber, File: t.Path, Line: t.Line(row), Column: name, Item: ItemWeight,
		Problem: fmt.Sprintf("row %d: %s is not a weight", row+1, cell), Mend: cmp.Or(mend, "write 0, which leaves the row out, or a number from 1e-12 to 1e12"),
	}
}

// leastWeight and mostWeight bound weights that are not 0. Sums with others would swallow rows of the weight 1, or be swallowed.
const leastWeight, mostWeight = 1e-12, 1e12

// weightless reports whether a row has the weight 0. Nil weights are ones.
func weightless(weight []float64, row int) bool { return len(weight) > 0 && weight[row] == 0 }
