//go:build !windows

package flock

import (
	"errors"
	"os"
	"syscall"
)

// ErrHeld says that another process, or another part of this one, holds a file.
var ErrHeld error = syscall.EWOULDBLOCK

// flock locks an open file for as long as it stays open; it fails with ErrHeld where another holds it.
func flock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// Folder holds a folder.
func Folder(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := Hold(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// RemoveFolder removes a folder that is held, and lets go of it afterwards.
func RemoveFolder(held *os.File, path string) error {
	return errors.Join(os.RemoveAll(path), held.Close())
}

// Remove removes a file that is held, and lets go of it afterwards: who waits for it finds that it is gone.
func Remove(f *os.File) {
	_ = os.Remove(f.Name())
	_ = f.Close()
}
