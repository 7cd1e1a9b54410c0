package dsl

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// The kinds of tokens. A remark as other languages write one, a text without its closing quote and an invalid character belong
// to no sound spec. As they are tokens too, a bad character costs one diagnostic and not the rest of the file.
const (
	newlineToken lexer.TokenType = iota
	spaceToken
	commentToken
	remarkToken
	stringToken
	numberToken
	identToken
	punctToken
	openStringToken
	invalidToken
)

// A token is a lexeme with its place.
type token struct {
	kind  lexer.TokenType
	text  string
	span  diag.Span
	first bool   // the first of its line
	fault *fault // what is wrong with the token itself
	bad   bool   // its item of a data block holds a mistake
}

func (t token) isEnd() bool { return t.kind == lexer.EOF }

// isName reports whether a token is a word that can be a name.
func isName(t token) bool { return t.kind == identToken && !isReserved(t.word()) }

// word returns the canonical form of a word or operator: λ is lambda, ≤ is <=.
func (t token) word() string {
	if t.kind == identToken {
		return spellOut(t.text)
	}
	return canonical(t.text)
}

func endToken(at diag.Span) token { return token{kind: lexer.EOF, span: pointAfter(at)} }

// A scan is a source cut into tokens.
type scan struct {
	file     string
	tokens   []token
	comments []Comment
	faults   diag.List
	pos      diag.Pos
}

// lex cuts a source into tokens. What is no token becomes one that carries its fault.
func lex(file, text string) *scan {
	s := &scan{file: file, pos: diag.Pos{Line: 1, Column: 1}}
	if at, bad := firstNotText(text); bad {
		s.advance(text[:at])
		start := s.pos
		s.faults.Add(errNotText(diag.Span{File: file, Start: start, End: advanced(s.pos, text[at:at+1])}, text[at]).d)
		return s
	}
	s.tokens = make([]token, 0, len(text)/3)
	for first := true; text != ""; {
		kind, n := firstToken(text)
		t := token{kind: kind, text: text[:n], first: first}
		t.span = diag.Span{File: s.file, Start: s.pos, End: advanced(s.pos, t.text)}
		s.pos = t.span.End
		text = text[n:]
		first = s.add(t)
	}
	return s
}

// firstToken returns the kind and the length of the first token of a text.
func firstToken(text string) (kind lexer.TokenType, n int) {
	c, size := utf8.DecodeRuneInString(text)
	switch {
	case strings.HasPrefix(text, "\n"), strings.HasPrefix(text, "\r\n"):
		return newlineToken, 1 + strings.IndexByte(text, '\n')
	case isSpace(c):
		return spaceToken, run(text, isSpace)
	case c == '#':
		return commentToken, until(text, "\n")
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "/*"):
		return remarkToken, until(text, "\r\n")
	case c == '"':
		return quotedToken(text)
	case isDigit(c), c == '.' && len(text) > 1 && isDigit(rune(text[1])):
		n = numberLength(text)
		return numberToken, n + run(text[n:], inUnit)
	case c == '_', unicode.IsLetter(c):
		return identToken, run(text, inWord)
	case len(text) > 1 && text[1] == '=' && strings.IndexByte("=!<>", text[0]) >= 0:
		return punctToken, 2
	case strings.ContainsRune("-+*/=<>()[]{}|,:;≤≥≠−·×∈", c):
		return punctToken, size
	}
	return invalidToken, size
}

// quotedToken returns the kind and the length of a text in quotes. A backslash takes the next character along.
func quotedToken(text string) (kind lexer.TokenType, n int) {
	end := until(text, "\n")
	for i := 1; i < end; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return stringToken, i + 1
		}
	}
	return openStringToken, end
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
func (s *scan) add(t token) (first bool) {
	switch t.kind {
	case newlineToken:
		return true
	case spaceToken:
		return t.first
	case commentToken:
		text := strings.TrimRight(t.text, " \t\r\f\v")
		t.span.End = advanced(t.span.Start, text)
		s.comments = append(s.comments, Comment{Span: t.span, Text: text})
		return t.first
	}
	t.fault = t.check()
	if n := len(s.tokens); t.text == "%" && n > 0 && s.tokens[n-1].kind == numberToken {
		t.fault = errPercent(s.tokens[n-1], t)
	}
	t.bad = t.fault != nil
	s.tokens = append(s.tokens, t)
	return false
}

// check returns the fault within a token, nil if there is no fault.
func (t token) check() *fault {
	switch t.kind {
	case remarkToken:
		return errOtherComment(t)
	case invalidToken:
		return errUnexpectedCharacter(t)
	case openStringToken:
		return errUnterminatedString(t)
	case stringToken:
		_, f := unquote(t)
		return f
	case numberToken:
		_, _, f := readNumber(t)
		return f
	}
	return nil
}

// unquote returns the value of a string.
func unquote(t token) (string, *fault) {
	body := t.text[1 : len(t.text)-1]
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
			at.text = rest[:1+size]
			at.span.Start = advanced(t.span.Start, t.text[:start])
			at.span.End = advanced(at.span.Start, at.text)
			return "", errBadEscape(at.span, at.text)
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

// readNumber returns the value and the unit of a number.
func readNumber(t token) (value float64, unit string, f *fault) {
	number := t.text[:numberLength(t.text)]
	unit = t.text[len(number):]
	if strings.Count(number, ".") > 1 || strings.Contains(unit, ".") {
		return 0, "", errBadNumber(t, "a number has one decimal point; the items of a list are separated by commas")
	}
	value, err := strconv.ParseFloat(number, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, "", errBadNumber(t, "its magnitude must stay below 1.8e308")
	case err != nil:
		return 0, "", errBadNumber(t, "write it as `12`, `0.5` or `1e-3`")
	case unit == "e" || unit == "E":
		return 0, "", errBadNumber(t, "an exponent needs digits: `1e-3`")
	case unit != "" && !slices.Contains(units, unit):
		at := t.span
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

// placed returns the token with its span. No token spans lines.
func placed(t *lexer.Token) token {
	s := token{kind: t.Type, text: t.Value}
	s.span.File = t.Pos.Filename
	s.span.Start.Offset, s.span.Start.Line, s.span.Start.Column = t.Pos.Offset, t.Pos.Line, t.Pos.Column
	s.span.End = advanced(s.span.Start, t.Value)
	return s
}
