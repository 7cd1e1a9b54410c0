//go:build !windows

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// isStopgap tells whether the Go runtime opened a file in the place of one that was closed.
func isStopgap(f *os.File) bool {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return false
	}
	info, err := f.Stat()
	null, nullErr := os.Stat(os.DevNull)
	return err == nil && nullErr == nil && os.SameFile(info, null)
}
