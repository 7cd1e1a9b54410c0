package diag_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// span is the place of a needle in a source.
func span(file, src, needle string) diag.Span {
	at := strings.Index(src, needle)
	return diag.Span{File: file, Start: pos(src, at), End: pos(src, at+len(needle))}
}

func pos(src string, offset int) diag.Pos {
	before := src[:offset]
	line := strings.LastIndex(before, "\n") + 1
	return diag.Pos{Offset: offset, Line: 1 + strings.Count(before, "\n"), Column: 1 + len([]rune(before[line:]))}
}

func render(t *testing.T, d *diag.Diagnostic, sources diag.Sources, o diag.RenderOptions) string {
	t.Helper()
	var b strings.Builder
	if err := diag.Render(&b, diag.List{d}, sources, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func check(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCaretsStandBeneathTabsAndWideRunes(t *testing.T) {
	src := "\tlet 漢字 =\te\u0301 + wrong # \x1b[31m\n"
	d := &diag.Diagnostic{
		Code: "E999", Summary: "wrong", Subject: span("a.inv", src, "wrong"),
		Related: []diag.Related{{Span: span("a.inv", src, "漢字"), Message: "here"}},
	}
	check(t, render(t, d, diag.Sources{"a.inv": []byte(src)}, diag.RenderOptions{}), `
error[E999]: wrong
 --> a.inv:1:16
  |
1 |     let 漢字 =  `+"e\u0301 + wrong # \uFFFD"+`[31m
  |                     ^^^^^
  |         ---- here
  page: https://github.com/sipc-ml/sipc/blob/main/docs/errors/E999.md
`)
}

// What is drawn as one sign counts as one: accents that combine, emoji joined of several, flags, skin tones.
func TestCaretsStandBehindSignsOfSeveralCodePoints(t *testing.T) {
	for before, columns := range map[string]int{
		"e\u0301\u0323": 1, "👍🏽": 2, "👨\u200d👩\u200d👧": 2, "🇩🇪": 2, "한국": 4, "ｆ": 2, "\u1112\u1161\u11ab": 2, "λ": 1,
		"a\t": 4, "漢\t": 4, "\u200b": 0,
	} {
		src := before + "wrong\n"
		d := &diag.Diagnostic{Summary: "wrong", Subject: span("a.inv", src, "wrong")}
		got := render(t, d, diag.Sources{"a.inv": []byte(src)}, diag.RenderOptions{})
		if want := "\n  | " + strings.Repeat(" ", columns) + "^^^^^\n"; !strings.Contains(got, want) {
			t.Errorf("%q is not %d columns wide:\n%s", before, columns, got)
		}
	}
}

func TestASpanOfSeveralLines(t *testing.T) {
	src := "one\n  two(\n\n    three,\n    four)\nfive\n"
	d := &diag.Diagnostic{
		Code: "E999", Severity: diag.Warning, Summary: "all of it", Detail: "Because.\nTwice.", Mend: "do\nthis",
		Values: []string{"f(1) = 2", "f(3) = 4"}, Subject: span("a.inv", src, "two(\n\n    three,\n    four)"),
	}
	check(t, render(t, d, diag.Sources{"a.inv": []byte(src)}, diag.RenderOptions{Context: 1}), `
warning[E999]: all of it
 --> a.inv:2:3
  |
1 | one
2 |   two(
  |   ^^^^
3 |
4 |     three,
  |     ^^^^^^
5 |     four)
  |     ^^^^^
6 | five
  = Because.
    Twice.
  = f(1) = 2
  = f(3) = 4
  help: do
        this
  page: https://github.com/sipc-ml/sipc/blob/main/docs/errors/E999.md
`)
}

func TestTheMiddleOfALongSpanIsLeftOut(t *testing.T) {
	src := strings.Repeat("line\n", 30)
	d := &diag.Diagnostic{Summary: "long", Subject: diag.Span{File: "a", Start: pos(src, 0), End: pos(src, 29*5+4)}}
	got := render(t, d, diag.Sources{"a": []byte(src)}, diag.RenderOptions{})
	if n := strings.Count(got, "| line"); n != 6 || !strings.Contains(got, "\n....\n") {
		t.Errorf("%d lines:\n%s", n, got)
	}
}

func TestSpansInOtherFilesAndUnknownPlaces(t *testing.T) {
	src := "let a = b\n"
	d := &diag.Diagnostic{
		Code: "E999", Summary: "apart", Subject: span("a.inv", src, "b"),
		Related: []diag.Related{
			{Span: span("b.inv", src, "a"), Message: "defined here"},
			{Span: span("gone.csv", src, "a"), Message: "and here"},
			{Message: "nowhere"},
		},
	}
	check(t, render(t, d, diag.Sources{"a.inv": []byte(src), "b.inv": []byte(src)}, diag.RenderOptions{}), `
error[E999]: apart
 --> a.inv:1:9
  |
1 | let a = b
  |         ^
 ::: b.inv:1:5
  |
1 | let a = b
  |     - defined here
 ::: gone.csv:1:5
  = gone.csv:1:5: and here
  = nowhere
  page: https://github.com/sipc-ml/sipc/blob/main/docs/errors/E999.md
`)
	check(t, render(t, &diag.Diagnostic{Code: "E500", Summary: "the file is empty", Subject: diag.Span{File: "data.csv"}}, nil, diag.RenderOptions{}), `
error[E500]: the file is empty
 --> data.csv
  page: https://github.com/sipc-ml/sipc/blob/main/docs/errors/E500.md
`)
}

func TestThePageOfACodeIsNamedOnce(t *testing.T) {
	list := diag.List{{Code: "E1", Summary: "a"}, {Code: "E2", Summary: "b"}, {Code: "E1", Summary: "c"}, {Summary: "d"}}
	var b strings.Builder
	if err := diag.Render(&b, list, nil, diag.RenderOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Count(got, "page: ") != 2 || strings.Count(got, diag.Page("E1")) != 1 || strings.Count(got, diag.Page("E2")) != 1 {
		t.Error(got)
	}
}

func TestLongLinesAreCutAroundTheSpan(t *testing.T) {
	src := strings.Repeat("left ", 40) + "wrong" + strings.Repeat(" right", 40)
	d := &diag.Diagnostic{Summary: "cut", Subject: span("a", src, "wrong"), Detail: strings.Repeat("word ", 30)}
	got := render(t, d, diag.Sources{"a": []byte(src)}, diag.RenderOptions{Width: 60})
	lines := strings.Split(got, "\n")
	for _, l := range lines {
		if n := len([]rune(l)); n > 60 {
			t.Errorf("%d columns: %s", n, l)
		}
	}
	if at := strings.Index(lines[4], "^^^^^"); at < 0 || string([]rune(lines[3])[at:at+5]) != "wrong" {
		t.Errorf("the marks stand elsewhere:\n%s", got)
	}
}

// A line of any length costs little, and shows what stands around the mark. So does a message that repeats it.
func TestALineOfAMegabyteIsNotEchoed(t *testing.T) {
	long := strings.Repeat("ä", 1<<19)
	for _, src := range []string{long + " wrong", "wrong " + long, long + " wrong " + long, long + " wrong"} {
		d := &diag.Diagnostic{Summary: "`" + src + "` is wrong", Subject: span("a", src, "wrong"), Mend: src}
		got := render(t, d, diag.Sources{"a": []byte(src)}, diag.RenderOptions{})
		lines := strings.Split(got, "\n")
		if len(got) > 3000 || len([]rune(lines[3])) > 120 {
			t.Errorf("%d bytes, of which the line has %d", len(got), len(lines[3]))
		}
		if at := strings.Index(lines[4], "^^^^^"); at < 0 || string([]rune(lines[3])[at:at+5]) != "wrong" {
			t.Errorf("the marks stand elsewhere:\n%s", got)
		}
	}
}

func TestColourOnlyWhereAsked(t *testing.T) {
	src := "let a = b\n"
	d := &diag.Diagnostic{Code: "E999", Summary: "painted", Subject: span("a", src, "b"), Mend: "mend"}
	sources := diag.Sources{"a": []byte(src)}
	plain, painted := render(t, d, sources, diag.RenderOptions{}), render(t, d, sources, diag.RenderOptions{Color: true})
	if strings.Contains(plain, "\x1b") || !strings.Contains(painted, "\x1b[1;31merror[E999]\x1b[0m") {
		t.Errorf("%q\n%q", plain, painted)
	}
	for _, style := range []string{"1;31", "1;34", "1;32", "1", "2", "0"} {
		painted = strings.ReplaceAll(painted, "\x1b["+style+"m", "")
	}
	check(t, painted, plain)
}

func TestJSONHoldsWhatTheTerminalShows(t *testing.T) {
	src := "let a = b\n"
	at := span("a.inv", src, "b")
	list := diag.List{
		{
			Code: "E201", Summary: "unknown name", Detail: "why", Subject: at, Mend: "mend", Values: []string{"v"},
			Related: []diag.Related{{Span: at, Message: "rel"}}, Fixes: []diag.Fix{{Title: "fix", Edits: []diag.Edit{{Span: at, New: "c"}}}},
		},
		{Code: "W501", Severity: diag.Warning, Summary: "odd"},
	}
	got, err := json.Marshal(diag.JSON(list))
	if err != nil {
		t.Fatal(err)
	}
	place := `{"file":"a.inv","line":1,"column":9,"offset":8,"end_line":1,"end_column":10,"end_offset":9}`
	check(t, string(got), `{"errors":1,"warnings":1,"diagnostics":[{"code":"E201","severity":"error","page":"`+diag.Page("E201")+`","summary":"unknown name","detail":"why","at":`+place+
		`,"related":[{"at":`+place+`,"message":"rel"}],"help":"mend","fixes":[{"title":"fix","edits":[{"at":`+place+`,"new":"c"}]}],"values":["v"]},`+
		`{"code":"W501","severity":"warning","page":"`+diag.Page("W501")+`","summary":"odd"}]}`)
}

func TestAListIsAnErrorWhereItHoldsOne(t *testing.T) {
	src := "a b"
	list := diag.List{
		{Code: "E2", Summary: "two", Subject: span("f", src, "b")},
		{Code: "E1", Summary: "one", Subject: span("f", src, "a")},
		{Code: "E2", Summary: "two", Subject: span("f", src, "b")},
	}
	list.Sort()
	var got diag.List
	if err := list.Err(); !errors.As(err, &got) || err.Error() != "f:1:1: error[E1]: one\nf:1:3: error[E2]: two" {
		t.Error(err)
	}
	if err := (diag.List{{Severity: diag.Warning}}).Err(); err != nil {
		t.Error(err)
	}
}
