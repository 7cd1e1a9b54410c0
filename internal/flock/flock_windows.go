package flock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// ErrHeld says that another process, or another part of this one, holds a file.
var ErrHeld error = windows.ERROR_LOCK_VIOLATION

// beyond is the upper half of the place of the byte that is locked. No file is so long: a lock keeps others from reading what it covers.
const beyond = 0x7fffffff

// flock locks an open file for as long as it stays open; it fails with ErrHeld where another holds it.
func flock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{OffsetHigh: beyond})
}

// folderMark is the file in a folder by which Folder holds it.
const folderMark = ".sipc-held"

// Folder holds a folder, by a file in it that nobody else can open and that goes when it is closed. A folder itself cannot be locked.
func Folder(path string) (*os.File, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: windows.ERROR_DIRECTORY}
	}
	mark := filepath.Join(path, folderMark)
	name, err := windows.UTF16PtrFromString(mark)
	if err != nil {
		return nil, err
	}
	handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_ALWAYS,
		windows.FILE_ATTRIBUTE_HIDDEN|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	switch {
	case errors.Is(err, windows.ERROR_SHARING_VIOLATION), errors.Is(err, windows.ERROR_ACCESS_DENIED):
		return nil, ErrHeld
	case err != nil:
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), mark), nil
}

// RemoveFolder lets go of a folder that is held, and removes it: the file by which it is held is open.
func RemoveFolder(held *os.File, path string) error {
	return errors.Join(held.Close(), os.RemoveAll(path))
}

// Remove lets go of a file that is held, and removes it: an open file cannot be removed. Where another has taken it meanwhile, it stays.
func Remove(f *os.File) {
	_ = f.Close()
	_ = os.Remove(f.Name())
}
