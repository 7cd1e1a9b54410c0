package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/pmezard/go-difflib/difflib"
	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl"
)

// A formatter is what `sipc fmt` does with a spec.
type formatter struct {
	write, diff, check bool
	out                io.Writer
	unformatted        bool
}

func newFormat() *cobra.Command {
	f := &formatter{}
	cmd := &cobra.Command{
		Use:   "fmt [SPEC...]",
		Short: "Print specs in the canonical layout",
		Long:  "Print specs in the canonical layout, comments kept. Without a spec, standard input is read.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.write && f.diff || f.write && f.check || f.diff && f.check {
				return &callError{cmd, errors.New("of -w, -d and --check only one may be given")}
			}
			f.out = cmd.OutOrStdout()
			if len(args) == 0 {
				if f.write {
					return &callError{cmd, errors.New("-w needs the name of a spec")}
				}
				source, err := io.ReadAll(cmd.InOrStdin())
				if err != nil {
					return err
				}
				args = []string{"<stdin>"}
				if err := f.format(args[0], source); err != nil {
					return err
				}
				return f.status()
			}
			for _, path := range args {
				source, err := sipc.ReadSpec(path)
				if err != nil {
					return &callError{nil, err}
				}
				if err := f.format(path, source); err != nil {
					return err
				}
			}
			return f.status()
		},
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "write the result to the file")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "print what would change")
	cmd.Flags().BoolVar(&f.check, "check", false, "print the names of specs that would change, and exit with status 1 if there are any")
	return cmd
}

func (f *formatter) status() error {
	if f.check && f.unformatted {
		return exitError(exitFailed)
	}
	return nil
}

func (f *formatter) format(path string, source []byte) error {
	spec := sipc.ParseSpec(path, source)
	if err := spec.Err(); err != nil {
		return err
	}
	formatted := dsl.Format(spec.File)
	same := bytes.Equal(source, formatted)
	f.unformatted = f.unformatted || !same
	switch {
	case f.check:
		if !same {
			fmt.Fprintln(f.out, path)
		}
		return nil
	case f.diff:
		return difflib.WriteUnifiedDiff(f.out, difflib.UnifiedDiff{
			A: lines(source), B: lines(formatted), FromFile: path, ToFile: path + " (formatted)", Context: 3,
		})
	case f.write:
		if same {
			return nil
		}
		return renameio.WriteFile(path, formatted, 0o644, renameio.WithExistingPermissions())
	}
	_, err := f.out.Write(formatted)
	return err
}

// lines are the lines of a text with their ends; a last line without one is given it.
func lines(text []byte) []string {
	out := strings.SplitAfter(string(text), "\n")
	if last := len(out) - 1; out[last] == "" {
		return out[:last]
	}
	out[len(out)-1] += "\n"
	return out
}
