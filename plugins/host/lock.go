package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/renameio/v2"
)

// LockName is the name of the lock file, beside the spec.
const LockName = "sipc.lock"

// lockVersion is the version of the file's form.
const lockVersion = 1

// A Lock is the file sipc.lock, which pins the programs that specs use by their SHA-256. It belongs beside the spec, and
// under version control. A program that it does not know is pinned on its first use.
type Lock struct {
	path string
	mu   sync.Mutex
}

// A Pin is what the lock knows of a program.
type Pin struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Source  string `json:"source,omitempty"` // where it was fetched from; empty where it was there
	// SHA256 holds the digests in hexadecimal, by platform, such as "linux/amd64".
	SHA256 map[string]string `json:"sha256"`
}

type lockFile struct {
	Version  int            `json:"version"`
	Families map[string]Pin `json:"families"` // by the program's path, relative to the lock
}

// NewLock is the lock in the file at path, which need not exist yet.
func NewLock(path string) *Lock { return &Lock{path: path} }

// Path is the lock's file.
func (l *Lock) Path() string { return l.path }

// Pins are the lock's pins, by the program's path relative to the lock.
func (l *Lock) Pins() (map[string]Pin, error) {
	raw, err := os.ReadFile(l.path)
	if errors.Is(err, os.ErrNotExist) {
		return map[string]Pin{}, nil
	}
	if err != nil {
		return nil, err
	}
	var f lockFile
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s: it is no lock: %w; mend it, or remove it to pin anew", l.path, err)
	}
	if f.Version != lockVersion {
		return nil, fmt.Errorf("%s: its form is version %d, this sipc reads version %d", l.path, f.Version, lockVersion)
	}
	if f.Families == nil {
		f.Families = map[string]Pin{}
	}
	return f.Families, nil
}

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
	return fmt.Sprintf("If you changed or updated it yourself, pin it anew: sipc plugin add --dir %s %s", filepath.Dir(e.Lock), e.Program)
}

// Pin is what the lock knows of a program; nil where that is nothing.
func (l *Lock) Pin(program string) (*Pin, error) {
	pins, err := l.Pins()
	if err != nil {
		return nil, err
	}
	key, err := l.key(program)
	if err != nil {
		return nil, err
	}
	if pin, ok := pins[key]; ok {
		return &pin, nil
	}
	return nil, nil
}

// Pinned tells whether the lock pins the program for this platform.
func (l *Lock) Pinned(program string) (bool, error) {
	pins, err := l.Pins()
	if err != nil {
		return false, err
	}
	key, err := l.key(program)
	return pins[key].SHA256[platform()] != "", err
}

// check tells whether the program is pinned; it fails with *DigestError where it is pinned to another digest.
func (l *Lock) check(program, digest string) (pinned bool, err error) {
	if l == nil {
		return false, nil
	}
	pins, err := l.Pins()
	if err != nil {
		return false, err
	}
	key, err := l.key(program)
	if err != nil {
		return false, err
	}
	want, ok := pins[key].SHA256[platform()]
	if !ok {
		return false, nil
	}
	if !strings.EqualFold(want, digest) {
		return false, &DigestError{Program: program, Lock: l.path, Expected: want, Actual: digest}
	}
	return true, nil
}

// record adds a pin to the file. What another process has pinned meanwhile stays, and counts.
func (l *Lock) record(program string, pin Pin) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if pinned, err := l.check(program, pin.SHA256[platform()]); err != nil || pinned {
		return err
	}
	return l.put(program, pin)
}

// Put pins a program anew, whatever the lock says of it on this platform. Digests for other platforms stay if the
// version is the same.
func (l *Lock) Put(program string, pin Pin) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.put(program, pin)
}

func (l *Lock) put(program string, pin Pin) error {
	pins, err := l.Pins()
	if err != nil {
		return err
	}
	key, err := l.key(program)
	if err != nil {
		return err
	}
	if pins[key].Version != pin.Version {
		delete(pins, key)
	}
	digests := map[string]string{}
	maps.Copy(digests, pins[key].SHA256)
	maps.Copy(digests, pin.SHA256)
	pin.SHA256 = digests
	pins[key] = pin
	raw, err := json.MarshalIndent(lockFile{Version: lockVersion, Families: pins}, "", "  ")
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(l.path, append(raw, '\n'), 0o644); err != nil {
		return fmt.Errorf("%s: the program %s cannot be pinned: %w", l.path, program, err)
	}
	return nil
}

// key is how the lock names a program: by its path relative to the lock, with slashes.
func (l *Lock) key(program string) (string, error) {
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
	if !strings.HasPrefix(rel, "..") {
		rel = "./" + rel
	}
	return filepath.ToSlash(rel), nil
}
