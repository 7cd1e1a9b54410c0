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
	return lex(name, string(src)).parse(name, src)
}

// Read parses a spec and cuts it into lexemes, as Parse and Tokens do, in one scan.
func Read(name string, src []byte) (*File, diag.List, []Token) {
	s := lex(name, string(src))
	tokens := s.exported()
	file, faults := s.parse(name, src)
	return file, faults, tokens
}

// ParseExpression reads a text that is one expression. The file holds it as the body of its only statement, an invariance without a
// name. All places are those of the text.
func ParseExpression(name string, src []byte) (*File, diag.List) {
	s, head := lex(name, string(src)), lex(name, "invariance _ =").tokens
	for i := range head {
		head[i].span = diag.Span{File: name, Start: diag.Pos{Line: 1, Column: 1}, End: diag.Pos{Line: 1, Column: 1}}
	}
	if len(s.tokens) > 0 {
		s.tokens[0].first = false // it goes on with the statement
	}
	s.tokens = append(head, s.tokens...)
	file, faults := s.parse(name, src)
	if len(file.Decls) == 1 && len(file.Broken) == 0 {
		if decl, ok := file.Decls[0].(*Invariance); ok {
			decl.Name.Name = ""
		}
	} else if !faults.HasErrors() {
		faults.Add(&diag.Diagnostic{
			Code: UnknownStatement, Subject: diag.Span{File: name, Start: head[0].span.Start, End: s.pos}, Summary: "this is more than one expression",
		})
	}
	return file, faults
}

// parse cuts a scan into statements and parses each.
func (s *scan) parse(name string, src []byte) (*File, diag.List) {
	file := &File{Name: name, Source: slices.Clone(src), Comments: s.comments}
	for _, c := range split(s.tokens) {
		d, faults := parseStatement(c)
		if len(faults) == 0 {
			file.Decls = append(file.Decls, d)
		} else {
			file.Broken = append(file.Broken, c.broken(d)...)
		}
		s.faults = append(s.faults, faults...)
	}
	if len(s.tokens) == 0 && s.faults.HasErrors() {
		file.Broken = append(file.Broken, Broken{At: At{diag.Span{File: name}}}) // nothing of the file is known
	}
	s.faults.Sort()
	return file, s.faults
}

// broken returns what is known of a chunk that failed to parse. A mistake may have joined several statements.
func (c chunk) broken(d Decl) []Broken {
	var all []Broken
	for i, t := range c.tokens {
		named := t.first && isName(t) && i+1 < len(c.tokens) && c.tokens[i+1].text == "="
		if i > 0 && !beginsStatement(t) && !named {
			continue
		}
		b := brokenAt(c.tokens[i:])
		if data, ok := d.(*Data); ok && i == 0 {
			b.Data = data
		}
		all = append(all, b)
	}
	return all
}

// beginsStatement reports whether a token within a chunk may be meant to begin a statement. It may if it is a
// statement word, or resembles one and is the first of its line.
func beginsStatement(t token) bool {
	if t.kind != identToken {
		return false
	}
	word := t.word()
	return isStatementWord(word) || t.first && closest(word, statementWords) != ""
}

// brokenAt returns what is known of the statement that begins with the tokens.
func brokenAt(tokens []token) Broken {
	b := Broken{At: At{spanOf(tokens)}}
	first, second := tokens[0], token{}
	if len(tokens) > 1 {
		second = tokens[1]
	}
	if first.kind == identToken {
		if b.Exact = isStatementWord(first.word()); b.Exact {
			b.Keyword = first.word()
		} else {
			b.Keyword = closest(first.word(), statementWords)
		}
	}
	switch {
	case mayDeclare(b.Keyword) && second.kind == identToken:
		b.Name = identOf(second)
	case first.kind == identToken && !b.Exact && second.text == "=":
		b.Name, b.Keyword = identOf(first), ""
	}
	return b
}

func parseStatement(c chunk) (Decl, diag.List) {
	if c.tokens[0].text == wordData {
		return parseData(c)
	}
	if faults := c.independent(); len(faults) > 0 {
		return nil, faults
	}
	if f := checkStatementWord(c.tokens); f != nil {
		return nil, diag.List{f.d}
	}
	rule, err := statementParser().ParseFromLexer(peeking(c.tokens))
	if err != nil {
		return nil, diag.List{explain(err, c.tokens).d}
	}
	return rule.lower(spanOf(c.tokens)), nil
}

