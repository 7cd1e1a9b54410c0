package dsl

import (
	"io"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// The grammar of statements, in participle's notation. Names, lists and expressions are separate productions (hooks). They
// depend on precedence and on what stands before a bar. Their mistakes also deserve a better message than
// "unexpected token".
type (
	statementRule struct {
		Use        *useRule        `parser:"@@"`
		Let        *letRule        `parser:"| @@"`
		Def        *defRule        `parser:"| @@"`
		Invariance *invarianceRule `parser:"| @@"`
		Evaluate   *evaluateRule   `parser:"| @@"`
		Setting    *settingRule    `parser:"| @@"`
	}
	useRule struct {
		Name nameHook  `parser:"'use' @@"`
		From *textHook `parser:"( 'from' @@ )?"`
	}
	letRule struct {
		Name  nameHook `parser:"'let' @@"`
		Value exprHook `parser:"'=' @@"`
	}
	defRule struct {
		Name   nameHook   `parser:"'def' @@"`
		Params paramsHook `parser:"@@"`
		Body   exprHook   `parser:"'=' @@"`
	}
	invarianceRule struct {
		Name nameHook `parser:"'invariance' @@"`
		Body exprHook `parser:"'=' @@"`
	}
	evaluateRule struct {
		Under setHook `parser:"'evaluate' 'under' @@"`
	}
	settingRule struct {
		Keyword wordCapture `parser:"@('kernel' | 'features' | 'learn' | 'method' | 'decode' | 'seed' | 'regularize')"`
		Value   exprHook    `parser:"@@"`
	}

	itemRule struct {
		Target  *targetRule  `parser:"@@"`
		Columns *columnsRule `parser:"| @@"`
		Option  *optionRule  `parser:"| @@"`
	}
	targetRule struct {
		Names namesHook `parser:"'target' @@"`
		Type  typeHook  `parser:"':' @@"`
	}
	columnsRule struct {
		Values []columnHook `parser:"'columns' @@ ( ',' @@ )*"`
	}
	optionRule struct {
		Keyword wordCapture `parser:"@('split' | 'missing' | 'standardize' | 'scale' | 'normalize' | 'ignore' | 'id')"`
		Args    []argHook   `parser:"( @@ ( ',' @@ )* )?"`
	}
)

// A wordCapture keeps a token with its place.
type wordCapture = lexer.Token

var (
	statementParser = sync.OnceValue(func() *participle.Parser[statementRule] { return build[statementRule]() })
	itemParser      = sync.OnceValue(func() *participle.Parser[itemRule] { return build[itemRule]() })
)

// build makes a predictive parser: with no lookahead, the first word decides and no mistake is tried away.
func build[G any]() *participle.Parser[G] {
	return participle.MustBuild[G](participle.Lexer(tokenKinds{}), participle.UseLookahead(0))
}

// tokenKinds tells participle of the lexer. The grammar has words and signs alone, so that no kind has a name in it.
type tokenKinds struct{}

// Symbols returns the end alone.
func (tokenKinds) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{"EOF": lexer.EOF}
}

// Lex cuts a source into tokens.
func (tokenKinds) Lex(file string, r io.Reader) (lexer.Lexer, error) {
	text, err := io.ReadAll(r)
	return &replay{tokens: lex(file, string(text)).tokens}, err
}

// A replay is a lexer of tokens that are there already.
type replay struct {
	tokens []token
	next   int
}

// Next returns the next token, and after the last one the end of the statement.
func (r *replay) Next() (lexer.Token, error) {
	if r.next == len(r.tokens) {
		var end diag.Span
		if r.next > 0 {
			end = r.tokens[r.next-1].span
		}
		return position(endToken(end)), nil
	}
	r.next++
	return position(r.tokens[r.next-1]), nil
}

func position(t token) lexer.Token {
	p := t.span.Start
	return lexer.Token{
		Type: t.kind, Value: t.text,
		Pos: lexer.Position{Filename: t.span.File, Offset: p.Offset, Line: p.Line, Column: p.Column},
	}
}
