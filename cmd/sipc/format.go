package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/pmezard/go-difflib/difflib"
	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/internal/cli"
)

// What standard input is called as an argument, and in messages.
const (
	stdinArgument = "-"
	stdinName     = "<stdin>"
)

// A formatter is what `sipc fmt` does with specs.
type formatter struct {
	write, diff, check bool
	out, errs          io.Writer
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
			if f.write && f.diff || f.write && f.check {
				return cli.WrongCall(cmd, errors.New("-w goes with neither -d nor --check"))
			}
			if len(args) == 0 {
				args = []string{stdinArgument}
			}
			f.out, f.errs = cmd.OutOrStdout(), cmd.ErrOrStderr()
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

// specsAt returns the specs that the arguments mean, each once.
func specsAt(args []string) ([]string, error) {
	var paths []string
	seen := map[string]bool{}
	add := func(path string) {
		if clean := filepath.Clean(path); !seen[clean] {
			seen[clean] = true
			paths = append(paths, path)
		}
	}
	for _, arg := range args {
		info, err := os.Stat(arg)
		if arg == stdinArgument || err != nil || !info.IsDir() {
			add(arg) // reading says what is wrong with it
			continue
		}
		found, err := specsBelow(arg)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: the folder holds no spec; their names end in .inv", arg)
		}
		for _, path := range found {
			add(path)
		}
	}
	return paths, nil
}

// specsBelow returns the specs in a folder and below it, in lexical order.
func specsBelow(folder string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != folder && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.Type().IsRegular() && filepath.Ext(path) == ".inv":
			paths = append(paths, path)
		}
		return nil
	})
	return paths, err
}

// all formats the specs. One that does not parse does not keep the others from it.
func (f *formatter) all(cmd *cobra.Command, paths []string) error {
	for _, path := range paths {
		if err := cmd.Context().Err(); err != nil {
			return context.Cause(cmd.Context())
		}
		name, source, err := f.read(cmd, path)
		if err != nil {
			return err
		}
		if err := f.format(name, source); err != nil {
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

// read returns a spec with the name by which messages call it.
func (f *formatter) read(cmd *cobra.Command, path string) (name string, source []byte, err error) {
	if path != stdinArgument {
		source, err = sipc.ReadSpec(path)
		if err != nil {
			return "", nil, cli.WrongCall(nil, err)
		}
		return path, source, nil
	}
	if f.write {
		return "", nil, cli.WrongCall(cmd, errors.New("-w needs the name of a spec"))
	}
	source, err = io.ReadAll(cmd.InOrStdin())
	return stdinName, source, err
}

func (f *formatter) format(path string, source []byte) error {
	file, list := dsl.Parse(path, source)
	if list.HasErrors() {
		f.faulty = true
		cli.RenderDiagnostics(f.errs, path, source, list)
		return nil
	}
	formatted := dsl.Format(file)
	same := bytes.Equal(source, formatted)
	f.unformatted = f.unformatted || !same
	switch {
	case f.diff:
		return f.showDiff(path, source, formatted)
	case f.check:
		if !same {
			fmt.Fprintln(f.out, path)
		}
		return nil
	case f.write:
		if same {
			return nil
		}
		return replace(path, formatted)
	}
	_, err := f.out.Write(formatted)
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

// noNewline says in a patch that a file's last line has no end.
const noNewline = "\\ No newline at end of file\n"

func (f *formatter) showDiff(path string, source, formatted []byte) error {
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: lines(source), B: lines(formatted), FromFile: path + ".orig", ToFile: path, Context: 3,
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(f.out, text)
	return err
}

// lines returns the lines of a text with their ends; a last line without one says so.
func lines(text []byte) []string {
	out := strings.SplitAfter(string(text), "\n")
	if last := len(out) - 1; out[last] == "" {
		return out[:last]
	}
	out[len(out)-1] += "\n" + noNewline
	return out
}
