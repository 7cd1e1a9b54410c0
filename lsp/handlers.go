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

	"textDocument/hover":             at(hovered),
	"textDocument/completion":        at(completed),
	"textDocument/signatureHelp":     at(helped),
	"textDocument/definition":        named(definition),
	"textDocument/documentHighlight": named(highlight),
	"textDocument/prepareRename":     named(prepareRename),
	"textDocument/references": on(func(_ context.Context, s *session, p *ReferenceParams) (any, error) {
		d := s.docs.get(p.TextDocument.URI)
		if d == nil {
			return []Location{}, nil
		}
		return references(s.names(d), d.text.offset(p.Position), p.Context.IncludeDeclaration), nil
	}),
	"textDocument/rename": on(func(_ context.Context, s *session, p *RenameParams) (any, error) {
		d := s.docs.get(p.TextDocument.URI)
		if d == nil {
			return nil, nil
		}
		return rename(s.names(d), d.text.offset(p.Position), p.NewName)
	}),
	"textDocument/formatting":          whole(format),
	"textDocument/foldingRange":        whole(folding),
	"textDocument/documentSymbol":      whole(outline),
	"textDocument/semanticTokens/full": named(semanticTokens),
	"textDocument/inlayHint": on(func(ctx context.Context, s *session, p *RangeParams) (any, error) {
		d, a := s.analysed(ctx, p.TextDocument.URI)
		if a == nil {
			return []InlayHint{}, nil
		}
		return inlayHints(d, a, s.client.Load(), p.Range), nil
	}),
	"textDocument/codeAction": on(func(ctx context.Context, s *session, p *CodeActionParams) (any, error) {
		d, a := s.analysed(ctx, p.TextDocument.URI)
		if a == nil {
			return []CodeAction{}, nil
		}
		return codeActions(d, a, p.Range, p.Context.Only), nil
	}),
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
func at[R any](answer func(context.Context, *session, *document, int) R) handler {
	return on(func(ctx context.Context, s *session, p *PositionParams) (any, error) {
		d := s.docs.get(p.TextDocument.URI)
		if d == nil {
			return nil, nil
		}
		return answer(ctx, s, d, d.text.offset(p.Position)), nil
	})
}

// named answers what is asked of the name at a place.
func named[R any](answer func(n *names, offset int) R) handler {
	return at(func(_ context.Context, s *session, d *document, offset int) R { return answer(s.names(d), offset) })
}

// whole answers what is asked of a document's syntax.
func whole[R any](answer func(*document) R) handler {
	return at(func(_ context.Context, _ *session, d *document, _ int) R { return answer(d) })
}

func hovered(ctx context.Context, s *session, d *document, offset int) *Hover {
	n := s.names(d) // while the check goes on
	a := s.analysis(ctx, d)
	if a == nil {
		return nil
	}
	return hover(n, a, s.client.Load(), offset)
}

func completed(_ context.Context, s *session, d *document, offset int) *CompletionList {
	return complete(s.names(d), s.client.Load(), func() []offer { return s.offers(d) }, offset)
}

func helped(_ context.Context, s *session, d *document, offset int) *SignatureHelp {
	return signatureHelp(s.names(d), s.client.Load(), offset)
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
