package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

var bom = []byte("\xef\xbb\xbf")

// newCSV returns a reader of the lines of a table.
func newCSV(src *source) *csv.Reader {
	r := csv.NewReader(src.plain)
	r.Comma, r.ReuseRecord, r.FieldsPerRecord = sniffSeparator(src.plain), true, -1
	return r
}

// readCSV reads a table of text, cell by cell into typed columns.
func readCSV(src *source) (*Table, error) {
	r := newCSV(src)
	names, err := readHeader(src.path, r)
	if err != nil {
		return nil, err
	}
	t := &Table{names: names}
	cols := make(columns, len(names))
	for j, name := range names {
		cols[j] = newColumn(name)
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, csvError(src.path, err)
		}
		line, _ := r.FieldPos(0)
		if err := addRecord(src.path, cols, record, t.rows, line); err != nil {
			return nil, err
		}
		t.lines = append(t.lines, int32(line))
		t.rows++
		if err := src.checkMemory(t.rows, cellBytes*float64(len(cols))+4); err != nil {
			return nil, err
		}
	}
	if t.rows == 0 {
		return nil, &Error{Code: CodeEmpty, File: src.path, Problem: "the file holds a header and no rows", Mend: "add rows below the header"}
	}
	t.cells = cols
	return t, nil
}

// addRecord appends the fields of a line to the columns. It returns an error for another number of fields, and for
// texts that are not UTF-8.
func addRecord(path string, cols columns, record []string, row, line int) error {
	if len(record) != len(cols) {
		return &Error{
			Code: CodeRagged, File: path, Line: line,
			Problem: fmt.Sprintf("%s, but the header names %s", count(len(record), "field"), count(len(cols), "column")),
			Mend:    "put a field that holds the separator in double quotes, and leave none out",
		}
	}
	for j, cell := range record {
		if err := longCell(path, line, cols[j].name, cell); err != nil {
			return err
		}
		was := cols[j].isText()
		cols[j].add(row, cell)
		if (was || cols[j].isText()) && !cleanText(cell) {
			return &Error{
				Code: CodeFormat, File: path, Line: line, Column: cols[j].name,
				Problem: fmt.Sprintf("%q is not UTF-8 text", cutShort(cell)), Mend: "save the file as UTF-8",
			}
		}
	}
	return nil
}

// cleanText reports whether a cell is UTF-8 without NUL.
func cleanText(cell string) bool { return utf8.ValidString(cell) && strings.IndexByte(cell, 0) < 0 }

// sniffSeparator takes whichever of comma, semicolon and tab occurs most in the header, outside quotes.
func sniffSeparator(r *bufio.Reader) rune {
	head, _ := r.Peek(peekSize)
	var seen [3]int
	quoted, begun := false, false
	for _, c := range head {
		if c == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if c == '\n' && begun {
			break
		}
		begun = begun || (c != '\n' && c != '\r')
		if k := strings.IndexByte(",;\t", c); k >= 0 {
			seen[k]++
		}
	}
	best := 0
	for k := range seen {
		if seen[k] > seen[best] {
			best = k
		}
	}
	return rune(",;\t"[best])
}

// readHeader reads the names of the columns.
func readHeader(path string, r *csv.Reader) ([]string, error) {
	record, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, &Error{Code: CodeEmpty, File: path, Problem: "the file is empty", Mend: "give it a header line and rows"}
	}
	if err != nil {
		return nil, csvError(path, err)
	}
	line, _ := r.FieldPos(0)
	names, seen, numbers := make([]string, len(record)), make(map[string]int, len(record)), 0
	for j, cell := range record {
		name := strings.Clone(strings.TrimSpace(cell))
		if err := longCell(path, line, "", name); err != nil {
			return nil, err
		}
		fail := func(problem, mend string) error {
			return &Error{Code: CodeHeader, File: path, Line: line, Problem: problem, Mend: mend}
		}
		if first, ok := seen[name]; ok && name != "" {
			return nil, fail(fmt.Sprintf("columns %d and %d are both called %q", first, j+1, name), "rename one of them")
		}
		if name == "" {
			return nil, fail(fmt.Sprintf("column %d has no name", j+1),
				"name it in the header (`id` for row numbers), or leave it out")
		}
		if !cleanText(name) {
			return nil, &Error{Code: CodeFormat, File: path, Line: line, Problem: fmt.Sprintf("the name %q of column %d is not UTF-8 text", name, j+1), Mend: "save the file as UTF-8"}
		}
		if _, kind := readNumber(name); kind == cellNumber {
			numbers++
		}
		seen[name], names[j] = j+1, name
	}
	if numbers == len(names) {
		return nil, &Error{
			Code: CodeHeader, File: path, Line: line, Problem: "the first line holds numbers, not names of columns",
			Mend: "put a header line with the names above it",
		}
	}
	return names, nil
}

// csvError explains an error of the CSV reader.
func csvError(path string, err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	e := &Error{Code: CodeRagged, File: path, Line: parse.Line, Problem: parse.Err.Error(), Cause: err}
	switch {
	case errors.Is(parse.Err, csv.ErrBareQuote):
		e.Problem = fmt.Sprintf("a double quote inside an unquoted field, at byte %d", parse.Column)
		e.Mend = `put the whole field in double quotes and double those within: "6"" nails"`
	case errors.Is(parse.Err, csv.ErrQuote):
		e.Line = parse.StartLine
		e.Problem = fmt.Sprintf("a quoted field that begins here does not end properly (line %d)", parse.Line)
		e.Mend = `close it with a double quote followed by the separator, and double those within: "6"" nails"`
	}
	return e
}

// count returns "1 row", "2 rows".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
