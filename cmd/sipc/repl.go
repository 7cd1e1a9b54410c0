package main

import (
	"bufio"
	"context"
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
		Long: "Read expressions and statements line by line from standard input, and say of each expression what sipc eval says. The spec " +
			"gives the names; without one there is a real target and no columns are known. Nothing is written to the spec.\n\n" + replHelp,
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := overrides(cmd, sets)
			if err != nil {
				return err
			}
			spec := sipc.ParseSpec("spec", []byte(plainSpec))
			if len(args) > 0 {
				if args[0] == "-" {
					return &callError{cmd, fmt.Errorf("standard input holds the expressions; name a spec in a file")}
				}
				if spec, err = specOrInput(cmd, args[0]); err != nil {
					return err
				}
			}
			r := &repl{cmd: cmd, spec: spec, options: sipc.SpecOptions{Set: set, Notice: noticeOf(cmd)}, prompt: isTerminal(cmd.InOrStdin())}
			return r.run()
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "override a let: `NAME=VALUE`; may be repeated")
	return cmd
}

func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A repl is a spec with statements that were added to it.
type repl struct {
	cmd     *cobra.Command
	spec    *sipc.Spec
	options sipc.SpecOptions
	prompt  bool
	added   []string
}

// run answers line after line until the input ends.
func (r *repl) run() error {
	if r.prompt {
		fmt.Fprint(r.cmd.OutOrStdout(), replHelp)
	}
	lines := linesOf(r.cmd.Context(), r.cmd.InOrStdin())
	for {
		text, more := r.read(lines)
		if err := r.cmd.Context().Err(); err != nil {
			return err
		}
		switch text = strings.TrimSpace(text); text {
		case "":
		case ":quit", ":q":
			return nil
		case ":help", ":h", ":?":
			fmt.Fprint(r.cmd.OutOrStdout(), replHelp)
		case ":spec":
			fmt.Fprintln(r.cmd.OutOrStdout(), strings.Join(r.added, "\n"))
		default:
			if err := r.answer(text); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// linesOf are the lines of an input, read apart so that an interrupt need not wait for the next one.
func linesOf(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// read is the next line, with those that it goes on in; false at the end of the input.
func (r *repl) read(lines <-chan string) (text string, more bool) {
	prompt := "> "
	for {
		if r.prompt {
			fmt.Fprint(r.cmd.OutOrStdout(), prompt)
		}
		select {
		case line, more := <-lines:
			if text += line + "\n"; !more || line == "" || !unfinished(text) {
				return text, more
			}
		case <-r.cmd.Context().Done():
			return "", false
		}
		prompt = "… "
	}
}

// unfinished reports whether a text ends inside brackets.
func unfinished(text string) bool {
	depth := 0
	for _, t := range dsl.Tokens("", []byte(text)) {
		switch t.Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
	}
	return depth > 0
}

// answer adds a statement, or judges an expression.
func (r *repl) answer(text string) error {
	if strings.HasPrefix(text, ":") {
		fmt.Fprintf(r.cmd.ErrOrStderr(), "there is no command %s; :help lists them\n", text)
		return nil
	}
	if isStatement(text) {
		r.add(text)
		return nil
	}
	spec := r.with(r.added)
	e, err := spec.Judge(r.cmd.Context(), text, r.options)
	if err != nil {
		return err
	}
	return showExpression(r.cmd, spec, e)
}

// isStatement reports whether a text begins as a statement does.
func isStatement(text string) bool {
	tokens := dsl.Tokens("", []byte(text))
	return len(tokens) > 1 && tokens[0].Kind == dsl.WordToken && slices.Contains(dsl.Keywords().Statements, tokens[0].Word) &&
		(tokens[1].Kind == dsl.WordToken || tokens[1].Kind == dsl.NumberToken || tokens[1].Text == "{")
}

// with is the spec with statements behind it.
func (r *repl) with(added []string) *sipc.Spec {
	source := string(r.spec.Source) + "\n" + strings.Join(added, "\n") + "\n"
	return sipc.ParseSpec(r.spec.Path, []byte(source))
}

// add adds a statement, in the place of the one that it takes the name of, unless it has a fault.
func (r *repl) add(text string) {
	added := slices.DeleteFunc(slices.Clone(r.added), func(old string) bool { return declares(old) != "" && declares(old) == declares(text) })
	source := r.with(added).Source
	spec := sipc.NewSpec(r.cmd.Context(), r.spec.Path, append(slices.Clone(source), text+"\n"...), r.options)
	defer spec.Close() //nolint:errcheck // a plugin that does not end well has said what it adds
	var faults diag.List
	for _, d := range spec.Diagnostics {
		if d.Severity == diag.Error && d.Subject.Start.Offset >= len(source) {
			faults.Add(d)
		}
	}
	if faults.HasErrors() {
		renderDiagnostics(r.cmd.ErrOrStderr(), spec.Path, spec.Source, faults)
		return
	}
	added = append(added, text)
	r.added = added
}

// declares is the word and the name of a declaration; empty where a statement declares none.
func declares(text string) string {
	file, _ := dsl.Parse("", []byte(text))
	if len(file.Decls) != 1 {
		return ""
	}
	switch decl := file.Decls[0].(type) {
	case *dsl.Let:
		return "let " + decl.Name.Name
	case *dsl.Def:
		return "def " + decl.Name.Name
	case *dsl.Invariance:
		return "invariance " + decl.Name.Name
	}
	return ""
}
