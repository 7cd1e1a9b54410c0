package dsl

import (
	"errors"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// Parse reads a spec. It reports every syntax error once, in the order of the source; the file holds the statements that
// have none. The file is never nil.
func Parse(name string, src []byte) (*File, diag.List) {
	s := lex(name, src)
	file := &File{Name: name, Source: slices.Clone(src), Comments: s.comments}
	for _, c := range split(s.tokens, &s.faults) {
		if d := parseStatement(c, &s.faults); d != nil {
			file.Decls = append(file.Decls, d)
		}
	}
	s.faults.Sort()
	return file, s.faults
}

func parseStatement(c chunk, faults *diag.List) Decl {
	if c.broken {
		return nil
	}
	if c.tokens[0].text == "data" {
		return parseData(c, faults)
	}
	if f := checkStatementWord(c.tokens); f != nil {
		faults.Add(f.d)
		return nil
	}
	rule, err := statementParser().ParseFromLexer(peeking(c.tokens))
	if err != nil {
		faults.Add(explain(err, c.tokens).d)
		return nil
	}
	return rule.lower(spanOf(c.tokens))
}

func checkStatementWord(tokens []token) *fault {
	word := tokens[0]
	switch {
	case word.kind == identToken && isStatementWord(word.text):
		return nil
	case word.kind == identToken && len(tokens) > 1 && tokens[1].text == "=" && !isReserved(word.word()):
		return errUnnamedStatement(word)
	}
	return errUnknownStatement(word)
}

func parseData(c chunk, faults *diag.List) Decl {
	tokens := c.tokens
	if len(tokens) < 2 || tokens[1].text != "{" {
		found := append(tokens[1:len(tokens):len(tokens)], endToken(tokens[0].span))[0]
		faults.Add(errMissingBracket("{", "`data`", found).d)
		return nil
	}
	end := closing(tokens)
	data := &Data{At: At{spanOf(tokens[:min(end+1, len(tokens))])}}
	ok := end < len(tokens)
	for _, item := range splitItems(tokens[2:end], faults) {
		if it := parseItem(item, faults); it != nil {
			data.Items = append(data.Items, it)
		} else {
			ok = false
		}
	}
	if end+1 < len(tokens) {
		faults.Add(trailing(tokens[end], tokens[end+1:]).d)
		ok = false
	}
	if !ok {
		return nil
	}
	return data
}

// closing is the index of the brace that closes a data block, or the number of tokens where it is missing.
func closing(tokens []token) int {
	depth := 0
	for i, t := range tokens {
		switch t.text {
		case "{":
			depth++
		case "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(tokens)
}

func parseItem(c chunk, faults *diag.List) DataItem {
	if c.broken {
		return nil
	}
	if word := c.tokens[0]; word.kind != identToken || !isItemWord(word.text) {
		faults.Add(errUnknownItem(word).d)
		return nil
	}
	rule, err := itemParser().ParseFromLexer(peeking(c.tokens))
	if err != nil {
		faults.Add(explain(err, c.tokens).d)
		return nil
	}
	return rule.lower(spanOf(c.tokens))
}

func peeking(tokens []token) *lexer.PeekingLexer {
	p, err := lexer.Upgrade(&replay{tokens: tokens})
	if err != nil {
		return &lexer.PeekingLexer{} // a replay has no errors
	}
	return p
}

func spanOf(tokens []token) diag.Span { return tokens[0].span.To(tokens[len(tokens)-1].span) }

// explain turns the error of a parser into a fault. Hooks return faults; what participle itself reports is a token where a
// fixed word or sign must stand, or one that follows a complete statement.
func explain(err error, tokens []token) *fault {
	var f *fault
	if errors.As(err, &f) {
		return f
	}
	var unexpected *participle.UnexpectedTokenError
	if !errors.As(err, &unexpected) {
		return faultAt(UnexpectedToken, spanOf(tokens), "this statement cannot be read: %s", err.Error())
	}
	found := placed(&unexpected.Unexpected)
	word := tokens[0].text
	_, expected, _ := strings.Cut(unexpected.Message(), `(expected "`)
	expected, _, _ = strings.Cut(expected, `"`)
	switch {
	case expected == "=":
		return errMissingEquals(word, found)
	case expected == ":":
		return errMissingType(found)
	case expected != "":
		return errMissingWord(expected, found)
	}
	i := slices.IndexFunc(tokens, func(t token) bool { return t.span.Start == found.span.Start })
	if i < 1 {
		return errUnknownStatement(found)
	}
	return trailing(tokens[i-1], tokens[i:])
}

// trailing is what is wrong with tokens that follow a complete statement.
func trailing(before token, rest []token) *fault {
	found := rest[0]
	named := len(rest) > 1 && (rest[1].kind == identToken || rest[1].text == "{" || rest[1].kind == numberToken)
	switch {
	case found.kind == identToken && (isStatementWord(found.text) || isItemWord(found.text)) && named:
		return errTwoStatements(found)
	case found.text == "=":
		return errStrayEquals(found, false)
	case slices.Contains(comparisons, found.word()):
		return errComparison(found)
	}
	return errUnexpected(before, found)
}
