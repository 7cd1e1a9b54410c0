//go:build !linux

package host

// Busy tells whether a thread of the process is on a processor, or in line for one, right now; known is false where the platform
// does not tell.
func (p *Process) Busy() (busy, known bool) { return false, false }
