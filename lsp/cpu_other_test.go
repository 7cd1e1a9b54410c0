//go:build !unix

package lsp

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
