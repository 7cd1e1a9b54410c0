package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
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
	names, blank, warnings, err := readHeader(src.path, r)
	if err != nil {
		return nil, err
	}
	t := &Table{Path: src.path, names: names, warnings: warnings, separator: separatorOf(r, names)}
	cols := newColumns(names, t.separator)
	for _, c := range cols {
		c.room = src.room
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
		if record, err = withoutBlank(src.path, record, len(cols), blank, line); err != nil {
			return nil, err
		}
		if err := addRecord(src.path, cols, record, t.rows, line); err != nil {
			return nil, err
		}
		t.lines = append(t.lines, int32(line))
		t.rows++
		if err := src.checkMemory(t.rows, cols.bytes); err != nil {
			return nil, err
		}
	}
	if t.rows == 0 {
		return nil, &Error{Code: CodeEmpty, File: src.path, Problem: "the file holds a header and no rows", Mend: "add rows below the header"}
	}
	t.cells = cols
	return t, nil
}

// separatorOf returns what separates the columns of some names: 0 for a single one, which has no separator.
func separatorOf(r *csv.Reader, names []string) rune {
	if len(names) == 1 {
		return 0
	}
	return r.Comma
}

// newColumns returns columns without rows, of a file with such a separator.
func newColumns(names []string, separator rune) columns {
	cols := make(columns, len(names))
	for j, name := range names {
		cols[j] = newColumn(name)
		cols[j].keeps = separator != ','
	}
	return cols
}

// withoutBlank returns a line without its last fields, as many as stand in columns at the end that have no name. It returns an error if one
// of them holds a value.
func withoutBlank(path string, record []string, named, blank, line int) ([]string, error) {
	if blank == 0 || len(record) != named+blank {
		return record, nil
	}
	for j, cell := range record[named:] {
		if strings.TrimSpace(cell) != "" {
			return nil, &Error{
				Code: CodeHeader, File: path, Line: line, Problem: fmt.Sprintf("column %d has no name, and holds %q here", named+j+1, cutShort(cell)),
				Mend: "name it in the header, or leave it out",
			}
		}
	}
	return record[:named], nil
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
		switch clean := cleanText(cell); {
		case clean || !was && !cols[j].isText():
		case strings.IndexByte(cell, 0) >= 0:
			return &Error{Code: CodeFormat, File: path, Line: line, Column: cols[j].name, Problem: "the cell has a zero byte, which no text has", Mend: "take it out"}
		default:
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

// readHeader reads the names of the columns, and says which are called otherwise than they are written. So many more columns at the end have
// no name.
func readHeader(path string, r *csv.Reader) (names []string, blank int, warnings []string, err error) {
	record, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, 0, nil, &Error{Code: CodeEmpty, File: path, Problem: "the file is empty", Mend: "give it a header line and rows"}
	}
	if err != nil {
		return nil, 0, nil, csvError(path, err)
	}
	named := slices.DeleteFunc(rowNumbers(len(record)), func(j int) bool { return strings.TrimSpace(record[j]) == "" })
	if len(named) > 0 {
		last := named[len(named)-1] + 1
		record, blank = record[:last], len(record)-last
	}
	line, _ := r.FieldPos(0)
	fail := func(code Code, problem, mend string) error {
		return &Error{Code: code, File: path, Line: line, Problem: problem, Mend: mend}
	}
	numbers := 0
	for j, cell := range record {
		name := strings.Clone(strings.TrimSpace(cell))
		if err := longCell(path, line, "", name); err != nil {
			return nil, 0, nil, err
		}
		if name == "" && (j > 0 || len(record) == 1) {
			return nil, 0, nil, fail(CodeHeader, fmt.Sprintf("column %d has no name", j+1), "name it in the header (`id` for row numbers), or leave it out")
		}
		if !cleanText(name) {
			return nil, 0, nil, fail(CodeFormat, fmt.Sprintf("the name %q of column %d is not UTF-8 text", name, j+1), "save the file as UTF-8")
		}
		if _, kind := readNumber(name); kind == cellNumber {
			numbers++
		}
		names = append(names, name)
	}
	if numbers == len(names) {
		return nil, 0, nil, fail(CodeHeader, "the first line holds numbers, not names of columns", "put a header line with the names above it")
	}
	names, warnings = ownNames(fmt.Sprintf("%s:%d", path, line), names)
	if blank > 0 {
		warnings = append(warnings, fmt.Sprintf("%s:%d: %s at the end without a name: left out, as no row holds a value there", path, line, count(blank, "column")))
	}
	return names, blank, warnings, nil
}

// ownNames gives each column a name that no other has, and says which are called otherwise than they are written. A second a is called
// a_2. The first column may lack a name, as row names do that other programs write: it is called id, or row_2 where that is taken.
func ownNames(place string, names []string) (own, warnings []string) {
	taken := make(map[string]int, len(names))
	for j := len(names) - 1; j >= 0; j-- {
		taken[names[j]] = j
	}
	next, more := map[string]int{}, 0 // numbers behind a name that may be free; columns of which no warning speaks
	free := func(name string, j int) string {
		for next[name] = max(next[name], 2); ; next[name]++ {
			if own := fmt.Sprintf("%s_%d", name, next[name]); !has(taken, own) {
				taken[own] = j
				return own
			}
		}
	}
	own = slices.Clone(names)
	for j, name := range names {
		switch {
		case name == "":
			own[j] = "id"
			if slices.ContainsFunc(names, IsIdentifier) {
				own[j] = free("row", j)
			}
			warnings = append(warnings, fmt.Sprintf("%s: column %d has no name; it is called %q", place, j+1, own[j]))
		case taken[name] == j:
		case more > 0 || len(warnings) > 1:
			own[j] = free(name, j)
			more++
		default:
			own[j] = free(name, j)
			warnings = append(warnings, fmt.Sprintf("%s: columns %d and %d are both called %q; the latter is called %q", place, taken[name]+1, j+1, cutShort(name), own[j]))
		}
	}
	if more > 0 {
		warnings[len(warnings)-1] += fmt.Sprintf(" (and so %s)", count(more, "more column"))
	}
	return own, warnings
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
