//go:build !linux

package bench

// resetPeak is not to be had here.
func resetPeak() bool { return false }

// PeakMemory is the high-water mark of the process's memory in bytes, 0 where it is not known, as here.
func PeakMemory() int64 { return 0 }
