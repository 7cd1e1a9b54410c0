package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
		Long: "Read expressions and statements line by line from standard input, and say of each expression what sipc eval says. The spec " +
			"gives the names; without one there is a real target and no columns are known. Nothing is written to the spec.\n\n" + replHelp,
		Args: cli.Takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := overrides(cmd, sets)
			if err != nil {
				return err
			}
			spec := sipc.ParseSpec("spec", []byte(plainSpec))
			if len(args) > 0 {
				if args[0] == "-" {
					return cli.WrongCall(cmd, fmt.Errorf("standard input holds the expressions; name a spec in a file"))
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
	added   []typed
	input   []byte // all that was typed, which faults are shown in
}

// A typed text is a statement or an expression as it was typed.
type typed struct {
	text  string
	start diag.Pos // in the input
}

// inputName is the name under which diagnostics speak of what was typed.
const inputName = "input"

// run answers line after line until the input ends.
func (r *repl) run() error {
	if r.prompt {
		fmt.Fprint(r.cmd.OutOrStdout(), replHelp)
	}
	lines := linesOf(r.cmd.Context(), r.cmd.InOrStdin())
	for {
		start := diag.Pos{Offset: len(r.input), Line: 1 + bytes.Count(r.input, []byte("\n")), Column: 1}
		text, more := r.read(lines)
		r.input = append(r.input, text...)
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
			for _, t := range r.added {
				fmt.Fprintln(r.cmd.OutOrStdout(), t.text)
			}
		default:
			if err := r.answer(typed{text, r.behindBlanks(start)}); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// behindBlanks returns the index of the first character that is not blank.
func (r *repl) behindBlanks(at diag.Pos) diag.Pos {
	rest := r.input[at.Offset:]
	blank := rest[:len(rest)-len(bytes.TrimLeftFunc(rest, unicode.IsSpace))]
	at.Offset += len(blank)
	if i := bytes.LastIndexByte(blank, '\n'); i >= 0 {
		at.Line, at.Column, blank = at.Line+bytes.Count(blank, []byte("\n")), 1, blank[i+1:]
	}
	at.Column += utf8.RuneCount(blank)
	return at
}

// linesOf reads lines on its own goroutine, so that an interrupt need not wait for the next one.
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

// read returns the next line and its continuations; false means the end of the input.
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
func (r *repl) answer(t typed) error {
	if strings.HasPrefix(t.text, ":") {
		fmt.Fprintf(r.cmd.ErrOrStderr(), "there is no command %s; :help lists them\n", t.text)
		return nil
	}
	if isStatement(t.text) {
		r.add(t)
		return nil
	}
	e, err := r.with(r.added).Judge(r.cmd.Context(), t.text, r.options)
	if err != nil {
		return err
	}
	r.show(r.added, t, e.Diagnostics)
	return showProof(r.cmd, r.spec, e)
}

// show shows diagnostics of what was typed, beside the spec with statements added, where it was typed.
func (r *repl) show(added []typed, last typed, list diag.List) {
	sources := diag.Sources{r.spec.Path: r.spec.Source, inputName: r.input}
	var out diag.List
	for _, d := range list {
		own := *d
		own.Subject, own.Fixes = r.place(added, last, d.Subject), nil // the mend says it; there is no file to change
		own.Related = slices.Clone(d.Related)
		for i := range own.Related {
			own.Related[i].Span = r.place(added, last, d.Related[i].Span)
		}
		out.Add(&own)
	}
	cli.RenderSources(r.cmd.ErrOrStderr(), sources, out)
}

// place returns where what a span covers was typed.
func (r *repl) place(added []typed, last typed, at diag.Span) diag.Span {
	switch {
	case at.File == sipc.ExpressionName:
		return last.place(at, diag.Pos{Line: 1, Column: 1})
	case at.File != r.spec.Path || at.Start.Offset <= len(r.spec.Source):
		return at
	}
	begin := diag.Pos{Offset: len(r.spec.Source) + 1, Line: 2 + bytes.Count(r.spec.Source, []byte("\n")), Column: 1}
	for _, t := range append(slices.Clone(added), last) {
		if at.Start.Offset <= begin.Offset+len(t.text) {
			return t.place(at, begin)
		}
		begin.Offset += len(t.text) + 1
		begin.Line += 1 + strings.Count(t.text, "\n")
	}
	return at
}

// place moves a span within a text that begins at a place to where it was typed.
func (t typed) place(at diag.Span, begin diag.Pos) diag.Span {
	move := func(p diag.Pos) diag.Pos {
		if p.Line == begin.Line {
			p.Column += t.start.Column - begin.Column
		}
		p.Offset += t.start.Offset - begin.Offset
		p.Line += t.start.Line - begin.Line
		return p
	}
	return diag.Span{File: inputName, Start: move(at.Start), End: move(at.End)}
}

// isStatement reports whether a text begins as a statement does.
func isStatement(text string) bool {
	tokens := dsl.Tokens("", []byte(text))
	return len(tokens) > 1 && tokens[0].Kind == dsl.WordToken && slices.Contains(dsl.Keywords().Statements, tokens[0].Word) &&
		(tokens[1].Kind == dsl.WordToken || tokens[1].Kind == dsl.NumberToken || tokens[1].Text == "{")
}

// with returns the spec with statements behind it.
func (r *repl) with(added []typed) *sipc.Spec {
	return sipc.ParseSpec(r.spec.Path, r.source(added))
}

func (r *repl) source(added []typed) []byte {
	source := append(bytes.Clone(r.spec.Source), '\n')
	for _, t := range added {
		source = append(append(source, t.text...), '\n')
	}
	return source
}

// add adds a statement, in the place of the one that it takes the name of, unless it has a fault.
func (r *repl) add(t typed) {
	added := slices.DeleteFunc(slices.Clone(r.added), func(old typed) bool {
		return declares(old.text) != "" && declares(old.text) == declares(t.text)
	})
	before := len(r.source(added))
	spec := sipc.NewSpec(r.cmd.Context(), r.spec.Path, r.source(append(slices.Clone(added), t)), r.options)
	defer spec.Close() //nolint:errcheck // a plugin that does not end well has said what it adds
	var faults diag.List
	for _, d := range spec.Diagnostics {
		if d.Severity == diag.Error && d.Subject.Start.Offset >= before {
			faults.Add(d)
		}
	}
	if faults.HasErrors() {
		r.show(added, t, faults)
		return
	}
	added = append(added, t)
	r.added = added
}

// declares returns the word and the name of a declaration; empty where a statement declares none.
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
