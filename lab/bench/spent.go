package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Spent returns the time that processors have spent on this process.
func Spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A Took is what a process took.
type Took struct {
	Seconds float64 `json:"seconds"` // of processors
	Wall    float64 `json:"wall"`
	Peak    int64   `json:"peak"` // of its memory in bytes, on Linux
}

// Told runs a command and reads the JSON object that it prints. It returns what the process took.
func Told(ctx context.Context, v any, command []string, args ...string) (Took, error) {
	c := exec.CommandContext(ctx, command[0], slices.Concat(command[1:], args)...) //nolint:gosec // the caller's command
	var stderr bytes.Buffer
	c.Stderr = &stderr
	began := time.Now()
	text, err := c.Output()
	took := Took{Wall: time.Since(began).Seconds()}
	if err != nil {
		return took, fmt.Errorf("%s %s: %w\n%s", strings.Join(command, " "), args[0], err, stderr.Bytes())
	}
	took.Seconds = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		took.Peak = u.Maxrss << 10
	}
	return took, json.Unmarshal(text, v)
}
