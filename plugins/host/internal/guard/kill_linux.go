package guard

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// patience is how long killed processes may take to be gone.
const patience = 2 * time.Second

// Kill kills every process of the family whose private directory is dir, wherever it went, and waits until they are gone: those
// that bear its mark, and those whose environment names the directory.
func Kill(dir string) {
	mark, named := []byte(strconv.FormatUint(Mark(dir), 10)), []byte("="+dir+string(filepath.Separator))
	for start := time.Now(); time.Since(start) < patience; time.Sleep(time.Millisecond) {
		found := false
		processes, _ := filepath.Glob("/proc/[0-9]*")
		for _, process := range processes {
			pid, err := strconv.Atoi(filepath.Base(process))
			if err != nil || pid == os.Getpid() || !bears(process, mark) && !names(process, named) || isDead(process) {
				continue
			}
			found = true
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if !found {
			return
		}
	}
}

// bears tells whether a process has the mark.
func bears(process string, mark []byte) bool {
	limits, err := os.ReadFile(filepath.Join(process, "limits"))
	if err != nil {
		return false
	}
	_, row, found := bytes.Cut(limits, []byte("\nMax realtime timeout"))
	if !found {
		return false
	}
	row, _, _ = bytes.Cut(row, []byte{'\n'})
	columns := bytes.Fields(row) // the limit in force, and the hard one
	return len(columns) > 1 && bytes.Equal(columns[1], mark)
}

// names tells whether a process's environment names the directory.
func names(process string, dir []byte) bool {
	env, err := os.ReadFile(filepath.Join(process, "environ"))
	return err == nil && bytes.Contains(env, dir)
}

// isDead tells whether a process has ended, and its parent has not looked yet.
func isDead(process string) bool {
	stat, err := os.ReadFile(filepath.Join(process, "stat"))
	if err != nil {
		return true
	}
	state := bytes.TrimLeft(stat[bytes.LastIndexByte(stat, ')')+1:], " ")
	return len(state) > 0 && (state[0] == 'Z' || state[0] == 'X')
}
