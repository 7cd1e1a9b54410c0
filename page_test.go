package sipc

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/page"
)

// Bands are about the mean of a function. Rows that change alike have none, however different they are.
func TestBandsTellHowDifferentlyRowsChange(t *testing.T) {
	alike := bandOf([]float64{0, 10, 1, 11, 2, 12}, 2) // two rows at three places
	if !slices.Equal(alike.mean, []float64{5, 6, 7}) || !slices.Equal(alike.low, alike.mean) || !slices.Equal(alike.high, alike.mean) {
		t.Errorf("rows that change alike have %v", alike)
	}
	apart := bandOf([]float64{0, 10, 2, 8}, 2) // one rises and one falls
	if apart.mean[0] != 5 || apart.mean[1] != 5 || math.Abs(apart.high[0]-apart.low[0]-2) > 1e-12 {
		t.Errorf("rows that change otherwise have %v", apart)
	}
}

// A source on a page is the source: its tokens and what stands between them, line by line.
func TestSourcesOnPagesAreWhole(t *testing.T) {
	for _, text := range []string{"", "data {\n\ttarget a : real  # λ ≤ 2\n}\n\nkernel gaussian(width = 0.5 * median)", "let a = \"text\nb \x00 <b>", "# only\r\n# remarks\r\n"} {
		var lines []string
		for _, line := range sourceOf("a.inv", []byte(text), nil).Lines {
			var b strings.Builder
			for _, token := range line {
				b.WriteString(token.Text)
			}
			lines = append(lines, b.String())
		}
		want := strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("%q is shown as %q", want, got)
		}
	}
	kinds := map[string]string{}
	for _, line := range sourceOf("a.inv", []byte(`let a = "b" # c`+"\nscale 2"), nil).Lines {
		for _, token := range line {
			kinds[token.Text] = token.Kind
		}
	}
	for text, kind := range map[string]string{"let": "k", `"b"`: "s", "# c": "c", "2": "n", "a": ""} {
		if kinds[text] != kind {
			t.Errorf("%s is of the kind %q, want %q", text, kinds[text], kind)
		}
	}
}

// The columns that a spec declares something of come through definitions, lets, texts and patterns.
func TestDeclaredNames(t *testing.T) {
	file, found := dsl.Parse("a.inv", []byte("def rising(c) = pos(-d/d(c) f)\ndef hidden(c) = pos(d/d(c) f + d/d(rooms) f)\nlet some = columns(\"item_*\")\n"+
		"invariance a = rms over x of rising(area)\ninvariance b = max over c in some of hidden(c)\nrequire r = d/d(\"living age\") f >= 0 over x in box\ndata {\n target price : real\n}\n"))
	if len(found) > 0 {
		t.Fatal(found)
	}
	p := &pager{of: &findings{settled: &settled{rows: &Prepared{Spec: &Spec{File: file}}}}}
	names := p.declaredNames()
	for _, want := range []string{"area", "rooms", "item_*", "living age"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %v", want, names)
		}
	}
	if slices.Contains(names, "price") {
		t.Errorf("the target is among %v", names)
	}
}

// What an override replaces is marked in the spec that a page shows, and what takes its place follows.
func TestSourcesOnPagesMarkWhatTheCallSet(t *testing.T) {
	source := []byte("let a = 2 * median  # wide\nlet b = \"x\"\ndata {\n target y : real\n}\n")
	file, found := dsl.Parse("a.inv", source)
	if len(found) > 0 {
		t.Fatal(found)
	}
	marks := replaced(file, source, map[string]string{"a": "grid(1, 2)", "other": "3"})
	if len(marks) != 1 || marks[0].Set != (page.Set{Name: "a", Value: "grid(1, 2)", Before: "2 * median"}) {
		t.Fatalf("marked is %+v", marks)
	}
	lines := sourceOf("a.inv", source, marks).Lines
	want := []page.Token{{Kind: "k", Text: "let"}, {Text: " "}, {Text: "a"}, {Text: " "}, {Text: "="}, {Text: " "}, {Kind: "del", Text: "2 * median"}, {Kind: "ins", Text: "grid(1, 2)"}, {Text: "  "}, {Kind: "c", Text: "# wide"}}
	if !slices.Equal(lines[0], want) || len(lines) != 5 || len(lines[1]) != 7 {
		t.Errorf("the spec is shown as %v", lines)
	}
}
