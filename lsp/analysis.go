package lsp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins"
)

// analysis returns what the document means. A goroutine finds it out once, and requests wait for it. The result is
// nil if the request or the version is no longer wanted before that.
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

// names returns what the names of the document stand for. It waits for no check.
func (s *session) names(d *document) *names {
	d.namesOnce.Do(func() {
		resolve := func(file *dsl.File) *compiler.Info { return compiler.Resolve(s.ctx, file, s.surroundings(d)) }
		info := resolve(d.syntax().file)
		d.named = &names{Table: info.Names, doc: d, info: info, columns: s.headers.of(s.ctx, d, s.settings.Load().Data), resolve: resolve}
	})
	return d.named
}

// analyse checks a document. Whatever goes wrong, the editor keeps its server.
func (s *session) analyse(d *document) (a *analysis) {
	a = &analysis{info: &compiler.Info{}}
	defer func() {
		if r := recover(); r != nil {
			s.log.Printf("checking %s: %v", d.uri, r)
		}
	}()
	syntax := d.syntax()
	a.diags = syntax.faults
	around, by := s.surroundings(d), map[string]diag.Span{}
	around.Included = func(in *compiler.Included) { by[in.Name] = in.By }
	info, diags := compiler.Inspect(d.ctx, syntax.file, around)
	a.info = info
	a.diags = slices.Concat(syntax.faults, diags)
	atIncludes(a.diags, by)
	a.diags.Sort()
	return a
}

// atIncludes places diagnostics of included files at the statements that include them, and says where the files have them. By has
// that statement for each file.
func atIncludes(diags diag.List, by map[string]diag.Span) {
	for _, g := range diags {
		if _, included := by[g.Subject.File]; included {
			g.Summary = fmt.Sprintf("%s, line %d: %s", filepath.Base(g.Subject.File), g.Subject.Start.Line, g.Summary)
		}
		for at, ok := by[g.Subject.File]; ok; at, ok = by[g.Subject.File] {
			g.Subject = at
		}
	}
}

// surroundings returns what surrounds the document as a spec.
func (s *session) surroundings(d *document) compiler.Options {
	data := s.headers.of(s.ctx, d, s.settings.Load().Data)
	return compiler.Options{
		Data:     &data.DataFile,
		Families: s.options.Families,
		Open:     func(context.Context, string) (plugins.Family, error) { return nil, errFamilyOff },
		Pinned:   func() (map[string][]string, error) { return s.pinned(d) },
		ReadFile: func(name string) ([]byte, error) { return readFile(d, name) },
		Identity: func(name string) string { return limits.Identity(d.resolve(name)) },
	}
}

// readFile reads a file that the spec names.
func readFile(d *document, name string) ([]byte, error) {
	path := d.resolve(name)
	if path == "" {
		return nil, errors.New("the spec is in no folder yet; save it first")
	}
	return limits.Read(path, limits.EditorBytes)
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
		URI: d.uri, Version: d.version, Diagnostics: d.diagnostics(a),
	})
}
