package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
)

// An editor drives a language server, a real process, over its standard input and output.
type editor struct {
	t           *testing.T
	cmd         *exec.Cmd
	client      *jrpc2.Client
	stdin       io.Closer
	diagnostics chan json.RawMessage
}

func startEditor(t *testing.T, dir string) *editor {
	t.Helper()
	e := &editor{t: t, diagnostics: make(chan json.RawMessage, 100)}
	e.cmd = exec.CommandContext(t.Context(), filepath.Join(programs, "sipc"), "lsp", "--stdio")
	e.cmd.Dir = dir
	e.cmd.Stderr = t.Output()
	stdin, err := e.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e.stdin = stdin
	e.client = jrpc2.NewClient(channel.LSP(stdout, stdin), &jrpc2.ClientOptions{
		OnNotify: func(r *jrpc2.Request) {
			if r.Method() == "textDocument/publishDiagnostics" {
				var raw json.RawMessage
				_ = r.UnmarshalParams(&raw)
				e.diagnostics <- raw
			}
		},
		OnCallback: func(context.Context, *jrpc2.Request) (any, error) { return nil, nil },
	})
	return e
}

func (e *editor) call(method string, params, result any) {
	e.t.Helper()
	response, err := e.client.Call(e.t.Context(), method, params)
	if err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
	if result != nil {
		if err := response.UnmarshalResult(result); err != nil {
			e.t.Fatalf("%s: %v in %s", method, err, response.ResultString())
		}
	}
}

