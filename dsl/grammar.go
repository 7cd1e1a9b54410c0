package dsl

import (
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// The grammar of statements and items stands beside their nodes, in participle's notation. Names, lists in braces and expressions
// are productions of their own. They depend on precedence and on what stands before a bar. Their mistakes also deserve a
// better message than "unexpected token".
type (
	statementRule struct {
		Node Decl `parser:"@@"`
	}
	itemRule struct {
		Node DataItem `parser:"@@"`
	}
)

var (
	statementParser = sync.OnceValue(func() *participle.Parser[statementRule] {
		return build[statementRule](participle.Union[Decl](&Use{}, &Include{}, &Let{}, &Def{}, &Invariance{}, &Require{}, &Expect{}, &Evaluate{}, &Augment{}, &Setting{}))
	})
	itemParser = sync.OnceValue(func() *participle.Parser[itemRule] {
		return build[itemRule](participle.Union[DataItem](&Target{}, &Columns{}, &Types{}, &SplitBy{}, &Option{}))
	})
)

// build makes a predictive parser: with no lookahead, the first word decides and no mistake is tried away.
func build[G any](union participle.Option) *participle.Parser[G] {
	return participle.MustBuild[G](participle.Lexer(tokenKinds{}), participle.UseLookahead(0), participle.ParseTypeWith(parseExpr), union)
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
	tokens []Token
	end    diag.Span // of the token before
}

// Next returns the next token, and after the last one the end of the statement.
func (r *replay) Next() (lexer.Token, error) {
	position := func(p diag.Pos) lexer.Position {
		return lexer.Position{Filename: r.end.File, Offset: p.Offset, Line: p.Line, Column: p.Column}
	}
	if len(r.tokens) == 0 {
		return lexer.EOFToken(position(r.end.End)), nil
	}
	t := r.tokens[0]
	r.tokens, r.end = r.tokens[1:], t.Span
	return lexer.Token{Type: lexer.TokenType(t.Kind), Value: t.Text, Pos: position(t.Span.Start)}, nil
}

// placed returns participle's token with its span. No token spans lines.
func placed(t *lexer.Token) Token {
	s := Token{Text: t.Value}
	if !t.EOF() {
		s.Kind = TokenKind(t.Type)
		s.Word = wordOfToken(s.Kind, t.Value)
	}
	s.Span = diag.Span{File: t.Pos.Filename, Start: diag.Pos{Offset: t.Pos.Offset, Line: t.Pos.Line, Column: t.Pos.Column}}
	s.Span.End = advanced(s.Span.Start, t.Value)
	return s
}

// A thrown fault is one on its way through participle.
type thrown struct{ f *fault }

func (t *thrown) Error() string { return t.f.d.Error() }

// produce parses a production where participle stands, and passes what it takes.
func produce[T any](lex *lexer.PeekingLexer, parse func(*parser) T) (node T, err error) {
	more := *lex
	p := &parser{more: &more}
	if at := lex.RawCursor(); at > 0 {
		p.window[0], p.read, p.at = placed(&lex.Range(at-1, at)[0]), 1, 1
	}
	passed := p.at
	if f := attempt(func() { node = parse(p) }); f != nil {
		err = &thrown{f}
	}
	for ; passed < p.at; passed++ {
		lex.Next()
	}
	return node, err
}

// wantsMaps are the words behind which a set of transformations stands, by the statement's word, each with what stands before it.
var wantsMaps = map[string]map[string]string{
	wordEvaluate: {wordUnder: "evaluate under"}, wordAugment: {wordAugment: wordAugment}, wordLearn: {wordUnder: "learn svm under"},
}

// parseExpr parses an expression: a value, the type of a target, or a column.
func parseExpr(lex *lexer.PeekingLexer) (Expr, error) {
	first := lex.Range(0, 1)[0].Value
	return produce(lex, func(p *parser) Expr {
		if t := p.peek(); t.isEnd() && first == wordTarget {
			panic(errMissingType(p.last(), t))
		}
		if first == wordExpect {
			return p.within(true, levelOr)
		}
		maps := wantsMaps[first][p.last().Text]
		if t := p.peek(); maps != "" && !beginsMaps(p, t) {
			panic(errNoMaps(p, t, maps))
		}
		p.holds = first == "let" || first == "def"
		p.ofColumns, p.weighs = first == "kernel", first == wordRegularize
		e := p.within(p.holds, levelOr)
		if f := errWeightedList(e); p.weighs && f != nil {
			panic(f)
		}
		switch e.(type) {
		case *Ident, *Call:
			return e
		case *String:
			if first != wordTarget {
				return e
			}
		}
		switch first {
		case wordTarget:
			panic(badType.at(e.Span()))
		case "columns":
			panic(badColumn.at(e.Span()))
		}
		return e
	})
}

// errNoMaps returns the fault of a token where transformations must stand, behind some words.
func errNoMaps(p *parser, t Token, behind string) *fault {
	if likeOrbit(t.Text) && p.ahead(1).Text == "{" {
		return errOrbitWord(t)
	}
	f, write, at := errMissingBracket("{", named(p.last()), t), "{rotate(15deg), …}", p.at
	attempt(func() {
		if p.ahead(1).Text == wordIn {
			p.at += 2
		}
		e := p.within(false, levelOr)
		runs := Holds(e, func(n Node) bool { _, is := n.(*Interval); return is })
		if call, ok := e.(*Call); ok {
			e = &Set{Elems: []Expr{call}}
		}
		if set, ok := e.(*Set); ok && runs {
			e = &Orbit{Set: set}
		}
		if p.peek().isEnd() && (!runs || behind != "learn svm under") {
			write = ExprString(e)
		}
	})
	p.at = at
	return f.mend("write `%s %s`", behind, write)
}

// beginsMaps reports whether a token begins a set of transformations, an orbit, or a name that is all of a statement's end.
func beginsMaps(p *parser, t Token) bool {
	return t.Text == "{" || t.Text == wordOrbit || isName(t) && p.ahead(1).isEnd()
}

// whatNames says what the name behind a word is that of.
var whatNames = map[string]string{
	"use": "a family", "let": "a value", "def": "a definition", wordInvariance: "an invariance", wordMeasure: "a measure", wordRequire: "a statement", "(": "a parameter", ",": "a parameter",
}

// Parse takes a name, or the word that begins a setting or an item.
func (id *Ident) Parse(lex *lexer.PeekingLexer) error {
	start, first := lex.RawCursor(), lex.Range(0, 1)[0].Value
	name, err := produce(lex, func(p *parser) *Ident {
		switch {
		case start == 0:
			return p.ident()
		case first == wordTarget:
			return p.name("a target", true)
		case p.last().Text == wordBy:
			if t := p.peek(); t.Text == "=" || t.Text == ":" {
				panic(errBySign(t))
			}
			return p.name("a column", true)
		}
		return p.name(whatNames[p.last().Text], false)
	})
	return put(id, name, err)
}

// Parse takes an argument, `x` or `name = x`.
func (a *Arg) Parse(lex *lexer.PeekingLexer) error {
	arg, err := produce(lex, (*parser).arg)
	return put(a, arg, err)
}

// Parse takes a relation, with the region in which it is to hold.
func (r *Relation) Parse(lex *lexer.PeekingLexer) error {
	relation, err := produce(lex, (*parser).relation)
	return put(r, relation, err)
}

// Parse takes a column with its type.
func (c *TypedColumn) Parse(lex *lexer.PeekingLexer) error {
	column, err := produce(lex, (*parser).typedColumn)
	return put(c, column, err)
}

// Parse takes a text in quotes.
func (s *String) Parse(lex *lexer.PeekingLexer) error {
	text, err := produce(lex, func(p *parser) *String {
		if t := p.peek(); t.Kind != StringToken {
			panic(errMissingText(p.last(), t))
		}
		return p.str()
	})
	return put(s, text, err)
}

// Parse takes the arguments of a call that targets are read from, behind its name.
func (c *Call) Parse(lex *lexer.PeekingLexer) error {
	first := lex.RawCursor() == 2 // a call stands alone
	call, err := produce(lex, func(p *parser) *Call {
		if p.last().Kind != WordToken || !first {
			panic(errMissingType(p.last(), p.peek()))
		}
		return p.call(identOf(p.last()))
	})
	return put(c, call, err)
}

// put copies a node that was parsed to where participle wants it.
func put[T any](to, from *T, err error) error {
	if err == nil {
		*to = *from
	}
	return err
}

// peeking hands tokens to participle.
func peeking(tokens []Token) *lexer.PeekingLexer {
	lex, err := lexer.Upgrade(&replay{tokens: tokens})
	if err != nil {
		return &lexer.PeekingLexer{} // a replay has no errors
	}
	return lex
}

// statement returns the statement that all tokens make.
func statement(tokens []Token) (Decl, *fault) {
	rule, err := statementParser().ParseFromLexer(peeking(tokens))
	if err != nil {
		return nil, refused(err, tokens)
	}
	rule.Node.place(spanOf(tokens))
	if set, ok := rule.Node.(*Setting); ok {
		if f := overfull(set, tokens); f != nil {
			return nil, f
		}
	}
	return rule.Node, nil
}

// overfull returns the fault of a setting that has what another one alone may have; nil means that it has not.
func overfull(set *Setting, tokens []Token) *fault {
	behind := func(sign string) int {
		return slices.IndexFunc(tokens, func(t Token) bool { return t.Text == sign && t.Span.Start.Offset >= set.Value.Span().End.Offset })
	}
	switch word := set.Keyword.Name; {
	case len(set.More) > 0 && word != wordRegularize:
		return explain(tokens, behind(","))
	case set.Under != nil && word != wordLearn:
		return faultAt(UnexpectedToken, tokens[behind(wordUnder)].Span, "`under` cannot stand in `%s …`", word).
			mend("remove it; `learn svm under {…}` and `evaluate under {…}` have a set of transformations")
	}
	return nil
}

// item returns the item of a data block that all tokens make.
func item(tokens []Token) (DataItem, *fault) {
	rule, err := itemParser().ParseFromLexer(peeking(tokens))
	if err != nil {
		return nil, refused(err, tokens)
	}
	rule.Node.place(spanOf(tokens))
	if t, ok := rule.Node.(*Target); ok && t.Source != nil {
		t.Names = nil // the name was that of the call
	}
	return rule.Node, nil
}

// refused turns the error of a parser into a fault. Productions return faults; what participle itself reports is a token where
// a fixed word or sign must stand, or one that follows a complete statement.
func refused(err error, tokens []Token) *fault {
	var own *thrown
	if errors.As(err, &own) {
		return own.f
	}
	var unexpected *participle.UnexpectedTokenError
	if !errors.As(err, &unexpected) {
		return faultAt(UnexpectedToken, spanOf(tokens), "this statement cannot be read: %s", err.Error())
	}
	word, p := tokens[0].Text, newParser(tokens)
	for t := p.peek(); !t.isEnd() && t.Span.Start.Offset < unexpected.Unexpected.Pos.Offset; t = p.peek() {
		p.at++
	}
	found := p.peek()
	_, expected, _ := strings.Cut(unexpected.Message(), `(expected "`)
	expected, _, _ = strings.Cut(expected, `"`)
	switch expected {
	case "=":
		return errMissingEquals(word, found, p.ahead(1))
	case ":":
		return errMissingType(p.last(), found)
	case "(":
		f := errMissingBracket("(", "the name of the definition", found)
		if found.Text == "=" {
			f.mend("write `def %[1]s(…) = …`; for a value without parameters write `let %[1]s = …`", p.last().Text)
		}
		return f
	case ")":
		if last := p.last().Text; last == "(" || last == "," {
			return errMissingName("a parameter", found)
		}
		return errInList(p.last(), found)
	case "":
		return explain(tokens, p.at)
	}
	return errMissingWord(expected, found)
}
