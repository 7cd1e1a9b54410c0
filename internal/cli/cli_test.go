package cli

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
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

// Where the reader of standard output has gone, the program ends without a word, whatever it would go on with, and what a command does at its end is done.
func TestReaderHasGone(t *testing.T) {
	ended := false
	root := &cobra.Command{Use: "program", SilenceErrors: true, SilenceUsage: true, RunE: func(cmd *cobra.Command, _ []string) error {
		defer func() { ended = true }()
		fmt.Fprintln(cmd.OutOrStdout(), "a result")
		<-cmd.Context().Done() // as who goes on without an end
		return cmd.Context().Err()
	}}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var stderr strings.Builder
	if status := run(t.Context(), root, nil, &printed{w: w}, &stderr); status != 141 || stderr.Len() > 0 || !ended {
		t.Errorf("status %d, it says %q, and ended: %t", status, stderr.String(), ended)
	}
}
