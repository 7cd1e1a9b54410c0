package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Pixels is the Column of an Unseen that speaks of all pixels of an image.
const Pixels = "pixels"

// String returns a sentence without full stop.
func (u *Unseen) String() string {
	name := fmt.Sprintf("column %q", u.Column)
	if u.Column == Pixels {
		name = Pixels
	}
	return name + ": " + u.problem()
}

// mostTexts bounds the texts that a sentence names.
const mostTexts = 5

// problem says what the rows hold that no training row does.
func (u *Unseen) problem() string {
	if u.Numbers != nil {
		return u.rowsThat("lie") + " outside the training range " + u.ends("")
	}
	var texts []string
	for _, t := range u.Texts[:min(len(u.Texts), mostTexts)] {
		text := shownText(t.Text)
		if len(u.Texts) > 1 {
			text += fmt.Sprintf(" (%d)", t.Rows)
		}
		texts = append(texts, text)
	}
	if more := len(u.Texts) - mostTexts; more > 0 {
		texts = append(texts, count(more, "more text"))
	}
	if u.Known == nil {
		return fmt.Sprintf("%s no word that a training row has: %s", u.rowsThat("hold"), strings.Join(texts, "; "))
	}
	known := make([]string, len(u.Known))
	for k, text := range u.Known {
		known[k] = shownText(text)
	}
	return fmt.Sprintf("%s what no training row has: %s; known: %s", u.rowsThat("hold"), strings.Join(texts, "; "), listed(known, 8))
}

// rowsThat returns "1 of 4 rows lies", "2 of 4 rows lie".
func (u *Unseen) rowsThat(lie string) string {
	if u.Rows == 1 {
		lie += "s"
	}
	return fmt.Sprintf("%d of %s %s", u.Rows, count(u.Of, "row"), lie)
}

// ends returns the ends of the range, what was done about numbers outside, and the farthest of them.
func (u *Unseen) ends(done string) string {
	n := u.Numbers
	return fmt.Sprintf("%s to %s%s; farthest %s, row %s", short(n.Low), short(n.High), done, short(n.Worst), u.ID)
}

// shownText returns a text in quotes, a long one cut, and a gap by its name.
func shownText(text string) string {
	if text == "" {
		return "an empty cell"
	}
	return fmt.Sprintf("%q", cutShort(text))
}

// unseen looks for what no training row has. raw holds the rows' numbers before they are prepared. A number counts where it lies
// outside the range by more than margin times the range's width. Texts come first, then numbers by how far they lie outside.
func (p *Preparation) unseen(t *Table, rows []int, raw *mat.Dense, margin float64) []Unseen {
	if len(rows) == 0 {
		return nil
	}
	if p.Height > 0 {
		return p.unseenPixels(t, rows, raw, margin)
	}
	var texts, numbers []Unseen
	data, stride := raw.RawMatrix().Data, raw.RawMatrix().Stride
	for i, at := range p.positions() {
		f := &p.Features[i]
		j, ok := t.index[f.Name]
		switch {
		case !ok: // of a LIBSVM file: zero in every row
		case f.Weights != nil:
			c := t.cells.column(j)
			if u, ok := strange(t, p.ID, rows, f.Name, func(r int) bool { return f.known(c.text(rows[r])) }, func(r int) string { return c.text(rows[r]) }); ok {
				texts = append(texts, u)
			}
		case f.Text:
			c := t.cells.column(j)
			if u, ok := unseenAmong(t, p.ID, rows, f.Name, f.Categories, func(r int) string { return f.textOf(c, rows[r]) }); ok {
				texts = append(texts, u)
			}
		default:
			far := outlier{low: f.Low, high: f.High, margin: margin}
			for r := range rows {
				far.look(r, data[r*stride+at])
			}
			if far.rows > 0 {
				numbers = append(numbers, far.unseen(f.Name, t, p.ID, rows))
			}
		}
	}
	sort.SliceStable(numbers, func(i, j int) bool { return numbers[i].Numbers.excess() > numbers[j].Numbers.excess() })
	return append(texts, numbers...)
}

