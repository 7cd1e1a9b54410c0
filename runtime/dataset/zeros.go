package dataset

import (
	"fmt"
	"slices"
)

// readCodes reads columns of whole numbers as texts if one of the numbers has a leading zero, as postcodes have: 01067 is not 1067. Types may
// declare them to be numbers.
func readCodes(cols columns) {
	for j, c := range cols {
		if c.isText() || !c.leading.found() || c.broken || c.infRow >= 0 {
			continue
		}
		cols[j] = c.asTexts()
		cols[j].leading = c.leading
	}
}

// isCode reports whether a column is one of texts because its whole numbers have leading zeros.
func (c *column) isCode() bool { return c.isText() && c.leading.found() }

// asNumbers returns a column of codes as one of numbers.
func asNumbers(c *column) *column {
	out := newColumn(c.name)
	for i := range c.codes {
		out.add(i, c.text(i))
	}
	return out
}

// withNumbers returns the table with codes as numbers, in some columns. The table itself stays as it is.
func withNumbers(t *Table, counts func(name string) bool) *Table {
	read, ok := t.cells.(columns)
	if !ok {
		return t
	}
	coded := func(c *column) bool { return c.isCode() && counts(c.name) }
	if !slices.ContainsFunc(read, coded) {
		return t
	}
	out, cells := *t, slices.Clone(read)
	for j, c := range cells {
		if coded(c) {
			cells[j] = asNumbers(c)
		}
	}
	out.cells = cells
	return &out
}

// codesLike returns a further table with codes as numbers in the columns that hold numbers in a training table.
func codesLike(t, training *Table) *Table {
	return withNumbers(t, func(name string) bool {
		c := training.columnOf(name)
		return c != nil && !c.isText()
	})
}

// whyCode says why the numbers of a column are read as codes, and what to write about it.
func whyCode(c *column) string {
	return fmt.Sprintf("%q in row %d has a leading zero, so that the numbers are read as codes, each a text; `types %s : text` says so, and `types %s : integer` reads numbers",
		c.leading.text, c.leading.row+1, columnText(c.name), columnText(c.name))
}
