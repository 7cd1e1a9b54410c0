//go:build !windows

package process

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

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

// killGroup kills the group of a process that leads one.
func killGroup(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
}
