package cli

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A program that does not hear its signal ends all the same, with the signal's status.
func TestSignalEndsDeafPrograms(t *testing.T) {
	for signal, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		after, got := make(chan time.Time, 1), 0
		after <- time.Time{}
		var stderr strings.Builder
		(&stopped{signal}).insist(after, &stderr, func(status int) { got = status })
		if got != want || !strings.HasPrefix(stderr.String(), "interrupted") {
			t.Errorf("%v ends with status %d, want %d, and says %q", signal, got, want, stderr.String())
		}
	}
}
