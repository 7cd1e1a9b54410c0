package fuzz

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/lsp"
)

// methods are what an editor asks at a place of a text.
var methods = []string{
	"textDocument/completion", "textDocument/hover", "textDocument/definition", "textDocument/references", "textDocument/documentSymbol",
	"textDocument/formatting", "textDocument/signatureHelp", "textDocument/rename", "textDocument/prepareRename", "textDocument/codeAction",
	"textDocument/semanticTokens/full", "textDocument/foldingRange", "textDocument/inlayHint", "textDocument/documentHighlight",
	"textDocument/selectionRange", "workspace/symbol", "no/such/method",
}

// editor talks to the language server about a spec that changes under its hands. What the server recovers from, it logs.
func (c *Case) editor(ctx context.Context) error {
	d := newDraw(c.Seed)
	s := newScene(d)
	c.Text = s.spec()
	_, files := s.tables()
	if err := write(c.dir, files); err != nil {
		return err
	}
	var log bytes.Buffer
	in := strings.NewReader(c.conversation(s))
	err := lsp.Serve(ctx, in, discarded{}, lsp.Options{Families: sipc.Families(), Log: &log})
	for line := range strings.Lines(log.String()) {
		if !strings.Contains(line, "publishDiagnostics") { // to a client that left
			c.faultf("the server recovered: %s", line)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_ = err // broken frames end the conversation, as they should
	return nil
}

// discarded takes what the server answers.
type discarded struct{}

func (discarded) Write(p []byte) (int, error) { return io.Discard.Write(p) }
func (discarded) Close() error                { return nil }

// conversation returns the messages of a client, seldom broken.
func (c *Case) conversation(s *scene) string {
	var b strings.Builder
	id := 0
	say := func(method string, params any, asks bool) {
		message := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
		if asks {
			id++
			message["id"] = id
		}
		text, _ := json.Marshal(message) //nolint:errchkjson // maps of texts and numbers
		length := len(text)
		if s.chance(1) {
			length = s.IntN(2 * len(text))
		}
		if s.chance(1) {
			text[s.IntN(len(text))] = byte(s.IntN(256))
		}
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", length, text)
	}
	uri := "file://" + filepath.ToSlash(filepath.Join(c.dir, "spec.inv"))
	document := map[string]any{"uri": uri}
	say("initialize", map[string]any{"capabilities": map[string]any{}, "processId": nil, "rootUri": nil}, true)
	say("initialized", map[string]any{}, false)
	say("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "inv", "version": 1, "text": c.Text}}, false)
	lines := strings.Count(c.Text, "\n")
	place := func() map[string]any {
		return map[string]any{"line": s.between(-1, lines+1), "character": s.between(0, 80)}
	}
	for k := range s.between(5, 30) {
		if s.chance(40) {
			at := place()
			change := map[string]any{"range": map[string]any{"start": at, "end": at}, "text": s.one("x", "(", " over x of ", "\n", "λ", "f(", "|", "\U0001F600", "invariance q = ")}
			if s.chance(20) {
				change = map[string]any{"text": s.spoilt(c.Text)}
			}
			say("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": k + 2}, "contentChanges": []any{change}}, false)
			continue
		}
		say(s.one(methods...), map[string]any{
			"textDocument": document, "position": place(), "range": map[string]any{"start": place(), "end": place()}, "positions": []any{place()},
			"newName": s.one("fresh", "f", "", "a b"), "query": "i", "context": map[string]any{"includeDeclaration": true, "diagnostics": []any{}},
			"options": map[string]any{"tabSize": 4, "insertSpaces": true},
		}, true)
	}
	if s.chance(90) {
		say("shutdown", nil, true)
		say("exit", nil, false)
	}
	return b.String()
}