// independent returns the faults found before parsing, without those that may be consequences of others. It keeps
// every bad literal, and the first of all other mistakes. After a bad character or string the rest of the line cannot
// be trusted.
func (c chunk) independent() diag.List {
	if f := differential(c.tokens); f != nil {
		return diag.List{f.d}
	}
	found := slices.Clone(c.faults)
	for i, t := range c.tokens {
		if t.fault != nil {
			dotted(c.tokens, i)
			found.Add(t.fault.d)
		}
	}
	found.Sort()
	var kept diag.List
	var first *diag.Diagnostic
	for _, d := range found {
		literal := d.Code == BadNumber || d.Code == UnknownUnit || d.Code == BadEscape
		switch {
		case literal && (first == nil || first.Subject.Start.Line != d.Subject.Start.Line):
			kept.Add(d)
		case !literal && first == nil:
			first = d
			kept.Add(d)
		}
	}
	return kept
}

func checkStatementWord(tokens []token) *fault {
	word := tokens[0]
	switch {
	case word.kind == identToken && isStatementWord(word.text):
		return nil
	case word.kind == identToken && len(tokens) > 1 && tokens[1].text == "=" && !isReserved(word.word()):
		return errUnnamedStatement(word)
	case slices.Contains(demands, word.text):
		return errDemand(word, tokens[1:])
	}
	return unnamed(tokens)
}

// unnamed returns the fault of a statement without a word that is known. It may be an invariance without its name.
func unnamed(tokens []token) *fault {
	f := errUnknownStatement(tokens[0])
	p := newExprParser(peeking(tokens))
	x, wrong := p.expression()
	if wrong == nil && p.in.peek().isEnd() && len(tokens) > 1 && (isStandard(x) || holdsF(x)) {
		f.d.Fixes = nil
		return f.mend("write `invariance NAME = %s`, and regularize it", ExprString(x))
	}
	return f
}

// errDemand returns the fault of a constraint, and offers an invariance that is as large as it is broken.
func errDemand(word token, rest []token) *fault {
	f := faultAt(UnknownStatement, word.span, "unknown statement `%s`", word.text).why(noConstraint)
	if len(rest) > 0 {
		p := newExprParser(peeking(rest))
		x, wrong := p.binary(levelSum)
		write := ""
		switch t := p.in.peek(); {
		case wrong != nil:
		case slices.Contains(comparisons, t.word()):
			write = p.compared(x, t).write
		case t.isEnd() && isStandard(x):
			write = ExprString(x)
		}
		if write != "" {
			return f.mend("write `invariance required = %s`, and regularize it", write)
		}
	}
	return f.mend("write `invariance rising = increasing(area)`, say: a number that grows with the violation, and regularize it")
}

func parseData(c chunk) (Decl, diag.List) {
	tokens := c.tokens
	if len(tokens) < 2 || tokens[1].text != "{" || tokens[1].first {
		if len(tokens) > 1 && (tokens[1].text == "=" || tokens[1].kind == stringToken) {
			return nil, diag.List{errDataFile(tokens[1]).d}
		}
		if faults := c.independent(); len(faults) > 0 {
			return nil, faults
		}
		found := append(tokens[1:len(tokens):len(tokens)], endToken(tokens[0].span))[0]
		return nil, diag.List{errMissingBracket("{", "`data`", found).d}
	}
	end := c.close
	if end == 0 {
		end = len(tokens)
	}
	data := &Data{At: At{spanOf(tokens[:min(end+1, len(tokens))])}}
	faults := data.parseItems(&c, end)
	faults = append(faults, c.faults...)
	switch {
	case len(faults) > 0:
	case end == len(tokens):
		faults.Add(errUnclosed(tokens[1], nil, endToken(tokens[end-1].span)).d)
	case end+1 < len(tokens):
		faults.Add(trailing(tokens[end], tokens[end+1:]).d)
	}
	return data, faults
}

