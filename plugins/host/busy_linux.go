package host

import (
	"fmt"
	"path/filepath"
)

// Busy tells whether a thread of the process is on a processor, or in line for one, right now; known is false where the platform
// does not tell.
func (p *Process) Busy() (busy, known bool) {
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*/stat", p.PID()))
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
