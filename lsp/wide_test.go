package lsp

import (
	"slices"
	"strings"
	"testing"
)

// wide has characters of one, two, three and four bytes before names, on the lines of which places are asked for. An emoji takes
// two columns of UTF-16, a CJK character or a Greek letter one.
const wide = `# 😀😀 漢字
data { target "😀", 漢字, cat : multilabel } # 漢字
kernel gaussian(width = median)
features exact
let 重さ = 2 # 😀
invariance 規則 = rms over x of max {|f("😀") - f(漢字)|, implies(漢字, cat)} # 😀 漢字
invariance faulty = rms over x of |f("😀") - f(cot)|
regularize 重さ * 規則, faulty
`

// unitsBefore is the place in UTF-16 of the first time that a text stands on a line.
func unitsBefore(t *testing.T, line int, text string) Position {
	t.Helper()
	before, _, found := strings.Cut(strings.Split(wide, "\n")[line], text)
	if !found {
		t.Fatalf("line %d has no %q", line, text)
	}
	return Position{Line: line, Character: units(before)}
}

func spanning(at Position, text string) Range {
	return Range{Start: at, End: Position{Line: at.Line, Character: at.Character + units(text)}}
}

// Columns count UTF-16 code units in every answer that has places.
func TestWideCharacters(t *testing.T) {
	c := converse(t, wide, nil)
	d := c.docs.get(c.uri())
	params := func(at Position) map[string]any {
		return map[string]any{"textDocument": map[string]any{"uri": c.uri()}, "position": at, "context": map[string]any{"includeDeclaration": true}}
	}
	name := unitsBefore(t, 7, "規則")
	if name.Character != len("regularize ")+len([]rune("重さ * ")) {
		t.Fatalf("the name stands at %v", name)
	}
	var at []Location
	c.ask("textDocument/definition", params(name), &at)
	if len(at) != 1 || at[0].Range != spanning(Position{Line: 5, Character: 11}, "規則") {
		t.Errorf("the definition is at %v", at)
	}
	label := unitsBefore(t, 5, "漢字, cat")
	var uses []Location
	c.ask("textDocument/references", params(label), &uses)
	want := []Range{
		spanning(unitsBefore(t, 1, "漢字"), "漢字"), spanning(unitsBefore(t, 5, "漢字)|"), "漢字"), spanning(label, "漢字"),
	}
	var got []Range
	for _, u := range uses {
		got = append(got, u.Range)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the label is used at %v, want %v", got, want)
	}
	var h Hover
	c.ask("textDocument/hover", params(unitsBefore(t, 5, "implies")), &h)
	if h.Range == nil || *h.Range != spanning(unitsBefore(t, 5, "implies"), "implies") {
		t.Errorf("hover is of %v", h.Range)
	}
	a := c.analysis(t.Context(), d)
	shown := d.diagnostics(a)
	if len(shown) != 1 || shown[0].Range != spanning(unitsBefore(t, 6, "cot"), "cot") {
		t.Errorf("diagnostics %+v", shown)
	}
	var e WorkspaceEdit
	c.ask("textDocument/rename", merge(params(name), "newName", "𝒓ule"), nil)
	c.edit(strings.Replace(wide, "cot", "cat", 1))
	c.ask("textDocument/rename", merge(params(name), "newName", "rule"), &e)
	d = c.docs.get(c.uri())
	if text := applied(d.text, e.DocumentChanges[0].Edits); text != strings.ReplaceAll(d.text.src, "規則", "rule") {
		t.Errorf("renamed to\n%s", text)
	}
	var list CompletionList
	c.ask("textDocument/completion", params(Position{Line: 5, Character: unitsBefore(t, 5, "漢字)|").Character + 1}), &list)
	i := slices.IndexFunc(list.Items, func(item CompletionItem) bool { return item.Label == "漢字" })
	if i < 0 || list.Items[i].TextEdit.Range.Start != unitsBefore(t, 5, "漢字)|") {
		t.Errorf("completion offers %+v", list.Items)
	}
}
