package lsp

import (
	"context"
	"encoding/json"

	"github.com/creachadair/jrpc2"
)

// A handler answers one kind of message.
type handler func(ctx context.Context, s *session, p *Params) (any, error)

// handlers are the messages that the server understands.
var handlers = map[string]handler{
	"initialize":      initialize,
	"initialized":     ignore,
	"shutdown":        shutdown,
	"exit":            exit,
	"$/cancelRequest": cancelRequest,
	"$/setTrace":      ignore,

	"textDocument/didOpen":   didOpen,
	"textDocument/didChange": didChange,
	"textDocument/didClose":  didClose,
	"textDocument/didSave":   refreshed,

	"workspace/didChangeConfiguration":    didChangeConfiguration,
	"workspace/didChangeWatchedFiles":     refreshed,
	"workspace/didChangeWorkspaceFolders": ignore,

	"textDocument/hover":             about(hover),
	"textDocument/completion":        about(complete),
	"textDocument/signatureHelp":     about(signatureHelp),
	"textDocument/definition":        about(definition),
	"textDocument/references":        about(references),
	"textDocument/documentHighlight": about(highlight),
	"textDocument/prepareRename":     about(prepareRename),
	"textDocument/rename":            about(rename),
	"textDocument/codeAction":        about(codeActions),
	"textDocument/inlayHint":         about(inlayHints),
	"textDocument/documentSymbol":    about(outline),
	"textDocument/formatting":        about(func(q *question) []TextEdit { return format(q.doc) }),
}

// about answers what is asked of a document. One that is not open has no answer. An answer that is an error is the request's.
func about[R any](answer func(*question) R) handler {
	return func(ctx context.Context, s *session, p *Params) (any, error) {
		d := s.docs.get(p.TextDocument.URI)
		if d == nil {
			return nil, nil
		}
		var out any = answer(&question{
			names: s.names(d), params: p, offset: d.text.offset(p.Position), client: s.client.Load(),
			analysis: func() *analysis { return s.analysis(ctx, d) }, offers: func() []offer { return s.offers(d) },
		})
		if err, failed := out.(error); failed {
			return nil, err
		}
		return out, nil
	}
}

func ignore(context.Context, *session, *Params) (any, error) { return nil, nil }

func shutdown(_ context.Context, s *session, _ *Params) (any, error) {
	s.shutDown.Store(true)
	return nil, nil
}

func exit(_ context.Context, s *session, _ *Params) (any, error) {
	s.stop()
	return nil, nil
}

func cancelRequest(ctx context.Context, _ *session, p *Params) (any, error) {
	if server := jrpc2.ServerFromContext(ctx); server != nil {
		server.CancelRequest(string(p.ID))
	}
	return nil, nil
}

func didOpen(_ context.Context, s *session, p *Params) (any, error) {
	s.open(p.TextDocument.URI, p.TextDocument.Version, newText(p.TextDocument.Text))
	return nil, nil
}

func didChange(_ context.Context, s *session, p *Params) (any, error) {
	if d := s.docs.get(p.TextDocument.URI); d != nil {
		s.open(d.uri, p.TextDocument.Version, d.text.changed(p.ContentChanges))
	}
	return nil, nil
}

func didClose(_ context.Context, s *session, p *Params) (any, error) {
	s.docs.replace(p.TextDocument.URI, nil)
	s.notify("textDocument/publishDiagnostics", &PublishDiagnosticsParams{URI: p.TextDocument.URI, Diagnostics: []Diagnostic{}})
	return nil, nil
}

// didChangeConfiguration takes the settings of section "sipc".
func didChangeConfiguration(_ context.Context, s *session, p *Params) (any, error) {
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
func refreshed(_ context.Context, s *session, _ *Params) (any, error) {
	s.refresh()
	return nil, nil
}

// open makes a text the current version of a document, and tells its diagnostics when they are known.
func (s *session) open(uri string, version int, t *text) {
	d := newDocument(uri, version, t)
	s.docs.replace(uri, d)
	s.work.Go(func() { s.publish(d) })
}

// refresh looks at all documents again.
func (s *session) refresh() {
	for _, d := range s.docs.all() {
		if s.docs.current(d) {
			s.open(d.uri, d.version, d.text)
		}
	}
}
