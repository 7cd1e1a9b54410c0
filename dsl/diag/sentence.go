package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Capital returns the text with a capital at its beginning.
func Capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[n:]
}

// Sentence returns the text as a sentence of a message. It begins with a capital, and ends with a full stop unless a mark or
// quoted code ends it.
func Sentence(s string) string {
	if s == "" || strings.ContainsRune(".?!`", rune(s[len(s)-1])) {
		return Capital(s)
	}
	return Capital(s) + "."
}
