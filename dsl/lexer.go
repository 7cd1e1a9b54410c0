package dsl

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// A TokenKind says what a lexeme is.
type TokenKind int

// The kinds of lexemes. A text without its closing quote and an invalid character belong to no sound spec. As they are tokens
// too, a bad character costs one diagnostic and not the rest of the file.
const (
	endToken        TokenKind = iota // of a statement, behind its last lexeme
	WordToken                        // a word: a name, or a word of the language
	NumberToken                      // a number with its unit
	StringToken                      // a text in double quotes
	SignToken                        // an operator, a bracket, a comma, a colon
	CommentToken                     // from '#' to the end of the line
	OpenStringToken                  // a text without its closing quote
	InvalidToken                     // a character that is none of the language's, or a remark as other languages write one
	spaceToken
	newlineToken
)

// A Token is a lexeme of a source.
type Token struct {
	Kind  TokenKind
	Text  string // as written
	Word  string // the canonical form of a word or sign: λ is lambda, ≤ is <=
	Span  diag.Span
	First bool   // the first of its line, comments aside
	fault *fault // what is wrong with the token itself
	bad   bool   // its item of a data block holds a mistake
}

func (t Token) isEnd() bool { return t.Kind == endToken }

// isName reports whether a token is a word that can be a name.
func isName(t Token) bool { return t.Kind == WordToken && !isReserved(t.Word) }

// endAfter returns the end of a statement whose last token has the span.
func endAfter(at diag.Span) Token { return Token{Span: pointAfter(at)} }

// Tokens cuts a source into its lexemes, comments among them, in the order of the source. It never fails: what is not a token
// of the language becomes one that says so. What follows a byte that is not a text is left out.
func Tokens(file string, src []byte) []Token { return lex(file, string(src)).all }

// IsName reports whether a text is one word that can be a name.
func IsName(text string) bool {
	s := lex("", text)
	return len(s.all) == 1 && len(s.faults) == 0 && s.all[0].Text == text && isName(s.all[0])
}

// A scan is a source cut into tokens.
type scan struct {
	file     string
	all      []Token // comments among them
	tokens   []Token // without comments
	comments []Token
	faults   diag.List
	pos      diag.Pos
}

// lex cuts a source into tokens. What is not a token becomes one that carries its fault.
func lex(file, text string) *scan {
	s := &scan{file: file, pos: diag.Pos{Line: 1, Column: 1}}
	if at, bad := firstNotText(text); bad {
		s.advance(text[:at])
		start := s.pos
		s.faults.Add(notText.at(diag.Span{File: file, Start: start, End: advanced(s.pos, text[at:at+1])}, text[at]).d)
		return s
	}
	s.tokens = make([]Token, 0, len(text)/3)
	for first := true; text != ""; {
		kind, n := firstToken(text)
		t := Token{Kind: kind, Text: text[:n], First: first}
		t.Span = diag.Span{File: s.file, Start: s.pos, End: advanced(s.pos, t.Text)}
		s.pos = t.Span.End
		text = text[n:]
		first = s.add(t)
	}
	if len(s.comments) == 0 {
		s.all = s.tokens
	}
	return s
}

// firstToken returns the kind and the length of the first token of a text.
func firstToken(text string) (kind TokenKind, n int) {
	c, size := utf8.DecodeRuneInString(text)
	switch {
	case strings.HasPrefix(text, "\n"), strings.HasPrefix(text, "\r\n"):
		return newlineToken, 1 + strings.IndexByte(text, '\n')
	case isSpace(c):
		return spaceToken, run(text, isSpace)
	case c == '#':
		return CommentToken, until(text, "\n")
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "/*"):
		return InvalidToken, until(text, "\r\n")
	case c == '"':
		return quotedToken(text)
	case isDigit(c), c == '.' && len(text) > 1 && isDigit(rune(text[1])):
		if n = numberLength(text); strings.HasPrefix(text[n:], "%") {
			return NumberToken, n + 1
		}
		return NumberToken, n + run(text[n:], inUnit)
	case c == '_', unicode.IsLetter(c):
		return WordToken, run(text, inWord)
	case len(text) > 1 && text[1] == '=' && strings.IndexByte("=!<>", text[0]) >= 0:
		return SignToken, 2
	case strings.ContainsRune("-+*/=<>()[]{}|,:;≤≥≠−·×∈", c):
		return SignToken, size
	}
	return InvalidToken, size
}

// quotedToken returns the kind and the length of a text in quotes. A backslash takes the next character along.
func quotedToken(text string) (kind TokenKind, n int) {
	end := until(text, "\n")
	for i := 1; i < end; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return StringToken, i + 1
		}
	}
	return OpenStringToken, end
}

// numberLength returns the length of a number without its unit: `(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?`.
func numberLength(text string) int {
	n := run(text, isDigit)
	if n < len(text) && text[n] == '.' {
		n += 1 + run(text[n+1:], isDigit)
	}
	if n == len(text) || text[n] != 'e' && text[n] != 'E' {
		return n
	}
	exponent := n + 1
	if exponent < len(text) && (text[exponent] == '+' || text[exponent] == '-') {
		exponent++
	}
	if k := run(text[exponent:], isDigit); k > 0 {
		return exponent + k
	}
	return n
}

// run returns the length of the longest beginning of a text that consists of such characters.
func run(text string, of func(rune) bool) int {
	for i, c := range text {
		if !of(c) {
			return i
		}
	}
	return len(text)
}

// until returns the length of a text before the first of some characters.
func until(text, stops string) int {
	if i := strings.IndexAny(text, stops); i >= 0 {
		return i
	}
	return len(text)
}

