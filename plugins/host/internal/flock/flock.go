// Package flock holds files and folders against other processes. Its locks are advisory ones on open files (flock), on every
// platform that package host is for. The kernel lets go of them when their owner ends, however it ends, so that no lock is ever stale.
package flock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// ErrHeld says that another process, or another part of this one, holds a file.
var ErrHeld = syscall.EWOULDBLOCK

// flock locks an open file for as long as it stays open; it fails with ErrHeld where another holds it.
func flock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// Folder locks a folder for as long as this process lives; it fails where another process holds it.
func Folder(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := flock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// File opens a file, with os.O_CREATE if need be, and locks it. Who holds it may remove it: it fails with ErrHeld where that
// happens meanwhile.
func File(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|flag, 0o666)
	if err != nil {
		return nil, err
	}
	if err := flock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	mine, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if there, err := os.Stat(path); err != nil || !os.SameFile(mine, there) {
		return nil, errors.Join(ErrHeld, f.Close())
	}
	return f, nil
}

// Await holds a file as soon as no one else does, and fails with ErrHeld if that takes longer than patience.
func Await(ctx context.Context, path string, patience time.Duration) (release func(), err error) {
	late := time.NewTimer(patience)
	defer late.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		f, err := File(path, os.O_CREATE)
		if err == nil {
			return func() {
				_ = os.Remove(path) // while it is held: see File
				_ = f.Close()
			}, nil
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
