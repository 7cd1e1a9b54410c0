package bench

import "runtime/debug"

// restMemory gives back what is not in use and begins a new peak, where the system can; it reports whether it did.
func restMemory() bool {
	debug.FreeOSMemory()
	return resetPeak()
}
