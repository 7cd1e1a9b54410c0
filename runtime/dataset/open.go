package dataset

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/internal/paged"
)

// Open reads a data file; see the package for the formats. It reads the file once, and stops when ctx ends.
func Open(ctx context.Context, path string) (*Table, error) { return open(ctx, path, limits.PagedRows) }

// open reads a data file, whose numbers lie in temporary files from so many rows on.
func open(ctx context.Context, path string, least int) (*Table, error) {
	src, format, err := begin(ctx, path)
	if err != nil {
		return nil, err
	}
	defer src.close()
	src.room = paged.New(least)
	var t *Table
	switch format {
	case IDX:
		t, err = readImages(ctx, src)
	case LIBSVM:
		t, err = readLIBSVM(src)
	case ARFF:
		t, err = readARFF(src)
	case Parquet:
		t, err = readParquet(ctx, src)
	case NPY:
		if t, err = readNumPy(src); err == nil {
			err = readNPYLabels(ctx, t, path)
		}
	default:
		t, err = readCSV(src)
	}
	if err != nil {
		return nil, src.explain(err)
	}
	if t.SHA256, err = src.finish(); err != nil {
		return nil, err
	}
	t.Path, t.Format, t.index, t.room = path, format, indexNames(t.names), src.room
	switch cols, ok := t.cells.(columns); {
	case ok && format == CSV:
		readNumbers(t, cols)
	case ok:
		noteDates(t, cols)
	}
	return t, nil
}

// begin opens a data file, and tells its format. The caller closes it.
func begin(ctx context.Context, path string) (*source, Format, error) {
	src, err := openSource(ctx, path)
	if err != nil {
		return nil, "", err
	}
	wide := false
	switch head, _ := src.plain.Peek(len(bom)); {
	case bytes.Equal(head, bom):
		_, _ = src.plain.Discard(len(bom))
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		wide = true
		src.plain = bufio.NewReaderSize(unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder().Reader(src.plain), peekSize)
	}
	format, err := src.sniff()
	if err != nil {
		src.close()
	} else if format != IDX && format != Parquet && format != NPY {
		head, _ := src.plain.Peek(peekSize)
		src.plain = bufio.NewReaderSize(&textReader{r: src.plain, path: path, quoted: format == CSV, returns: endsInReturns(head), wide: wide}, peekSize)
	}
	return src, format, err
}

// sniff tells the format by content first and by name second.
func (s *source) sniff() (Format, error) {
	head, err := s.plain.Peek(peekSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", s.explain(err)
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return "", &Error{Code: CodeEmpty, File: s.path, Problem: "the file is empty", Mend: "give it a header line and rows"}
	}
	if len(head) >= 4 && head[0] == 0 && head[1] == 0 {
		return IDX, nil
	}
	switch {
	case bytes.HasPrefix(head, []byte(parquetMagic)):
		return Parquet, nil
	case bytes.HasPrefix(head, []byte(npyMagic)):
		return NPY, nil
	}
	if err := s.refuseForeign(head); err != nil {
		return "", err
	}
	if lower := bytes.ToLower(head); bytes.HasPrefix(lower, []byte("@relation")) || bytes.Contains(lower, []byte("\n@attribute ")) || bytes.Contains(lower, []byte("\r@attribute ")) {
		return ARFF, nil
	}
	name := strings.TrimSuffix(strings.ToLower(s.path), ".gz")
	switch filepath.Ext(name) {
	case ".csv", ".tsv", ".tab":
		return CSV, nil
	case ".svm", ".libsvm", ".svmlight":
		return LIBSVM, nil
	}
	if looksLikeLIBSVM(head) {
		return LIBSVM, nil
	}
	return CSV, nil
}

// refuseForeign names formats that are not read, rather than to read them as garbled text.
func (s *source) refuseForeign(head []byte) error {
	refuse := func(problem, mend string) error {
		return &Error{Code: CodeFormat, File: s.path, Problem: problem, Mend: mend}
	}
	foreign := []struct{ magic, name, mend string }{
		{"PARE", "an encrypted Parquet file", "write it without encryption"},
		{"PK\x03\x04", "a zip archive or a spreadsheet", "unpack it, or save the sheet as CSV"},
		{"\x28\xb5\x2f\xfd", "packed by zstd", "unpack it, or pack it by gzip"},
		{"\xfd7zXZ", "packed by xz", "unpack it, or pack it by gzip"},
		{"BZh", "packed by bzip2", "unpack it, or pack it by gzip"},
		{"\x89HDF", "an HDF5 file", "write the table as CSV"},
		{"ARROW1", "an Arrow file", "write the table as Parquet or CSV"},
		{"FEA1", "a Feather file", "write the table as Parquet or CSV"},
		{"\xd0\xcf\x11\xe0", "an old spreadsheet", "save the sheet as CSV"},
		{"SQLite format 3", "a database", "write a table of it as CSV"},
		{"\x80\x04\x95", "a Python pickle", "write the table by to_csv or to_parquet"},
		{"\x80\x05\x95", "a Python pickle", "write the table by to_csv or to_parquet"},
		{"[{", "JSON", "write the table as CSV or Parquet"},
		{"[[", "JSON", "write the table as CSV or Parquet"},
		{"{\"", "JSON", "write the table as CSV or Parquet"},
		{"<!doctype html", "a page of the web", "fetch the file that it links to"},
		{"<html", "a page of the web", "fetch the file that it links to"},
	}
	lower := bytes.ToLower(head[:min(len(head), len("<!doctype html"))])
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) || bytes.HasPrefix(lower, []byte(f.magic)) {
			return refuse("this is "+f.name+", which is not read", f.mend)
		}
	}
	if len(head) > 3 && (head[1] == 0 && head[3] == 0 || head[0] == 0 && head[2] == 0) {
		return refuse("this is UTF-16 text without a byte-order mark", "save it as UTF-8, or with the mark")
	}
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' {
			return refuse("this is binary data, not a table of text",
				"CSV, TSV, Parquet, LIBSVM, ARFF, IDX and NPY files are read, gzipped or not")
		}
	}
	return nil
}
