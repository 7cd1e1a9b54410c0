//go:build !linux

package process

// boundMemory does not know here how much memory processes hold.
func (c *Child) boundMemory() {}
