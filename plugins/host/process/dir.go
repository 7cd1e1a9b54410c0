package process

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/sipc-ml/sipc/internal/flock"
)

// A Dir is where one process's copy of the program, its socket and its temporary files lie. No one else may
// look into it.
type Dir struct {
	Path string
	held *os.File // locked: tells that the owner lives
}

// dirPrefix begins the names of private directories.
const dirPrefix = "sipc-family-"

// longestSocketBase bounds the directory's own place: paths of Unix sockets have about 100 bytes.
const longestSocketBase = 40

// NewDir makes a private directory in base, or where temporary files are if base is empty.
func NewDir(base string) (*Dir, error) {
	if base == "" {
		base = os.TempDir()
	}
	if len(base) > longestSocketBase {
		if info, err := os.Stat("/tmp"); err == nil && info.IsDir() {
			base = "/tmp"
		}
	}
	if base, err := filepath.EvalSymlinks(base); err == nil {
		sweep(base)
	}
	for {
		path, err := os.MkdirTemp(base, dirPrefix)
		if err != nil {
			return nil, noPlace(err)
		}
		if path, err = filepath.EvalSymlinks(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		held, err := flock.Folder(path)
		switch {
		case err == nil:
			return &Dir{path, held}, nil
		case !errors.Is(err, flock.ErrHeld) && !errors.Is(err, os.ErrNotExist): // else another process sweeps it meanwhile
			return nil, errors.Join(err, os.RemoveAll(path))
		}
	}
}

// noPlace returns why temporary files cannot be written, and how to mend that.
func noPlace(err error) error {
	return fmt.Errorf("there is no place for its temporary files: %w; let TMPDIR name a folder that can be written and has room, "+
		"by a path of at most %d characters", err, longestSocketBase)
}

// sweep removes what is left of processes that were killed before they could: private directories that no one holds.
func sweep(base string) {
	entries, _ := os.ReadDir(base) // as far as it goes
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), dirPrefix) {
			continue
		}
		path := filepath.Join(base, e.Name())
		if held, err := flock.Folder(path); err == nil {
			_ = flock.RemoveFolder(held, path)
		}
	}
}

// MaxProgram is how large a program may be, in bytes.
const MaxProgram = 1 << 30

// ErrTooLarge says that a program is larger than MaxProgram.
var ErrTooLarge = fmt.Errorf("it is larger than %d MiB, the most that a program may have", MaxProgram>>20)

// CopyProgram copies a program into the directory, to a folder of its own, as it may have any name. The digest is that of the
// bytes of the copy.
func (d *Dir) CopyProgram(ctx context.Context, path string) (program, digest string, err error) {
	from, err := openProgram(path)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = from.Close() }()
	folder := filepath.Join(d.Path, "program")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", "", noPlace(err)
	}
	program = filepath.Join(folder, filepath.Base(path))
	to, err := os.OpenFile(program, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return "", "", noPlace(err)
	}
	digest, err = Digest(to, &cancellable{ctx, from})
	err = errors.Join(err, to.Close())
	if at := (*os.PathError)(nil); errors.As(err, &at) && at.Path == program {
		err = noPlace(err)
	}
	if err != nil {
		return "", "", err
	}
	awaitForks()
	return program, digest, nil
}

// openProgram opens what may be run.
func openProgram(path string) (*os.File, error) {
	info, err := os.Stat(path) // opening what is not a file could take for ever
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, errors.New("there is no such program")
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a program but a " + describeMode(info.Mode()))
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0: // which has no such bits
		return nil, notExecutable(path)
	case info.Size() > MaxProgram:
		return nil, ErrTooLarge
	}
	return os.Open(path)
}

// notExecutable returns an error that says what to do with a file that may not be run. It tells apart programs, the
// source of a program, and data.
func notExecutable(path string) error {
	if filepath.Ext(path) == ".py" {
		return fmt.Errorf("it is the source of a program; make one of it: python3 -m sipc_family bundle %s -o sipc-family-NAME", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	var head [4]byte
	n, _ := io.ReadFull(file, head[:])
	for _, magic := range []string{"#!", "\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"} {
		if strings.HasPrefix(string(head[:n]), magic) {
			return fmt.Errorf("it may not be run; chmod +x %s", path)
		}
	}
	return errors.New("it is not a program: it may not be run, and does not begin as one")
}

// awaitForks waits until every fork that is under way has ended in the start of another program. No program can run
// while some process holds it open for writing. A child that was forked while the copy was written holds it until
// then.
//
// Forks themselves are not delayed by the copying, which may take long. On Linux a fork returns once its child has
// begun to run its program. What is left, here and elsewhere, is handled by the start, which tries again.
func awaitForks() {
	syscall.ForkLock.RLock()
	syscall.ForkLock.RUnlock() //nolint:gocritic,staticcheck // to have waited is all
}

// Digest copies a program of at most MaxProgram, and returns the SHA-256 of what it copied, in hexadecimal.
func Digest(to io.Writer, from io.Reader) (digest string, err error) {
	return digestOf(to, from, MaxProgram)
}

func digestOf(to io.Writer, from io.Reader, most int64) (digest string, err error) {
	hash := sha256.New()
	n, err := io.CopyBuffer(io.MultiWriter(to, hash), io.LimitReader(from, most+1), make([]byte, copyBlock))
	if err == nil && n > most {
		err = ErrTooLarge
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}

// copyBlock is how much is copied at once.
const copyBlock = 1 << 20

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

// Forget removes all but the process's temporary files. What cannot be removed while it runs goes later.
func (d *Dir) Forget() {
	entries, _ := os.ReadDir(d.Path)
	for _, e := range entries {
		if e.Name() != "tmp" {
			_ = os.RemoveAll(filepath.Join(d.Path, e.Name()))
		}
	}
}

// Remove removes the directory.
func (d *Dir) Remove() error {
	return flock.RemoveFolder(d.held, d.Path)
}
