package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/internal/limits"
)

// A column is read cell by cell. It is numeric until a cell comes that is not a number, and text from then on.
type column struct {
	name    string
	numbers []float64 // NaN for gaps; nil in a text column
	before  []float64 // the numbers with the codes of gaps in them; nil where none is read as a gap
	codes   []int32   // of a text column: positions in texts
	texts   []string  // the distinct texts in order of appearance
	code    map[string]int32

	pointed   bool     // a number of it is written with a point
	forceText bool     // no cell is read as a number: an identifier keeps its leading zeros, and a declared word stays one
	numeric   int      // cells that read as numbers
	oddRow    int      // first row that holds neither number nor gap; −1
	infRow    int      // first row that holds an infinite number, or one beyond limits.LargestNumber; −1
	infText   string   // as it is written there
	gaps      []cellAt // gaps that are not empty cells
	written   []cellAt // whole numbers that are written otherwise than formatNumber does, as 007 is: they may name rows
}

// A cellAt is the text in a cell of a numeric column.
type cellAt struct {
	row  int
	text string
}

// cellBytes is the memory of a cell, with the room in which a column grows.
const cellBytes = 10

// newColumn returns a column without rows. A column that identifies rows holds texts, also if they look like numbers.
func newColumn(name string) *column {
	c := &column{name: name, oddRow: -1, infRow: -1}
	if IsIdentifier(name) {
		c.declareText()
	}
	return c
}

// declareText makes a column without rows one of texts, whatever its cells look like.
func (c *column) declareText() {
	c.forceText, c.code = true, map[string]int32{}
}

// declareOnce makes a column one of texts, unless it is one.
func (c *column) declareOnce() {
	if !c.isText() {
		c.declareText()
	}
}

// addNumber appends a number that a format stores as one. NaN is a gap. A column of names keeps it as a text.
func (c *column) addNumber(row int, v float64) {
	if c.isText() {
		text := ""
		if !math.IsNaN(v) {
			text = formatNumber(v)
		}
		c.addText(text)
		return
	}
	if c.numeric++; math.Abs(v) > limits.LargestNumber && c.infRow < 0 {
		c.infRow, c.infText = row, formatNumber(v)
	}
	c.numbers = append(c.numbers, v)
}

// isText reports whether the column holds texts.
func (c *column) isText() bool { return c.code != nil }

// add appends the cell of a row. The text may be reused by the caller.
func (c *column) add(row int, cell string) {
	cell = strings.TrimSpace(cell)
	if c.forceText {
		c.addText(cell)
		return
	}
	v, kind := readNumber(cell)
	switch kind {
	case cellNumber, cellInfinite:
		c.numeric++
		c.pointed = c.pointed || strings.IndexByte(cell, '.') >= 0
		if !c.isText() && isDigits(cell) && formatNumber(v) != cell {
			c.written = append(c.written, cellAt{row, strings.Clone(cell)})
		}
		if kind == cellInfinite && c.infRow < 0 {
			c.infRow, c.infText = row, strings.Clone(cell)
		}
	case cellText:
		if !c.isText() {
			c.oddRow = row
			c.toText(row)
		}
	case cellGap:
	}
	switch {
	case c.isText():
		c.addText(cell)
	case kind == cellGap && cell != "":
		c.gaps = append(c.gaps, cellAt{row, strings.Clone(cell)})
		fallthrough
	default:
		c.numbers = append(c.numbers, v)
	}
}

// addText appends a text, which is kept once for all rows that have it.
func (c *column) addText(cell string) {
	code, ok := c.code[cell]
	if !ok {
		code = int32(len(c.texts))
		cell = strings.Clone(cell)
		c.texts = append(c.texts, cell)
		c.code[cell] = code
	}
	c.codes = append(c.codes, code)
}

// toText turns the numbers read so far into texts.
func (c *column) toText(rows int) {
	c.code = map[string]int32{}
	gaps, written := c.gaps, c.written
	for i := range rows {
		switch {
		case len(written) > 0 && written[0].row == i:
			c.addText(written[0].text)
			written = written[1:]
		case !math.IsNaN(c.numbers[i]):
			c.addText(formatNumber(c.numbers[i]))
		case len(gaps) > 0 && gaps[0].row == i:
			c.addText(gaps[0].text)
			gaps = gaps[1:]
		default:
			c.addText("")
		}
	}
	c.numbers, c.gaps, c.written = nil, nil, nil
}