func isSpace(c rune) bool {
	return c == ' ' || c >= '\t' && c <= '\r' && c != '\n' || c == '\ufeff' || unicode.Is(unicode.Zs, c)
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

func inWord(c rune) bool {
	return c == '_' || c >= 'a' && c <= 'z' || unicode.In(c, unicode.L, unicode.M, unicode.N)
}

func inUnit(c rune) bool { return c == '.' || c == '°' || inWord(c) }

// add keeps a token and reports whether the next one is the first of its line.
func (s *scan) add(t Token) (first bool) {
	switch t.Kind {
	case newlineToken:
		return true
	case spaceToken:
		return t.First
	case CommentToken:
		t.Text = strings.TrimRight(t.Text, " \t\r\f\v")
		t.Word, t.Span.End = t.Text, advanced(t.Span.Start, t.Text)
		first, t.First = t.First, false
		if len(s.comments) == 0 { // before it both lists are one
			s.all = slices.Clone(s.tokens)
		}
		s.comments, s.all = append(s.comments, t), append(s.all, t)
		return first
	}
	t.Word = wordOfToken(t.Kind, t.Text)
	t.fault = t.check()
	if n := len(s.tokens); t.Text == "%" && n > 0 && s.tokens[n-1].Kind == NumberToken {
		t.fault = errPercent(s.tokens[n-1], t)
	}
	t.bad = t.fault != nil
	if s.tokens = append(s.tokens, t); len(s.comments) > 0 {
		s.all = append(s.all, t)
	}
	return false
}

// wordOfToken returns the canonical form of a word or sign.
func wordOfToken(kind TokenKind, text string) string {
	if kind == WordToken {
		return Spell(text)
	}
	return canonical(text)
}

// check returns the fault within a token, nil if there is no fault.
func (t Token) check() *fault {
	switch t.Kind {
	case InvalidToken:
		return errInvalid(t)
	case OpenStringToken:
		return unterminated.at(t.Span)
	case StringToken:
		_, f := unquote(t)
		return f
	case NumberToken:
		_, _, f := readNumber(t)
		return f
	}
	return nil
}

// unquote returns the value of a string.
func unquote(t Token) (string, *fault) {
	body := t.Text[1 : len(t.Text)-1]
	if strings.IndexByte(body, '\\') < 0 {
		return body, nil
	}
	var b strings.Builder
	for rest := body; rest != ""; {
		r, multibyte, tail, err := strconv.UnquoteChar(rest, '"')
		if err != nil {
			at := t
			start := 1 + len(body) - len(rest)
			_, size := utf8.DecodeRuneInString(rest[1:])
			at.Text = rest[:1+size]
			at.Span.Start = advanced(t.Span.Start, t.Text[:start])
			at.Span.End = advanced(at.Span.Start, at.Text)
			return "", badEscape.at(at.Span, at.Text)
		}
		if r < utf8.RuneSelf || !multibyte {
			b.WriteByte(byte(r))
		} else {
			b.WriteRune(r)
		}
		rest = tail
	}
	return b.String(), nil
}

// readNumber returns the value and the unit of a number. One in percent is a number without a unit: 5% is 0.05.
func readNumber(t Token) (value float64, unit string, f *fault) {
	number := t.Text[:numberLength(t.Text)]
	unit = t.Text[len(number):]
	if unit == "%" {
		if value, unit, f = readNumber(Token{Kind: t.Kind, Text: number, Span: t.Span}); !strings.ContainsAny(number, "eE") {
			value, _ = strconv.ParseFloat(number+"e-2", 64) // the nearest number, which a division by 100 need not be
			return value, unit, f
		}
		return value / 100, unit, f
	}
	if strings.Count(number, ".") > 1 || strings.Contains(unit, ".") {
		return 0, "", badNumber.at(t.Span, t.Text, "a number has one decimal point; the items of a list are separated by commas")
	}
	value, err := strconv.ParseFloat(number, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, "", badNumber.at(t.Span, t.Text, "its magnitude must stay below 1.8e308")
	case err != nil:
		return 0, "", badNumber.at(t.Span, t.Text, "write it as `12`, `0.5` or `1e-3`")
	case unit == "e" || unit == "E":
		return 0, "", badNumber.at(t.Span, t.Text, "an exponent needs digits: `1e-3`")
	case unit != "" && !slices.Contains(units, unit):
		at := t.Span
		at.Start = advanced(at.Start, number)
		return 0, "", errUnknownUnit(at, number, unit)
	}
	return value, unit, nil
}

// firstNotText returns the offset of the first byte that is not UTF-8 or is zero, and whether there is one.
func firstNotText(text string) (at int, bad bool) {
	for i, r := range text {
		if r == 0 {
			return i, true
		}
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i, true
			}
		}
	}
	return 0, false
}

func (s *scan) advance(text string) { s.pos = advanced(s.pos, text) }

// advanced returns the place behind text that begins at p.
func advanced(p diag.Pos, text string) diag.Pos {
	p.Offset += len(text)
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		p.Line += strings.Count(text, "\n")
		p.Column = 1
		text = text[i+1:]
	}
	p.Column += utf8.RuneCountInString(text)
	return p
}

func spanOf(tokens []Token) diag.Span { return tokens[0].Span.To(tokens[len(tokens)-1].Span) }

// closes reports whether a token is a closing bracket. At the start of a line it belongs to what was opened before, even
// where that has been lost.
func closes(t Token) bool { return t.Text == ")" || t.Text == "]" || t.Text == "}" }