// unseenPixels compares all pixels of an image with the range of all pixels of the training rows.
func (p *Preparation) unseenPixels(t *Table, rows []int, raw *mat.Dense, margin float64) []Unseen {
	far := outlier{low: math.Inf(1), high: math.Inf(-1), margin: margin}
	for i := range p.Features {
		far.low, far.high = min(far.low, p.Features[i].Low), max(far.high, p.Features[i].High)
	}
	for r := range rows {
		row := raw.RawRowView(r)
		least, most := extremes(row)
		if far.low-least > most-far.high {
			most = least
		}
		far.look(r, most)
	}
	if far.rows == 0 {
		return nil
	}
	return []Unseen{far.unseen(Pixels, t, p.ID, rows)}
}

// An outlier gathers what lies outside a range.
type outlier struct {
	low, high, margin float64
	rows, at          int // how many rows, and the position of that with the farthest
	worst, distance   float64
}

// look counts the value of a row where it lies outside; a gap does not. With a margin, a range of one number has no outside.
func (o *outlier) look(row int, v float64) {
	distance, width := max(o.low-v, v-o.high), o.high-o.low
	if !(distance > o.margin*width) || o.margin > 0 && width == 0 {
		return
	}
	o.rows++
	if distance > o.distance {
		o.worst, o.distance, o.at = v, distance, row
	}
}

// unseen returns what lies outside of a column's range, with the row that is farthest.
func (o *outlier) unseen(name string, t *Table, id string, rows []int) Unseen {
	at := rows[o.at : o.at+1]
	return Unseen{
		Column: name, Rows: o.rows, Of: len(rows), ID: t.identifiers(id, at)[0], Line: t.Line(at[0]),
		Numbers: &UnseenNumbers{Worst: o.worst, Low: o.low, High: o.high},
	}
}

// excess returns how far the farthest number lies outside, in widths of the range.
func (u *UnseenNumbers) excess() float64 {
	distance := max(u.Low-u.Worst, u.Worst-u.High)
	if u.High == u.Low {
		return math.Inf(1)
	}
	return distance / (u.High - u.Low)
}

// unseenAmong counts the texts of rows that are not among the known ones, by the name of their column.
func unseenAmong(t *Table, id string, rows []int, name string, known []string, text func(r int) string) (u Unseen, ok bool) {
	index := indexNames(known)
	u, ok = strange(t, id, rows, name, func(r int) bool { return has(index, text(r)) }, text)
	u.Known = known
	return u, ok
}

// strange counts the texts of rows that are not known, by the name of their column.
func strange(t *Table, id string, rows []int, name string, known func(r int) bool, text func(r int) string) (u Unseen, ok bool) {
	rowsOf := map[string]int{}
	for r, i := range rows {
		if known(r) {
			continue
		}
		text := text(r)
		if u.Rows == 0 {
			u.ID, u.Line = t.identifiers(id, []int{i})[0], t.Line(i)
		}
		u.Rows++
		rowsOf[text]++
	}
	for text, n := range rowsOf {
		u.Texts = append(u.Texts, UnseenText{Text: text, Rows: n})
	}
	sort.Slice(u.Texts, func(i, j int) bool {
		a, b := u.Texts[i], u.Texts[j]
		return a.Rows > b.Rows || a.Rows == b.Rows && a.Text < b.Text
	})
	u.Column, u.Of = name, len(rows)
	return u, u.Rows > 0
}

// unseenClasses puts first what rows have as class and the model does not know. Nothing else is wrong with such rows: they are scored.
func (p *Preparation) unseenClasses(t *Table, s *Set) {
	if s.Strange == nil {
		return
	}
	name := cmp.Or(p.Target.Name, LabelName)
	if len(p.Target.Columns) == 1 {
		name = p.Target.Columns[0]
	}
	known := func(r int) bool { return s.Lacks(r) || s.Class[r] >= 0 }
	if u, ok := strange(t, p.ID, s.Rows, name, known, func(r int) string { return ClassName(s, r) }); ok {
		u.Known = p.Target.LabelIDs
		s.Unseen = slices.Insert(s.Unseen, 0, u)
	}
}

