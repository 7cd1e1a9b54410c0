package dsl

import "github.com/sipc-ml/sipc/dsl/diag"

// An itemSplitter cuts what stands between the braces of a data block into items. An item ends at a line end, a semicolon,
// or a comma that does not separate the names of a list.
type itemSplitter struct {
	tokens []token
	faults diag.List // of the item
	items  []chunk
	start  int
	depth  int  // of brackets
	typed  bool // the colon of a target is passed
}

func splitItems(tokens []token) []chunk {
	s := &itemSplitter{tokens: tokens}
	for i, t := range tokens {
		if i > s.start && s.endsBefore(i) {
			s.cut(i)
		}
		switch t.text {
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
		return t.first && beginsItem(s.tokens[i:])
	case after.text == ";":
		return true
	case after.text == ",":
		return !s.listing() || itemFollows(s.tokens[i:])
	case !t.first || wantsMore(after):
		return false
	case goesOn(t) || closes(t) || s.tokens[s.start].text == "target" && !s.typed && !isItemWord(t.word()):
		s.faults.Add(errLineBreak(after, t).d)
		return false
	}
	return true
}

// listing reports whether a comma at this place separates the parts of one item.
func (s *itemSplitter) listing() bool {
	switch s.tokens[s.start].text {
	case "target":
		return !s.typed
	case "missing", wordStandardize, "scale", wordNormalize, wordID:
		return false
	}
	return true
}

func (s *itemSplitter) cut(i int) {
	item := s.tokens[s.start:i]
	for len(item) > 0 && (item[len(item)-1].text == "," || item[len(item)-1].text == ";") {
		item = item[:len(item)-1]
	}
	if len(item) > 0 {
		s.items = append(s.items, chunk{tokens: item, faults: s.faults})
	}
	*s = itemSplitter{tokens: s.tokens, items: s.items, start: i}
}

// itemFollows reports whether the tokens, after a comma, begin an item rather than a further name of a list. They do
// if an item's word is followed by what the item requires. (A column with such a name can be put in quotes.)
func itemFollows(tokens []token) bool {
	if tokens[0].kind != identToken || !isItemWord(tokens[0].text) {
		return false
	}
	next := token{first: true}
	if len(tokens) > 1 {
		next = tokens[1]
	}
	switch tokens[0].text {
	case wordStandardize, wordNormalize:
		return next.first || next.text == "," || next.text == ";"
	case "scale":
		return next.kind == numberToken && !next.first
	}
	return !next.first && (next.kind == stringToken || isName(next))
}

// beginsItem reports whether the tokens, the first of them the first of its line, begin an item even inside brackets.
func beginsItem(tokens []token) bool {
	if len(tokens) > 1 && tokens[1].text == "}" {
		return tokens[0].text == wordStandardize || tokens[0].text == wordNormalize
	}
	return itemFollows(tokens) && (len(tokens) < 2 || tokens[1].text != ",")
}
