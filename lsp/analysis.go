package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// maxFile is the size above which a file that a spec names is not read while typing.
const maxFile = 16 << 20

// analysed is an open document and what it means; both are nil where there is none, and the latter where nobody waits for it.
func (s *session) analysed(ctx context.Context, uri string) (*document, *analysis) {
	d := s.docs.get(uri)
	if d == nil {
		return nil, nil
	}
	return d, s.analysis(ctx, d)
}

// analysis is what the document means. It is found out once, on a goroutine of its own, and waited for until the request or
// the version is no longer wanted; it is nil then.
func (s *session) analysis(ctx context.Context, d *document) *analysis {
	d.analysisOnce.Do(func() {
		go func() {
			defer close(d.analysed)
			d.meaning = s.analyse(d)
		}()
	})
	select {
	case <-d.analysed:
		return d.meaning
	case <-ctx.Done():
		return nil
	}
}

// sense is what the names of the document mean. It waits for no check.
func (s *session) sense(d *document) *sense {
	d.senseOnce.Do(func() {
		file := d.syntax().file
		d.sensed = &sense{file: file, around: &compiler.Index{}, columns: s.dataOf(d, s.settings.Load())}
		d.sensed.around = compiler.Surroundings(s.ctx, file, s.surroundings(d))
	})
	return d.sensed
}

// analyse checks a document. Whatever goes wrong, the editor keeps its server.
func (s *session) analyse(d *document) (a *analysis) {
	a = &analysis{index: &compiler.Index{}}
	defer func() {
		if r := recover(); r != nil {
			s.log.Printf("checking %s: %v", d.uri, r)
		}
	}()
	syntax := d.syntax()
	a.diags = syntax.faults
	index, diags := compiler.Inspect(d.ctx, syntax.file, s.surroundings(d))
	a.index = index
	a.diags = slices.Concat(syntax.faults, diags)
	a.diags.Sort()
	return a
}

// surroundings are what surrounds the document as a spec.
func (s *session) surroundings(d *document) compiler.Options {
	return compiler.Options{
		Families: s.options.Families,
		Open:     func(_ context.Context, path string) (plugins.Family, error) { return s.family(d, path) }, //nolint:contextcheck // it is started once for the session, not for one check
		Pinned:   func() (map[string][]string, error) { return s.pinned(d) },
		ReadFile: func(name string) ([]byte, error) { return readFile(d, name) },
	}
}

// readFile reads a file that the spec names.
func readFile(d *document, name string) ([]byte, error) {
	path := d.resolve(name)
	if path == "" {
		return nil, errors.New("the spec is in no folder yet; save it first")
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no file")
	case info.Size() > maxFile:
		return nil, fmt.Errorf("it is larger than %d MiB, and not read by the editor", maxFile>>20)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	return io.ReadAll(io.LimitReader(file, maxFile))
}

// publish tells the client the diagnostics of a version, if it is still the current one.
func (s *session) publish(d *document) {
	a := s.analysis(d.ctx, d)
	if a == nil || !s.docs.current(d) {
		return
	}
	s.publishing.Lock() // an older version must not overtake a newer one
	defer s.publishing.Unlock()
	if !s.docs.current(d) {
		return
	}
	s.notify("textDocument/publishDiagnostics", &PublishDiagnosticsParams{
		URI: d.uri, Version: d.version, Diagnostics: s.diagnostics(d, a),
	})
}

// diagnostics are the document's, in the protocol's form.
func (s *session) diagnostics(d *document, a *analysis) []Diagnostic {
	out := []Diagnostic{}
	for _, g := range a.diags {
		if converted, ok := s.diagnostic(d, g); ok {
			out = append(out, converted)
		}
	}
	return out
}

// diagnostic converts one diagnostic. What has no place in the document is shown at its beginning.
func (s *session) diagnostic(d *document, g *diag.Diagnostic) (Diagnostic, bool) {
	out := Diagnostic{Severity: severityError, Code: string(g.Code), Source: "sipc", Message: message(g)}
	switch g.Severity {
	case diag.Warning:
		out.Severity = severityWarning
	case diag.Note:
		out.Severity = severityInformation
	}
	if g.Code == codes.FamilyNotStarted {
		switch familyState(g) {
		case familyStarting:
			return out, false
		case familyOff:
			out.Severity = severityInformation
		}
	}
	out.Range, _ = d.span(g.Subject)
	if page := g.Page(); page != "" {
		out.CodeDescription = &CodeDescription{Href: page}
	}
	if g.Code == codes.UnusedInvariance || g.Code == codes.ZeroWeight {
		out.Tags = []int{tagUnnecessary}
	}
	for _, r := range g.Related {
		if at, ok := d.span(r.Span); ok {
			out.Related = append(out.Related, DiagnosticRelated{Location: Location{URI: d.uri, Range: at}, Message: r.Message})
		}
	}
	return out, true
}

// message is all that a diagnostic says, in plain text.
func message(g *diag.Diagnostic) string {
	lines := []string{g.Summary}
	if g.Detail != "" {
		lines = append(lines, g.Detail)
	}
	lines = append(lines, g.Values...)
	if g.Mend != "" {
		lines = append(lines, g.Mend)
	}
	return strings.Join(lines, "\n")
}
