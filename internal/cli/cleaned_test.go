package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/runtime/report"
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

// Progress is written beside the cleaned writer, and steers no terminal either.
func TestProgressWritesNoControlCharacters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stderr")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p := report.NewProgress(file, time.Millisecond)
	defer p.Close()
	Follow(p)("waiting for \x1b[2Jswaps", 0, 0)
	var text []byte
	for len(text) == 0 {
		if text, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if bytes.Contains(text, []byte("\x1b")) || !bytes.Contains(text, []byte("\uFFFD[2Jswaps")) {
		t.Errorf("%q", text)
	}
}
