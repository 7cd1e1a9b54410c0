package dataset

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Open reads a data file; see the package for the formats. It reads the file once, and stops when ctx ends.
func Open(ctx context.Context, path string) (*Table, error) {
	src, err := openSource(ctx, path)
	if err != nil {
		return nil, err
	}
	defer src.close()
	format, err := src.sniff()
	if err != nil {
		return nil, err
	}
	var t *Table
	switch format {
	case IDX:
		t, err = readImages(ctx, src)
	case LIBSVM:
		t, err = readLIBSVM(src)
	case ARFF:
		t, err = readARFF(src)
	default:
		t, err = readCSV(src)
	}
	if err != nil {
		return nil, src.explain(err)
	}
	if t.SHA256, err = src.finish(); err != nil {
		return nil, err
	}
	t.Path, t.Format, t.index = path, format, indexNames(t.names)
	return t, nil
}

// A source is a file being read: its bytes are hashed as they come, and unpacked where they are gzipped.
type source struct {
	path  string
	file  *os.File
	raw   *bufio.Reader // the bytes on disk
	hash  hash.Hash
	plain *bufio.Reader // the unpacked bytes

	release func() bool // the context
}

// peekSize is how much of a file is looked at to tell its format.
const peekSize = 64 << 10

func openSource(ctx context.Context, path string) (*source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, CannotOpen(path, err)
	}
	if info.IsDir() {
		return nil, &Error{Code: CodeFile, File: path, Problem: "this is a directory", Mend: "name one data file in it"}
	}
	file, err := openFile(ctx, path)
	if err != nil {
		return nil, CannotOpen(path, err)
	}
	s := &source{path: path, file: file, hash: sha256.New()}
	s.release = context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Now()) }) // ends a read that waits for a pipe
	s.raw = bufio.NewReaderSize(io.TeeReader(&contextReader{ctx, file}, s.hash), peekSize)
	s.plain = s.raw
	if magic, _ := s.raw.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(s.raw)
		if err != nil {
			s.close()
			return nil, s.explain(err)
		}
		s.plain = bufio.NewReaderSize(unpacked, peekSize)
	}
	return s, nil
}

func (s *source) close() {
	s.release()
	_ = s.file.Close()
}

// openFile opens a file. Opening a pipe waits for who writes to it, but no longer than ctx.
func openFile(ctx context.Context, path string) (*os.File, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		file, err := os.Open(path)
		done <- opened{file, err}
	}()
	select {
	case o := <-done:
		return o.file, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// finish reads what is left of the file and returns the digest of its bytes.
func (s *source) finish() (string, error) {
	if _, err := io.Copy(io.Discard, s.plain); err != nil {
		return "", s.explain(err)
	}
	if _, err := io.Copy(io.Discard, s.raw); err != nil {
		return "", s.explain(err)
	}
	return hex.EncodeToString(s.hash.Sum(nil)), nil
}

// explain turns an error of reading into one for the user.
func (s *source) explain(err error) error {
	var known *Error
	var corrupt flate.CorruptInputError
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) && s.plain != s.raw, errors.Is(err, io.EOF):
		return &Error{
			Code: CodeFile, File: s.path, Cause: err,
			Problem: "the gzipped data end early", Mend: "the file is cut off; fetch or pack it again",
		}
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return &Error{
			Code: CodeFile, File: s.path, Cause: err,
			Problem: "the gzipped data are damaged", Mend: "fetch or pack the file again",
		}
	}
	return &Error{Code: CodeFile, File: s.path, Cause: err, Problem: "reading failed: " + err.Error()}
}

// CannotOpen says why a file, of data or otherwise, cannot be opened, and offers one of a similar name.
func CannotOpen(path string, err error) error {
	e := &Error{Code: CodeFile, File: path, Cause: err, Problem: "the file cannot be opened: " + err.Error()}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, fs.ErrNotExist):
		e.Problem = "there is no such file"
		var names []string
		entries, _ := os.ReadDir(filepath.Dir(path))
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		if mend := didYouMean(filepath.Base(path), names); strings.HasPrefix(mend, "did") {
			e.Mend = mend
		}
	case errors.Is(err, fs.ErrPermission):
		e.Problem = "the file may not be read: permission denied"
	case errors.Is(err, syscall.EISDIR):
		e.Problem, e.Mend = "this is a directory", "name a file in it"
	}
	return e
}

// sniff tells the format by content first and by name second.
func (s *source) sniff() (Format, error) {
	head, err := s.plain.Peek(peekSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", s.explain(err)
	}
	if len(bytes.TrimSpace(bytes.TrimPrefix(head, bom))) == 0 {
		return "", &Error{Code: CodeEmpty, File: s.path, Problem: "the file is empty", Mend: "give it a header line and rows"}
	}
	if len(head) >= 4 && head[0] == 0 && head[1] == 0 {
		return IDX, nil
	}
	if err := s.refuseForeign(head); err != nil {
		return "", err
	}
	if lower := bytes.ToLower(bytes.TrimPrefix(head, bom)); bytes.HasPrefix(lower, []byte("@relation")) || bytes.Contains(lower, []byte("\n@attribute ")) {
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
		{"PAR1", "a Parquet file", "write it as CSV, e.g. pandas.read_parquet(…).to_csv(…, index=False)"},
		{"PK\x03\x04", "a zip archive or a spreadsheet", "unpack it, or save the sheet as CSV"},
		{"\x28\xb5\x2f\xfd", "packed by zstd", "unpack it, or pack it by gzip"},
		{"\xfd7zXZ", "packed by xz", "unpack it, or pack it by gzip"},
		{"BZh", "packed by bzip2", "unpack it, or pack it by gzip"},
		{"\x93NUMPY", "a NumPy array", "write it as CSV with a header line"},
		{"\x89HDF", "an HDF5 file", "write the table as CSV"},
		{"ARROW1", "an Arrow file", "write it as CSV"},
		{"\xff\xfe", "UTF-16 text", "save it as UTF-8"},
		{"\xfe\xff", "UTF-16 text", "save it as UTF-8"},
	}
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return refuse("this is "+f.name+", which is not read", f.mend)
		}
	}
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' {
			return refuse("this is binary data, not a table of text",
				"CSV, TSV, LIBSVM, ARFF and IDX files are read, gzipped or not")
		}
	}
	return nil
}

// contextReader stops reading when its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	if err != nil && c.ctx.Err() != nil {
		err = c.ctx.Err()
	}
	return n, err
}
