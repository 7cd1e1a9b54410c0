package dataset

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
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
	case f.Boolean() && (flags || !c.isText() && onlyFlags(c.numbers)):
		return c.spelt(f.Categories, rows)
	}
	return nil
}

// isBoolean reports whether a text is a boolean, and which one.
func isBoolean(text string) (is, value bool) {
	value = strings.EqualFold(text, "true")
	return value || strings.EqualFold(text, "false"), value
}

// Boolean reports whether the texts of a feature are false and true, however they are spelt.
func (f *Feature) Boolean() bool { return f.Text && f.Weights == nil && booleans(f.Categories) }

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

// Words by which people say yes and no of a row.
var (
	yesWords = []string{"yes", "y", "true", "t", "1", "positive", "pos", "ja", "j", "wahr", "oui", "vrai", "si", "sí", "sì", "sim", "vero", "verdadero", "da", "tak", "да", "ano", "áno", "evet", "kyllä", "igen"}
	noWords  = []string{"no", "n", "false", "f", "0", "negative", "neg", "nein", "falsch", "non", "faux", "nej", "nee", "não", "nao", "falso", "net", "нет", "nie", "ne", "hayır", "ei", "nem"}
)

// PositiveFirst reports whether the first of two classes is the one that people call positive, as ja is of ja and nein. A digit or a letter says
// so beside its opposite alone: 1 and 0 are yes and no, and 1 and 2 are not.
func PositiveFirst(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	yes := func(word string) bool { return slices.Contains(yesWords, word) }
	no := func(word string) bool { return slices.Contains(noWords, word) }
	word := func(class string) bool { return utf8.RuneCountInString(class) > 1 }
	return yes(a) && no(b) || yes(a) && !yes(b) && word(a) || no(b) && !no(a) && word(b)
}