// mostUnseen bounds the columns that warnings name, and mostLines those with numbers outside a range that have a line each.
const (
	mostUnseen = 5
	mostLines  = 2
)

// warnOfUnseen tells of what no training row has: a line for each column of texts, and one for several columns of numbers.
func (s *Set) warnOfUnseen() {
	texts := 0
	for k := range s.Unseen {
		if s.Unseen[k].Numbers != nil {
			continue
		}
		if texts++; texts <= mostUnseen {
			s.Warnings = append(s.Warnings, s.Unseen[k].String())
		}
	}
	if more := texts - mostUnseen; more > 0 {
		s.Warnings = append(s.Warnings, count(more, "more column")+" with texts that no training row has")
	}
	numbers := slices.DeleteFunc(slices.Clone(s.Unseen), func(u Unseen) bool { return u.Numbers == nil })
	s.Warnings = append(s.Warnings, linesOf(numbers, "outside the training range", (*Unseen).String)...)
}

// linesOf returns a line for each column with numbers outside a range, as line writes it, or one line for all where they are several.
func linesOf(found []Unseen, outside string, line func(*Unseen) string) (lines []string) {
	if len(found) <= mostLines {
		for k := range found {
			lines = append(lines, line(&found[k]))
		}
		return lines
	}
	var names []string
	for k := range found[:min(len(found), mostUnseen)] {
		u := &found[k]
		part := fmt.Sprintf("%s (%d, %s)", cutShort(u.Column), u.Rows, short(u.Numbers.Worst))
		if k == 0 {
			part = fmt.Sprintf("%s (%d of %s, farthest %s)", cutShort(u.Column), u.Rows, count(u.Of, "row"), short(u.Numbers.Worst))
		}
		names = append(names, part)
	}
	text := strings.Join(names, ", ")
	if more := len(found) - mostUnseen; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return []string{fmt.Sprintf("%d columns hold numbers %s: %s", len(found), outside, text)}
}

// RefuseUnseen returns an error where some row holds what no training row does.
func (s *Set) RefuseUnseen() error {
	if len(s.Unseen) == 0 {
		return nil
	}
	u := &s.Unseen[0]
	e := &Error{
		Code: CodeUnseen, File: s.table.Path, Line: u.Line, Column: u.Column, Problem: u.problem(),
		Mend: "mend the cells, or train on rows that have such ones",
	}
	if more := len(s.Unseen) - 1; more > 0 {
		e.Problem += fmt.Sprintf(" (and %s)", count(more, "more column"))
	}
	return e
}

// Overflow returns the error that something overflows at a row, given by its position. It names the column of the largest
// prepared number there.
func (s *Set) Overflow(row int, what string) error {
	x, most := s.X.RawRowView(row), 0
	for j, v := range x {
		if math.Abs(v) > math.Abs(x[most]) {
			most = j
		}
	}
	return &Error{
		Code: CodeNumber, File: s.table.Path, Line: s.table.Line(s.Rows[row]), Column: s.Columns[most],
		Problem: fmt.Sprintf("%s overflows at this row, whose largest number is %.4g", what, x[most]),
		Mend:    "write `standardize` in the data block, mend the cell, or take a kernel of a lower degree",
	}
}

// Underflow returns the error that something is so small at all rows that it loses its digits.
func (s *Set) Underflow(what string, most float64) error {
	return &Error{
		Code: CodeNumber, File: s.table.Path, Problem: fmt.Sprintf("%s is at most %.4g at every row, so that its digits are lost", what, most),
		Mend: "write `standardize` in the data block, or the columns in a smaller unit",
	}
}
