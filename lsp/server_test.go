package lsp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/hierarchy"
	"github.com/sipc-ml/sipc/plugins/mixup"
	"github.com/sipc-ml/sipc/plugins/transform"
)

func families() map[string]plugins.Family {
	return map[string]plugins.Family{"mixup": mixup.New(), "hierarchy": hierarchy.New(), "transform": transform.New()}
}

// corpus are the texts of all specs in the repository, faulty ones too, by path.
func corpus(tb testing.TB) map[string]string {
	tb.Helper()
	out := map[string]string{}
	for _, pattern := range []string{
		"../examples/*/*.inv", "../dsl/testdata/*/*.inv", "../compiler/testdata/*/*.inv", "../compiler/testdata/*/*/*.inv",
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			tb.Fatal(err)
		}
		for _, p := range paths {
			src, err := os.ReadFile(p)
			if err != nil {
				tb.Fatal(err)
			}
			out[p] = strings.ToValidUTF8(string(src), "?")
		}
	}
	if len(out) < 10 {
		tb.Fatalf("the corpus has %d specs", len(out))
	}
	return out
}

// A conversation asks a session without a connection.
type conversation struct {
	t testing.TB
	*session
	path string
}

// converse begins a conversation about a spec in a folder of its own; files lie beside it.
func converse(tb testing.TB, source string, files map[string]string) *conversation {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	c := &conversation{t: tb, session: newSession(tb.Context(), Options{Families: families(), Log: faults{tb}}), path: filepath.Join(dir, "spec.inv")}
	tb.Cleanup(func() { c.stop(); c.work.Wait() })
	c.ask("initialize", map[string]any{"capabilities": map[string]any{
		"textDocument": map[string]any{"completion": map[string]any{"completionItem": map[string]any{"snippetSupport": true}}},
	}}, nil)
	c.edit(source)
	return c
}

func (c *conversation) uri() string { return "file://" + filepath.ToSlash(c.path) }

// faults is a log that nothing may be written to: the server writes there what it recovered from.
type faults struct{ tb testing.TB }

func (f faults) Write(p []byte) (int, error) {
	f.tb.Errorf("the server recovered: %s", p)
	return len(p), nil
}

// edit opens the spec with another text.
func (c *conversation) edit(source string) {
	c.t.Helper()
	c.ask("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": c.uri(), "version": 1, "text": source}}, nil)
}

// try sends a message as the connection would, and decodes the answer.
func (c *conversation) try(method string, params, result any) error {
	c.t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		c.t.Fatal(err)
	}
	answer, err := c.handle(context.Background(), method, handlers[method], func(p any) error { return json.Unmarshal(raw, p) })
	if err != nil {
		return err
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		c.t.Fatal(err)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(encoded, result)
}

