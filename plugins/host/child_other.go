//go:build !linux

package host

import (
	"os/exec"
	"syscall"
	"time"
)

// ownGroup gives the process a group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// limit has no limits to set here.
func limit(int, Options) error { return nil }

// reap waits for the end of the process and takes its children along.
func (c *child) reap(cmd *exec.Cmd) {
	_ = cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = cmd.ProcessState
	killGroup(cmd.Process)
}

// usage is not known here.
func (c *child) usage() (used time.Duration, running, known bool) { return 0, false, false }
