// Package lock holds sipc.lock, the file that pins the programs of families by their digests. A change puts a program
// and its pin in place together, or leaves both as they were.
package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Name is the name of the lock file, beside the spec.
const Name = "sipc.lock"

// formVersion is the version of the file's form.
const formVersion = 1

// maxSize is the size above which a file is taken for something else than a lock.
const maxSize = 16 << 20

func describeOther(info os.FileInfo) string {
	if info.Mode().IsRegular() {
		return fmt.Sprintf("file of more than %d MiB", maxSize>>20)
	}
	if info.IsDir() {
		return "directory"
	}
	return "special file"
}

// A File is the file sipc.lock, which pins the programs that specs use by their SHA-256. It belongs beside the spec, and
// under version control.
//
// It appears whole or not at all, and is read without a lock. Who changes it holds the file .sipc.lock.held beside it
// meanwhile, a few milliseconds, so that changes by several processes all count. That file is empty, and removed afterwards; where
// a process was killed it may stay, which hinders no one.
type File struct {
	path string
}

// A Pin is what the lock knows of a program.
type Pin struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Source  string `json:"source,omitempty"` // where it was fetched from; empty where it was there
	// SHA256 holds the digests in hexadecimal, by platform, such as "linux/amd64".
	SHA256 map[string]string `json:"sha256"`
}

type form struct {
	Version  int            `json:"version"`
	Families map[string]Pin `json:"families"` // by the program's path, relative to the lock
}

// New returns the lock in the file at path, which need not exist yet.
func New(path string) *File { return &File{path: path} }

// Path returns the lock's file.
func (l *File) Path() string { return l.path }

// Pins returns the lock's pins, by the program's path relative to the lock. A missing file has no pins.
func (l *File) Pins() (map[string]Pin, error) {
	info, err := os.Stat(l.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return map[string]Pin{}, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxSize: // reading what is not a file could take for ever
		return nil, fmt.Errorf("%s: it is not a lock, but a %s", l.path, describeOther(info))
	}
	raw, err := os.ReadFile(l.path)
	if err != nil {
		return nil, err
	}
	var f form
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s: it is not a lock: %w; mend it, or remove it to pin anew", l.path, err)
	}
	if f.Version != formVersion {
		return nil, fmt.Errorf("%s: its form is version %d, this sipc reads version %d", l.path, f.Version, formVersion)
	}
	if f.Families == nil {
		f.Families = map[string]Pin{}
	}
	return f.Families, nil
}

// Platform returns the key of a digest in the lock.
func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// A DigestError says that a program is not the one that the lock pins.
type DigestError struct {
	Program, Lock    string
	Expected, Actual string // SHA-256 in hexadecimal
}

// Error shows both digests and how to go on.
func (e *DigestError) Error() string {
	return fmt.Sprintf("family %s is not the program that %s pins, and was not run\n    expected sha256 %s\n    actual   sha256 %s\n%s",
		e.Program, e.Lock, e.Expected, e.Actual, e.Mend())
}

// Mend says how to accept the program.
func (e *DigestError) Mend() string {
	return fmt.Sprintf("If you changed or updated it yourself, or sipc plugin add was cut off, pin it anew: sipc plugin add --dir %s %s", filepath.Dir(e.Lock), e.Program)
}

// Pin returns the lock's pin of a program; nil if there is no pin.
func (l *File) Pin(program string) (*Pin, error) {
	pins, err := l.Pins()
	if err != nil {
		return nil, err
	}
	key, err := l.Key(program)
	if err != nil {
		return nil, err
	}
	if pin, ok := pins[key]; ok {
		return &pin, nil
	}
	return nil, nil
}

// Check returns the program's pin on this platform, nil where there is none. It fails with *DigestError where that is of
// another digest.
func (l *File) Check(program, digest string) (*Pin, error) {
	pin, err := l.Pin(program)
	if err != nil || pin == nil || pin.SHA256[Platform()] == "" {
		return nil, err
	}
	return pin, l.compare(program, pin.SHA256[Platform()], digest)
}

// compare fails with *DigestError where two digests differ.
func (l *File) compare(program, want, digest string) error {
	if strings.EqualFold(want, digest) {
		return nil
	}
	return &DigestError{Program: program, Lock: l.path, Expected: want, Actual: digest}
}

// Key returns the lock's name for a program: its path relative to the lock, with slashes.
func (l *File) Key(program string) (string, error) {
	base, err := filepath.Abs(filepath.Dir(l.path))
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(program)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(base, abs)
	if err != nil {
		return "", err
	}
	if filepath.IsLocal(rel) {
		rel = "./" + rel
	}
	return filepath.ToSlash(rel), nil
}
