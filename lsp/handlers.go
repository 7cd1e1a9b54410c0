package lsp

import (
	"context"
	"encoding/json"

	"github.com/creachadair/jrpc2"
)

// A handler answers one kind of message.
type handler func(ctx context.Context, s *session, params json.RawMessage) (any, error)

// handlers are the messages that the server understands.
var handlers = map[string]handler{
	"initialize":  on(func(_ context.Context, s *session, p *InitializeParams) (any, error) { return s.initialize(p) }),
	"initialized": ignore,
	"shutdown": func(_ context.Context, s *session, _ json.RawMessage) (any, error) {
		s.shutDown.Store(true)
		return nil, nil
	},
	"exit":            exit,
	"$/cancelRequest": on(cancelRequest),
	"$/setTrace":      ignore,

	"textDocument/didOpen":   on(didOpen),
	"textDocument/didChange": on(didChange),
	"textDocument/didClose":  on(didClose),
	"textDocument/didSave":   refreshed,

	"workspace/didChangeConfiguration":    on(didChangeConfiguration),
	"workspace/didChangeWatchedFiles":     refreshed,
	"workspace/didChangeWorkspaceFolders": ignore,

	"textDocument/hover":               at((*session).hover),
	"textDocument/completion":          at((*session).complete),
	"textDocument/signatureHelp":       at((*session).signatureHelp),
	"textDocument/definition":          at((*session).definition),
	"textDocument/documentHighlight":   at((*session).highlight),
	"textDocument/prepareRename":       at((*session).prepareRename),
	"textDocument/references":          on(references),
	"textDocument/rename":              on(rename),
	"textDocument/formatting":          whole((*session).format),
	"textDocument/foldingRange":        whole((*session).folding),
	"textDocument/documentSymbol":      whole((*session).outline),
	"textDocument/semanticTokens/full": whole((*session).semanticTokens),
	"textDocument/inlayHint":           on(inlayHints),
	"textDocument/codeAction":          on(codeActions),
}

// on decodes the parameters of a message.
func on[P any](answer func(context.Context, *session, *P) (any, error)) handler {
	return func(ctx context.Context, s *session, params json.RawMessage) (any, error) {
		p := new(P)
		if len(params) > 0 {
			if err := json.Unmarshal(params, p); err != nil {
				return nil, &jrpc2.Error{Code: jrpc2.InvalidParams, Message: err.Error()}
			}
		}
		return answer(ctx, s, p)
	}
}

// at answers what is asked of a place. A document that is not open has no answer.
func at[R any](answer func(*session, context.Context, *document, int) R) handler {
	return on(func(ctx context.Context, s *session, p *PositionParams) (any, error) {
		d := s.docs.get(p.TextDocument.URI)
		if d == nil {
			return nil, nil
		}
		return answer(s, ctx, d, d.text.offset(p.Position)), nil
	})
}

// whole answers what is asked of a document.
func whole[R any](answer func(*session, context.Context, *document) R) handler {
	return on(func(ctx context.Context, s *session, p *DocumentParams) (any, error) {
		d := s.docs.get(p.TextDocument.URI)
		if d == nil {
			return nil, nil
		}
		return answer(s, ctx, d), nil
	})
}

func ignore(context.Context, *session, json.RawMessage) (any, error) { return nil, nil }

func exit(_ context.Context, s *session, _ json.RawMessage) (any, error) {
	s.exited.Store(true)
	s.stop()
	return nil, nil
}

func cancelRequest(ctx context.Context, _ *session, p *struct {
	ID json.RawMessage `json:"id"`
},
) (any, error) {
	if server := jrpc2.ServerFromContext(ctx); server != nil {
		server.CancelRequest(string(p.ID))
	}
	return nil, nil
}

func didOpen(_ context.Context, s *session, p *DidOpenParams) (any, error) {
	s.open(p.TextDocument.URI, p.TextDocument.Version, newText(p.TextDocument.Text, s.unit()))
	return nil, nil
}

func didChange(_ context.Context, s *session, p *DidChangeParams) (any, error) {
	d := s.docs.get(p.TextDocument.URI)
	if d == nil {
		return nil, nil
	}
	version := d.version + 1
	if p.TextDocument.Version != nil {
		version = *p.TextDocument.Version
	}
	s.open(d.uri, version, d.text.changed(p.ContentChanges))
	return nil, nil
}

func didClose(_ context.Context, s *session, p *DocumentParams) (any, error) {
	s.docs.remove(p.TextDocument.URI)
	s.notify("textDocument/publishDiagnostics", &PublishDiagnosticsParams{URI: p.TextDocument.URI, Diagnostics: []Diagnostic{}})
	return nil, nil
}

// didChangeConfiguration takes the settings of section "sipc".
func didChangeConfiguration(_ context.Context, s *session, p *DidChangeConfigurationParams) (any, error) {
	section := struct {
		Sipc *Settings `json:"sipc"`
	}{}
	if err := json.Unmarshal(p.Settings, &section); err == nil && section.Sipc != nil {
		s.settings.Store(section.Sipc)
		s.refresh()
	}
	return nil, nil
}

// refreshed looks at all documents again: files that they name may have changed.
func refreshed(_ context.Context, s *session, _ json.RawMessage) (any, error) {
	s.refresh()
	return nil, nil
}

func (s *session) unit() encoding {
	e, _ := s.units.Load().(encoding)
	return e
}

// open makes a text the current version of a document, and tells its diagnostics when they are known.
func (s *session) open(uri string, version int, t *text) {
	d := newDocument(uri, version, t)
	s.docs.put(d)
	s.work.Go(func() { s.publish(d) })
}

// refresh looks at all documents again.
func (s *session) refresh() {
	for _, d := range s.docs.all() {
		if s.docs.current(d) {
			s.open(d.uri, d.version, d.text)
		}
	}
	if s.client.Load().Workspace.InlayHint.RefreshSupport {
		s.refreshHints()
	}
}
