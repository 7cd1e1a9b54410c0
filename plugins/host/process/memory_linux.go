package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// How often the memory of the process group is measured: less often if the machine has so many processes that
// measuring takes long.
const (
	memoryInterval = 250 * time.Millisecond
	memoryLongest  = 2 * time.Second
	memoryShare    = 50
)

// boundMemory ends the process when it and its children hold more memory together than they may. Each by itself is bounded by the
// kernel: see limit.
func (c *Child) boundMemory() {
	interval := memoryInterval
	for {
		select {
		case <-c.gone.Done():
			return
		case <-time.After(interval):
		}
		start := time.Now()
		if held, processes := groupMemory(c.PID(), c.options.Memory); held > c.options.Memory {
			c.mu.Lock()
			c.holding, c.holders = held, processes
			c.mu.Unlock()
			c.kill()
			return
		}
		interval = min(max(memoryInterval, memoryShare*time.Since(start)), memoryLongest)
	}
}

// groupMemory returns how much memory the processes of a group hold, and how many they are. If they seem to hold more
// than most, it counts shared memory once.
func groupMemory(group int, most int64) (held int64, processes int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var members []string
	for _, path := range stats {
		fields := statFields(path)
		if len(fields) < 22 || string(fields[2]) != strconv.Itoa(group) {
			continue
		}
		pages, _ := strconv.ParseInt(string(fields[21]), 10, 64)
		held += pages * int64(os.Getpagesize())
		members = append(members, filepath.Dir(path))
	}
	if held <= most {
		return held, len(members)
	}
	held = 0
	for _, process := range members {
		held += proportionalMemory(process)
	}
	return held, len(members)
}

// proportionalMemory returns how much memory a process holds, with its share of what it shares with others.
func proportionalMemory(process string) int64 {
	raw, err := os.ReadFile(filepath.Join(process, "smaps_rollup"))
	if err != nil {
		return 0
	}
	_, row, _ := bytes.Cut(raw, []byte("\nPss:"))
	fields := bytes.Fields(row)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.ParseInt(string(fields[0]), 10, 64)
	return kib << 10
}
