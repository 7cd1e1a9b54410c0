package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/creachadair/jrpc2"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/symbols"
	"github.com/sipc-ml/sipc/dsl"
)

// prepareRename returns the name at a place, if the spec alone decides what it is. Nil means that nothing there can be renamed.
func prepareRename(q *question) *PrepareRename {
	o := q.At(q.offset)
	if o == nil || !renamable(o.Symbol) {
		return nil
	}
	r, ok := q.doc.span(o.Span)
	if !ok {
		return nil
	}
	return &PrepareRename{Range: r, Placeholder: q.doc.source(o.Span)}
}

// renamable reports whether the spec alone decides what a name is.
func renamable(s *symbols.Symbol) bool {
	switch s.Kind {
	case symbols.Let, symbols.Def, symbols.Invariance, symbols.Requirement, symbols.Parameter:
		return true
	case symbols.Variable:
		return !s.Implicit
	}
	return false
}

// refused returns the answer to a rename that cannot be.
func refused(format string, args ...any) error {
	return &jrpc2.Error{Code: -32803, Message: fmt.Sprintf(format, args...)} // RequestFailed
}

// rename gives another name to what stands at a place. It refuses a name that is not the spec's own, and a new one
// that is not a name. It also refuses where the new one would change what any name means.
func rename(q *question) any {
	o, n, name := q.At(q.offset), q.names, q.params.NewName
	switch {
	case o == nil:
		return refused("there is no name here that can be renamed")
	case !renamable(o.Symbol):
		return refused("%s is %s, and is not renamed here", o.Symbol.Name, notOurs(o.Symbol))
	case !dsl.IsName(name):
		return refused("%q is not a name: a name is a word of letters, digits and _, and none of the words over, of, in, where, and, or, not", name)
	case n.doc.syntax().faults.HasErrors():
		return refused("the spec does not parse; a rename could miss an occurrence")
	}
	occurrences := n.Of(o.Symbol)
	if !keepsMeaning(n, occurrences, name) {
		return refused("%s means something else already", name)
	}
	edits := make([]TextEdit, 0, len(occurrences))
	for _, at := range occurrences {
		if r, ok := n.doc.span(at.Span); ok {
			edits = append(edits, TextEdit{Range: r, NewText: name})
		}
	}
	return edit(n.doc, edits)
}

// edit changes a version of a document.
func edit(d *document, edits []TextEdit) *WorkspaceEdit {
	return &WorkspaceEdit{DocumentChanges: []DocumentEdit{{TextDocument: VersionedDocument{URI: d.uri, Version: d.version}, Edits: edits}}}
}

// notOurs says whose name it is that cannot be renamed.
func notOurs(s *symbols.Symbol) string {
	switch s.Kind {
	case symbols.Variable:
		return "bound by its index set; give it a name of your own there"
	case symbols.Label, symbols.Column:
		return "a name that the data have"
	case symbols.Family, symbols.IndexSet, symbols.Map, symbols.Definition:
		return "a word of a family or of the language"
	}
	return "a word of the language"
}

// keepsMeaning reports whether every name means the same after some occurrences are renamed: it renames them, looks again,
// and compares. A word of the language or of a family fails, too, and a label or column, which a reader would take the new
// name for.
func keepsMeaning(n *names, renamed []symbols.Occurrence, name string) bool {
	kind, spelled := renamed[0].Symbol.Kind, dsl.Spell(name)
	local := kind == symbols.Variable || kind == symbols.Parameter
	if spelled == "f" || !local && (slices.Contains(compiler.BuiltinWords(), spelled) || taken(n, spelled, name)) {
		return false
	}
	var b strings.Builder
	at, src := 0, n.doc.text.src
	for _, o := range renamed {
		b.WriteString(src[at:o.Span.Start.Offset])
		b.WriteString(name)
		at = o.Span.End.Offset
	}
	b.WriteString(src[at:])
	after, faults := dsl.Parse(n.doc.path, []byte(b.String()))
	return !faults.HasErrors() && n.Same(n.resolve(after).Names)
}

// taken reports whether a family adds a name to the language, or the spec uses it for a label or column.
func taken(n *names, spelled, name string) bool {
	for _, kind := range []symbols.Kind{symbols.Family, symbols.IndexSet, symbols.Map, symbols.Definition} {
		if s := n.Lookup(kind, spelled); s != nil && s.Family != nil {
			return true
		}
	}
	return n.Lookup(symbols.Label, name) != nil || n.Lookup(symbols.Column, name) != nil
}
