package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/internal/whole"
)

// A formatter is what `sipc fmt` does with specs.
type formatter struct {
	write, diff, check bool
	unformatted        bool // a spec would change
	faulty             bool // a spec does not parse
}

func newFormat() *cobra.Command {
	f := &formatter{}
	cmd := &cobra.Command{
		Use:   "fmt [SPEC | FOLDER | -]...",
		Short: "Print specs in the canonical layout",
		Long: "Print specs in the canonical layout, comments kept. Of a folder, all files *.inv in it and below it are meant, but for\n" +
			"hidden folders. Without an argument, or for -, standard input is read. A spec that does not parse is left as it is.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.write && (f.diff || f.check) {
				return cli.WrongCall(cmd, errors.New("-w goes with neither -d nor --check"))
			}
			if len(args) == 0 {
				args = []string{stdinArgument}
			}
			paths, err := specsAt(args)
			if err != nil {
				return cli.WrongCall(nil, err)
			}
			return f.all(cmd, paths)
		},
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "write the result to the file, which is replaced whole")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "print what would change, as a unified diff")
	cmd.Flags().BoolVar(&f.check, "check", false, "print the names of specs that would change, and exit with status 1 if there are any; with -d, the diff")
	return cmd
}

// specsAt returns the specs that the arguments mean, in lexical order within a folder.
func specsAt(args []string) (paths []string, err error) {
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			paths = append(paths, arg) // reading says what is wrong with it
			continue
		}
		before := len(paths)
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != arg && strings.HasPrefix(d.Name(), "."):
				return filepath.SkipDir
			case d.Type().IsRegular() && filepath.Ext(path) == ".inv":
				paths = append(paths, path)
			}
			return nil
		})
		if err == nil && len(paths) == before {
			err = fmt.Errorf("%s: the folder holds no spec; their names end in .inv", arg)
		}
		if err != nil {
			return nil, err
		}
	}
	return paths, nil
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
	spec := sipc.ParseSpec(path, source)
	if spec.Diagnostics.HasErrors() {
		f.faulty = true
		cli.RenderSources(cmd.ErrOrStderr(), spec.Sources(), spec.Diagnostics)
		return nil
	}
	formatted := dsl.Format(spec.File)
	same := bytes.Equal(source, formatted)
	f.unformatted = f.unformatted || !same
	switch {
	case same && (f.check || f.write || f.diff):
		return nil
	case f.diff:
		return difflib.WriteUnifiedDiff(cli.Data(cmd.OutOrStdout()), difflib.UnifiedDiff{
			A: lines(source), B: lines(formatted), FromFile: path + ".orig", ToFile: path, Context: 3,
		})
	case f.check:
		fmt.Fprintln(cmd.OutOrStdout(), path)
		return nil
	case f.write:
		return replace(path, formatted)
	}
	_, err := cli.Data(cmd.OutOrStdout()).Write(formatted)
	return err
}

// lines returns the lines of a text with their ends; a last line without one says so.
func lines(text []byte) []string {
	out := strings.SplitAfter(string(text), "\n")
	if last := len(out) - 1; out[last] == "" {
		return out[:last]
	}
	out[len(out)-1] += "\n\\ No newline at end of file\n"
	return out
}

// replace puts a file in the place of another, or of the one to which a link leads, and keeps its permissions.
func replace(path string, content []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return whole.Write(target, content, 0o644)
}
