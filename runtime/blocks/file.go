package blocks

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/internal/whole"
)

// A file is on its way to its place. Its bytes are counted and hashed as they come.
type file struct {
	to     *whole.File
	buffer *bufio.Writer
	sum    hash.Hash
	bytes  int64
}

// begin begins a file.
func begin(path string) (*file, error) {
	to, err := whole.New(path, mode)
	if err != nil {
		return nil, err
	}
	return &file{to: to, buffer: bufio.NewWriterSize(to, 1<<18), sum: sha256.New()}, nil
}

// Write adds bytes.
func (f *file) Write(raw []byte) (int, error) {
	f.sum.Write(raw)
	f.bytes += int64(len(raw))
	return f.buffer.Write(raw)
}

// keep puts the file into its place.
func (f *file) keep() (Content, error) {
	if err := f.buffer.Flush(); err != nil {
		return Content{}, err
	}
	return Content{f.bytes, hex.EncodeToString(f.sum.Sum(nil))}, whole.Keep(f.to)
}

// write writes a file whole, and returns what it holds.
func write(path string, content func(io.Writer) error) (Content, error) {
	f, err := begin(path)
	if err != nil {
		return Content{}, err
	}
	defer f.to.Discard()
	if err := content(f); err != nil {
		return Content{}, err
	}
	return f.keep()
}

// unreadable returns the error of a file that cannot be read. Where it is gone, that is so for all machines: what names it comes after it.
func unreadable(path string, err error, mend string) error {
	e := &Error{path, "it cannot be read: " + err.Error(), mend}
	if errors.Is(err, fs.ErrNotExist) {
		return e
	}
	return &MachineError{e}
}

// read hands the bytes of a file on. It returns an *Error, with how to mend it, where they are not what they should be.
func read(ctx context.Context, to io.Writer, path string, want Content, mend string) error {
	from, err := os.Open(path)
	if err != nil {
		return unreadable(path, err, mend)
	}
	defer from.Close() //nolint:errcheck // only read
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(limits.Until(ctx, from), want.Bytes+1))
	if err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); n != want.Bytes || got != want.SHA256 {
		return &Error{path, fmt.Sprintf("it was changed: its SHA-256 is to be %s of %d bytes", want.SHA256, want.Bytes), mend}
	}
	return nil
}
