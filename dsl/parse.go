package dsl

import (
	"slices"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// Parse reads a spec. It reports every syntax error once, in the order of the source; the file holds the statements that
// have none. The file is never nil.
func Parse(name string, src []byte) (*File, diag.List) {
	return lex(name, string(src)).parse(name, src)
}

// ParseExpression reads a text that is one expression. The file holds it as the body of its only statement, an invariance without a
// name. All places are those of the text.
func ParseExpression(name string, src []byte) (*File, diag.List) {
	s, head := lex(name, string(src)), lex(name, "invariance _ =").tokens
	for i := range head {
		head[i].Span = diag.Span{File: name, Start: diag.Pos{Line: 1, Column: 1}, End: diag.Pos{Line: 1, Column: 1}}
	}
	if len(s.tokens) > 0 {
		s.tokens[0].First = false // it goes on with the statement
	}
	s.tokens = append(head, s.tokens...)
	file, faults := s.parse(name, src)
	if len(file.Decls) == 1 && len(file.Broken) == 0 {
		if decl, ok := file.Decls[0].(*Invariance); ok {
			decl.Name.Name = ""
		}
	} else if !faults.HasErrors() {
		faults.Add(&diag.Diagnostic{
			Code: UnknownStatement, Subject: diag.Span{File: name, Start: head[0].Span.Start, End: s.pos}, Summary: "this is more than one expression",
		})
	}
	return file, faults
}

// ParseRequirement reads a text that is one statement of what is required: the file holds it alone. The word `require` and a name in front of it
// may be left out. A statement without a name gets the given one. All places are those of the text.
func ParseRequirement(name, unnamed string, src []byte) (*File, diag.List) {
	s := lex(name, string(src))
	if len(s.tokens) == 0 && s.faults.HasErrors() {
		return s.parse(name, src)
	}
	named := s.headRequirement(name)
	file, faults := s.parse(name, src)
	switch {
	case len(file.Decls) == 1 && len(file.Broken) == 0:
		if decl, ok := file.Decls[0].(*Require); ok && !named {
			decl.Name.Name = unnamed
		}
	case !faults.HasErrors():
		faults.Add(&diag.Diagnostic{Code: UnknownStatement, Subject: file.Decls[1].Span(), Summary: "this is more than one statement", Mend: "Give each as an argument of its own."})
	}
	return file, faults
}

// headRequirement puts in front of a requirement what it lacks of `require NAME =`. It reports whether the text has a name.
func (s *scan) headRequirement(file string) (named bool) {
	rest := s.tokens
	var head []Token
	if len(rest) > 0 && rest[0].Text == wordRequire {
		head, rest = rest[:1:1], rest[1:]
	}
	named = len(rest) > 1 && isName(rest[0]) && rest[1].Text == "="
	added := ""
	if len(head) == 0 {
		added = wordRequire
	}
	if !named {
		added += " _ ="
	}
	head = append(head, placedBefore(lex(file, added).tokens, rest, file)...)
	s.tokens = slices.Concat(head, rest)
	if s.tokens[0].First = true; len(rest) > 0 && len(head) > 0 {
		s.tokens[len(head)].First = false // it goes on with the statement
	}
	return named
}

// placedBefore returns tokens that nobody wrote, at the place of the first of those that follow.
func placedBefore(tokens, rest []Token, name string) []Token {
	at := diag.Pos{Line: 1, Column: 1}
	if len(rest) > 0 {
		at = rest[0].Span.Start
	}
	for i := range tokens {
		tokens[i].Span, tokens[i].First = diag.Span{File: name, Start: at, End: at}, false
	}
	return tokens
}

// parse cuts a scan into statements and parses each.
func (s *scan) parse(name string, src []byte) (*File, diag.List) {
	file := &File{Name: name, Source: slices.Clone(src), Tokens: s.all, Comments: s.comments}
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
		named := t.First && isName(t) && i+1 < len(c.tokens) && c.tokens[i+1].Text == "="
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
func beginsStatement(t Token) bool {
	if t.Kind != WordToken {
		return false
	}
	word := t.Word
	return isStatementWord(word) || t.First && closest(word, statementWords) != ""
}

// brokenAt returns what is known of the statement that begins with the tokens.
func brokenAt(tokens []Token) Broken {
	b := Broken{At: At{spanOf(tokens)}}
	first, second := tokens[0], Token{}
	if len(tokens) > 1 {
		second = tokens[1]
	}
	if first.Kind == WordToken {
		if b.Exact = isStatementWord(first.Word); b.Exact {
			b.Keyword = first.Word
		} else {
			b.Keyword = closest(first.Word, statementWords)
		}
	}
	switch {
	case mayDeclare(b.Keyword) && second.Kind == WordToken:
		b.Name = identOf(second)
	case first.Kind == WordToken && !b.Exact && second.Text == "=":
		b.Name, b.Keyword = identOf(first), ""
	}
	return b
}

func parseStatement(c chunk) (Decl, diag.List) {
	if c.tokens[0].Text == wordData {
		return parseData(c)
	}
	if faults := c.independent(); len(faults) > 0 {
		return nil, faults
	}
	if f := checkStatementWord(c.tokens); f != nil {
		return nil, diag.List{f.d}
	}
	d, f := statement(c.tokens)
	return d, f.list()
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
			interval(c.tokens, i)
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

func checkStatementWord(tokens []Token) *fault {
	word := tokens[0]
	switch {
	case word.Kind == WordToken && isStatementWord(word.Text):
		return nil
	case word.Kind == WordToken && len(tokens) > 1 && tokens[1].Text == "=" && !isReserved(word.Word):
		return unnamedStatement.at(word.Span, word.Text)
	case slices.Contains(demands, word.Text):
		return errDemand(word, tokens[1:])
	}
	return unnamed(tokens)
}

// unnamed returns the fault of a statement without a word that is known. It may be an invariance without its name.
func unnamed(tokens []Token) *fault {
	f := errUnknownStatement(tokens[0])
	p := newParser(tokens)
	var x Expr
	wrong := attempt(func() { x = p.expression() })
	if wrong == nil && p.peek().isEnd() && len(tokens) > 1 && (isStandard(x) || holdsF(x)) {
		f.d.Fixes = nil
		return f.mend("write `invariance NAME = %s`, and regularize it", ExprString(x))
	}
	return f
}

// errDemand returns the fault of a constraint, and offers an invariance that is as large as it is broken.
func errDemand(word Token, rest []Token) *fault {
	f := faultAt(UnknownStatement, word.Span, "unknown statement `%s`", word.Text).why(noConstraint)
	p := newParser(rest)
	attempt(func() {
		x := p.binary(levelSum)
		switch t := p.peek(); {
		case slices.Contains(comparisons, t.Word):
			f.write = errCompared(p, x, t).write
		case t.isEnd() && isStandard(x):
			f.write = ExprString(x)
		}
	})
	if f.write != "" {
		return f.mend("write `invariance required = %s`, and regularize it", f.write)
	}
	return f.mend("write `invariance rising = increasing(area)`, say: a number that grows with the violation, and regularize it")
}

func parseData(c chunk) (Decl, diag.List) {
	tokens := c.tokens
	if len(tokens) < 2 || tokens[1].Text != "{" || tokens[1].First {
		if len(tokens) > 1 && (tokens[1].Text == "=" || tokens[1].Kind == StringToken) {
			return nil, diag.List{errDataFile(tokens[1]).d}
		}
		if faults := c.independent(); len(faults) > 0 {
			return nil, faults
		}
		found := append(tokens[1:len(tokens):len(tokens)], endAfter(tokens[0].Span))[0]
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
		faults.Add(errUnclosed(tokens[1], nil, endAfter(tokens[end-1].Span)).d)
	case end+1 < len(tokens):
		faults.Add(trailing(tokens[0].Text, tokens[end], tokens[end+1:]).d)
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
		known := isItemWord(first.Text)
		switch {
		case c.tokens[1].bad && (last || first.Kind != WordToken):
			found = nil // the brace that lacks may have been meant to stand here
		case faulty && !known && tokenBefore(c.tokens, first).Text == ",":
			found = nil // the comma may have been meant to stand inside the item before
		}
		faulty = len(found) > 0 || faulty && !known
		faults = append(faults, found...)
	}
	return faults
}

// faultsUntil takes the faults of a data block that lie in an item which ends in a token, or behind the last item.
func (c *chunk) faultsUntil(end Token, last bool) diag.List {
	var own, rest diag.List
	for _, d := range c.faults {
		at := d.Subject.Start.Offset
		if at > c.tokens[1].Span.Start.Offset && (at <= end.Span.Start.Offset || last) {
			own.Add(d)
		} else {
			rest.Add(d)
		}
	}
	c.faults = rest
	return own
}

// tokenBefore returns the token before another.
func tokenBefore(tokens []Token, t Token) Token {
	return tokens[max(0, indexOf(tokens, t)-1)]
}

func parseItem(c chunk) (DataItem, diag.List) {
	if faults := c.independent(); len(faults) > 0 {
		return nil, faults
	}
	if word := c.tokens[0]; word.Kind != WordToken || !isItemWord(word.Text) {
		return nil, diag.List{errUnknownItem(word).d}
	}
	it, f := item(c.tokens)
	return it, f.list()
}

// explain returns the fault of a token at index i, which follows what is a complete statement or item.
func explain(tokens []Token, i int) *fault {
	word, found := tokens[0].Text, tokens[i]
	for _, of := range []func([]Token, int) *fault{errOfSplit, errOfWeights} {
		if f := of(tokens, i); f != nil {
			return f
		}
	}
	switch {
	case word == "use" && found.Kind == WordToken && closest(found.Text, []string{wordFrom}) != "":
		return errMissingWord(wordFrom, found)
	case found.Text == "=" && sets(word):
		return errStatementEquals(word, found)
	case lacksComma(word, tokens[i-1], found):
		return errMissingComma(tokens[i-1], found)
	case i == 1 && (found.Text == ":" || found.Text == "=") && isItemWord(word):
		return errItemSign(word, found)
	case found.Text == ",":
		return errComma(tokens, i)
	case slices.Contains(whenever, found.Text):
		return conditional(tokens, i)
	}
	return trailing(tokens[0].Text, tokens[i-1], tokens[i:])
}

// lacksComma reports whether a token follows an element of the list of an item.
func lacksComma(item string, before, found Token) bool {
	switch {
	case isItemWord(found.Word) || isStatementWord(found.Word):
		return false
	case item == "columns":
		return isName(found) || found.Kind == StringToken
	case item == wordRegularize:
		return before.Kind == WordToken && isName(found)
	}
	return item == wordSplit && before.Kind == NumberToken && isName(found)
}

// trailing returns the fault of tokens that follow a complete statement or item, which begins with a word.
func trailing(word string, before Token, rest []Token) *fault {
	found := rest[0]
	named := len(rest) > 1 && (rest[1].Kind == WordToken || rest[1].Text == "{" || rest[1].Kind == NumberToken)
	switch {
	case found.Kind == WordToken && (isStatementWord(found.Text) || isItemWord(found.Text)) && named:
		return errTwoStatements(found)
	case found.Text == ";":
		return errTwoStatements(found)
	case found.Text == "=":
		return errStrayEquals(found, false)
	case slices.Contains(comparisons, found.Word):
		return errComparison(found)
	}
	f := errUnexpected(before, found)
	if isItemWord(word) && isName(found) { // no product stands in an item
		f.d.Fixes = nil
		f.mend("remove it, or put a line end before it").orQuoted(before, found)
	}
	return f
}

// splitArgs are the arguments of split.
var splitArgs = []string{"train", "test", "time"}

// errOfSplit returns the fault of token i, which follows what is a complete split: split time : sold, split test 25%. Nil means that another
// item is at fault, or that nothing more is known.
func errOfSplit(tokens []Token, i int) *fault {
	if tokens[0].Text != wordSplit || i < 2 {
		return nil
	}
	if tokens[1].Text == wordBy {
		return errSplitBy(tokens, i)
	}
	name, found := tokens[i-1], tokens[i]
	word := name.Text
	if !slices.Contains(splitArgs, word) {
		word = closest(word, splitArgs)
	}
	sign, value := found.Text == ":" || found.Text == "==", found
	if sign && i+1 < len(tokens) {
		value = tokens[i+1]
	}
	if word == "" || value.Kind != NumberToken && value.Kind != StringToken && !isName(value) {
		return nil
	}
	write := word + " = " + value.Text
	f := faultAt(UnexpectedToken, found.Span, "`=` belongs between `%s` and %s", name.Text, named(value))
	if word != name.Text {
		f = faultAt(UnexpectedToken, name.Span, "split has no `%s`", name.Text)
	}
	return f.replace(name.Span.To(value.Span), write, "write `%s`", write).spelling()
}

// errSplitBy returns the fault of token i behind `split by COLUMN`. Nil means that nothing more is known.
func errSplitBy(tokens []Token, i int) *fault {
	if i != 3 {
		return nil
	}
	column, found := tokens[2].Text, tokens[3]
	switch {
	case found.Text == "=" && slices.Contains(splitArgs, column):
		by := diag.Span{File: tokens[1].Span.File, Start: tokens[1].Span.Start, End: tokens[2].Span.Start}
		value := "…"
		if len(tokens) > 4 {
			value = tokens[4].Text
		}
		return faultAt(UnexpectedToken, tokens[1].Span, "`by` and `%s =` are two ways to split", column).
			replace(by, "", "write `split %s = %s`", column, value)
	case found.Text == "=" || found.Text == ":":
		return faultAt(UnexpectedToken, found.Span, "unexpected `%s` after `split by %s`", found.Text, column).
			why("The cells of the column say train, valid or test.").mend("write `split by %s` alone", column)
	case found.Text == ",":
		return faultAt(UnexpectedToken, found.Span, "split by takes one column, and nothing else").
			why("The cells of the column say train, valid or test.").
			mend("write `split by %[1]s`; to test on the latest rows by %[1]s write `split time = %[1]s, test = 25%%`", column)
	}
	return nil
}

// errBySign returns the fault of a sign between `split by` and its column.
func errBySign(sign Token) *fault {
	return faultAt(UnexpectedToken, sign.Span, "unexpected `%s` after `by`", sign.Text).
		replace(sign.Span, "", "remove the `%s`: write `split by COLUMN`", sign.Text).spelling()
}

// interval mends signs of other languages for the ends of an interval: ±15deg, -15deg .. 15deg.
func interval(tokens []Token, i int) {
	f := tokens[i].fault
	switch {
	case i+1 < len(tokens) && tokens[i].Text == "±" && tokens[i+1].Kind == NumberToken:
		f.d.Summary = "an interval is not written with ±"
		f.instead(tokens[i].Span.To(tokens[i+1].Span), "[-"+tokens[i+1].Text+", "+tokens[i+1].Text+"]", "write both ends: `[-%[1]s, %[1]s]`", tokens[i+1].Text)
	case i > 0 && i+2 < len(tokens) && tokens[i].Text == "." && tokens[i+1].Text == "." && tokens[i-1].Kind == NumberToken:
		low, high, end := tokens[i-1].Text, "", i+2
		first := tokens[i-1].Span
		if i > 1 && tokens[i-2].Word == "-" {
			low, first = "-"+low, tokens[i-2].Span
		}
		if tokens[end].Word == "-" && end+1 < len(tokens) {
			high, end = "-", end+1
		}
		if tokens[end].Kind != NumberToken {
			return
		}
		write := "[" + low + ", " + high + tokens[end].Text + "]"
		f.d.Summary = "an interval is not written with points"
		f.instead(first.To(tokens[end].Span), write, "an interval has its ends in brackets: write `%s`", write)
	}
}

// forAll are words behind auto by which other languages would say what it is for.
var forAll = []string{"for", "all", "each", "every", "of", "on", "with", "by", "everything"}

// errOfWeights returns the fault of token i, which follows what is a complete list of regularize: auto a, auto: a, a = 2. Nil means that another
// statement is at fault, or that nothing more is known.
func errOfWeights(tokens []Token, i int) *fault {
	if tokens[0].Text != wordRegularize {
		return nil
	}
	before, found := tokens[i-1], tokens[i]
	last := i+1 == len(tokens)
	switch {
	case before.Text == auto && (isName(found) || isReserved(found.Word) || found.Text == ":"):
		return errBehindAuto(tokens, i)
	case i == 2 && found.Text == auto && last && isName(before):
		return faultAt(UnexpectedToken, before.Span, "unexpected `%s` before `auto`", before.Text).
			replace(before.Span.To(found.Span), auto, "write `regularize auto`, which weighs every invariance")
	case (found.Text == ":" || found.Text == "=") && isName(before) && before.Word != "lambda" && !last:
		return errWeightBehind(before, found, tokens[i+1])
	}
	return nil
}

// errBehindAuto returns the fault of a token behind auto, which weighs all invariances alone, or one in a product.
func errBehindAuto(tokens []Token, i int) *fault {
	before, found := tokens[i-1], tokens[i]
	f := faultAt(UnexpectedToken, found.Span, "unexpected `%s` after `auto`", found.Text)
	if i+1 == len(tokens) && slices.Contains(forAll, found.Text) {
		return f.replace(before.Span.To(found.Span), auto, "write `regularize auto`, which weighs every invariance")
	}
	if isName(found) && !slices.Contains(forAll, found.Text) {
		return f.insert(found.Span, "* ", "write `auto * %s`; `regularize auto` alone weighs every invariance", found.Text)
	}
	return f.mend("write `regularize auto`, which weighs every invariance, or `auto * NAME`")
}

// errWeightBehind returns the fault of a weight that stands behind its invariance and a sign. Nil means that no weight stands there.
func errWeightBehind(name, sign, weight Token) *fault {
	if weight.Kind != NumberToken && weight.Text != auto {
		return nil
	}
	write := weight.Text + " * " + name.Text
	f := faultAt(UnexpectedToken, sign.Span, "unexpected `:` after `%s`", name.Text)
	if sign.Text == "=" {
		f = faultAt(StrayEquals, sign.Span, "`=` cannot stand in `regularize …`")
	}
	return f.replace(name.Span.To(weight.Span), write, "the weight stands before its invariance: write `%s`", write)
}
