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
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/internal/paged"
)

// A source is a file being read: its bytes are hashed as they come, and unpacked where they are gzipped.
type source struct {
	path   string
	file   *os.File
	raw    *bufio.Reader // the bytes on disk
	hash   hash.Hash
	plain  *bufio.Reader // the unpacked bytes
	packed bool
	memory int64        // that the table may take
	room   *paged.Store // where its numbers lie

	release func() bool // the context
}

// peekSize is how much of a file is looked at to tell its format.
const peekSize = 64 << 10

// openSource opens a file, compressed by gzip or not, as its first bytes say. Reads end with the context, also those
// that wait for a pipe. The hash is of the bytes in the file.
func openSource(ctx context.Context, path string) (*source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, CannotOpen(path, err)
	}
	if info.IsDir() {
		return nil, &Error{Code: CodeFile, File: path, Problem: "this is a directory", Mend: "name one data file in it"}
	}
	if info.Mode()&fs.ModeDevice != 0 { // which might go on for ever; a pipe has an end
		return nil, &Error{Code: CodeFile, File: path, Problem: "this is a device, and no file", Mend: "write what it holds to a file, and name that"}
	}
	file, err := openFile(ctx, path)
	if err != nil {
		return nil, CannotOpen(path, err)
	}
	s := &source{path: path, file: file, hash: sha256.New(), memory: limits.Memory(ctx)}
	s.release = context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Now()) }) // ends a read that waits for a pipe
	s.raw = bufio.NewReaderSize(io.TeeReader(limits.Until(ctx, file), s.hash), peekSize)
	s.plain = s.raw
	if magic, _ := s.raw.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		s.packed = true
		unpacked, err := gzip.NewReader(s.raw)
		if err != nil {
			s.close()
			return nil, s.explain(err)
		}
		s.plain = bufio.NewReaderSize(&unpackReader{unpacked, path, limits.UnpackedBytes}, peekSize)
	}
	return s, nil
}

// close ends the reading.
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

// rowsBetween is how many rows are read between two looks at the memory that they take.
const rowsBetween = 1 << 14

// checkMemory returns an error if the rows read so far take more memory than they may. Each has so many bytes as is asked now and then.
func (s *source) checkMemory(rows int, each func() float64) error {
	if rows%rowsBetween != 0 || float64(rows)*each() <= float64(s.memory) {
		return nil
	}
	return &Error{
		Code: CodeFile, File: s.path, Problem: fmt.Sprintf("the first %d rows take the %s of memory that may be taken, and there are more", rows, limits.Size(s.memory)),
		Mend: "draw fewer rows or columns into a file of their own, or allow more by --max-memory",
	}
}

// checkTable returns an error if columns of rows would take more memory than they may.
func (s *source) checkTable(rows, columns int, bytes float64) error {
	if bytes <= float64(s.memory) {
		return nil
	}
	return &Error{
		Code: CodeFile, File: s.path, Problem: fmt.Sprintf("%d rows of %d columns take more than the %s of memory that may be taken", rows, columns, limits.Size(s.memory)),
		Mend: "draw fewer rows or columns into a file of their own, or allow more by --max-memory",
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
	case errors.Is(err, io.ErrUnexpectedEOF) && s.packed, errors.Is(err, io.EOF):
		return &Error{
			Code: CodeFile, File: s.path, Cause: err,
			Problem: "the gzipped data end within a part", Mend: "the file is cut off, or holds something else behind them; fetch or pack it again",
		}
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return &Error{
			Code: CodeFile, File: s.path, Cause: err,
			Problem: "the gzipped data are damaged", Mend: "fetch or pack the file again",
		}
	}
	return &Error{Code: CodeFile, File: s.path, Cause: err, Problem: "reading failed: " + err.Error()}
}

// CannotWrite returns the error of a file that cannot be made. It names the file that was asked for, as what is written first has a name for a while only.
func CannotWrite(path string, err error) error {
	if folder := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: the file cannot be written: there is no folder %s; make it, or name another file with --out", path, folder)
	}
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	return fmt.Errorf("%s: the file cannot be written: %w; name another with --out", path, err)
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
		if best := nearest(filepath.Base(path), names); best != "" {
			e.Mend = fmt.Sprintf("did you mean %q?", filepath.Join(filepath.Dir(path), best))
		}
	case errors.Is(err, fs.ErrPermission):
		e.Problem = "the file may not be read: permission denied"
	case errors.Is(err, syscall.EISDIR):
		e.Problem, e.Mend = "this is a directory", "name a file in it"
	}
	return e
}
