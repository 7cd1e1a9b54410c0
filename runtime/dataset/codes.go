package dataset

import (
	"fmt"
	"math"
	"slices"
)

// withGaps returns the table with numbers that are codes of gaps read as gaps. Columns called in aside keep them: the target and the
// names of rows. The table itself stays as it is.
func (t *Table) withGaps(codes []float64, aside ...string) (*Table, error) {
	if len(codes) == 0 {
		return t, nil
	}
	read, ok := t.cells.(columns)
	if !ok {
		return nil, &Error{
			Code: CodeGap, File: t.Path, Item: ItemGaps, Problem: fmt.Sprintf("a file in the format %s has no codes of gaps: all its numbers are numbers", t.Format),
			Mend: "write a CSV or ARFF file, or take `gaps` out of the data block",
		}
	}
	coded := make(columns, len(read))
	for j, c := range read {
		if coded[j] = c; !slices.Contains(aside, c.name) {
			coded[j] = c.withGaps(codes)
		}
	}
	out := *t
	out.cells = coded
	return &out, nil
}

// withGaps returns the column with its codes read as gaps, or the column itself if it has none.
func (c *column) withGaps(codes []float64) *column {
	isCode := func(v float64) bool { return slices.Contains(codes, v) }
	if c.isCode() {
		return c.withoutTexts(isCode)
	}
	if c.isText() || !slices.ContainsFunc(c.numbers, isCode) {
		return c
	}
	out := *c
	out.before, out.numbers = c.numbers, slices.Clone(c.numbers)
	for i, v := range out.numbers {
		if isCode(v) {
			out.numbers[i] = math.NaN()
		}
	}
	return &out
}

// withoutTexts returns a column of codes with some of their numbers read as gaps, or the column itself if it has none of them.
func (c *column) withoutTexts(isGap func(v float64) bool) *column {
	texts := slices.Clone(c.texts)
	var coded []float64
	for k, text := range texts {
		if v, kind := readNumber(text); kind == cellNumber && isGap(v) {
			texts[k], coded = "", append(coded, v)
		}
	}
	if coded == nil {
		return c
	}
	out := newColumn(c.name)
	out.declareText()
	out.leading, out.coded = c.leading, coded
	for _, code := range c.codes {
		out.addText(texts[code])
	}
	return out
}

// gapCode returns the code that a row holds in place of a number, and whether it holds one.
func (c *column) gapCode(row int) (code float64, ok bool) {
	if c.before == nil || !math.IsNaN(c.numbers[row]) {
		return 0, false
	}
	return c.before[row], !math.IsNaN(c.before[row])
}

// levels reports whether some row of a column is a gap without a code, and returns the codes of the others, ascending.
func (c *column) levels(rows []int) (plain bool, codes []float64) {
	for _, i := range rows {
		if code, ok := c.gapCode(i); ok && !slices.Contains(codes, code) {
			codes = append(codes, code)
		} else if !ok && c.isGap(i) {
			plain = true
		}
	}
	slices.Sort(codes)
	return plain, codes
}

// masks returns the names of the columns that mark the gaps of a feature.
func (f *Feature) masks() (names []string) {
	if f.Mask {
		names = append(names, "missing("+f.Name+")")
	}
	for _, code := range f.Codes {
		names = append(names, "missing("+f.Name+" = "+formatNumber(code)+")")
	}
	return names
}

// mask sets the columns that mark the gaps of a feature to 1 where its rows have them. x begins at the first of these columns.
func (f *Feature) mask(c *column, rows []int, x []float64, stride int) {
	if c == nil || c.isText() {
		return
	}
	first := 0
	if f.Mask {
		first = 1
	}
	for r, i := range rows {
		code, coded := c.gapCode(i)
		switch k := slices.Index(f.Codes, code); {
		case coded && k >= 0:
			x[r*stride+first+k] = 1
		case !coded && f.Mask && c.isGap(i):
			x[r*stride] = 1
		}
	}
}

// warnOfCodes warns of codes of gaps that no row of the data has: one may be misspelt.
func (t *Table) warnOfCodes(codes []float64) (warnings []string) {
	for _, code := range codes {
		if !slices.ContainsFunc(t.names, func(name string) bool {
			c := t.cells.column(t.index[name])
			return c != nil && (slices.Contains(c.before, code) || slices.Contains(c.coded, code))
		}) {
			warnings = append(warnings, fmt.Sprintf("no column of features holds %s, which `gaps` calls a gap", formatNumber(code)))
		}
	}
	return warnings
}
