package lsp

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// typedIn are texts that somebody may type or paste anywhere: parts of statements, whole ones, what breaks or moves others.
var typedIn = []string{
	"", " ", "\n", "\n\n", "# why 漢字 😀\n", "(", ")", "|", "\"", "{", "}", "a", "λ", " = ", ",", "2", "n", "of ", "cat", "dog",
	"\ndata { target cat, dog, bird : multilabel }\n", "\nlet weight = 3\n", "\nlet name = \"topic_*\"\n", "\nuse hierarchy from \"./x\"\n",
	"\ndef gap(a, b) = |f(a) - f(b)|\n", "\ninvariance fresh = rms over x of gap(cat, dog)\n", "\nregularize fresh\n", "\nmethod warp\n",
	"\ninvariance wrong = rms over x of f(cta)\n", "\ninvariance again = fresh + grid(1, 2) * fresh\n",
}

// An opinion is all that a server says of a text.
type opinion map[string]json.RawMessage

// says asks a server what it says of the current text, at some offsets of it: first, in the midst of the check, what needs none.
func (c *conversation) says(offsets []int) opinion {
	c.t.Helper()
	out := opinion{}
	d := c.docs.get(c.uri())
	ask := func(key, method string, at int) {
		var answer json.RawMessage
		c.ask("textDocument/"+method, map[string]any{
			"textDocument": map[string]any{"uri": c.uri()}, "position": d.text.position(at),
			"range": Range{End: d.text.position(len(d.text.src))}, "context": map[string]any{"includeDeclaration": true},
		}, &answer)
		out[key+" "+method] = answer
	}
	for _, method := range []string{"completion", "signatureHelp", "definition", "references", "documentHighlight", "prepareRename", "hover"} {
		for _, at := range offsets {
			ask(d.text.src[:at]+"‸", method, at)
		}
	}
	for _, method := range []string{"documentSymbol", "formatting", "inlayHint", "codeAction"} {
		ask("", method, 0)
	}
	raw, err := json.Marshal(d.diagnostics(c.analysis(c.ctx, d)))
	if err != nil {
		c.t.Fatal(err)
	}
	out["diagnostics"] = raw
	return out
}

// A server that has seen a text change says of it what one says that never saw another.
func TestChangedTextsAreReadAsIfNew(t *testing.T) {
	specs := corpus(t)
	paths := slices.DeleteFunc(sortedKeys(specs), func(p string) bool { return len(specs[p]) > 1500 })
	c := converse(t, "", map[string]string{"topics.csv": "child,parent\ncat,animal\ndog,animal\n", "spec.csv": "area,age,price\n"})
	rapid.Check(t, func(rt *rapid.T) {
		src := specs[rapid.SampledFrom(paths).Draw(rt, "spec")]
		c.edit(src)
		for range rapid.IntRange(1, 3).Draw(rt, "edits") {
			src = changed(rt, src)
			c.edit(src)
			offsets := []int{boundary(rt, src), boundary(rt, src)}
			fresh := &conversation{t: t, session: newSession(t.Context(), Options{Families: families(), Log: faults{t}}), path: c.path}
			fresh.ask("initialize", map[string]any{}, nil)
			fresh.edit(src)
			fresh.client.Store(c.client.Load())
			if d := cmp.Diff(fresh.says(offsets), c.says(offsets)); d != "" {
				rt.Fatalf("of %q, in %s, a new server says − and one that saw another text +:\n%s", src, filepath.Dir(c.path), d)
			}
			fresh.work.Wait()
			fresh.stop()
		}
	})
}

// boundary is an offset at which a character begins.
func boundary(rt *rapid.T, src string) int {
	at := rapid.IntRange(0, len(src)).Draw(rt, "at")
	for at > 0 && at < len(src) && !utf8.RuneStart(src[at]) {
		at--
	}
	return at
}

// changed is a text after an edit: something typed over a few characters, a line taken away, or two lines exchanged.
func changed(rt *rapid.T, src string) string {
	lines := strings.SplitAfter(src, "\n")
	line := rapid.IntRange(0, len(lines)-1)
	switch rapid.IntRange(0, 5).Draw(rt, "edit") {
	case 0:
		i := line.Draw(rt, "line")
		return strings.Join(slices.Delete(lines, i, i+1), "")
	case 1:
		i, j := line.Draw(rt, "line"), line.Draw(rt, "other")
		lines[i], lines[j] = lines[j], lines[i]
		return strings.Join(lines, "")
	case 2, 3:
		i := line.Draw(rt, "line")
		return strings.Join(slices.Insert(lines, i, rapid.SampledFrom(typedIn).Draw(rt, "typed")), "")
	}
	from, to := boundary(rt, src), boundary(rt, src)
	if to < from || to > from+20 {
		to = from
	}
	return src[:from] + rapid.SampledFrom(typedIn).Draw(rt, "typed") + src[to:]
}
