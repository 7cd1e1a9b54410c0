package dsl

import (
	"slices"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// A chunk is the tokens of one statement, or of one item of a data block.
type chunk struct {
	tokens []Token
	faults diag.List // found while cutting
	close  int       // the index of the brace that closes a data block; 0 where it lacks
}

// A splitter cuts the tokens of a file into statements. Each is parsed separately, so that a mistake in one does not
// affect the others. A statement ends at the end of its line. It goes on if the line ends inside brackets, inside
// |…|, or after a token that requires more. A line that must be the start of a statement ends whatever is open before
// it.
type splitter struct {
	tokens []Token
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
	open Token
	bars int  // bars directly inside
	data bool // the brace of a data block
}

func split(tokens []Token) []chunk {
	s := &splitter{tokens: tokens}
	for i, t := range tokens {
		if t.First && i > s.start {
			s.newLine(i)
		}
		if t.bad {
			s.broken = s.broken || !s.inData()
			s.lost = s.lost || t.Kind == OpenStringToken
		}
		switch t.Text {
		case "(", "[", "{":
			s.stack = append(s.stack, bracket{open: t, data: t.Text == "{" && i == s.start+1 && s.tokens[s.start].Word == wordData})
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
	case len(s.stack) > 0 || s.bars%2 == 1 || wantsMore(s.tokens[i-1]) || closes(s.tokens[i]) || s.trails(i):
	default:
		if f := s.lineBreak(i); f != nil {
			s.report(f, i)
		} else {
			s.finish(i)
		}
	}
}

// trails reports whether a requirement goes on with the region or the condition that token i, the first of a line, begins.
func (s *splitter) trails(i int) bool {
	word := s.tokens[i].Word
	return s.tokens[s.start].Text == wordRequire && (word == wordOver || word == wordWhere)
}

// lineBreak returns the fault of a line end before token i that breaks the statement, or nil if the statement ends
// there.
func (s *splitter) lineBreak(i int) *fault {
	start, t := s.tokens[s.start], s.tokens[i]
	switch {
	case start.Text == wordData && s.setIn(i) && !slices.ContainsFunc(s.tokens[s.start:i], isBrace):
		return errMissingBracket("{", "`data`", t)
	case goesOn(t) || s.setIn(i):
		return errLineBreak(s.tokens[i-1], t)
	case i == s.start+1 && isStatementWord(start.Word) && closest(t.Word, statementWords) == "":
		return bareWord.at(pointAfter(start.Span), start.Text, t.Text).related(t.Span, "does this belong to it?")
	}
	return nil
}

func isBrace(t Token) bool { return t.Text == "{" }

// setIn reports whether token i, the first of its line, is indented relative to the statement, and is not a statement
// word. It then belongs to the statement.
func (s *splitter) setIn(i int) bool {
	t, start := s.tokens[i], s.tokens[s.start]
	word := t.Kind == WordToken && (isStatementWord(t.Word) || closest(t.Word, statementWords) != "")
	return t.Span.Start.Column > start.Span.Start.Column && !word && (isStatementWord(start.Word) || start.bad)
}

// flush reports whether token i, the first of its line, is a word that is not set in.
func (s *splitter) flush(i int) bool {
	return s.tokens[i].Kind == WordToken && s.tokens[i].Span.Start.Column <= s.tokens[s.start].Span.Start.Column
}

// wantsMore reports whether a line that ends in t goes on.
func wantsMore(t Token) bool {
	switch t.Word {
	case "+", "-", "*", "/", "=", "==", "!=", "<", "<=", ">", ">=", ",", ":", wordOf, wordOver, wordIn, wordWhere, "and", "or", "not":
		return true
	}
	return false
}

// goesOn reports whether a line that begins with t can only belong to the line before.
func goesOn(t Token) bool {
	switch t.Word {
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
	if t.Kind != WordToken || i+1 >= len(s.tokens) || s.tokens[i+1].First {
		return false
	}
	return s.statementAt(i) && (!s.inData() || !s.closesLater(i, len(s.stack)-1)) || s.unnamedAt(i)
}

// unnamedAt reports whether token i, the first of a line, begins `NAME = …`, a statement that lacks its word, and no argument
// of what lies open.
func (s *splitter) unnamedAt(i int) bool {
	t, before := s.tokens[i], s.tokens[i-1]
	if s.tokens[i+1].Text != "=" || !isName(t) || isItemWord(t.Word) || !s.flush(i) || i == s.start+1 {
		return false
	}
	return before.Text != "(" && before.Text != "," && before.Text != "=" && !s.closesSoon(i)
}

// closesSoon reports whether the innermost bracket is closed by the tokens from i on, before another statement begins.
func (s *splitter) closesSoon(i int) bool {
	if len(s.stack) == 0 {
		return false
	}
	opener := s.stack[len(s.stack)-1].open.Text
	depth := 0
	for k, t := range s.tokens[i:] {
		switch {
		case t.First && isStatementWord(t.Word) && s.flush(i+k):
			return false
		case t.Text == opener:
			depth++
		case t.Text == closers[opener]:
			if depth--; depth < 0 {
				return true
			}
		}
	}
	return false
}

// statementAt reports whether tokens i and i+1 read as the beginning of a statement.
func (s *splitter) statementAt(i int) bool {
	word, next := s.tokens[i].Word, s.tokens[i+1]
	operand := next.Kind == NumberToken || isName(next)
	switch word {
	case wordData:
		return next.Text == "{"
	case wordInclude:
		return next.Kind == StringToken
	case wordRegularize:
		return operand || next.Text == "|" || next.Text == "("
	case wordExpect:
		return operand || next.Text == "(" || next.Text == "not"
	case wordEvaluate:
		return next.Text == wordUnder || next.Text == "{"
	case wordAugment:
		return operand || next.Text == "{"
	}
	return operand && (isStatementWord(word) || s.misspelt(i))
}

// misspelt reports whether token i looks like a misspelt statement word, where something lies open: in data blocks, only
// where it is not set in.
func (s *splitter) misspelt(i int) bool {
	if s.inData() {
		word := s.tokens[i].Word
		return s.flush(i) && len(word) >= 4 && !isItemWord(word) &&
			closest(word, itemWords) == "" && closest(word, statementWords) != ""
	}
	if len(s.stack) == 0 && s.bars%2 == 0 && !wantsMore(s.tokens[i-1]) {
		return false
	}
	word := s.tokens[i].Word
	return len(word) >= 4 && !isItemWord(word) && closest(word, statementWords) != ""
}

// closesLater reports whether the k-th open bracket is closed by the tokens from i on: then token i stands inside it
// whatever it looks like. Brackets of other kinds do not count, as they may be what is wrong.
func (s *splitter) closesLater(i, k int) bool {
	opener := s.stack[k].open.Text
	depth := 0
	for _, t := range s.tokens[i:] {
		switch t.Text {
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
func (s *splitter) unclosed(keep int, at Token) {
	open := s.stack[keep:]
	outer := make([]Token, 0, len(open))
	for _, b := range open[:len(open)-1] {
		outer = append(outer, b.open)
	}
	slices.Reverse(outer)
	inner := open[len(open)-1].open
	s.report(errUnclosed(inner, outer, at), indexOf(s.tokens, inner))
	s.stack = s.stack[:keep]
}

func indexOf(tokens []Token, t Token) int {
	i, _ := slices.BinarySearchFunc(tokens, t.Span.Start.Offset, func(t Token, at int) int { return t.Span.Start.Offset - at })
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
	case closers[s.stack[n-1].open.Text] == t.Text:
		s.pop(n-1, i)
		return
	}
	for k := n - 2; k >= 0; k-- {
		if closers[s.stack[k].open.Text] == t.Text && (!s.stack[k].data || !s.closesLater(i+1, k)) {
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
		at := endAfter(s.tokens[i-1].Span)
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
