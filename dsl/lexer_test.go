package dsl

import (
	"regexp"
	"testing"
)

// The rules of the tokens as regular expressions: the first that matches wins.
var tokenRules = []struct {
	kind    TokenKind
	pattern *regexp.Regexp
}{
	{newlineToken, regexp.MustCompile(`^(?:\r?\n)`)},
	{spaceToken, regexp.MustCompile(`^(?:[ \t\r\f\v\p{Zs}\x{FEFF}]+)`)},
	{CommentToken, regexp.MustCompile(`^(?:#[^\n]*)`)},
	{InvalidToken, regexp.MustCompile(`^(?:/[/*][^\r\n]*)`)},
	{StringToken, regexp.MustCompile(`^(?:"(?:\\[^\n]|[^"\\\n])*")`)},
	{NumberToken, regexp.MustCompile(`^(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?:%|[\p{L}\p{M}\p{N}_.°]*))`)},
	{WordToken, regexp.MustCompile(`^(?:[\p{L}_][\p{L}\p{M}\p{N}_]*)`)},
	{SignToken, regexp.MustCompile(`^(?:==|!=|<=|>=|[≤≥≠−·×∈]|[-+*/=<>()\[\]{}|,:;])`)},
	{OpenStringToken, regexp.MustCompile(`^(?:"[^\n]*)`)},
	{InvalidToken, regexp.MustCompile(`^(?:(?s:.))`)},
}

// FuzzTokens asserts that the lexer cuts off what the rules match.
func FuzzTokens(f *testing.F) {
	for _, seed := range []string{
		"invariance a2 = rms over x of |d/dλ f| # why\n", "4n 10deg 1.5e-3 .5 12 1e 3.x 2·3 7−1 8° a\u0301b a\u00a0b", "a \t\r\n \f#\r\n", "<= == = != ! < >= ≤",
		"\"a\\\"b\" \"open", "x\ufeffy 1\u0301 1²", "", "\r\r\n", "a / b // c", "a /* b", "/", "1.2.3 1..2 .5.e1 . ..5 1e+ 1E-3x", "\"a\\", "\"ab\\\n\"", "~@?$%", "5% 5%% 1e-3%x .5%",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, bad := firstNotText(text); bad {
			return
		}
		for text != "" {
			rule := 0
			for !tokenRules[rule].pattern.MatchString(text) {
				rule++
			}
			want := tokenRules[rule].pattern.FindString(text)
			if kind, n := firstToken(text); kind != tokenRules[rule].kind || text[:n] != want {
				t.Fatalf("%q begins with %q of kind %d by the rules, and with %q of kind %d", text, want, tokenRules[rule].kind, text[:n], kind)
			}
			text = text[len(want):]
		}
	})
}

func TestPercent(t *testing.T) {
	for text, want := range map[string]float64{"5%": 0.05, "70%": 0.7, "33.3%": 0.333, "1e2%": 1, "100.%": 1, ".5%": 0.005} {
		file, list := Parse("spec.inv", []byte("let share = "+text))
		if len(list) > 0 {
			t.Fatal(list)
		}
		n, ok := file.Decls[0].(*Let).Value.(*Number)
		if !ok || n.Value != want || n.Unit != "" || string(Format(file)) != "let share = "+text+"\n" {
			t.Errorf("%s is %v", text, n)
		}
	}
}
