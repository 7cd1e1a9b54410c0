package dsl

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// A parser reads the tokens of one statement by recursive descent. Its methods panic with the fault that they find, which
// attempt returns: nothing of a statement with a mistake is kept.
//
// Expressions are parsed by precedence climbing. It needs no look ahead to know what a bar means. Where an operand is expected
// a bar opens an absolute value; after an operand it closes the innermost one.
type parser struct {
	more      *lexer.PeekingLexer // where tokens come from
	window    [8]Token            // the token before, and those that were looked at
	read      int                 // how many tokens came
	at        int                 // of the next token
	depth     int
	cond      bool // inside `where`, and in what a let or a def stands for: comparisons and logic are welcome
	ofColumns bool // in a kernel, whose arguments may be pairs of columns
	holds     bool // in what a let or a def stands for, which is rarely a condition
	weighs    bool // in regularize, where a list in brackets has a mend of its own
	moves     bool // in an orbit, whose transformations are listed
	// relates says that a relation is parsed, whose region begins with `over`.
	relates bool
	// quantified counts the quantifiers around what is parsed.
	quantified int
}

// attempt parses and returns the fault that ended it, nil where there was none.
func attempt(parse func()) (f *fault) {
	defer func() {
		if r := recover(); r != nil {
			var own bool
			if f, own = r.(*fault); !own {
				panic(r)
			}
		}
	}()
	parse()
	return nil
}

// newParser returns a parser of tokens of which participle knows nothing.
func newParser(tokens []Token) *parser { return &parser{more: peeking(tokens)} }

// ahead returns the token behind the next n, of which there are two at most, or the end of the statement.
func (p *parser) ahead(n int) Token {
	for ; p.read <= p.at+n; p.read++ {
		if p.more.Peek().EOF() {
			return placed(p.more.Peek())
		}
		p.window[p.read%len(p.window)] = placed(p.more.Next())
	}
	return p.window[(p.at+n)%len(p.window)]
}

// peek returns the next token.
func (p *parser) peek() Token { return p.ahead(0) }

// last returns the token that was passed most recently.
func (p *parser) last() Token {
	if p.at == 0 {
		return Token{}
	}
	return p.window[(min(p.at, p.read)-1)%len(p.window)]
}

// next passes a token and returns it.
func (p *parser) next() Token {
	t := p.peek()
	p.at++
	return t
}

// accept passes the next token where it is the word.
func (p *parser) accept(word string) bool {
	if p.peek().Word != word {
		return false
	}
	p.at++
	return true
}

// since returns the span from a place to the last token.
func (p *parser) since(start diag.Span) At { return At{start.To(p.last().Span)} }

// str reads a text in quotes.
func (p *parser) str() *String {
	t := p.next()
	value, f := unquote(t)
	if f != nil {
		panic(f)
	}
	return &String{At: At{t.Span}, Value: value}
}

// ident reads a word as a name, whether or not it may be one: the callers have looked.
func (p *parser) ident() *Ident { return identOf(p.next()) }

// identOf returns a token as a name.
func identOf(t Token) *Ident { return &Ident{At: At{t.Span}, Name: t.Word, Raw: t.Text} }

// name parses a name, in quotes where that is allowed.
func (p *parser) name(of string, quoted bool) *Ident {
	t := p.peek()
	switch {
	case isName(t):
		return p.ident()
	case t.Kind == StringToken && quoted:
		s := p.str()
		return &Ident{At: s.At, Name: s.Value, Raw: t.Text}
	}
	panic(errMissingName(of, t))
}

// names parses names up to the closing bracket.
func (p *parser) names(of string) []*Ident {
	return list(p, ")", func() *Ident { return p.name(of, false) })
}

