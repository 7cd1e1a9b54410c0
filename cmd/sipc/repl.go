package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/cli"
)

// plainSpec is what expressions are judged beside where no spec is given.
const plainSpec = "data { target y : real }\nkernel gaussian(width = median)\nfeatures nystrom(landmarks = all)\n"

const replHelp = `Type an expression to see its kind, its sign and the rules that prove it:   rms over x of |f(x)|
Type a statement to add it, or to replace the one of its name:              let w = 2     def gap(a, b) = |f(a) - f(b)|
A line that ends inside brackets goes on; an empty one ends it all the same.
:spec shows the statements that were added, :help this, :quit ends, as does the end of the input.
`

func newREPL() *cobra.Command {
	var sets []string
	cmd := &cobra.Command{
		Use:   "repl [SPEC]",
		Short: "Try expressions one after the other, read from standard input",
		Long: "Read expressions and statements line by line from standard input, and say of each expression what sipc eval says. The spec\n" +
			"gives the names; without one there is a real target and no columns are known. Nothing is written to the spec.\n\n" + replHelp,
		Args: cli.Takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := specOptions(cmd, sets)
			if err != nil {
				return err
			}
			r := &repl{cmd: cmd, path: "spec", source: []byte(plainSpec), options: o, in: bufio.NewReader(cmd.InOrStdin())}
			if len(args) > 0 {
				r.path = args[0]
				if r.source, err = sipc.ReadSpec(r.path); err != nil {
					return cli.WrongCall(nil, err)
				}
			}
			r.source = append(r.source, '\n')
			r.own = len(r.source)
			return r.run()
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "override a let: `NAME=VALUE`; may be repeated")
	return cmd
}

// A repl is a spec with statements added behind it.
type repl struct {
	cmd     *cobra.Command
	path    string // of the spec
	source  []byte // the spec and what was added
	own     int    // the length of the spec in the source
	options sipc.SpecOptions
	in      *bufio.Reader
}

// inputName is the name under which diagnostics speak of the statements that were added.
const inputName = "input"

// run answers line after line until the input ends.
func (r *repl) run() error {
	for more := true; more; {
		text, err := r.read()
		if more = err == nil; !more && !errors.Is(err, io.EOF) {
			return err
		}
		switch {
		case text == "":
		case text == ":quit":
			return nil
		case text == ":spec":
			added, _ := dsl.Parse(inputName, r.source[r.own:])
			fmt.Fprintf(r.cmd.OutOrStdout(), "%s", dsl.Format(added))
		case text[0] == ':':
			fmt.Fprint(r.cmd.OutOrStdout(), replHelp)
		default:
			if err := r.answer(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// read returns the next line with its continuations; the error at the end of the input is io.EOF.
func (r *repl) read() (text string, err error) {
	in, isFile := r.cmd.InOrStdin().(*os.File)
	for prompt := "> "; ; prompt = "… " {
		if isFile && term.IsTerminal(int(in.Fd())) {
			fmt.Fprint(r.cmd.OutOrStdout(), prompt)
		}
		line, err := r.line()
		if text += line; err != nil || strings.TrimSpace(line) == "" || !unfinished(text) {
			return strings.TrimSpace(text), err
		}
	}
}

// line returns the next line, and does not wait for it after an interrupt.
func (r *repl) line() (string, error) {
	var line string
	var err error
	done := make(chan struct{})
	go func() {
		line, err = r.in.ReadString('\n')
		close(done)
	}()
	select {
	case <-done:
		return line, err
	case <-r.cmd.Context().Done():
		return "", r.cmd.Context().Err()
	}
}

// unfinished reports whether a text ends inside brackets.
func unfinished(text string) bool {
	turn := map[string]int{"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
	depth := 0
	for _, t := range dsl.Tokens("", []byte(text)) {
		depth += turn[t.Text]
	}
	return depth > 0
}

// answer adds a statement, or judges an expression.
func (r *repl) answer(text string) error {
	file, _ := dsl.Parse("", []byte(text))
	if len(file.Decls) > 0 || len(file.Broken) > 0 && file.Broken[0].Exact {
		r.add(text)
		return nil
	}
	spec := sipc.ParseSpec(r.path, r.source)
	e, err := spec.Judge(r.cmd.Context(), text, r.options)
	if err != nil {
		return err
	}
	r.show(spec, r.source, text, e.Diagnostics)
	return showProof(r.cmd, r.path, e)
}

// add puts a statement behind the spec, in place of the one that it takes the name of, unless it has a fault. What it replaces is
// blanked, so that the rest keeps its place.
func (r *repl) add(text string) {
	next := bytes.Clone(r.source)
	file, _ := dsl.Parse(r.path, r.source)
	for _, old := range file.Decls {
		replaced := next[old.Span().Start.Offset:old.Span().End.Offset]
		if declares(string(replaced)) == declares(text) {
			for i, c := range replaced {
				if c != '\n' {
					replaced[i] = ' '
				}
			}
		}
	}
	begin := len(next)
	next = append(next, text+"\n"...)
	spec := sipc.NewSpec(r.cmd.Context(), r.path, next, r.options)
	defer spec.Close() //nolint:errcheck // a plugin that does not end well has said what it adds
	faults := slices.DeleteFunc(spec.Diagnostics, func(d *diag.Diagnostic) bool {
		before := d.Subject.Start.Offset < begin
		if d.Subject.File != r.path {
			before = !strings.HasPrefix(text, "include")
		}
		return d.Severity != diag.Error || before
	})
	if len(faults) == 0 {
		r.source = next
	}
	r.show(spec, next, "", faults)
}

// declares returns the word of a statement, and the name that it gives where there may be several with the word.
func declares(statement string) string {
	t := dsl.Tokens("", []byte(statement))
	if len(t) > 1 && t[0].Word == "include" {
		return t[0].Word + " " + t[1].Text
	}
	if len(t) > 1 && slices.Contains([]string{"use", "let", "def", "invariance", "measure"}, t[0].Word) {
		return t[0].Word + " " + t[1].Word
	}
	return t[0].Word
}

// show shows diagnostics of a source and an expression. What lies behind the spec is shown as of a file of its own.
func (r *repl) show(spec *sipc.Spec, source []byte, expression string, list diag.List) {
	lines := bytes.Count(source[:r.own], []byte("\n"))
	place := func(at *diag.Span) {
		if at.File == r.path && at.Start.Offset >= r.own {
			at.File = inputName
			at.Start.Offset, at.End.Offset = at.Start.Offset-r.own, at.End.Offset-r.own
			at.Start.Line, at.End.Line = at.Start.Line-lines, at.End.Line-lines
		}
	}
	for _, d := range list {
		place(&d.Subject)
		for i := range d.Related {
			place(&d.Related[i].Span)
		}
	}
	sources := spec.Sources()
	sources[r.path], sources[inputName], sources[sipc.ExpressionName] = source, source[r.own:], []byte(expression)
	cli.RenderSources(r.cmd.ErrOrStderr(), sources, list)
}
