package dsl_test

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/dsl"
)

// parse reads a value and fails the test where it has errors.
func parse(t *testing.T, text string) dsl.Expr {
	t.Helper()
	file, list := dsl.Parse("spec.inv", []byte("let it = "+text))
	if len(list) > 0 || len(file.Decls) != 1 {
		t.Fatalf("%s: %v", text, list)
	}
	return file.Decls[0].(*dsl.Let).Value
}

func TestPrecedence(t *testing.T) {
	same := map[string]string{
		`mean over x of f - mean over x of f`:  `(mean over x of f) - (mean over x of f)`,
		`mean over x of 2 * f + g`:             `(mean over x of (2 * f)) + g`,
		`2 * max over x of f * 3`:              `2 * (max over x of (f * 3))`,
		`rms over x of max over t in {a} of f`: `rms over x of (max over t in {a} of f)`,
		`-a * b`:                               `(-a) * b`,
		`a - b - c`:                            `(a - b) - c`,
		`a / b * c`:                            `(a / b) * c`,
		`d/dt f * 2`:                           `(d/dt f) * 2`,
		`-d/d(area) f`:                         `-(d/d(area) f)`,
		`d2 / d(x) * 2`:                        `(d2 / d(x)) * 2`,
		`d2 / d`:                               `(d2) / (d)`,
		`d/dλ d/dt f`:                          `d/dlambda (d/dt f)`,
		`||f(a)| - f(b)|`:                      `|(|f(a)|) - f(b)|`,
		`|f(a) - |f(b)||`:                      `|f(a) - (|f(b)|)|`,
		`|||f|||`:                              `|(|(|f|)|)|`,
		`sum over x where a == 1 or not b < 2 and c ≠ 3 of f`: `sum over x where (a == 1) or ((not (b < 2)) and (c != 3)) of f`,
		"a +\n b": "a + b", "hypot(a,\n\n# why\nb,\n)": "hypot(a, b)", "|a\n- b|": "|a - b|",
	}
	for a, b := range same {
		if x, y := parse(t, a), parse(t, b); !dsl.Equal(x, y) {
			t.Errorf("%s reads as %s, not as %s", a, dsl.ExprString(x), dsl.ExprString(y))
		}
	}
	for a, b := range map[string]string{
		`mean over x of f - g`: `mean over x of (f - g)`, `a - b - c`: `a - (b - c)`, `|a| - |b|`: `|a - b|`,
		`d/dt f`: `d/d(t) f`, `max over (a) in D() of f`: `max over a in D() of f`, `4n`: `4`, `f(x)`: `f`, `norm(2) {a}`: `norm(3) {a}`,
	} {
		if x, y := parse(t, a), parse(t, b); dsl.Equal(x, y) {
			t.Errorf("%s and %s read as the same", a, b)
		}
	}
}

func TestLiterals(t *testing.T) {
	for text, want := range map[string]dsl.Number{
		"4n": {Value: 4, Unit: "n"}, "10deg": {Value: 10, Unit: "deg"}, "1e-3": {Value: 0.001}, ".5": {Value: 0.5},
		"2.5e2n": {Value: 250, Unit: "n"}, "0.1": {Value: 0.1},
	} {
		got := parse(t, text).(*dsl.Number)
		if got.Value != want.Value || got.Unit != want.Unit || got.Raw != text {
			t.Errorf("%s is %+v", text, got)
		}
	}
	if got := parse(t, `"a\"b\\c\tλé"`).(*dsl.String).Value; got != "a\"b\\c\tλé" {
		t.Errorf("string is %q", got)
	}
	if got := parse(t, "λ_2").(*dsl.Ident); got.Name != "lambda_2" || got.Raw != "λ_2" {
		t.Errorf("name is %+v", got)
	}
}

func TestPlacesCountCodePoints(t *testing.T) {
	src := "# λλ\r\n\tlet größe = |λ − 10deg|\r\n"
	file, list := dsl.Parse("spec.inv", []byte(src))
	if len(list) > 0 {
		t.Fatal(list)
	}
	abs := file.Decls[0].(*dsl.Let).Value
	number := abs.(*dsl.Abs).X.(*dsl.Binary).Y
	if s := number.Span(); s.String() != "spec.inv:2:19" || src[s.Start.Offset:s.End.Offset] != "10deg" || s.End.Column != 24 {
		t.Errorf("the number lies at %+v", s)
	}
	if s := abs.Span(); src[s.Start.Offset:s.End.Offset] != "|λ − 10deg|" {
		t.Errorf("the absolute value lies at %+v", s)
	}
	if c := file.Comments[0]; c.Text != "# λλ" || c.Span.End.Column != 5 {
		t.Errorf("the comment is %+v", c)
	}
}

func TestStatementsBesideAMistakeAreKept(t *testing.T) {
	src := "kernel gaussian(width = 1\ndata { target y : real }\nlearn ridge\nbogus\nseed 7\n"
	file, list := dsl.Parse("spec.inv", []byte(src))
	if len(file.Decls) != 3 || len(list) != 2 {
		t.Fatalf("%d statements, %v", len(file.Decls), list)
	}
	if list[0].Code != dsl.Unclosed || list[0].Subject.Start.Column != 16 || list[1].Code != dsl.UnknownStatement {
		t.Error(list)
	}
}

