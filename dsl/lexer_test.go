package dsl

import (
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
)

// The rules of the tokens as regular expressions, in the order of their kinds: the first that matches wins.
var tokenRules = []lexer.SimpleRule{
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
}

// FuzzTokens asserts that the lexer cuts off what the rules match.
func FuzzTokens(f *testing.F) {
	for _, seed := range []string{
		"invariance a2 = rms over x of |d/dλ f| # why\n", "4n 10deg 1.5e-3 .5 12 1e 3.x 2·3 7−1 8° a\u0301b a\u00a0b", "a \t\r\n \f#\r\n", "<= == = != ! < >= ≤",
		"\"a\\\"b\" \"open", "x\ufeffy 1\u0301 1²", "", "\r\r\n", "a / b // c", "a /* b", "/", "1.2.3 1..2 .5.e1 . ..5 1e+ 1E-3x", "\"a\\", "\"ab\\\n\"", "~@?$%",
	} {
		f.Add(seed)
	}
	rules := lexer.MustSimple(tokenRules)
	kinds := map[lexer.TokenType]lexer.TokenType{}
	for k, rule := range tokenRules {
		kinds[rules.Symbols()[rule.Name]] = lexer.TokenType(k)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, bad := firstNotText(text); bad {
			return
		}
		for text != "" {
			lx, err := rules.LexString("", text)
			if err != nil {
				t.Fatal(err)
			}
			want, err := lx.Next()
			if err != nil {
				t.Fatal(err)
			}
			if kind, n := firstToken(text); kind != kinds[want.Type] || text[:n] != want.Value {
				t.Fatalf("%q begins with %q of kind %d by the rules, and with %q of kind %d", text, want.Value, kinds[want.Type], text[:n], kind)
			}
			text = text[len(want.Value):]
		}
	})
}
