package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
)

// A printed writer is standard output. It notes its first error, at which most of what prints does not look.
type printed struct {
	w       io.Writer
	nowhere bool // it was closed when the program began
	end     context.CancelCauseFunc
	err     error
}

var errNowhere = errors.New("standard output is closed, and nothing takes the results; redirect it to a file, or name a place for them with --out")

// Write writes text, and notes the first error.
func (p *printed) Write(text []byte) (int, error) {
	n, err := p.w.Write(text)
	if p.err != nil {
		return n, err
	}
	if err != nil {
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			err = at.Err // its name is no one's
		}
		p.err = fmt.Errorf("standard output takes no more: %w; redirect it to where there is room", err)
		err = p.err
		p.end(err) // nothing that the command does is of use any more
	}
	return n, err
}

// NeedsResults fails where nothing would take the results of a command: it names no place for them, and standard output is closed.
func NeedsResults(cmd *cobra.Command, place string) error {
	p, ok := Raw(cmd.OutOrStdout()).(*printed)
	if !ok || !p.nowhere {
		return nil
	}
	if place == "" {
		return errNowhere
	}
	return nil
}

// closed tells whether standard output was closed when the program began, and standard error was not: who closes both wants the exit status alone. In
// the place of what is closed, the Go runtime opens /dev/null for reading and writing. Shells do not, but Python's DEVNULL does, so that this counts
// only where results of long work would be lost.
func closed() bool { return isStopgap(os.Stdout) && !isStopgap(os.Stderr) }