// parseItems parses what stands between the braces of a data block, the closing one at index end.
func (d *Data) parseItems(c *chunk, end int) diag.List {
	var faults diag.List
	items := splitItems(c.tokens[2:end])
	faulty := false
	for i, item := range items {
		first, last := item.tokens[0], i == len(items)-1
		item.faults = append(item.faults, c.faultsUntil(item.tokens[len(item.tokens)-1], last)...)
		it, found := parseItem(item)
		if len(found) == 0 {
			d.Items = append(d.Items, it)
		}
		known := isItemWord(first.text)
		switch {
		case c.tokens[1].bad && (last || first.kind != identToken):
			found = nil // the brace that lacks may have been meant to stand here
		case faulty && !known && tokenBefore(c.tokens, first).text == ",":
			found = nil // the comma may have been meant to stand inside the item before
		}
		faulty = len(found) > 0 || faulty && !known
		faults = append(faults, found...)
	}
	return faults
}

// faultsUntil takes the faults of a data block that lie in an item which ends in a token, or behind the last item.
func (c *chunk) faultsUntil(end token, last bool) diag.List {
	var own, rest diag.List
	for _, d := range c.faults {
		at := d.Subject.Start.Offset
		if at > c.tokens[1].span.Start.Offset && (at <= end.span.Start.Offset || last) {
			own.Add(d)
		} else {
			rest.Add(d)
		}
	}
	c.faults = rest
	return own
}

// tokenBefore returns the token before another.
func tokenBefore(tokens []token, t token) token {
	return tokens[max(0, indexOf(tokens, t)-1)]
}

func parseItem(c chunk) (DataItem, diag.List) {
	if faults := c.independent(); len(faults) > 0 {
		return nil, faults
	}
	if word := c.tokens[0]; word.kind != identToken || !isItemWord(word.text) {
		return nil, diag.List{errUnknownItem(word).d}
	}
	rule, err := itemParser().ParseFromLexer(peeking(c.tokens))
	if err != nil {
		return nil, diag.List{explain(err, c.tokens).d}
	}
	return rule.lower(spanOf(c.tokens)), nil
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
	var own *thrown
	if errors.As(err, &own) {
		return own.f
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
		return errMissingEquals(word, found, after(tokens, found))
	case expected == ":":
		return errMissingType(found)
	case expected != "":
		return errMissingWord(expected, found)
	}
	i := slices.IndexFunc(tokens, func(t token) bool { return t.span.Start == found.span.Start })
	if i < 1 {
		return errUnknownStatement(found)
	}
	if word == "use" && found.kind == identToken && closest(found.text, []string{wordFrom}) != "" {
		return errMissingWord(wordFrom, found)
	}
	switch {
	case found.text == "=" && sets(word):
		return errStatementEquals(word, found)
	case lacksComma(word, tokens[i-1], found):
		return errMissingComma(tokens[i-1], found)
	}
	return appended(word, tokens, i)
}

// appended returns the fault of the token at index i, which follows what is a complete statement of the word.
func appended(word string, tokens []token, i int) *fault {
	switch found := tokens[i]; {
	case i == 1 && (found.text == ":" || found.text == "=") && isItemWord(word):
		return errItemSign(word, found)
	case found.text == ",":
		return errComma(word, tokens, i)
	case slices.Contains(whenever, found.text):
		return conditional(tokens, i)
	}
	return trailing(tokens[i-1], tokens[i:])
}

// lacksComma reports whether a token follows an element of the list of an item.
func lacksComma(item string, before, found token) bool {
	switch {
	case isItemWord(found.word()) || isStatementWord(found.word()):
		return false
	case item == "columns":
		return isName(found) || found.kind == stringToken
	}
	return item == "split" && before.kind == numberToken && isName(found)
}

// trailing returns the fault of tokens that follow a complete statement.
func trailing(before token, rest []token) *fault {
	found := rest[0]
	named := len(rest) > 1 && (rest[1].kind == identToken || rest[1].text == "{" || rest[1].kind == numberToken)
	switch {
	case found.kind == identToken && (isStatementWord(found.text) || isItemWord(found.text)) && named:
		return errTwoStatements(found)
	case found.text == ";":
		return errTwoStatements(found)
	case found.text == "=":
		return errStrayEquals(found, false)
	case slices.Contains(comparisons, found.word()):
		return errComparison(found)
	}
	return errUnexpected(before, found)
}

// after returns the token that follows another, the zero token if that is the last.
func after(tokens []token, t token) token {
	i := slices.IndexFunc(tokens, func(o token) bool { return o.span.Start == t.span.Start })
	if i < 0 || i+1 >= len(tokens) {
		return token{}
	}
	return tokens[i+1]
}
