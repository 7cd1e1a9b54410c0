package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/spf13/cobra"
)

// What comes from outside cannot steer the terminal, in results or in errors. JSON and data stay as they are.
func TestCommandsWriteNoControlCharacters(t *testing.T) {
	const name = "a\x1b[31m\x07\r\u009b\u202eb\x9b"
	root := &cobra.Command{Use: "program", SilenceErrors: true, SilenceUsage: true, RunE: func(cmd *cobra.Command, _ []string) error {
		fmt.Fprintf(cmd.OutOrStdout(), "name\t%s\n", name)
		fmt.Fprintln(Raw(cmd.OutOrStdout()), name)
		if err := WriteJSON(cmd.OutOrStdout(), "\u202e\u007f"); err != nil {
			return err
		}
		for _, b := range []byte("ä→") { // in pieces
			if _, err := cmd.OutOrStdout().Write([]byte{b}); err != nil {
				return err
			}
		}
		return errors.New("404 " + name)
	}}
	var stdout, stderr bytes.Buffer
	if status := run(context.Background(), root, nil, &printed{w: &stdout}, &stderr); status != ExitFailed {
		t.Errorf("status %d", status)
	}
	const clean = "a\uFFFD[31m\uFFFD\uFFFD\uFFFD\uFFFDb\uFFFD"
	if want := "name\t" + clean + "\n" + name + "\n\"\u202e\u007f\"\nä→"; stdout.String() != want {
		t.Errorf("%q, want %q", stdout.String(), want)
	}
	if want := "error: 404 " + clean + "\n"; stderr.String() != want {
		t.Errorf("%q, want %q", stderr.String(), want)
	}
}