// ask sends a message that must be answered.
func (c *conversation) ask(method string, params, result any) {
	c.t.Helper()
	if err := c.try(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// here are the parameters that name the place of the cursor, which stands in the text as ‸ behind a text.
func (c *conversation) here(before string) map[string]any {
	c.t.Helper()
	d := c.docs.get(c.uri())
	i := strings.Index(d.text.src, before)
	if i < 0 {
		c.t.Fatalf("the spec has no %q", before)
	}
	return map[string]any{
		"textDocument": map[string]any{"uri": c.uri()}, "position": d.text.position(i + len(before)),
		"context": map[string]any{"includeDeclaration": true},
	}
}

// all asks everything at an offset, and returns what the slowest answer took.
func (c *conversation) all(offset int) (slowest time.Duration, which string) {
	c.t.Helper()
	d := c.docs.get(c.uri())
	at := d.text.position(offset)
	params := map[string]any{
		"textDocument": map[string]any{"uri": c.uri()}, "position": at, "range": Range{End: at}, "newName": "other",
		"context": map[string]any{"includeDeclaration": true},
	}
	for method := range handlers {
		if !strings.HasPrefix(method, "textDocument/") || strings.HasPrefix(method, "textDocument/did") {
			continue
		}
		start := time.Now()
		err := c.try(method, params, nil)
		if took := time.Since(start); took > slowest {
			slowest, which = took, method
		}
		if err != nil && (method != "textDocument/rename" || !strings.Contains(err.Error(), "-32803")) {
			c.t.Fatalf("%s at %d of %q: %v", method, offset, d.text.src, err)
		}
	}
	c.checkHonest(d)
	return slowest, which
}

// checkHonest holds what the server says of the document against it: ranges lie in it, and what it formats is laid out.
func (c *conversation) checkHonest(d *document) {
	c.t.Helper()
	for _, g := range d.diagnostics(d.meaning) {
		if from, to := d.text.offset(g.Range.Start), d.text.offset(g.Range.End); from > to || d.text.position(from) != g.Range.Start {
			c.t.Fatalf("%s lies at %v of %q", g.Code, g.Range, d.text.src)
		}
	}
	if edits := format(d); len(edits) > 0 {
		laid := newDocument(d.uri, 2, newText(applied(d.text, edits)))
		if again := format(laid); len(again) > 0 {
			c.t.Fatalf("formatting %q twice changes it twice", d.text.src)
		}
	}
}

// applied is a text after edits that do not overlap, the last first.
func applied(t *text, edits []TextEdit) string {
	src := t.src
	for i := len(edits) - 1; i >= 0; i-- {
		src = src[:t.offset(edits[i].Range.Start)] + edits[i].NewText + src[t.offset(edits[i].Range.End):]
	}
	return src
}

// typed are the requests that an editor sends at every key.
var typed = []string{"textDocument/completion", "textDocument/hover", "textDocument/signatureHelp"}

// everyPrefix are the specs of which each prefix is taken; of the others it would take minutes, and FuzzServer takes them.
var everyPrefix = []string{"../examples/logic/logic.inv", "../examples/mixup/mixup.inv", "../examples/topics/topics.inv"}

// Every prefix of a spec is answered: at its end, which is where one types.
func TestPrefixes(t *testing.T) {
	specs := corpus(t)
	for _, path := range sortedKeys(specs) {
		t.Run(path, func(t *testing.T) {
			source := specs[path]
			c := converse(t, "", nil)
			step := len(source)/4 | 1
			if slices.Contains(everyPrefix, path) {
				step = 1
			}
			for end := 0; end <= len(source); end += step {
				if end == len(source) || utf8.RuneStart(source[end]) {
					c.answers(source[:end], end, end%(40*step) == 0)
				}
			}
		})
	}
}

// A spec that lacks a lexeme, holds one twice, or lacks all before it is answered, too, at the place of the change.
func TestTruncations(t *testing.T) {
	specs := corpus(t)
	for _, path := range everyPrefix {
		source := specs[path]
		c := converse(t, "", nil)
		for i, token := range dsl.Tokens(path, []byte(source)) {
			from, to := token.Span.Start.Offset, token.Span.End.Offset
			c.answers(source[:from]+source[to:], from, i%20 == 0)
			c.answers(source[:to]+" "+source[from:], to, i%20 == 10)
			if i%10 == 0 {
				c.answers(source[from:], 0, false)
			}
		}
	}
}

// answers makes a text the spec's and asks at an offset what an editor asks at every key, or everything that there is.
func (c *conversation) answers(source string, offset int, everything bool) {
	c.t.Helper()
	c.edit(source)
	params := map[string]any{"textDocument": map[string]any{"uri": c.uri()}, "position": c.docs.get(c.uri()).text.position(offset)}
	for _, method := range typed {
		c.ask(method, params, nil)
	}
	if everything {
		c.all(offset)
	}
}

// FuzzServer mutates specs and asks everything at a place of them.
func FuzzServer(f *testing.F) {
	for _, source := range corpus(f) {
		f.Add(source, uint(len(source)/2), uint(len(source)/3), "λ \U0001F600 (")
	}
	f.Fuzz(func(t *testing.T, source string, at, length uint, insert string) {
		if len(source)+len(insert) > 20_000 {
			return
		}
		source, insert = strings.ToValidUTF8(source, "?"), strings.ToValidUTF8(insert, "?")
		c := converse(t, source, nil)
		d := c.docs.get(c.uri())
		from := d.text.position(int(at % uint(len(source)+1)))
		to := d.text.position(int(at%uint(len(source)+1)) + int(length%64))
		c.ask("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": c.uri(), "version": 2},
			"contentChanges": []map[string]any{{"range": Range{Start: from, End: to}, "text": insert}},
		}, nil)
		offset := c.docs.get(c.uri()).text.offset(from)
		if took, which := c.all(min(offset+len(insert), len(c.docs.get(c.uri()).text.src))); took > 5*time.Second {
			t.Fatalf("%s took %v on %q", which, took, c.docs.get(c.uri()).text.src)
		}
	})
}
