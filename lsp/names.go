package lsp

import (
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/symbols"
	"github.com/sipc-ml/sipc/dsl"
)

// names say what the names of a document stand for. Requests that need no proof use only this.
type names struct {
	*symbols.Table
	doc     *document
	info    *compiler.Info
	columns *dataColumns
	resolve func(*dsl.File) *compiler.Info // another text in the same surroundings
}

// around returns the occurrences of the name at a place.
func (n *names) around(offset int) []symbols.Occurrence {
	if o := n.At(offset); o != nil {
		return n.Of(o.Symbol)
	}
	return nil
}

// definition returns where the name at a place is declared. It returns no place for a name that the document does not declare.
func definition(q *question) []Location {
	out := []Location{}
	if o := q.At(q.offset); o != nil {
		if r, ok := q.doc.span(o.Symbol.At); ok {
			out = append(out, Location{URI: q.doc.uri, Range: r})
		}
	}
	return out
}

// references returns all occurrences of the name at a place.
func references(q *question) []Location {
	out := []Location{}
	for _, o := range q.around(q.offset) {
		if r, ok := q.doc.span(o.Span); ok && (!o.Declares || q.params.Context.IncludeDeclaration) {
			out = append(out, Location{URI: q.doc.uri, Range: r})
		}
	}
	return out
}

// highlight returns the occurrences of the name at a place, to be shown as one.
func highlight(q *question) []DocumentHighlight {
	out := []DocumentHighlight{}
	for _, o := range q.around(q.offset) {
		kind := highlightText
		if o.Declares {
			kind = highlightWrite
		}
		if r, ok := q.doc.span(o.Span); ok {
			out = append(out, DocumentHighlight{Range: r, Kind: kind})
		}
	}
	return out
}

// documented returns what is said of a symbol: in a few words, and at length. Words of the language have their documentation here.
func documented(s *symbols.Symbol) wordDoc {
	switch {
	case s.Kind == symbols.Function:
		return functionDocs[s.Name]
	case s.Kind == symbols.Type:
		return typeDocs[s.Name]
	case s.Kind == symbols.IndexSet && s.Family == nil:
		return domainDocs[s.Name]
	case s.Kind == symbols.Choice:
		return wordDoc{"a " + strings.TrimSuffix(s.Of, "s"), choiceDocs[s.Of+" "+s.Name]}
	case s.Kind == symbols.Filler:
		return wordDoc{s.Of, functionDocs[s.Name].doc}
	case s.Kind == symbols.Argument:
		return wordDoc{s.Detail, argDoc(&s.Args[0])}
	}
	return wordDoc{s.Detail, s.Doc}
}
