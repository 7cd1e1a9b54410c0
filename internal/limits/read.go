package limits

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Read returns the content of a regular file of at most so many bytes. Reading anything else might
// wait or go on for ever, so that a pipe, a device or a folder is an error. Errors do not name the
// file.
func Read(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("it is %s, and no file; write what it holds to a file, and name that", kindOf(info.Mode()))
	case info.Size() > most:
		return nil, fmt.Errorf("it has %s, and at most %s are read", size(info.Size()), size(most))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	return io.ReadAll(io.LimitReader(file, most))
}

// kindOf names what is no regular file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "something else"
}

// size writes a number of bytes in MiB.
func size(bytes int64) string { return fmt.Sprintf("%d MiB", (bytes+1<<20-1)>>20) }
