package dsl

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// What an ASCII character can be at the beginning of a token, and within one.
const (
	asLetter = 1 << iota
	asDigit
	asBlank
	asSign // a token of its own, whatever follows
)

var ascii = func() (class [128]uint8) {
	for c := range class {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
			class[c] = asLetter
		case c >= '0' && c <= '9':
			class[c] = asDigit
		case c == ' ', c == '\t':
			class[c] = asBlank
		case strings.ContainsRune("-+*/()[]{}|,:;", rune(c)):
			class[c] = asSign
		}
	}
	return class
}()

// plain is what the rules say of the first token of a line where it is one of the common kinds and in ASCII, as nearly all are:
// matching the rules takes ten times as long. Where n is 0, the rules have to be asked.
func plain(text string) (kind lexer.TokenType, n int) {
	switch c := text[0]; {
	case c == '\n':
		return newlineToken, 1
	case c == '#':
		if end := strings.IndexByte(text, '\n'); end >= 0 {
			return commentToken, end
		}
		return commentToken, len(text)
	case c >= 128:
		return 0, 0
	case ascii[c] == asSign:
		return punctToken, 1
	case ascii[c] == asLetter:
		kind, n = identToken, span(text, asLetter|asDigit)
	case ascii[c] == asDigit:
		kind, n = numberToken, span(text, asDigit)
	case ascii[c] == asBlank:
		kind, n = spaceToken, span(text, asBlank)
	default:
		return 0, 0
	}
	if n < len(text) && runsOn(kind, text[n]) {
		return 0, 0
	}
	return kind, n
}

// span is the length of the run of characters of the classes.
func span(text string, classes uint8) int {
	n := 0
	for n < len(text) && text[n] < 128 && ascii[text[n]]&classes != 0 {
		n++
	}
	return n
}

// runsOn reports whether a token may go on with what is not plain.
func runsOn(kind lexer.TokenType, c byte) bool {
	switch {
	case c >= 128:
		return true
	case kind == numberToken:
		return c == '.' || ascii[c] == asLetter
	case kind == spaceToken:
		return c == '\r' || c == '\f' || c == '\v'
	}
	return false
}
