package dataset

import (
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/internal/paged"
)

// A column is read cell by cell. It is numeric until a cell comes that is not a number, and text from then on.
type column struct {
	name    string
	numbers []float64    // NaN for gaps; nil in a text column
	room    *paged.Store // where they lie; nil stands for memory
	before  []float64    // the numbers with the codes of gaps in them; nil where none is read as a gap
	coded   []float64    // of a text column: the codes that some of its cells were
	codes   []int32      // of a text column: positions in texts
	texts   []string     // the distinct texts in order of appearance
	code    map[string]int32

	pointed   cellIn   // its first number that has a decimal point for sure
	maybe     cellIn   // before that, its first number whose point may stand between thousands
	leading   cellIn   // its first whole number with a leading zero
	broken    bool     // a number of it has more than digits
	keeps     bool     // numbers whose points may stand between thousands are kept as they are written
	forceText bool     // no cell is read as a number: an identifier keeps its leading zeros, and a declared word stays one
	numeric   int      // cells that read as numbers
	oddRow    int      // first row that holds neither number nor gap; −1
	infRow    int      // first row that holds an infinite number, or one beyond limits.LargestNumber; −1
	infText   string   // as it is written there
	gaps      []cellAt // gaps that are not empty cells
	written   []cellAt // numbers that are written otherwise than formatNumber does, as 007 is: they may name rows
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
	c.numbers = c.room.Append(c.numbers, v)
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
		if c.numeric++; !c.isText() {
			c.look(row, cell, v)
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
		c.numbers = c.room.Append(c.numbers, v)
	}
}

// look notes how a number is written.
func (c *column) look(row int, cell string, v float64) {
	if isDigits(cell) {
		if cell[0] == '0' && len(cell) > 1 && !c.leading.found() {
			c.leading = cellIn{c.name, row, strings.Clone(cell)}
		}
		c.keep(row, cell, v)
		return
	}
	c.broken = true
	if c.pointed.found() || strings.IndexByte(cell, '.') < 0 {
		return
	}
	if !mayBeThousands(cell) {
		c.pointed = cellIn{c.name, row, strings.Clone(cell)}
		c.written = slices.DeleteFunc(c.written, func(w cellAt) bool { return !isDigits(w.text) })
		return
	}
	if !c.maybe.found() {
		c.maybe = cellIn{c.name, row, strings.Clone(cell)}
	}
	if c.keeps {
		c.keep(row, cell, v)
	}
}

// mayBeThousands reports whether a number with a decimal point would be another one by a decimal comma, as 1.234 is.
func mayBeThousands(cell string) bool {
	cell = strings.TrimLeft(cell, "+-")
	at := strings.IndexByte(cell, '.')
	return at >= 1 && at <= 3 && len(cell) == at+4 && cell[0] != '0' && isDigits(cell[:at]) && isDigits(cell[at+1:])
}

// keep keeps a number as it is written, if formatNumber writes it otherwise.
func (c *column) keep(row int, cell string, v float64) {
	if formatNumber(v) != cell {
		c.written = append(c.written, cellAt{row, strings.Clone(cell)})
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
	c.room.Drop(c.numbers)
	c.numbers, c.gaps, c.written = nil, nil, nil
}

// text returns the cell of a row as text. Numbers that are not digits alone are written in one way, whatever the rest of the file tells of points.
func (c *column) text(row int) string {
	if c.isText() || math.IsNaN(c.numbers[row]) {
		return c.asWritten(row)
	}
	if text := c.asWritten(row); !c.keeps || isDigits(text) {
		return text
	}
	return formatNumber(c.numbers[row])
}

// asWritten returns the cell of a row as the file writes it, as far as that is kept.
func (c *column) asWritten(row int) string {
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

// columns is the store of a CSV file.
type columns []*column

// bytes returns the memory of a row, with that of its line.
func (c columns) bytes() float64 { return cellBytes*float64(c.inMemory()) + 4 }

// inMemory returns how many of the columns lie in memory.
func (c columns) inMemory() (n int) {
	for _, c := range c {
		if c.isText() || !c.room.Holds(c.numbers) {
			n++
		}
	}
	return n
}

func (c columns) column(j int) *column { return c[j] }

func (c columns) fill(rows, cols, at []int, dst []float64, stride int) {
	for k, j := range cols {
		numbers := c[j].numbers
		for r, i := range rows {
			dst[r*stride+at[k]] = numbers[i]
		}
	}
}

// asTexts returns a column with its cells as texts.
func (c *column) asTexts() *column {
	if c.isText() {
		return c
	}
	out := newColumn(c.name)
	out.declareText()
	for i := range c.numbers {
		out.addText(c.text(i))
	}
	return out
}
