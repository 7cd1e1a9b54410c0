//go:build !unix

package proof_test

import "time"

var began = time.Now()

// spent is the time that has passed: how much of it was for this process is not known here.
func spent() time.Duration { return time.Since(began) }
