package process

import (
	"errors"
	"runtime"
	"syscall"
	"time"
)

// live starts the process and stays until it is gone.
func (c *Child) live(started chan<- error) {
	runtime.LockOSThread() // never unlocked: the thread ends with this function
	cmd := c.command()
	err := cmd.Start()
	for began := time.Now(); errors.Is(err, syscall.ETXTBSY) && time.Since(began) < busyPatience; {
		// Who has the copy open since it was written lets go soon: a child that this process forked meanwhile (see awaitForks), or
		// a virus scanner.
		time.Sleep(5 * time.Millisecond)
		cmd = c.command()
		err = cmd.Start()
	}
	if err != nil {
		c.went()
		started <- err
		return
	}
	c.mu.Lock()
	c.process = cmd.Process
	err = limit(cmd.Process.Pid, c.options)
	if c.ending || err != nil {
		killGroup(c.process)
	}
	c.mu.Unlock()
	started <- err
	release := guard(cmd.Process.Pid)
	c.reap(cmd)
	release()
	c.went()
}

// busyPatience is how long the start of a program waits for others to close it.
const busyPatience = 2 * time.Second
