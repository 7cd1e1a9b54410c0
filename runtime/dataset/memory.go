package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/sipc-ml/sipc/internal/limits"
)

// A Column is a column of a table in memory: numbers, NaN for gaps, or texts. One of both is set.
type Column struct {
	Name    string
	Numbers []float64
	Texts   []string
}

// len returns the number of cells.
func (c *Column) len() int { return max(len(c.Numbers), len(c.Texts)) }

// FromColumns returns a table of columns in memory, which keeps their numbers. Messages call it by the given name, as they call a file by
// its path. Texts stay texts, also where they look like numbers; numbers in a column called id name rows. It returns an *Error for columns
// without names, of the same name or of different lengths. It does so, too, for texts that are not UTF-8, and where there are no rows.
func FromColumns(name string, given []Column) (*Table, error) {
	t := &Table{Path: name, Format: CSV, separator: ','}
	fail := func(code Code, column, problem, mend string) (*Table, error) {
		return nil, &Error{Code: code, File: name, Column: column, Problem: problem, Mend: mend}
	}
	if len(given) == 0 || given[0].len() == 0 {
		return fail(CodeEmpty, "", "there are no rows", "give rows")
	}
	t.rows, t.index = given[0].len(), make(map[string]int, len(given))
	sum, cells := sha256.New(), make(columns, len(given))
	for j := range given {
		c := &given[j]
		own := strings.TrimSpace(c.Name)
		switch first, taken := t.index[own]; {
		case own == "":
			return fail(CodeHeader, "", fmt.Sprintf("column %d has no name", j+1), "name it")
		case !cleanText(own) || len(own) > limits.CellBytes:
			return fail(CodeFormat, "", fmt.Sprintf("the name %q of column %d is not UTF-8 text", cutShort(own), j+1), "rename it")
		case taken:
			return fail(CodeHeader, "", fmt.Sprintf("columns %d and %d are both called %q", first+1, j+1, own), "rename one of them")
		case c.Numbers != nil && c.Texts != nil || c.len() != t.rows:
			return fail(CodeRagged, own, fmt.Sprintf("%s, but the first column has %d", count(c.len(), "cell"), t.rows), "give each column as many cells")
		}
		column, err := cellsOf(name, own, c)
		if err != nil {
			return nil, err
		}
		t.index[own], t.names, cells[j] = j, append(t.names, own), column
		c.digest(sum)
	}
	t.cells, t.SHA256 = cells, hex.EncodeToString(sum.Sum(nil))
	noteDates(t, cells)
	return t, nil
}

// cellsOf returns the cells of a column as those of a file are kept.
func cellsOf(table, name string, given *Column) (*column, error) {
	c := newColumn(name)
	if given.Texts != nil {
		return c, addTexts(table, c, given.Texts)
	}
	if c.isText() { // it names rows
		for _, v := range given.Numbers {
			c.addText(nameOf(v))
		}
		return c, nil
	}
	c.numbers = given.Numbers
	for i, v := range given.Numbers {
		if math.Abs(v) > limits.LargestNumber && c.infRow < 0 {
			c.infRow, c.infText = i, formatNumber(v)
		}
		if !math.IsNaN(v) {
			c.numeric++
		}
	}
	return c, nil
}

// addTexts fills a column with texts. It returns an error for the first that is too long or not UTF-8.
func addTexts(table string, c *column, texts []string) error {
	if !c.isText() {
		c.declareText()
	}
	for i, text := range texts {
		known := len(c.texts)
		c.addText(strings.TrimSpace(text))
		if len(c.texts) == known {
			continue // as it was read before
		}
		if len(text) > limits.CellBytes {
			return &Error{Code: CodeFormat, File: table, Column: c.name, Problem: fmt.Sprintf("row %d: the cell has %s", i+1, limits.Size(int64(len(text)))), Mend: "leave the column out"}
		}
		if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
			return &Error{Code: CodeFormat, File: table, Column: c.name, Problem: fmt.Sprintf("row %d: %q is not UTF-8 text", i+1, cutShort(text)), Mend: "decode the column"}
		}
	}
	return nil
}

// nameOf returns the name of a row by a number; a gap gives none.
func nameOf(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return formatNumber(v)
}

// digest adds a column to a digest: its name, what it holds, and its cells.
func (c *Column) digest(sum hash.Hash) {
	var b []byte
	b = binary.AppendUvarint(b, uint64(len(c.Name)))
	b = append(b, c.Name...)
	b = append(b, map[bool]byte{false: 'n', true: 't'}[c.Texts != nil])
	b = binary.AppendUvarint(b, uint64(c.len()))
	const block = 1 << 16
	for _, v := range c.Numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		if len(b) >= block {
			sum.Write(b)
			b = b[:0]
		}
	}
	for _, text := range c.Texts {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
		if len(b) >= block {
			sum.Write(b)
			b = b[:0]
		}
	}
	sum.Write(b)
}
