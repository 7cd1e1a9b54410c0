//go:build !linux

package host

// boundMemory does not know here how much memory processes hold.
func (c *child) boundMemory() {}
