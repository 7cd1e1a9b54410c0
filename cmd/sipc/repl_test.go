package main

import (
	"context"
	"errors"
	"io"
	"testing"
)

// An interrupt ends the prompt, also where it waits for a line that never comes.
func TestREPLEndsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	t.Cleanup(func() { out.Close() })
	cmd := newREPL()
	cmd.SetArgs([]string{})
	cmd.SetIn(in)
	cmd.SetErr(io.Discard)
	cmd.SilenceUsage = true
	done := make(chan error)
	go func() { done <- cmd.ExecuteContext(ctx) }()
	if _, err := io.WriteString(out, ":x\n"); err != nil { // it waits for the next line
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
