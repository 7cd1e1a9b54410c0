package dsl

import "github.com/alecthomas/participle/v2/lexer"

// The productions that parse themselves; see participle.Parseable. Each returns a fault as its error.
type (
	exprHook   struct{ Expr Expr }
	argHook    struct{ Arg *Arg }
	setHook    struct{ Set *Set }
	textHook   struct{ Text *String }
	nameHook   struct{ Name *Ident }
	paramsHook struct{ Names []*Ident }
	namesHook  struct {
		Names  []*Ident
		Source *Call
	}
	typeHook   struct{ Type Expr }
	columnHook struct{ Value Expr }
)

// asError keeps a nil fault a nil error.
func asError(f *fault) error {
	if f == nil {
		return nil
	}
	return &thrown{f}
}

// Parse takes an expression.
func (h *exprHook) Parse(lex *lexer.PeekingLexer) error {
	var f *fault
	h.Expr, f = newExprParser(lex).expression()
	return asError(f)
}

// Parse takes an argument, `x` or `name = x`.
func (h *argHook) Parse(lex *lexer.PeekingLexer) error {
	var f *fault
	h.Arg, f = newExprParser(lex).arg()
	return asError(f)
}

// Parse takes `{ e, … }`.
func (h *setHook) Parse(lex *lexer.PeekingLexer) error {
	p := newExprParser(lex)
	if t := p.in.peek(); t.text != "{" {
		return asError(errMissingBracket("{", named(p.in.last), t).mend("write `evaluate under {rotate(15deg), …}`"))
	}
	var f *fault
	h.Set, f = p.set()
	return asError(f)
}

// Parse takes a string.
func (h *textHook) Parse(lex *lexer.PeekingLexer) error {
	r := newReader(lex)
	if t := r.peek(); t.kind != stringToken {
		return asError(errMissingText(t))
	}
	var f *fault
	h.Text, f = r.str()
	return asError(f)
}

var whatNames = map[string]string{
	"use": "a family", "let": "a value", "def": "a definition", "invariance": "an invariance",
}

// Parse takes a name.
func (h *nameHook) Parse(lex *lexer.PeekingLexer) error {
	r := newReader(lex)
	var f *fault
	h.Name, f = r.name(whatNames[r.last.text], false)
	return asError(f)
}

// Parse takes `(a, b)`.
func (h *paramsHook) Parse(lex *lexer.PeekingLexer) error {
	r := newReader(lex)
	if t := r.peek(); t.text != "(" {
		f := errMissingBracket("(", "the name of the definition", t)
		if t.text == "=" {
			f.mend("write `def %s(…) = …`; for a value without parameters write `let %s = …`", r.last.text, r.last.text)
		}
		return asError(f)
	}
	r.next()
	var f *fault
	h.Names, f = list(r, ")", func() (*Ident, *fault) { return r.name("a parameter", false) })
	return asError(f)
}

// Parse takes what a target is read from: names, or one call.
func (h *namesHook) Parse(lex *lexer.PeekingLexer) error {
	p := newExprParser(lex)
	for {
		id, f := p.in.name("a target", true)
		if f != nil {
			return asError(f)
		}
		next := p.in.peek()
		if next.text == "(" && len(h.Names) == 0 && id.Raw[0] != '"' {
			h.Source, f = p.call(id)
			return asError(f)
		}
		h.Names = append(h.Names, id)
		switch {
		case next.text == ",":
			p.in.next()
		case next.kind == identToken || next.kind == stringToken:
			return asError(errMissingType(next))
		default:
			return nil
		}
	}
}

// Parse takes the type of a target.
func (h *typeHook) Parse(lex *lexer.PeekingLexer) error {
	p := newExprParser(lex)
	if t := p.in.peek(); t.isEnd() {
		return asError(errMissingType(t))
	}
	e, f := p.expression()
	if f != nil {
		return asError(f)
	}
	switch e.(type) {
	case *Ident, *Call:
		h.Type = e
		return nil
	}
	return asError(errBadType(e.Span()))
}

// Parse takes a column, or what stands for several.
func (h *columnHook) Parse(lex *lexer.PeekingLexer) error {
	e, f := newExprParser(lex).expression()
	if f != nil {
		return asError(f)
	}
	switch e.(type) {
	case *Ident, *String, *Call:
		h.Value = e
		return nil
	}
	return asError(errBadColumn(e.Span()))
}
