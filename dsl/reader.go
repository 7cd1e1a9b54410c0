package dsl

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// A reader reads a statement's tokens one by one, and the names and texts that are one token each. It returns a fault for
// what is missing, and may have passed the token that stands there.
type reader struct {
	lex   *lexer.PeekingLexer
	last  token // the token passed most recently
	ahead token // the next one, where at is where the lexer stands
	at    lexer.RawCursor
}

// newReader returns a reader that goes on where participle stands, which has passed the words before.
func newReader(lex *lexer.PeekingLexer) *reader {
	r := &reader{lex: lex, at: -1}
	if at := lex.RawCursor(); at > 0 {
		r.last = placed(&lex.Range(at-1, at)[0])
	}
	return r
}

// peek returns the next token. It is made of participle's once for each place, as parsing looks at most tokens several times.
func (r *reader) peek() token {
	if at := r.lex.RawCursor(); r.at != at {
		r.ahead, r.at = placed(r.lex.Peek()), at
	}
	return r.ahead
}

// next passes a token and returns it.
func (r *reader) next() token {
	r.last = r.peek()
	r.lex.Next()
	return r.last
}

// accept passes the next token where it is the word.
func (r *reader) accept(word string) bool {
	if t := r.peek(); t.kind == stringToken || t.word() != word {
		return false
	}
	r.next()
	return true
}

// str reads a text in quotes.
func (r *reader) str() (*String, *fault) {
	t := r.next()
	value, f := unquote(t)
	if f != nil {
		return nil, f
	}
	return &String{At: At{t.span}, Value: value}, nil
}

// ident reads a word as a name, whether or not it may be one: the callers have looked.
func (r *reader) ident() *Ident { return identOf(r.next()) }

// name parses a name, in quotes where that is allowed.
func (r *reader) name(of string, quoted bool) (*Ident, *fault) {
	t := r.peek()
	switch {
	case isName(t):
		return r.ident(), nil
	case t.kind == stringToken && quoted:
		s, f := r.str()
		if f != nil {
			return nil, f
		}
		return &Ident{At: s.At, Name: s.Value, Raw: t.text}, nil
	}
	return nil, errMissingName(of, t)
}

// atDerivative reports whether `d/d…` comes next. (A value that is called d is divided by one that begins with d in brackets:
// `d/(dx)`.)
func (r *reader) atDerivative() bool {
	if r.peek().text != "d" {
		return false
	}
	before := r.lex.MakeCheckpoint()
	defer r.lex.LoadCheckpoint(before)
	r.lex.Next()
	if r.lex.Next().Value != "/" {
		return false
	}
	t := r.peek()
	return t.kind == identToken && strings.HasPrefix(t.text, "d")
}

// The words of a derivative's unit.
const (
	unitWord = "unit"
	rawWord  = "raw"
)

// along parses the bracketed name after `d/d`, and the unit.
func (r *reader) along() (name *Ident, raw bool, f *fault) {
	if t := r.peek(); t.text != "(" {
		return nil, false, errBadDerivative(t)
	}
	r.next()
	t := r.peek()
	if t.kind != stringToken && !isName(t) {
		return nil, false, errBadDerivative(t)
	}
	if name, f = r.name("a column", true); f != nil {
		return nil, false, f
	}
	if r.peek().text == "," {
		r.next()
		if f := r.rawUnit(name); f != nil {
			return nil, false, f
		}
		raw = true
	}
	return name, raw, r.closeAlong(name)
}

// rawUnit parses `unit = raw`.
func (r *reader) rawUnit(column *Ident) *fault {
	for _, word := range []string{unitWord, "=", rawWord} {
		if t := r.next(); t.text != word {
			return errBadUnit(t, column)
		}
	}
	return nil
}

// closeAlong parses the bracket behind the name of a column.
func (r *reader) closeAlong(name *Ident) *fault {
	if t := r.peek(); t.text != ")" {
		f := errUnexpected(r.last, t)
		f.d.Fixes = nil
		f.mend("write `d/d(%s) …`; a column whose name is no word stands in quotes", name.Raw)
		if words, at := r.spacedName(r.last); words != "" {
			f.d.Mend = ""
			f.replace(at, words, "a name of several words stands in quotes: `d/d(%s) …`", words)
		}
		return f
	}
	r.next()
	return nil
}

// arrow returns `->` or `=>` if it is next, in two tokens, of which the first is given. Otherwise it returns "".
func (r *reader) arrow(first token) string {
	if first.text != "-" && first.text != "=" {
		return ""
	}
	before := r.lex.MakeCheckpoint()
	defer r.lex.LoadCheckpoint(before)
	r.lex.Next()
	if second := r.peek(); second.text == ">" && first.span.End == second.span.Start {
		return first.text + second.text
	}
	return ""
}

// spacedName returns the words from here to a closing bracket as one name in quotes, with its place. It returns "" if
// anything but words stands there.
func (r *reader) spacedName(first token) (name string, at diag.Span) {
	words, at := []string{first.text}, first.span
	for {
		t := r.peek()
		switch {
		case t.text == ")" && len(words) > 1:
			return `"` + strings.Join(words, " ") + `"`, at
		case t.kind != identToken && t.kind != numberToken:
			return "", at
		}
		words, at = append(words, t.text), at.To(t.span)
		r.next()
	}
}

// identOf returns a token as a name.
func identOf(t token) *Ident { return &Ident{At: At{t.span}, Name: t.word(), Raw: t.text} }
