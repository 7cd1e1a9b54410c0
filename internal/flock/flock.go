// Package flock holds files and folders against other processes. Its locks are on open files: advisory ones (flock) on Unix, and on Windows
// those of a byte that no file has. The kernel lets go of them when their owner ends, however it ends, so that no lock is ever stale.
package flock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// File opens a file, with os.O_CREATE if need be, and holds it.
func File(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|flag, 0o666)
	if err != nil {
		return nil, err
	}
	if err := Hold(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Hold locks an open file or folder for as long as it stays open. Who holds it may remove it: where that happened meanwhile,
// it fails with ErrHeld.
func Hold(f *os.File) error {
	if err := flock(f); err != nil {
		return err
	}
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(f.Name()); err != nil || !os.SameFile(mine, there) {
		return ErrHeld
	}
	return nil
}

// Await holds a file as soon as no one else does, and fails with ErrHeld if that takes longer than patience.
func Await(ctx context.Context, path string, patience time.Duration) (release func(), err error) {
	late := time.NewTimer(patience)
	defer late.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		f, err := File(path, os.O_CREATE)
		if err == nil {
			return func() { Remove(f) }, nil
		}
		if !errors.Is(err, ErrHeld) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late.C:
			return nil, fmt.Errorf("%s: %w", path, ErrHeld)
		case <-time.After(pause):
		}
	}
}
