package dsl

import (
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// A Reading is a source with all that can be said of it without regard to meaning. It never changes.
type Reading struct {
	File   *File
	Faults diag.List
	Tokens []Token

	statements map[string]placedDecl // those without faults, by their text
}

// A placedDecl is a statement, and where it begins.
type placedDecl struct {
	decl  Decl
	start diag.Pos
}

// Read is what Parse and Tokens say of a source, found out quickly where most of its statements stand in an earlier version of
// it, too: these are not parsed again, wherever they have moved to. Before is the reading of that version, or nil.
func Read(name string, src []byte, before *Reading) *Reading {
	text := string(src)
	s := lex(name, text)
	r := &Reading{Tokens: s.exported(), statements: map[string]placedDecl{}}
	var known map[string]placedDecl
	if before != nil && before.File.Name == name {
		known = before.statements
	}
	r.File, r.Faults = s.parse(name, src, func(c chunk) (Decl, diag.List) {
		return r.statement(c, text, known)
	})
	return r
}

// statement parses a statement, or takes it from those known. What a statement says depends on nothing but its text, from its
// first token to its last, unless something is wrong with it.
func (r *Reading) statement(c chunk, text string, known map[string]placedDecl) (Decl, diag.List) {
	start := c.tokens[0].span.Start
	text = text[start.Offset:c.tokens[len(c.tokens)-1].span.End.Offset]
	sound := len(c.faults) == 0 && !slices.ContainsFunc(c.tokens, func(t token) bool { return t.bad || t.fault != nil })
	if old, ok := known[text]; ok && sound {
		at := placedDecl{old.decl, start}
		if old.start != start {
			at.decl = moved(old.decl, old.start, start)
		}
		r.statements[text] = at
		return at.decl, nil
	}
	if known != nil { // names are parts of the text, and would keep all of it as long as any later version lives
		text = strings.Clone(text)
		c.tokens = slices.Clone(c.tokens)
		for i := range c.tokens {
			t := &c.tokens[i]
			t.text = text[t.span.Start.Offset-start.Offset : t.span.End.Offset-start.Offset]
		}
	}
	d, faults := parseStatement(c)
	if sound && len(faults) == 0 {
		r.statements[text] = placedDecl{d, start}
	}
	return d, faults
}
