package dataset

import (
	"math"
	"slices"
	"strings"
)

// withBooleans returns a further table with booleans written as the training file wrote them. Programs write them as True, true, TRUE or 1: pandas
// writes True into CSV files, Parquet files hold true, and data frames hand over 1. The table itself stays as it is.
func withBooleans(p *Preparation, t *Table) *Table {
	read, ok := t.cells.(columns)
	if !ok {
		return t
	}
	var written columns
	for i := range p.Features {
		f := &p.Features[i]
		j, here := t.index[f.Name]
		if !here || f.Weights != nil {
			continue
		}
		own := writtenAs(f, read[j], t.rows)
		if own == nil {
			continue
		}
		if written == nil {
			written = slices.Clone(read)
		}
		written[j] = own
	}
	if written == nil {
		return t
	}
	out := *t
	out.cells = written
	return &out
}

// writtenAs returns a column of booleans as a feature has them; nil where it is one already, or none of booleans.
func writtenAs(f *Feature, c *column, rows int) *column {
	flags := c.isText() && booleans(c.texts)
	switch {
	case !f.Text && flags:
		return c.asFlags(rows)
	case f.Text && booleans(f.Categories) && (flags || !c.isText() && onlyFlags(c.numbers)):
		return c.spelt(f.Categories, rows)
	}
	return nil
}

// isBoolean reports whether a text is a boolean, and which one.
func isBoolean(text string) (is, value bool) {
	value = strings.EqualFold(text, "true")
	return value || strings.EqualFold(text, "false"), value
}

// booleans reports whether texts, of which there is one at least beside gaps, are booleans.
func booleans(texts []string) bool {
	found := false
	for _, text := range texts {
		is, _ := isBoolean(text)
		if _, kind := readNumber(text); !is && kind != cellGap {
			return false
		}
		found = found || is
	}
	return found
}

// onlyFlags reports whether numbers are 0, 1 or gaps.
func onlyFlags(numbers []float64) bool {
	return !slices.ContainsFunc(numbers, func(v float64) bool { return v != 0 && v != 1 && !math.IsNaN(v) })
}

// asFlags returns a column of booleans as numbers.
func (c *column) asFlags(rows int) *column {
	out := &column{name: c.name, oddRow: -1, infRow: -1, numbers: make([]float64, rows)}
	for i := range out.numbers {
		if out.numbers[i] = math.NaN(); !c.isGap(i) {
			_, v := isBoolean(c.text(i))
			out.numbers[i] = map[bool]float64{true: 1}[v]
			out.numeric++
		}
	}
	return out
}

// spelt returns a column of booleans as texts, spelt as some categories are.
func (c *column) spelt(categories []string, rows int) *column {
	words := map[bool]string{true: "true", false: "false"}
	for _, category := range categories {
		if is, v := isBoolean(category); is {
			words[v] = category
		}
	}
	out := newColumn(c.name)
	out.declareText()
	for i := range rows {
		switch is, v := isBoolean(c.text(i)); {
		case c.isGap(i):
			out.addText(c.text(i))
		case is:
			out.addText(words[v])
		default: // a number
			out.addText(words[c.numbers[i] == 1])
		}
	}
	return out
}
