//go:build !linux

package bench

// resetPeak does nothing here.
func resetPeak() bool { return false }

// PeakMemory returns the high-water mark of the process's memory in bytes, 0 where it is not known, as here.
func PeakMemory() int64 { return 0 }
