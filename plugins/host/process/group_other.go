//go:build !linux && !windows

package process

import "syscall"

// ownGroup gives the process a group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
