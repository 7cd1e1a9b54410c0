package dsl

import (
	"math"
	"slices"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// A TokenKind says what a lexeme is.
type TokenKind int

// The kinds of lexemes.
const (
	WordToken       TokenKind = iota // a word: a name, or a word of the language
	NumberToken                      // a number with its unit
	StringToken                      // a text in double quotes
	SignToken                        // an operator, a bracket, a comma, a colon
	CommentToken                     // from '#' to the end of the line
	OpenStringToken                  // a text without its closing quote
	InvalidToken                     // a character that is none of the language's
)

// A Token is a lexeme of a source.
type Token struct {
	Kind  TokenKind
	Text  string // as written
	Word  string // the canonical form of a word or sign: λ is lambda, ≤ is <=
	Span  diag.Span
	First bool // the first of its line, comments aside
}

// Tokens cuts a source into its lexemes, comments among them, in the order of the source. It never fails: what is no token
// of the language becomes one that says so. What follows a byte that is no text is left out.
func Tokens(file string, src []byte) []Token { return lex(file, string(src)).exported() }

// exported returns the tokens and the comments of a scan, in the order of the source.
func (s *scan) exported() []Token {
	out := make([]Token, 0, len(s.tokens)+len(s.comments))
	comments := s.comments
	before := func(offset int) {
		for len(comments) > 0 && comments[0].Span.Start.Offset < offset {
			c := comments[0]
			out = append(out, Token{Kind: CommentToken, Text: c.Text, Word: c.Text, Span: c.Span})
			comments = comments[1:]
		}
	}
	for i := range s.tokens {
		t := &s.tokens[i]
		before(t.span.Start.Offset)
		out = append(out, Token{Kind: t.exported(), Text: t.text, Word: t.word(), Span: t.span, First: t.first})
	}
	before(math.MaxInt)
	return out
}

func (t token) exported() TokenKind {
	switch t.kind {
	case identToken:
		return WordToken
	case numberToken:
		return NumberToken
	case stringToken:
		return StringToken
	case openStringToken:
		return OpenStringToken
	case invalidToken, remarkToken:
		return InvalidToken
	}
	return SignToken
}

// Words are the words of the language by where they stand.
type Words struct {
	Statements   []string // that begin a statement
	Items        []string // that begin an item of a data block
	Reserved     []string // that are never names
	Linking      []string // that follow a statement's word: `evaluate under`, `use … from`
	Aggregations []string // the words of quantifiers; the compiler refuses min
	Units        []string // of numbers
}

// Keywords returns the words of the language.
func Keywords() Words {
	return Words{
		Statements: slices.Clone(statementWords), Items: slices.Clone(itemWords), Reserved: slices.Clone(reservedWords),
		Linking: []string{"from", "under"}, Aggregations: slices.Clone(aggregations), Units: slices.Clone(units),
	}
}

// Spell returns the canonical form of a word: Greek letters spelled out.
func Spell(word string) string { return spellOut(word) }

// IsName reports whether a text is one word that can be a name.
func IsName(text string) bool {
	s := lex("", text)
	return len(s.tokens) == 1 && len(s.comments) == 0 && len(s.faults) == 0 && s.tokens[0].text == text && isName(s.tokens[0])
}