// text returns the cell of a row as text.
func (c *column) text(row int) string {
	if c.isText() {
		return c.texts[c.codes[row]]
	}
	if math.IsNaN(c.numbers[row]) {
		return ""
	}
	if k, ok := slices.BinarySearchFunc(c.written, row, func(w cellAt, row int) int { return w.row - row }); ok {
		return c.written[k].text
	}
	return formatNumber(c.numbers[row])
}

// isDigits reports whether a cell is a number of digits alone.
func isDigits(cell string) bool {
	return !strings.ContainsFunc(cell, func(r rune) bool { return r < '0' || r > '9' })
}

// gapAt returns the text in a numeric column where a number is missing.
func (c *column) gapAt(row int) string {
	if code, ok := c.gapCode(row); ok {
		return formatNumber(code)
	}
	for _, g := range c.gaps {
		if g.row == row {
			return g.text
		}
	}
	return ""
}

// isGap reports whether the row holds no value.
func (c *column) isGap(row int) bool {
	if c.isText() {
		return IsGap(c.text(row))
	}
	return math.IsNaN(c.numbers[row])
}

// A cellKind says how a cell reads.
type cellKind int

const (
	cellNumber cellKind = iota
	cellInfinite
	cellGap
	cellText
)

// tooLarge says why a number that was read is refused, and what to do about it.
func tooLarge(text string, v float64) (problem, mend string) {
	if math.IsInf(v, 0) && !strings.ContainsAny(text, "0123456789") {
		return fmt.Sprintf("%q is not a finite number", text), "replace it"
	}
	return fmt.Sprintf("%q is too large: numbers beyond 1e100 overflow when they are squared", text), "write the column in a larger unit, or replace the number"
}

// GapWords are read as gaps, in capitals and small letters, as empty cells are.
var GapWords = []string{"na", "n/a", "nan", "null", "?"}

// IsGap reports whether a cell of texts is empty or has one of these words.
func IsGap(cell string) bool {
	_, kind := readNumber(cell)
	return kind == cellGap
}

// readNumber reads a trimmed cell; v is NaN for gaps and texts.
func readNumber(cell string) (v float64, kind cellKind) {
	if cell == "" {
		return math.NaN(), cellGap
	}
	if first := cell[0]; (first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.' {
		return readDecimal(cell)
	}
	switch lower := strings.ToLower(cell); {
	case slices.Contains(GapWords, lower):
		return math.NaN(), cellGap
	case lower == "inf" || lower == "infinity":
		return math.Inf(1), cellInfinite
	}
	return math.NaN(), cellText
}

// readDecimal reads a cell that begins like a number. Hexadecimal numbers and digit separators are texts.
func readDecimal(cell string) (float64, cellKind) {
	if strings.ContainsAny(cell, "xX_") {
		return math.NaN(), cellText
	}
	v, err := strconv.ParseFloat(cell, 64)
	switch {
	case math.Abs(v) > limits.LargestNumber:
		return v, cellInfinite
	case err != nil:
		return math.NaN(), cellText
	case math.IsNaN(v):
		return v, cellGap
	}
	return v, cellNumber
}

// columns is the store of a CSV file.
type columns []*column

func (c columns) column(j int) *column { return c[j] }

func (c columns) fill(rows, cols, at []int, dst []float64, stride int) {
	for k, j := range cols {
		numbers := c[j].numbers
		for r, i := range rows {
			dst[r*stride+at[k]] = numbers[i]
		}
	}
}

// formatNumber returns the shortest text that reads back as the number, without an exponent for moderate integers.
func formatNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// cutShort returns a text, or the beginning of a long one.
func cutShort(s string) string {
	if len(s) <= mostShown {
		return s
	}
	return strings.ToValidUTF8(s[:mostShown], "") + "…"
}

// short returns a number as a sentence shows it.
func short(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e6 {
		return formatNumber(v)
	}
	return fmt.Sprintf("%.4g", v)
}

// mostShown is how many bytes of a class an error shows.
const mostShown = 60
