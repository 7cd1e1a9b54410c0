package dsl

import (
	"slices"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// A chunk is the tokens of one statement, or of one item of a data block.
type chunk struct {
	tokens []token
	faults diag.List // found while cutting
	close  int       // the index of the brace that closes a data block; 0 where it lacks
}

// A splitter cuts the tokens of a file into statements. Each is parsed separately, so that a mistake in one does not
// affect the others. A statement ends at the end of its line. It goes on if the line ends inside brackets, inside
// |…|, or after a token that requires more. A line that must be the start of a statement ends whatever is open before
// it.
type splitter struct {
	tokens []token
	chunks []chunk
	faults diag.List // of the statement
	start  int
	close  int  // of the data block, from the start of the statement
	broken bool // the statement holds a mistake already
	lost   bool // a string without end has swallowed what may be brackets
	stack  []bracket
	bars   int  // bars since the statement began, outside brackets
	item   bool // the item of a data block that token i belongs to is reported already
}

// A bracket is an open one.
type bracket struct {
	open token
	bars int  // bars directly inside
	data bool // the brace of a data block
}

func split(tokens []token) []chunk {
	s := &splitter{tokens: tokens}
	for i, t := range tokens {
		if t.first && i > s.start {
			s.newLine(i)
		}
		if t.bad {
			s.broken = s.broken || !s.inData()
			s.lost = s.lost || t.kind == openStringToken
		}
		switch t.text {
		case "(", "[", "{":
			s.stack = append(s.stack, bracket{open: t, data: t.text == "{" && i == s.start+1 && s.tokens[s.start].word() == wordData})
		case ")", "]", "}":
			s.closeBracket(i)
		case "|":
			*s.barCount()++
		}
	}
	s.finish(len(tokens))
	return s.chunks
}

func (s *splitter) inData() bool { return len(s.stack) > 0 && s.stack[0].data }

func (s *splitter) barCount() *int {
	if n := len(s.stack); n > 0 {
		return &s.stack[n-1].bars
	}
	return &s.bars
}

// report adds a fault, the first of its statement. One that lies in an item of a data block breaks that item alone.
func (s *splitter) report(f *fault, at int) {
	if s.broken || s.item || s.lost {
		return
	}
	s.faults.Add(f.d)
	s.tokens[at].bad = true
	s.broken = !s.inData()
	s.item = s.inData()
}

// newLine decides whether the statement goes on at token i, the first of a line.
func (s *splitter) newLine(i int) {
	switch {
	case s.beginsStatement(i) || s.lost && !s.inData() && s.flush(i):
		s.finish(i)
	case s.inData():
		if len(s.stack) > 1 && beginsItem(s.tokens[i:]) {
			s.unclosed(1, s.tokens[i])
		}
		s.item = s.item && len(s.stack) > 1
	case len(s.stack) > 0 || s.bars%2 == 1 || wantsMore(s.tokens[i-1]) || closes(s.tokens[i]):
	default:
		if f := s.lineBreak(i); f != nil {
			s.report(f, i)
		} else {
			s.finish(i)
		}
	}
}

// lineBreak returns the fault of a line end before token i that breaks the statement, or nil if the statement ends
// there.
func (s *splitter) lineBreak(i int) *fault {
	start, t := s.tokens[s.start], s.tokens[i]
	switch {
	case start.text == wordData && s.setIn(i) && !slices.ContainsFunc(s.tokens[s.start:i], isBrace):
		return errMissingBracket("{", "`data`", t)
	case goesOn(t) || s.setIn(i):
		return errLineBreak(s.tokens[i-1], t)
	case i == s.start+1 && isStatementWord(start.word()) && closest(t.word(), statementWords) == "":
		return errBareWord(start, t)
	}
	return nil
}

func isBrace(t token) bool { return t.text == "{" }

// closes reports whether a token is a closing bracket. At the start of a line it belongs to what was opened before, even
// where that has been lost.
func closes(t token) bool { return t.text == ")" || t.text == "]" || t.text == "}" }

// setIn reports whether token i, the first of its line, is indented relative to the statement, and is no statement
// word. It then belongs to the statement.
func (s *splitter) setIn(i int) bool {
	t, start := s.tokens[i], s.tokens[s.start]
	word := t.kind == identToken && (isStatementWord(t.word()) || closest(t.word(), statementWords) != "")
	return t.span.Start.Column > start.span.Start.Column && !word && (isStatementWord(start.word()) || start.bad)
}

// flush reports whether token i, the first of its line, is a word that is not set in.
func (s *splitter) flush(i int) bool {
	return s.tokens[i].kind == identToken && s.tokens[i].span.Start.Column <= s.tokens[s.start].span.Start.Column
}

// wantsMore reports whether a line that ends in t goes on.
func wantsMore(t token) bool {
	switch t.word() {
	case "+", "-", "*", "/", "=", "==", "!=", "<", "<=", ">", ">=", ",", ":", wordOf, wordOver, wordIn, wordWhere, "and", "or", "not":
		return true
	}
	return false
}

// goesOn reports whether a line that begins with t can only belong to the line before.
func goesOn(t token) bool {
	switch t.word() {
	case "+", "-", "*", "/", "=", "==", "!=", "<", "<=", ">", ">=", ",", ":", "|", "(", "[", "{",
		wordOf, wordOver, wordIn, wordWhere, "and", "or", "under", "from":
		return true
	}
	return false
}

// beginsStatement reports whether token i, the first of a line, begins a statement even inside brackets. It must be a
// statement word that no expression could hold at that place. Outside data blocks a misspelt one counts, too.
func (s *splitter) beginsStatement(i int) bool {
	t := s.tokens[i]
	if t.kind != identToken || i+1 >= len(s.tokens) || s.tokens[i+1].first {
		return false
	}
	return s.statementAt(i) && (!s.inData() || !s.closesLater(i, len(s.stack)-1)) || s.unnamedAt(i)
}

// unnamedAt reports whether token i, the first of a line, begins `NAME = …`, a statement that lacks its word, and no argument
// of what lies open.
func (s *splitter) unnamedAt(i int) bool {
	t, before := s.tokens[i], s.tokens[i-1]
	if s.tokens[i+1].text != "=" || !isName(t) || isItemWord(t.word()) || !s.flush(i) || i == s.start+1 {
		return false
	}
	return before.text != "(" && before.text != "," && before.text != "=" && !s.closesSoon(i)
}

// closesSoon reports whether the innermost bracket is closed by the tokens from i on, before another statement begins.
func (s *splitter) closesSoon(i int) bool {
	if len(s.stack) == 0 {
		return false
	}
	opener := s.stack[len(s.stack)-1].open.text
	depth := 0
	for k, t := range s.tokens[i:] {
		switch {
		case t.first && isStatementWord(t.word()) && s.flush(i+k):
			return false
		case t.text == opener:
			depth++
		case t.text == closers[opener]:
			if depth--; depth < 0 {
				return true
			}
		}
	}
	return false
}

// statementAt reports whether tokens i and i+1 read as the beginning of a statement.
func (s *splitter) statementAt(i int) bool {
	word, next := s.tokens[i].word(), s.tokens[i+1]
	operand := next.kind == numberToken || isName(next)
	switch word {
	case wordData:
		return next.text == "{"
	case "regularize":
		return operand || next.text == "|" || next.text == "("
	case "evaluate":
		return next.text == "under" || next.text == "{"
	}
	return operand && (isStatementWord(word) || s.misspelt(i))
}

// misspelt reports whether token i looks like a misspelt statement word, where something lies open: in data blocks, only
// where it is not set in.
func (s *splitter) misspelt(i int) bool {
	if s.inData() {
		word := s.tokens[i].word()
		return s.flush(i) && len(word) >= 4 && !isItemWord(word) &&
			closest(word, itemWords) == "" && closest(word, statementWords) != ""
	}
	if len(s.stack) == 0 && s.bars%2 == 0 && !wantsMore(s.tokens[i-1]) {
		return false
	}
	word := s.tokens[i].word()
	return len(word) >= 4 && !isItemWord(word) && closest(word, statementWords) != ""
}

// closesLater reports whether the k-th open bracket is closed by the tokens from i on: then token i stands inside it
// whatever it looks like. Brackets of other kinds do not count, as they may be what is wrong.
func (s *splitter) closesLater(i, k int) bool {
	opener := s.stack[k].open.text
	depth := 0
	for _, t := range s.tokens[i:] {
		switch t.text {
		case opener:
			depth++
		case closers[opener]:
			if depth--; depth < 0 {
				return true
			}
		}
	}
	return false
}

// unclosed reports that the brackets above the first keep ones were never closed.
func (s *splitter) unclosed(keep int, at token) {
	open := s.stack[keep:]
	outer := make([]token, 0, len(open))
	for _, b := range open[:len(open)-1] {
		outer = append(outer, b.open)
	}
	slices.Reverse(outer)
	inner := open[len(open)-1].open
	s.report(errUnclosed(inner, outer, at), indexOf(s.tokens, inner))
	s.stack = s.stack[:keep]
}

func indexOf(tokens []token, t token) int {
	i, _ := slices.BinarySearchFunc(tokens, t.span.Start.Offset, func(t token, at int) int { return t.span.Start.Offset - at })
	return i
}

// pop closes the k-th open bracket at token i.
func (s *splitter) pop(k, i int) {
	if s.stack[k].data {
		s.close = i - s.start
	}
	s.stack = s.stack[:k]
}

func (s *splitter) closeBracket(i int) {
	t := s.tokens[i]
	n := len(s.stack)
	switch {
	case n == 0:
		s.report(errUnopened(t), i)
		return
	case closers[s.stack[n-1].open.text] == t.text:
		s.pop(n-1, i)
		return
	}
	for k := n - 2; k >= 0; k-- {
		if closers[s.stack[k].open.text] == t.text && (!s.stack[k].data || !s.closesLater(i+1, k)) {
			s.unclosed(k+1, t)
			s.pop(k, i)
			return
		}
	}
	if s.stack[n-1].data && s.closesLater(i+1, n-1) {
		s.report(errUnopened(t), i)
		return
	}
	s.report(errMismatchedBracket(s.stack[n-1].open, t), i)
	s.stack = s.stack[:n-1]
}

// finish ends the statement before token i.
func (s *splitter) finish(i int) {
	if len(s.stack) > 0 {
		at := endToken(s.tokens[i-1].span)
		if i < len(s.tokens) {
			at = s.tokens[i]
		}
		s.unclosed(0, at)
	}
	if i > s.start {
		s.chunks = append(s.chunks, chunk{tokens: s.tokens[s.start:i], faults: s.faults, close: s.close})
	}
	*s = splitter{tokens: s.tokens, chunks: s.chunks, start: i}
}