func TestBracketsThatDoNotMatchAreNeverPassedOver(t *testing.T) {
	for _, src := range []string{
		"data {", "data { target a : class", "data { target a : binary(4", "data { target a : binary(4]", "data { target a : binary(4 }",
		"data { target a : binary(4]\nkernel linear", "data { target a : class )", "data { target a : class ) }", "data { target a : class } }",
		"data { target a : \"class }", "data { target a : class $", "data ( target a : class )", "data { target a : class ]\nscale 2 }",
		"let a = (", "let a = )", "let a = (]", "let a = f(x", "let a = f(x}", "let a = |", "let a = |f", "let a = {[(a)}]",
	} {
		file, list := dsl.Parse("spec.inv", []byte(src))
		if len(list) != 1 {
			t.Errorf("%q: %v", src, list)
		}
		for _, d := range file.Decls {
			if !strings.Contains(src, "kernel") {
				t.Errorf("%q: kept %T", src, d)
			}
		}
	}
}

func TestDepthIsBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("(", 10000) + "1" + strings.Repeat(")", 10000), strings.Repeat("-", 10000) + "1",
		strings.Repeat("|", 10000), strings.Repeat("d/dt ", 10000) + "f", "1" + strings.Repeat(" + 1", 10000),
		strings.Repeat("max over x of ", 10000) + "f", strings.Repeat("max {", 5000) + "f" + strings.Repeat("}", 5000),
	} {
		_, list := dsl.Parse("spec.inv", []byte("let a = "+text))
		if len(list) != 1 || list[0].Code != dsl.TooDeep {
			t.Errorf("%.20s…: %v", text, list)
		}
	}
	parse(t, strings.Repeat("(", 190)+"1"+strings.Repeat(")", 190))
	parse(t, "1"+strings.Repeat(" + 1", 4000))
}

// A fix, applied, leaves a spec without that mistake.
func TestFixesMend(t *testing.T) {
	mended := 0
	for _, c := range documentedCodes(t) {
		_, list := dsl.Parse("spec.inv", []byte(c.example))
		for _, d := range list {
			for _, f := range d.Fixes {
				text := c.example
				for _, e := range f.Edits {
					text = text[:e.Span.Start.Offset] + e.New + text[e.Span.End.Offset:]
				}
				if _, again := dsl.Parse("spec.inv", []byte(text)); len(again) > 0 {
					t.Errorf("%s: %q gives\n%s\nwith %v", c.name, f.Title, text, again)
				}
				mended++
			}
		}
	}
	if mended < 12 {
		t.Errorf("only %d fixes", mended)
	}
}

func TestWalkVisitsEveryPlaceOnceInOrder(t *testing.T) {
	for _, path := range specs(t, "testdata/specs/*.inv") {
		src := read(t, path)
		file, _ := dsl.Parse(path, src)
		names := 0
		last := -1
		visit := func(n dsl.Node) bool {
			if n.Span().Start.Offset < last {
				t.Errorf("%s: %T is visited late", n.Span(), n)
			}
			last = n.Span().Start.Offset
			if id, ok := n.(*dsl.Ident); ok {
				names++
				if s := id.Span(); string(src[s.Start.Offset:s.End.Offset]) != id.Raw {
					t.Errorf("%s: the name %q lies at %q", s, id.Raw, src[s.Start.Offset:s.End.Offset])
				}
			}
			return true
		}
		for _, d := range file.Decls {
			dsl.Walk(d, visit)
		}
		if names < 8 {
			t.Errorf("%s: only %d names", path, names)
		}
	}
	visited := 0
	dsl.Walk(parse(t, "f(g(h))"), func(dsl.Node) bool { visited++; return visited < 2 })
	if visited != 3 { // the call, its name, its argument, and nothing below
		t.Errorf("%d nodes visited", visited)
	}
}

// A statement of what is required may lack the word and a name. Its places are those of the text.
func TestParseRequirement(t *testing.T) {
	for src, want := range map[string]string{
		"f(x) >= 0 over x in box":                         "statement 1",
		"require f(x) >= 0 over x in box":                 "statement 1",
		"f == 0 over x in rows":                           "statement 1",
		"low = f(x) >= 0 over x in box":                   "low",
		"require low = f(x) >= 0\nover x in box":          "low",
		"  require\tlow=f(x)>=0 over x in box # as known": "low",
	} {
		file, faults := dsl.ParseRequirement("statement 1", "statement 1", []byte(src))
		if len(faults) > 0 || len(file.Decls) != 1 {
			t.Errorf("%q: %d statements, %v", src, len(file.Decls), faults)
			continue
		}
		decl, ok := file.Decls[0].(*dsl.Require)
		if !ok || decl.Name.Name != want || len(decl.Holds.Over) != 1 {
			t.Errorf("%q: %+v, want the name %s", src, file.Decls[0], want)
			continue
		}
		if at := decl.Holds.Sides[0].Span(); src[at.Start.Offset] != 'f' || at.File != "statement 1" {
			t.Errorf("%q: the left side is at %v", src, at)
		}
	}
	for src, want := range map[string]string{
		"":                                   "statement 1:1:1: error[E111]",
		"require":                            "statement 1:1:1: error[E111]",
		"f(x)":                               "statement 1:1:5: error[E137]",
		"f(x) > 0 over x in box":             "statement 1:1:6: error[E137]",
		"let a = 3":                          "statement 1:1:5: error[E137]",
		"f(x) >= 0 over x in box\nlet a = 3": "statement 1:2:1: error[E101]: this is more than one statement",
		"f(x) >= 0 over x in box(":           "statement 1:1:24: error[E107]",
		"\xff":                               "statement 1:1:1: error[E134]",
	} {
		if _, faults := dsl.ParseRequirement("statement 1", "statement 1", []byte(src)); len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), want) {
			t.Errorf("%q: %v, want %s", src, faults, want)
		}
	}
}