func (e *editor) tell(method string, params any) {
	e.t.Helper()
	if err := e.client.Notify(e.t.Context(), method, params); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// published waits for the diagnostics of a version.
func (e *editor) published(version int) []fault {
	e.t.Helper()
	for {
		select {
		case raw := <-e.diagnostics:
			var p struct {
				Version     int     `json:"version"`
				Diagnostics []fault `json:"diagnostics"`
			}
			if err := json.Unmarshal(raw, &p); err != nil {
				e.t.Fatal(err)
			}
			if p.Version == version {
				return p.Diagnostics
			}
		case <-time.After(20 * time.Second):
			e.t.Fatalf("there are no diagnostics of version %d", version)
		}
	}
}

type fault struct {
	Code        string `json:"code"`
	Severity    int    `json:"severity"`
	Message     string `json:"message"`
	Range       extent `json:"range"`
	Description struct {
		Href string `json:"href"`
	} `json:"codeDescription"`
}

type cursor struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type extent struct {
	Start cursor `json:"start"`
	End   cursor `json:"end"`
}

type change struct {
	Range   extent `json:"range"`
	NewText string `json:"newText"`
}

type workspaceEdit struct {
	DocumentChanges []struct {
		Edits []change `json:"edits"`
	} `json:"documentChanges"`
}

// edited is a text of ASCII after changes, the last first.
func edited(text string, changes []change) string {
	lines := strings.SplitAfter(text, "\n")
	offset := func(c cursor) int { return len(strings.Join(lines[:c.Line], "")) + c.Character }
	slices.SortFunc(changes, func(a, b change) int { return offset(b.Range.Start) - offset(a.Range.Start) })
	for _, c := range changes {
		text = text[:offset(c.Range.Start)] + c.NewText + text[offset(c.Range.End):]
	}
	return text
}

const editedSpec = `data { target price : real }
kernel   gaussian(width = 1.5)
features exact
let strength = 2
def gap(a, b) = |f(a) - f(b)|
invariance near = rms over (a, b) in graph("edges.csv") of gap(a, b)
invariance turn = max over x of |d/d(area) f|
regularize strength * near, turn
`

// An editor opens a spec, changes it, asks everything that one asks while writing, and leaves in good order.
func TestLanguageServer(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"spec.csv": "area,age,living room,price\n1,2,3,4\n", "edges.csv": "0,1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := startEditor(t, dir)
	uri := "file://" + filepath.ToSlash(filepath.Join(dir, "spec.inv"))
	document := map[string]any{"uri": uri}
	at := func(text, place string) map[string]any {
		before, _, found := strings.Cut(text, place)
		if !found {
			t.Fatalf("there is no %q", place)
		}
		before += place
		line := strings.Count(before, "\n")
		return map[string]any{
			"textDocument": document, "position": cursor{line, len(before) - strings.LastIndexByte(before, '\n') - 1},
			"context": map[string]any{"includeDeclaration": true},
		}
	}
	var hello struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
			RenameProvider   struct {
				PrepareProvider bool `json:"prepareProvider"`
			} `json:"renameProvider"`
		} `json:"capabilities"`
	}
	e.call("initialize", map[string]any{"processId": os.Getpid(), "capabilities": map[string]any{}}, &hello)
	if hello.Capabilities.PositionEncoding != "utf-16" || !hello.Capabilities.RenameProvider.PrepareProvider {
		t.Errorf("capabilities %+v", hello)
	}
	e.tell("initialized", map[string]any{})
	e.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 1, "languageId": "inv", "text": editedSpec}})
	if got := e.published(1); len(got) != 0 {
		t.Errorf("diagnostics %+v", got)
	}

	var completion struct {
		Items []struct {
			Label    string `json:"label"`
			TextEdit change `json:"textEdit"`
		} `json:"items"`
	}
	e.call("textDocument/completion", at(editedSpec, "d/d("), &completion)
	var labels []string
	for _, item := range completion.Items {
		labels = append(labels, item.TextEdit.NewText)
	}
	if !slices.Contains(labels, "age") || !slices.Contains(labels, `"living room"`) {
		t.Errorf("the columns offered are %q", labels)
	}
	e.call("textDocument/completion", at(editedSpec, "strength * near,"), &completion)
	if len(completion.Items) == 0 || !slices.ContainsFunc(completion.Items, func(i struct {
		Label    string `json:"label"`
		TextEdit change `json:"textEdit"`
	},
	) bool {
		return i.Label == "turn"
	}) {
		t.Errorf("regularize offers %+v", completion.Items)
	}

	var hover struct {
		Contents struct {
			Value string `json:"value"`
		} `json:"contents"`
	}
	e.call("textDocument/hover", at(editedSpec, "of gap"), &hover)
	for _, want := range []string{"def gap(a, b) = |f(a) - f(b)|", "seminorm", "nonnegative"} {
		if !strings.Contains(hover.Contents.Value, want) {
			t.Errorf("hover lacks %q: %s", want, hover.Contents.Value)
		}
	}

	var renamed workspaceEdit
	params := at(editedSpec, "strength * ne")
	params["newName"] = "close"
	e.call("textDocument/rename", params, &renamed)
	if got, want := edited(editedSpec, renamed.DocumentChanges[0].Edits), strings.ReplaceAll(editedSpec, "near", "close"); got != want {
		t.Errorf("renamed:\n%s", got)
	}
	params["newName"] = "turn"
	if _, err := e.client.Call(t.Context(), "textDocument/rename", params); err == nil {
		t.Error("a rename to a name that is taken is not refused")
	}

	// A change within the text: a product, which has a fix.
	before, _, _ := strings.Cut(editedSpec, "|d/d(area) f|")
	line := strings.Count(before, "\n")
	column := len(before) - strings.LastIndexByte(before, '\n') - 1
	e.tell("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": 2},
		"contentChanges": []any{map[string]any{
			"range": extent{cursor{line, column}, cursor{line, column + len("|d/d(area) f|")}}, "text": "f(x) * f(x)",
		}},
	})
	faulty := strings.Replace(editedSpec, "|d/d(area) f|", "f(x) * f(x)", 1)
	got := e.published(2)
	if len(got) != 1 || got[0].Code != "E404" || got[0].Range.Start != (cursor{line, column}) || !strings.HasSuffix(got[0].Description.Href, "E404.md") {
		t.Fatalf("diagnostics %+v", got)
	}
	var actions []struct {
		Title string        `json:"title"`
		Kind  string        `json:"kind"`
		Edit  workspaceEdit `json:"edit"`
	}
	e.call("textDocument/codeAction", map[string]any{"textDocument": document, "range": got[0].Range, "context": map[string]any{"diagnostics": []any{}}}, &actions)
	if len(actions) == 0 || actions[0].Kind != "quickfix" {
		t.Fatalf("actions %+v", actions)
	}
	if fixed := edited(faulty, actions[0].Edit.DocumentChanges[0].Edits); !strings.Contains(fixed, "of |f(x)|") {
		t.Errorf("fixed:\n%s", fixed)
	}

	var edits []change
	e.tell("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": 3}, "contentChanges": []any{map[string]any{"text": strings.Replace(editedSpec, "let strength = 2", "let   strength=2", 1)}},
	})
	e.call("textDocument/formatting", map[string]any{"textDocument": document, "options": map[string]any{"tabSize": 4}}, &edits)
	if len(edits) != 1 || edits[0].NewText != "let strength = 2\n" {
		t.Errorf("formatting %+v", edits)
	}
	var hints []struct {
		Label string `json:"label"`
	}
	e.call("textDocument/inlayHint", map[string]any{"textDocument": document, "range": extent{End: cursor{100, 0}}}, &hints)
	if len(hints) != 2 || hints[0].Label != ": seminorm" {
		t.Errorf("hints %+v", hints)
	}

	e.call("shutdown", nil, nil)
	if _, err := e.client.Call(t.Context(), "textDocument/hover", at(editedSpec, "of gap")); err == nil {
		t.Error("a server that is shut down answers")
	}
	e.tell("exit", nil)
	if err := e.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// A client that closes its end, as one does that dies, leaves no server behind.
func TestLanguageServerAlone(t *testing.T) {
	t.Run("closed", func(t *testing.T) {
		e := startEditor(t, t.TempDir())
		e.call("initialize", map[string]any{"processId": nil, "capabilities": map[string]any{}}, nil)
		if err := e.stdin.Close(); err != nil {
			t.Fatal(err)
		}
		if err := ended(t, e.cmd); err == nil {
			t.Error("a client that just leaves is not a success")
		}
	})
}

// ended waits for a process that must end by itself.
func ended(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("the server is still there")
		return nil
	}
}
