package limits

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
)

// Read returns the content of a regular file of at most so many bytes. Reading anything else might
// wait or go on for ever, so that a pipe, a device or a folder is an error. Errors do not name the
// file.
func Read(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("it is %s, and no file; write what it holds to a file, and name that", Kind(info.Mode()))
	case info.Size() > most:
		return nil, fmt.Errorf("it has %s, and at most %s are read", Size(info.Size()), Size(most))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	// With room for all of it nothing is copied on the way. The last bytes are where the end is met.
	content := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	_, err = content.ReadFrom(io.LimitReader(file, most))
	return content.Bytes(), err
}

// Until returns a reader that ends with a context.
func Until(ctx context.Context, r io.Reader) io.Reader { return &contextReader{ctx, r} }

// A contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// Read reads, unless the context is over.
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

// Kind names what is not a regular file.
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "something else"
}

// Size writes a number of bytes in MiB, from a GiB on in GiB.
func Size(bytes int64) string {
	if bytes >= 1<<30 {
		return strconv.FormatFloat(math.Round(10*float64(bytes)/(1<<30))/10, 'f', -1, 64) + " GiB"
	}
	return fmt.Sprintf("%d MiB", (bytes+1<<20-1)>>20)
}

// Identity returns the path of a file from the root and without links, which all names of the file have. A file that is not there
// has the path that it would have.
func Identity(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}
