package dataset

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/sipc-ml/sipc/internal/limits"
)

// A textReader passes on the text of a table. It ends with an error where the text has more lines, or a longer row,
// than any table has.
type textReader struct {
	r    io.Reader
	path string
	// quoted says that a row goes on behind a line break within double quotes, as in CSV.
	quoted bool
	// returns says that lines end in CR alone, as spreadsheets on old Macs write them. They then end in LF.
	returns bool

	// wide says that the text comes from UTF-16, where U+FFFD stands for what is none.
	wide bool
	tail []byte // the last bytes, in which U+FFFD may begin
	bad  error  // what ended the reading

	line  int  // line breaks so far
	begin int  // those before the row
	row   int  // bytes of the row so far
	cells int  // ends of cells of the row, once it is long
	open  bool // a double quote of the row is open
}

// Read reads text, up to the end of the row that is too long.
func (t *textReader) Read(p []byte) (int, error) {
	if t.bad != nil {
		return 0, t.bad // again, as who peeks forgets it
	}
	n, err := t.r.Read(p)
	if t.returns {
		for k := range p[:n] {
			if p[k] == '\r' {
				p[k] = '\n'
			}
		}
	}
	for rest := p[:n]; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		ended := end > 0
		if !ended {
			end = len(rest)
		}
		if t.bad = t.add(rest[:end], ended); t.bad != nil {
			return 0, t.bad
		}
		rest = rest[end:]
	}
	return n, err
}

// replaced reports whether U+FFFD has come with a piece.
func (t *textReader) replaced(piece []byte) bool {
	const mark = "\uFFFD"
	all := slices.Concat(t.tail, piece)
	t.tail = bytes.Clone(all[max(0, len(all)-len(mark)+1):])
	return bytes.Contains(all, []byte(mark))
}

// add counts a piece of a line, up to its end if it has come.
func (t *textReader) add(piece []byte, ended bool) error {
	if t.wide && t.replaced(piece) {
		return &Error{Code: CodeFormat, File: t.path, Line: t.line + 1, Problem: "the file begins as UTF-16 text, and this is none", Mend: "it may be cut off; fetch it again, or save it as UTF-8"}
	}
	t.row += len(piece)
	if t.row > limits.RowBytes {
		mend := "break the row into several lines"
		if t.open {
			mend = "close the double quote that is open there"
		}
		return &Error{Code: CodeFormat, File: t.path, Line: t.begin + 1, Problem: fmt.Sprintf("the row has more than the %s that are read of one", limits.Size(limits.RowBytes)), Mend: mend}
	}
	// A row of fewer bytes has fewer cells.
	if t.row > limits.RowCells {
		t.cells += bytes.Count(piece, []byte{','}) + bytes.Count(piece, []byte{';'}) + bytes.Count(piece, []byte{'\t'})
	}
	if t.cells > limits.RowCells {
		return &Error{Code: CodeFormat, File: t.path, Line: t.begin + 1, Problem: fmt.Sprintf("the row has more than the %.0e cells that are read of one", float64(limits.RowCells)), Mend: "write fewer columns, or a sparse ARFF or LIBSVM file"}
	}
	if t.quoted && bytes.Count(piece, []byte{'"'})%2 == 1 {
		t.open = !t.open
	}
	if !ended {
		return nil
	}
	if t.line++; t.line > limits.Lines {
		return &Error{Code: CodeFormat, File: t.path, Line: t.line, Problem: fmt.Sprintf("the file has more than the %.0e lines that are read", float64(limits.Lines)), Mend: "draw fewer rows, and write those to a file"}
	}
	if !t.open {
		t.begin, t.row, t.cells = t.line, 0, 0
	}
	return nil
}

// endsInReturns reports whether the lines of a text end in CR alone: there is one outside double quotes, and no LF.
func endsInReturns(head []byte) bool {
	head = bytes.TrimSuffix(head, []byte("\r")) // it may be half of a CRLF
	if bytes.IndexByte(head, '\n') >= 0 {
		return false
	}
	open := false
	for _, c := range head {
		if c == '"' {
			open = !open
		}
		if c == '\r' && !open {
			return true
		}
	}
	return false
}

// An unpackReader ends with an error where a gzipped file unpacks to more than any data file has.
type unpackReader struct {
	r    io.Reader
	path string
	left int64
}

// Read reads unpacked bytes.
func (u *unpackReader) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if u.left -= int64(n); u.left < 0 {
		return 0, &Error{
			Code: CodeFile, File: u.path, Problem: fmt.Sprintf("the gzipped data unpack to more than %s", limits.Size(limits.UnpackedBytes)),
			Mend: "draw fewer rows, and pack those",
		}
	}
	return n, err
}

// longCell returns an error for a cell that is longer than any text of a table.
func longCell(path string, line int, column, cell string) error {
	if len(cell) <= limits.CellBytes {
		return nil
	}
	return &Error{
		Code: CodeFormat, File: path, Line: line, Column: column, Problem: fmt.Sprintf("the cell has more than the %s that are read of one", limits.Size(limits.CellBytes)),
		Mend: "shorten it, or leave the column out of the file",
	}
}
