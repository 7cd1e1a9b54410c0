package dsl

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// The lexer's rules, first match wins. OtherComment and the last two match what no rule of the language does, so that the lexer never
// fails and one bad character costs one diagnostic, not the rest of the file.
var lexerRules = lexer.MustSimple([]lexer.SimpleRule{
	{Name: "Newline", Pattern: `\r?\n`},
	{Name: "Space", Pattern: `[ \t\r\f\v\p{Zs}\x{FEFF}]+`},
	{Name: "Comment", Pattern: `#[^\n]*`},
	{Name: "OtherComment", Pattern: `/[/*][^\r\n]*`},
	{Name: "String", Pattern: `"(?:\\[^\n]|[^"\\\n])*"`},
	{Name: "Number", Pattern: `(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[\p{L}\p{M}\p{N}_.°]*`},
	{Name: "Ident", Pattern: `[\p{L}_][\p{L}\p{M}\p{N}_]*`},
	{Name: "Punct", Pattern: `==|!=|<=|>=|[≤≥≠−·×∈]|[-+*/=<>()\[\]{}|,:;]`},
	{Name: "OpenString", Pattern: `"[^\n]*`},
	{Name: "Invalid", Pattern: `(?s:.)`},
})

var (
	newlineToken    = lexerRules.Symbols()["Newline"]
	spaceToken      = lexerRules.Symbols()["Space"]
	remarkToken     = lexerRules.Symbols()["OtherComment"]
	commentToken    = lexerRules.Symbols()["Comment"]
	stringToken     = lexerRules.Symbols()["String"]
	numberToken     = lexerRules.Symbols()["Number"]
	identToken      = lexerRules.Symbols()["Ident"]
	punctToken      = lexerRules.Symbols()["Punct"]
	openStringToken = lexerRules.Symbols()["OpenString"]
	invalidToken    = lexerRules.Symbols()["Invalid"]
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

// word is the canonical form of a word or operator: λ is lambda, ≤ is <=.
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
	for line := range strings.Lines(text) { // no token spans lines, and the rules are slow at the beginning of a long text
		s.line(line)
	}
	return s
}

// line cuts a line into tokens.
func (s *scan) line(text string) {
	for first := true; text != ""; {
		kind, n := plain(text)
		if n == 0 {
			kind, n = byRules(text)
		}
		t := token{kind: kind, text: text[:n], first: first}
		t.span = diag.Span{File: s.file, Start: s.pos, End: advanced(s.pos, t.text)}
		s.pos = t.span.End
		text = text[n:]
		first = s.add(t)
	}
}

// byRules is the kind and the length of the first token of a text.
func byRules(text string) (kind lexer.TokenType, n int) {
	lx, err := lexerRules.LexString("", text)
	if err == nil {
		var t lexer.Token
		if t, err = lx.Next(); err == nil {
			return t.Type, len(t.Value)
		}
	}
	return invalidToken, 1 // the last rule takes any character; should it not, the text is not passed over
}

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

// check is what is wrong within a token.
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

// unquote is the value of a string.
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

// numberPart is the length of a number without its unit: `[0-9.]+(?:[eE][+-]?[0-9]+)?`.
func numberPart(text string) int {
	run := func(from int, of string) int { return len(text[from:]) - len(strings.TrimLeft(text[from:], of)) }
	n := run(0, "0123456789.")
	if n == len(text) || text[n] != 'e' && text[n] != 'E' {
		return n
	}
	exponent := n + 1
	if exponent < len(text) && (text[exponent] == '+' || text[exponent] == '-') {
		exponent++
	}
	if k := run(exponent, "0123456789"); k > 0 {
		return exponent + k
	}
	return n
}

// readNumber is the value and the unit of a number.
func readNumber(t token) (value float64, unit string, f *fault) {
	number := t.text[:numberPart(t.text)]
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

// firstNotText is the offset of the first byte that is not UTF-8, or is a zero.
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

// advanced is the place behind text that begins at p.
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
