package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/internal/cli"
)

// A formatter is what `sipc fmt` does with specs.
type formatter struct {
	write, check bool
	unformatted  bool // a spec would change
	faulty       bool // a spec does not parse
}

func newFormat() *cobra.Command {
	f := &formatter{}
	cmd := &cobra.Command{
		Use:   "fmt [SPEC | -]...",
		Short: "Print specs in the canonical layout",
		Long: "Print specs in the canonical layout, comments kept. Without an argument, or for -, standard input is read. " +
			"A spec that\ndoes not parse is left as it is.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.write && f.check {
				return cli.WrongCall(cmd, errors.New("-w and --check are both given; leave out one"))
			}
			if len(args) == 0 {
				args = []string{stdinArgument}
			}
			return f.all(cmd, args)
		},
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "write the result to the file, which is replaced whole")
	cmd.Flags().BoolVar(&f.check, "check", false, "print the names of specs that would change, and exit with status 1 if there are any")
	return cmd
}

// all formats the specs. One that does not parse does not keep the others from it.
func (f *formatter) all(cmd *cobra.Command, paths []string) error {
	for _, path := range paths {
		if f.write && path == stdinArgument {
			return cli.WrongCall(cmd, errors.New("-w needs the name of a spec"))
		}
		name, source, err := readSpec(cmd, path)
		if err != nil {
			return err
		}
		if err := f.format(cmd, name, source); err != nil {
			return err
		}
	}
	switch {
	case f.faulty:
		return cli.ExitError(cli.ExitWrong)
	case f.check && f.unformatted:
		return cli.ExitError(cli.ExitFailed)
	}
	return nil
}

func (f *formatter) format(cmd *cobra.Command, path string, source []byte) error {
	file, list := dsl.Parse(path, source)
	if list.HasErrors() {
		f.faulty = true
		cli.RenderDiagnostics(cmd.ErrOrStderr(), path, source, list)
		return nil
	}
	formatted := dsl.Format(file)
	same := bytes.Equal(source, formatted)
	f.unformatted = f.unformatted || !same
	switch {
	case same && (f.check || f.write):
		return nil
	case f.check:
		fmt.Fprintln(cmd.OutOrStdout(), path)
		return nil
	case f.write:
		return replace(path, formatted)
	}
	_, err := cmd.OutOrStdout().Write(formatted)
	return err
}

// replace puts a file in the place of another, or of the one to which a link leads, and keeps its permissions.
func replace(path string, content []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return renameio.WriteFile(target, content, 0o644, renameio.WithExistingPermissions())
}
