package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Locks between processes are advisory ones on open files (flock), on every platform that this package is for: the kernel lets
// go of them when their owner ends, however it ends, so that none is ever stale.

// errHeld says that another process, or another part of this one, holds a file.
var errHeld = syscall.EWOULDBLOCK

// flock locks an open file for as long as it stays open; it fails with errHeld where another holds it.
func flock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// hold locks a directory for as long as this process lives; it fails where another process holds it.
func hold(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := flock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// holdFile opens a file, with os.O_CREATE if need be, and locks it. Who holds it may remove it: it fails with errHeld where that
// happens meanwhile.
func holdFile(path string, flag int) (*os.File, error) {
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
		return nil, errors.Join(errHeld, f.Close())
	}
	return f, nil
}

// awaitFile holds a file as soon as no one else does, and fails with errHeld if that takes longer than patience.
func awaitFile(ctx context.Context, path string, patience time.Duration) (release func(), err error) {
	late := time.NewTimer(patience)
	defer late.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		f, err := holdFile(path, os.O_CREATE)
		if err == nil {
			return func() {
				_ = os.Remove(path) // while it is held: see holdFile
				_ = f.Close()
			}, nil
		}
		if !errors.Is(err, errHeld) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late.C:
			return nil, fmt.Errorf("%s: %w", path, errHeld)
		case <-time.After(pause):
		}
	}
}
