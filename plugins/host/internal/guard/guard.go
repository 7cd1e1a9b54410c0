// Package guard cleans up after a process that runs families and was killed before it could.
//
// A guard is a second process of the same executable, which this package's initialization turns into a guard before anything
// else of the program runs. It holds one end of a pipe and waits for its end: then the process at the other end is gone,
// however it went. If the families' private directory is still in use, the guard kills what is left of the family and removes
// the directory. It stands beside the family, not above it: no signal, exit status or process number passes through it, and a
// family whose guard cannot be started runs as well without.
//
// What belongs to a family is told by a mark, a hard limit that no other process has. Whoever leaves the family's process
// group, starts a session of its own and clears its environment keeps its limits, and its children inherit them.
package guard

import "hash/fnv"

// Mark is the mark of the processes of the family whose private directory is dir: a limit of real-time processor use, in
// microseconds. It is about 10⁴ years at least and limits nothing.
func Mark(dir string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(dir)) // never fails
	return 1<<59 | h.Sum64()>>5
}
