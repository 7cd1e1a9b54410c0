package dsl

import (
	"strings"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// A parser reads the tokens of one statement by recursive descent. Its methods panic with the fault that they find, which
// attempt returns: nothing of a statement with a mistake is kept.
//
// Expressions are parsed by precedence climbing. It needs no look ahead to know what a bar means. Where an operand is expected
// a bar opens an absolute value; after an operand it closes the innermost one.
type parser struct {
	tokens []Token
	at     int // of the next token
	depth  int
	cond   bool // inside `where`: comparisons and logic are welcome
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

// ahead returns the token behind the next n, the end of the statement where there is none.
func (p *parser) ahead(n int) Token {
	switch count := len(p.tokens); {
	case p.at+n < count:
		return p.tokens[p.at+n]
	case count == 0:
		return Token{}
	default:
		return endAfter(p.tokens[count-1].Span)
	}
}

// peek returns the next token.
func (p *parser) peek() Token { return p.ahead(0) }

// last returns the token that was passed most recently.
func (p *parser) last() Token {
	if p.at == 0 {
		return Token{}
	}
	return p.tokens[min(p.at, len(p.tokens))-1]
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
		switch t := p.peek(); {
		case t.Text == ",":
			p.at++
		case t.Text == closer:
		case t.Text == "=":
			panic(errStrayEquals(t, false))
		case t.Text == ";" || t.Kind == NumberToken || t.Kind == StringToken || isName(t):
			panic(errMissingComma(p.last(), t))
		default:
			panic(errUnexpected(p.last(), t))
		}
	}
}

// what a statement's name is that of.
var whatNames = map[string]string{
	"use": "a family", "let": "a value", "def": "a definition", wordInvariance: "an invariance",
}

// readStatement parses a statement but for a data block. Its word is known to be one of a statement.
func readStatement(p *parser) Decl {
	at := At{spanOf(p.tokens)}
	word := p.next()
	switch word.Text {
	case "use":
		use := &Use{At: at, Name: p.name(whatNames[word.Text], false)}
		if p.accept(wordFrom) {
			if t := p.peek(); t.Kind != StringToken {
				panic(errMissingText(t))
			}
			use.From = p.str()
		}
		return use
	case "let":
		return &Let{At: at, Name: p.name(whatNames[word.Text], false), Value: readValue(p, word)}
	case wordInvariance:
		return &Invariance{At: at, Name: p.name(whatNames[word.Text], false), Body: readValue(p, word)}
	case "def":
		return &Def{At: at, Name: p.name(whatNames[word.Text], false), Params: readParams(p), Body: readValue(p, word)}
	case "evaluate":
		if !p.accept("under") {
			panic(errMissingWord("under", p.peek()))
		}
		if t := p.peek(); t.Text != "{" {
			panic(errMissingBracket("{", named(p.last()), t).mend("write `evaluate under {rotate(15deg), …}`"))
		}
		return &Evaluate{At: at, Under: p.set()}
	}
	return &Setting{At: at, Keyword: identOf(word), Value: p.expression()}
}

// readValue parses what stands behind the `=` of a definition.
func readValue(p *parser, word Token) Expr {
	if t := p.peek(); t.Text != "=" {
		panic(errMissingEquals(word.Text, t, p.ahead(1)))
	}
	p.at++
	return p.expression()
}

// readParams parses `(a, b)`.
func readParams(p *parser) []*Ident {
	if t := p.peek(); t.Text != "(" {
		f := errMissingBracket("(", "the name of the definition", t)
		if t.Text == "=" {
			f.mend("write `def %[1]s(…) = …`; for a value without parameters write `let %[1]s = …`", p.last().Text)
		}
		panic(f)
	}
	p.at++
	return p.names("a parameter")
}

// readItem parses an item of a data block. Its word is known to be one of an item.
func readItem(p *parser) DataItem {
	at := At{spanOf(p.tokens)}
	word := p.next()
	switch word.Text {
	case wordTarget:
		t := &Target{At: at}
		readTargets(p, t)
		if !p.accept(":") || p.peek().isEnd() {
			panic(errMissingType(p.peek()))
		}
		t.Type = p.expression()
		switch t.Type.(type) {
		case *Ident, *Call:
			return t
		}
		panic(badType.at(t.Type.Span()))
	case "columns":
		columns := &Columns{At: at}
		for more := true; more; more = p.accept(",") {
			e := p.expression()
			switch e.(type) {
			case *Ident, *String, *Call:
				columns.Values = append(columns.Values, e)
			default:
				panic(badColumn.at(e.Span()))
			}
		}
		return columns
	}
	option := &Option{At: at, Keyword: identOf(word)}
	if f := attempt(func() { option.Args = append(option.Args, p.arg()) }); f != nil {
		if p.at > 1 {
			panic(f)
		}
		return option // what stands there is no argument
	}
	for p.accept(",") {
		option.Args = append(option.Args, p.arg())
	}
	return option
}

// readTargets parses what a target is read from: names, or one call.
func readTargets(p *parser, t *Target) {
	for {
		id := p.name("a target", true)
		next := p.peek()
		if next.Text == "(" && len(t.Names) == 0 && id.Raw[0] != '"' {
			t.Source = p.call(id)
			return
		}
		t.Names = append(t.Names, id)
		switch {
		case next.Text == ",":
			p.at++
		case next.Kind == WordToken || next.Kind == StringToken:
			panic(errMissingType(next))
		default:
			return
		}
	}
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
		f.mend("write `d/d(%s) …`; a column whose name is no word stands in quotes", e.With.Raw)
		if words, at := spacedName(p); words != "" {
			f.instead(at, words, "a name of several words stands in quotes: `d/d(%s) …`", words)
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
