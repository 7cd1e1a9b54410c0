package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A privateDir is where one process's copy of the program, its socket and its temporary files lie. No one else may
// look into it.
type privateDir struct{ path string }

// longestSocketBase bounds the directory's own place: paths of Unix sockets have about 100 bytes.
const longestSocketBase = 40

func newPrivateDir() (*privateDir, error) {
	base := os.TempDir()
	if len(base) > longestSocketBase {
		if info, err := os.Stat("/tmp"); err == nil && info.IsDir() {
			base = "/tmp"
		}
	}
	path, err := os.MkdirTemp(base, "sipc-family-")
	if err != nil {
		return nil, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, err
	}
	return &privateDir{path}, nil
}

// copyProgram copies a program into the directory. The digest is that of the bytes of the copy.
func (d *privateDir) copyProgram(ctx context.Context, path string) (program, digest string, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", "", errors.New("there is no such program")
	case err != nil:
		return "", "", err
	case !info.Mode().IsRegular():
		return "", "", errors.New("it is no program but a " + describeMode(info.Mode()))
	case info.Mode()&0o111 == 0:
		return "", "", fmt.Errorf("it may not be run; chmod +x %s", path)
	}
	from, err := os.Open(path)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = from.Close() }()
	program = filepath.Join(d.path, filepath.Base(path))
	to, err := os.OpenFile(program, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return "", "", err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, hash), &cancellable{ctx, from})
	if err := errors.Join(err, to.Close()); err != nil {
		return "", "", err
	}
	return program, hex.EncodeToString(hash.Sum(nil)), nil
}

func describeMode(m os.FileMode) string {
	if m.IsDir() {
		return "directory"
	}
	return "special file"
}

// cancellable is a reader that ends with its context.
type cancellable struct {
	ctx  context.Context
	from io.Reader
}

func (c *cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.from.Read(p)
}

// forget removes all but the process's temporary files. What cannot be removed while it runs goes later.
func (d *privateDir) forget() {
	entries, _ := os.ReadDir(d.path)
	for _, e := range entries {
		if e.Name() != "tmp" {
			_ = os.RemoveAll(filepath.Join(d.path, e.Name()))
		}
	}
}

// remove removes the directory.
func (d *privateDir) remove() error { return os.RemoveAll(d.path) }
