package cli

import (
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// A cleaned writer replaces control characters, except tabs and line ends. Messages repeat names of
// locks, labels of models and answers of servers, and what these hold must not steer a terminal.
type cleaned struct {
	w    io.Writer
	rest []byte // the beginning of a character whose end is not written yet
}

// Raw returns the writer beneath that of a command, for what has colours of its own and is clean.
func Raw(w io.Writer) io.Writer {
	if c, ok := w.(*cleaned); ok {
		return c.w
	}
	return w
}

// Data returns the writer of JSON and other data. They go to files and programs as they are, and
// cleaned to a terminal.
func Data(w io.Writer) io.Writer {
	to := Raw(w)
	if p, ok := to.(*printed); ok {
		to = p.w
	}
	if f, ok := to.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return w
	}
	return Raw(w)
}

// Write writes text without its control characters.
func (c *cleaned) Write(p []byte) (int, error) {
	text := slices.Concat(c.rest, p)
	c.rest = nil
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if tail := text[len(text)-back:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				c.rest = append(c.rest, tail...)
				text = text[:len(text)-back]
			}
			break
		}
	}
	if _, err := io.WriteString(c.w, clean(string(text))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// clean replaces the control characters of a text.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && diag.Steers(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
}
