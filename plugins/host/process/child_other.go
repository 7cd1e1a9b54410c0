//go:build !linux

package process

import (
	"os/exec"
	"time"
)

// limit has no limits to set here.
func limit(int, Options) error { return nil }

// reap waits for the end of the process and takes its children along.
func (c *Child) reap(cmd *exec.Cmd) {
	_ = cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = cmd.ProcessState
	killGroup(cmd.Process)
}

// Usage returns that nothing is known here.
func (c *Child) Usage() (used time.Duration, running, known bool) { return 0, false, false }

// Busy returns that nothing is known here.
func (c *Child) Busy() (busy, known bool) { return false, false }
