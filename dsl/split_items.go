package dsl

import "github.com/sipc-ml/sipc/dsl/diag"

// An itemSplitter cuts what stands between the braces of a data block into items. An item ends at a line end, a semicolon,
// or a comma that does not separate the names of a list.
type itemSplitter struct {
	tokens []Token
	faults diag.List // of the item
	items  []chunk
	start  int
	depth  int  // of brackets
	typed  bool // the colon of a target is passed
}

func splitItems(tokens []Token) []chunk {
	s := &itemSplitter{tokens: tokens}
	for i, t := range tokens {
		if i > s.start && s.endsBefore(i) {
			s.cut(i)
		}
		switch t.Text {
		case "(", "[", "{":
			s.depth++
		case ")", "]", "}":
			s.depth = max(0, s.depth-1)
		case ":":
			s.typed = s.typed || s.depth == 0
		}
	}
	s.cut(len(tokens))
	return s.items
}

func (s *itemSplitter) endsBefore(i int) bool {
	t, after := s.tokens[i], s.tokens[i-1]
	switch {
	case s.depth > 0:
		return t.First && beginsItem(s.tokens[i:])
	case after.Text == ";":
		return true
	case after.Text == ",":
		return !s.listing() || itemFollows(s.tokens[i:])
	case !t.First || wantsMore(after):
		return false
	case goesOn(t) || closes(t) || s.tokens[s.start].Text == wordTarget && !s.typed && !isItemWord(t.Word):
		s.faults.Add(errLineBreak(after, t).d)
		return false
	}
	return true
}

// listing reports whether a comma at this place separates the parts of one item.
func (s *itemSplitter) listing() bool {
	switch s.tokens[s.start].Text {
	case wordTarget:
		return !s.typed
	case "missing", wordStandardize, "scale", wordNormalize, wordID, wordUnlabelled, wordWeight, wordOutside:
		return false
	}
	return true
}

func (s *itemSplitter) cut(i int) {
	item := s.tokens[s.start:i]
	for len(item) > 0 && (item[len(item)-1].Text == "," || item[len(item)-1].Text == ";") {
		item = item[:len(item)-1]
	}
	if len(item) > 0 {
		s.items = append(s.items, chunk{tokens: item, faults: s.faults})
	}
	*s = itemSplitter{tokens: s.tokens, items: s.items, start: i}
}

// itemFollows reports whether the tokens, after a comma, begin an item rather than a further name of a list. They do
// if an item's word is followed by what the item requires. (A column with such a name can be put in quotes.)
func itemFollows(tokens []Token) bool {
	if tokens[0].Kind != WordToken || !isItemWord(tokens[0].Text) {
		return false
	}
	next := Token{First: true}
	if len(tokens) > 1 {
		next = tokens[1]
	}
	switch tokens[0].Text {
	case wordStandardize, wordNormalize:
		return next.First || next.Text == "," || next.Text == ";"
	case wordGaps:
		return (next.Kind == NumberToken || next.Text == "-") && !next.First
	case "scale":
		return next.Kind == NumberToken && !next.First
	}
	return !next.First && (next.Kind == StringToken || isName(next))
}

// beginsItem reports whether the tokens, the first of them the first of its line, begin an item even inside brackets.
func beginsItem(tokens []Token) bool {
	if len(tokens) > 1 && tokens[1].Text == "}" {
		return tokens[0].Text == wordStandardize || tokens[0].Text == wordNormalize
	}
	return itemFollows(tokens) && (len(tokens) < 2 || tokens[1].Text != ",")
}