// list parses elements separated by commas, up to and with the closing bracket. The opening one is passed already.
func list[T any](p *parser, closer string, element func() T) []T {
	var elements []T
	for {
		if p.peek().Text == closer && (len(elements) > 0 || p.last().Text != ",") {
			p.at++
			return elements
		}
		elements = append(elements, element())
		switch t := p.peek(); t.Text {
		case ",":
			p.at++
		case closer:
		default:
			panic(errInList(p.last(), t))
		}
	}
}

// typedColumn parses `age : integer [0, 120]` or `region : {north, south}`.
func (p *parser) typedColumn() *TypedColumn {
	c := &TypedColumn{Name: p.name("a column", true)}
	if t := p.peek(); t.Text != ":" {
		panic(errMissingColumnType(c.Name.Raw, p.last(), t))
	}
	p.at++
	switch t := p.peek(); {
	case t.Text == "{":
		c.Values = p.set()
	case slices.Contains(columnTypes, t.Text):
		if c.Word = p.ident(); p.peek().Text == "[" {
			c.Within = p.interval()
		}
	default:
		panic(badColumnType.at(t.Span, named(t)))
	}
	c.At = p.since(c.Name.Place)
	return c
}

// The words of a derivative's unit.
const (
	unitWord = "unit"
	rawWord  = "raw"
)

// derivative parses `d/dλ e` and `d/d(column) e`. It takes one operand: `d/dλ f * 2` is twice the derivative.
func derivative(p *parser) Expr {
	d := p.next()
	p.at++
	e := &Deriv{}
	if t := p.next(); t.Text == "d" {
		e.Bracketed = true
		along(p, e)
	} else {
		t.Text, t.Span.Start = t.Text[1:], advanced(t.Span.Start, "d")
		t.Word = Spell(t.Text)
		e.With = identOf(t)
	}
	if t := p.peek(); t.isEnd() || closes(t) || t.Text == "," || t.Text == "|" && (p.ahead(1).isEnd() || closes(p.ahead(1))) {
		along := e.With.Raw
		if e.Bracketed {
			along = "(" + along + ")"
		}
		panic(errMissingExpression(p.last(), t).mend("write `d/d%s f`", along))
	}
	outer := p.cond
	p.cond = false
	e.Of = p.operand(levelProduct)
	p.cond = outer
	e.Place = d.Span.To(e.Of.Span())
	return e
}

// along parses the bracketed name after `d/d`, and the unit. (A value that is called d is divided by one that begins with d
// in brackets: `d/(dx)`.)
func along(p *parser, e *Deriv) {
	if t := p.peek(); t.Text != "(" {
		panic(badDerivative.at(t.Span, named(t)))
	}
	p.at++
	if t := p.peek(); t.Kind != StringToken && !isName(t) {
		panic(badDerivative.at(t.Span, named(t)))
	}
	e.With = p.name("a column", true)
	if e.RawUnit = p.accept(","); e.RawUnit {
		for _, word := range []string{unitWord, "=", rawWord} {
			if t := p.next(); t.Text != word {
				panic(badUnit.at(t.Span, named(t), e.With.Raw))
			}
		}
	}
	if t := p.peek(); t.Text != ")" {
		f := errUnexpected(p.last(), t)
		f.d.Fixes = nil
		f.mend("write `d/d(%s) …`; a column whose name is not a word stands in quotes", e.With.Raw)
		if words, at := spacedName(p); words != "" {
			f.instead(at, words, quotedName, "d/d("+words+") …").spelling()
		}
		panic(f)
	}
	p.at++
}

// spacedName returns the words from the last one to a closing bracket as one name in quotes, with its place. It returns ""
// if anything but words stands there.
func spacedName(p *parser) (name string, at diag.Span) {
	first := p.last()
	words, at := []string{first.Text}, first.Span
	for t := p.next(); t.Text != ")"; t = p.next() {
		if t.Kind != WordToken && t.Kind != NumberToken {
			return "", at
		}
		words, at = append(words, t.Text), at.To(t.Span)
	}
	return `"` + strings.Join(words, " ") + `"`, at
}
