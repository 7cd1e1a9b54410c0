package lsp

import (
	"context"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A document is one version of an open document. It never changes, and what follows from it is found out once.
type document struct {
	uri     string
	path    string // of the file; the URI where it is none
	isFile  bool
	version int
	text    *text

	syntaxOnce sync.Once
	parsed     *syntax

	analysisOnce sync.Once
	analysed     chan struct{} // closed when meaning is there
	meaning      *analysis

	namesOnce sync.Once
	named     *names
	cancel    context.CancelFunc
	ctx       context.Context //nolint:containedctx // a version lives until it is superseded
}

// A syntax is what the text says without regard to meaning.
type syntax struct {
	file   *dsl.File
	faults diag.List
}

// An analysis is what the check finds.
type analysis struct {
	diags diag.List
	info  *compiler.Info
}

// newDocument returns a version of a document that is not parsed yet.
func newDocument(uri string, version int, t *text) *document {
	d := &document{uri: uri, path: uri, version: version, text: t, analysed: make(chan struct{})}
	if path, ok := pathOf(uri); ok {
		d.path, d.isFile = path, true
	}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// pathOf returns the path of a file's URI. It returns false for the URI of something else.
func pathOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return "", false
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:] // file:///C:/…
	}
	return filepath.FromSlash(path), true
}

// dir returns the folder that files in the spec are relative to. It is empty for a document that is not a file.
func (d *document) dir() string {
	if !d.isFile {
		return ""
	}
	return filepath.Dir(d.path)
}

// resolve returns the path of a file that the spec names. It is empty if the name is relative, and the document has
// no folder.
func (d *document) resolve(name string) string {
	switch {
	case filepath.IsAbs(name):
		return name
	case d.dir() == "":
		return ""
	}
	return filepath.Join(d.dir(), name)
}

// syntax parses the document.
func (d *document) syntax() *syntax {
	d.syntaxOnce.Do(func() {
		d.parsed = &syntax{}
		d.parsed.file, d.parsed.faults = dsl.Parse(d.path, []byte(d.text.src))
	})
	return d.parsed
}

// span returns the range of a span. It returns false if the span lies in another file.
func (d *document) span(s diag.Span) (Range, bool) {
	if s.File != d.path || s.Start.Line == 0 {
		return Range{}, false
	}
	return d.text.rangeOf(s.Start.Offset, s.End.Offset), true
}

// source returns the text of a span of the document, on one line.
func (d *document) source(s diag.Span) string {
	if s.File != d.path || s.Start.Offset > s.End.Offset || s.End.Offset > len(d.text.src) {
		return ""
	}
	return strings.Join(strings.Fields(d.text.src[s.Start.Offset:s.End.Offset]), " ")
}

// tokenAt returns the lexeme that holds an offset, or ends there, or nil. A sign does not hold the offset at its end.
func (s *syntax) tokenAt(offset int) *dsl.Token {
	var found *dsl.Token
	for i := range s.file.Tokens {
		t := &s.file.Tokens[i]
		if t.Span.Start.Offset > offset {
			break
		}
		if offset < t.Span.End.Offset || offset == t.Span.End.Offset && t.Kind != dsl.SignToken {
			found = t
		}
	}
	return found
}

// A store holds the open documents.
type store struct {
	mu   sync.RWMutex
	docs map[string]*document
}

// get returns the current version of a document, or nil.
func (s *store) get(uri string) *document {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.docs[uri]
}

// replace makes a version the current one, nil none, and ends the work on the one before.
func (s *store) replace(uri string, d *document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.docs[uri]; old != nil {
		old.cancel()
	}
	if d == nil {
		delete(s.docs, uri)
		return
	}
	if s.docs == nil {
		s.docs = map[string]*document{}
	}
	s.docs[uri] = d
}

// current reports whether a version has not been superseded.
func (s *store) current(d *document) bool { return s.get(d.uri) == d }

// all returns the open documents, in no order.
func (s *store) all() []*document {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Collect(maps.Values(s.docs))
}
