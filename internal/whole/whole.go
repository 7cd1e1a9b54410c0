// Package whole writes files that appear whole or not at all, several together if need be. Until then a file lies beside its place
// under a name of its own. What a killed process left of that kind goes when a file of that place is written again.
package whole

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/sipc-ml/sipc/internal/flock"
	"github.com/sipc-ml/sipc/internal/limits"
)

// A File is written beside its place until Keep puts it there. While its process lives no other one sweeps it.
type File struct {
	*os.File
	path string
	old  []string // files that go when it comes
	done bool
}

// New begins a file. One that is there keeps its permissions; another has these, less what the process withholds.
func New(path string, permissions fs.FileMode) (*File, error) {
	if err := Check(path); err != nil {
		return nil, err
	}
	Sweep(path)
	var there fs.FileMode
	if info, err := os.Stat(path); err == nil {
		there = info.Mode().Perm()
	}
	for {
		name := fmt.Sprintf("%s%016x%s", begin(path), rand.Uint64(), ending)
		file, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, permissions)
		f := &File{File: file, path: path}
		if err != nil {
			return nil, f.cannot(err)
		}
		if err := flock.Hold(file); errors.Is(err, flock.ErrHeld) { // who sweeps holds it, or has removed it
			f.Discard()
			continue
		}
		if there == 0 {
			return f, nil
		}
		if err := file.Chmod(there); err != nil {
			f.Discard()
			return nil, err
		}
		return f, nil
	}
}

// Check fails where something else than a file stands in a place. A device would be replaced by a file, and a folder cannot be.
func Check(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "write", Path: path, Err: errors.New(limits.Kind(info.Mode()) + " stands in its place")}
	}
	return nil
}

// Write writes all of a file.
func Write(path string, content []byte, permissions fs.FileMode) error {
	f, err := New(path, permissions)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(content); err != nil {
		return err
	}
	return Keep(f)
}

// Replaces lets files go when Keep puts this one into its place, and their folders with them where those are empty then.
func (f *File) Replaces(paths ...string) {
	for _, path := range paths {
		Sweep(path)
		if info, err := os.Lstat(path); err == nil && !info.IsDir() {
			f.old = append(f.old, path)
		}
	}
}

// Keep puts files into their places, none before all bytes of all of them are on the disk. What they replace goes just before.
func Keep(files ...*File) error {
	for _, f := range files {
		if err := f.Sync(); err != nil {
			return f.cannot(err)
		}
		if err := Check(f.path); err != nil { // it may have come meanwhile
			return err
		}
	}
	if len(files) > 1 || len(files[0].old) > 0 {
		folder := await(filepath.Dir(files[0].path))
		defer folder.Close() //nolint:errcheck // it was only held, if at all
		moveAnyway(files, folder)
	}
	for _, f := range files {
		if err := f.removeOld(); err != nil {
			return err
		}
	}
	for _, f := range files {
		if _, err := os.Lstat(f.Name()); errors.Is(err, fs.ErrNotExist) {
			f.done = true // it is in its place
			continue
		}
		if err := f.rename(); err != nil {
			return f.cannot(err)
		}
		f.done = true
	}
	for _, f := range files {
		if err := f.Close(); err != nil && !errors.Is(err, os.ErrClosed) { // not before: an open file is held
			return f.cannot(err)
		}
	}
	return nil
}

// KeepNew puts a file into its place where nothing is there, and fails with [fs.ErrExist] elsewhere. Of several that come at once, one stays.
func (f *File) KeepNew() error {
	if err := f.Sync(); err != nil {
		return f.cannot(err)
	}
	err := os.Link(f.Name(), f.path)
	if err == nil {
		f.Discard() // its other name
		return nil
	}
	if _, there := os.Lstat(f.path); there == nil || errors.Is(err, fs.ErrExist) {
		return fs.ErrExist
	}
	return Keep(f) // this file system has no links
}

// removeOld removes what a file replaces.
func (f *File) removeOld() error {
	for _, path := range f.old {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		_ = syscall.Rmdir(filepath.Dir(path)) // as soon as it is empty
	}
	return nil
}

// await returns a folder as soon as no other process puts files into it, so that theirs and ours are not mixed. It returns nil where
// that takes longer than any puts: the user may hold the folder.
func await(path string) *os.File {
	for range 100 {
		folder, err := flock.Folder(path)
		if !errors.Is(err, flock.ErrHeld) {
			return folder
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil
}

// Write writes to the file.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	if err != nil {
		err = f.cannot(err)
	}
	return n, err
}

// cannot returns why a file is not written, without the name that it has meanwhile.
func (f *File) cannot(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return &fs.PathError{Op: "write", Path: f.path, Err: err}
}

// Discard removes a file that was not kept.
func (f *File) Discard() {
	if !f.done {
		f.done = true
		flock.Remove(f.File)
	}
}

// Sweep removes what killed processes left of files that were to have a place.
func Sweep(path string) {
	folder := filepath.Dir(path)
	entries, _ := os.ReadDir(folder) // as far as it goes
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), begin(path)) || !strings.HasSuffix(e.Name(), ending) {
			continue
		}
		left, err := os.Open(filepath.Join(folder, e.Name()))
		if err != nil {
			continue
		}
		if flock.Hold(left) == nil {
			flock.Remove(left)
		} else {
			_ = left.Close()
		}
	}
}

// begin returns how the names of files begin that are to have a place, and ending is how they end.
func begin(path string) string { return "." + filepath.Base(path) + "-" }

const ending = ".part"
