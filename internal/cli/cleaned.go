package cli

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// A cleaned writer replaces control characters, except tabs and line ends. Messages repeat names of
// locks, labels of models and answers of servers, and what these hold must not steer a terminal.
type cleaned struct {
	w    io.Writer
	rest []byte // the beginning of a character whose end is not written yet
}

// Raw returns the writer beneath that of a command. JSON and data go there as they are, and so does
// what has colours of its own and is clean.
func Raw(w io.Writer) io.Writer {
	if c, ok := w.(*cleaned); ok {
		return c.w
	}
	return w
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
	shown := strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && diag.Steers(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(string(text), string(utf8.RuneError)))
	if _, err := io.WriteString(c.w, shown); err != nil {
		return 0, err
	}
	return len(p), nil
}
