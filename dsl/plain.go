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
	asSign    // a token of its own, whatever follows
	asCompare // of its own, or with = behind it
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
		case strings.ContainsRune("=<>", rune(c)):
			class[c] = asCompare
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
		comment, _, _ := strings.Cut(text, "\n")
		return commentToken, len(comment)
	case c >= 128:
		return 0, 0
	case ascii[c] == asSign:
		return sign(text)
	case ascii[c] == asCompare:
		return punctToken, compare(text)
	case c == '"':
		return quoted(text)
	case ascii[c] == asLetter:
		kind, n = identToken, span(text, asLetter|asDigit)
	case ascii[c] == asDigit:
		kind, n = numberToken, digits(text)
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

// sign is a sign of one character, but for a remark as other languages write one.
func sign(text string) (kind lexer.TokenType, n int) {
	if strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") {
		return 0, 0
	}
	return punctToken, 1
}

// compare is the length of =, ==, <, <=, > or >=.
func compare(text string) int {
	if strings.HasPrefix(text[1:], "=") {
		return 2
	}
	return 1
}

// quoted is a text in quotes that holds no backslash.
func quoted(text string) (kind lexer.TokenType, n int) {
	end := 1 + strings.IndexAny(text[1:], "\"\\\n")
	if end == 0 || text[end] != '"' {
		return 0, 0
	}
	return stringToken, end + 1
}

// digits is the length of a number with its unit.
func digits(text string) int {
	n := 0
	for n < len(text) && (text[n] == '.' || text[n] < 128 && ascii[text[n]]&(asLetter|asDigit) != 0) {
		n++
	}
	return n
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
		return c == '+' || c == '-' // of an exponent, as it may be
	case kind == spaceToken:
		return c == '\r' || c == '\f' || c == '\v'
	}
	return false
}
