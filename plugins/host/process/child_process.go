package process

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
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

// guard lets a shell wait for the end of this process, and kill a group then. A process that is killed outright cannot do so itself,
// and what the group's leader started does not die with that. Where there is no shell, the leader alone dies, on Linux.
func guard(group int) (release func()) {
	shell := &exec.Cmd{
		Path: "/bin/sh", Args: []string{"sh", "-c", `read -r end; kill -s KILL -- "-$1"`, "sh", strconv.Itoa(group)},
		Dir: "/", SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	stdin, err := shell.StdinPipe() // nothing comes, until it ends with this process
	if err != nil {
		return func() {}
	}
	if err := shell.Start(); err != nil {
		return func() { _ = stdin.Close() }
	}
	return func() {
		_ = shell.Process.Kill()
		_ = shell.Wait()
	}
}

// busyPatience is how long the start of a program waits for others to close it.
const busyPatience = 2 * time.Second

// killGroup kills the group of a process that leads one.
func killGroup(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
}
