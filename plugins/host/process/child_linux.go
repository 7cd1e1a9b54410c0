package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ownGroup starts the process in a new group, and lets it die with this one.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// limit bounds what the process, and what it starts, may use each. It is called right after the start: what the process did before is
// the loading of the program.
func limit(pid int, o Options) error {
	seconds := uint64(max(1, o.Processor/time.Second))
	for _, l := range []struct {
		resource int
		most     uint64
	}{
		{unix.RLIMIT_DATA, uint64(o.Memory)}, // what it asks for and may write to; address space that is only reserved does not count
		{unix.RLIMIT_CPU, seconds},
		{unix.RLIMIT_CORE, 0},
	} {
		var now unix.Rlimit
		if err := unix.Prlimit(pid, l.resource, nil, &now); err != nil {
			return ignoreGone(err)
		}
		most := min(l.most, now.Max)
		if err := unix.Prlimit(pid, l.resource, &unix.Rlimit{Cur: most, Max: most}, nil); err != nil {
			return ignoreGone(err)
		}
	}
	return nil
}

// ignoreGone leaves errors out that say that the process has ended already: its end tells more.
func ignoreGone(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return fmt.Errorf("what it may use cannot be limited: %w", err)
}

// reap waits for the end of the process and takes its children along, while its number is still its own.
func (c *Child) reap(cmd *exec.Cmd) {
	for {
		var info unix.Siginfo
		if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	killGroup(cmd.Process)
	_ = cmd.Wait()
	c.ended = cmd.ProcessState
}

// tick is the unit of times in /proc.
const tick = 10 * time.Millisecond

// Usage returns how long the process group has used processors, and whether it is running right now.
func (c *Child) Usage() (used time.Duration, running, known bool) {
	group := c.PID()
	if group == 0 {
		return 0, true, true
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return 0, false, false
	}
	for _, path := range stats {
		fields := statFields(path)
		if len(fields) < 15 || string(fields[2]) != strconv.Itoa(group) {
			continue
		}
		running = running || anyRuns(filepath.Dir(path))
		for _, f := range fields[11:15] { // in user and system mode, its own and that of children it waited for
			n, _ := strconv.ParseInt(string(f), 10, 64)
			used += time.Duration(n) * tick
		}
	}
	return used, running, true
}

// anyRuns tells whether a thread of a process is on a processor, in line for one, or at a disk. On a machine that is busy with
// other things a thread in line may use none for a while.
func anyRuns(process string) bool {
	threads, _ := filepath.Glob(filepath.Join(process, "task", "[0-9]*", "stat"))
	for _, path := range threads {
		if fields := statFields(path); len(fields) > 0 && (fields[0][0] == 'R' || fields[0][0] == 'D') {
			return true
		}
	}
	return false
}

// statFields returns the fields of /proc/PID/stat from the state on. The name before it may contain anything,
// parentheses too.
func statFields(path string) [][]byte {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
}

// Busy reports whether a thread of the process is on a processor, or in line for one, right now. Where the platform does not
// say so, known is false.
func (c *Child) Busy() (busy, known bool) {
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*/stat", c.PID()))
	if err != nil || len(paths) == 0 {
		return false, false
	}
	for _, path := range paths {
		if fields := statFields(path); len(fields) > 0 && fields[0][0] == 'R' {
			return true, true
		}
	}
	return false, true
}
