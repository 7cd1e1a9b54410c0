package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/creachadair/jrpc2"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
)

// prepareRename is the name at a place, if the spec alone decides what it is; else nil, and nothing can be renamed.
func (s *session) prepareRename(_ context.Context, d *document, offset int) *PrepareRename {
	o := s.sense(d).names().at(offset)
	if o == nil || !o.symbol.renamable() {
		return nil
	}
	r, ok := d.span(o.span)
	if !ok {
		return nil
	}
	return &PrepareRename{Range: r, Placeholder: d.source(o.span)}
}

// refused is the answer to a rename that cannot be.
func refused(format string, args ...any) error {
	return &jrpc2.Error{Code: -32803, Message: fmt.Sprintf(format, args...)} // RequestFailed
}

// rename gives another name to what stands at a place. It is refused where the name is not the spec's own, where the new one
// is no name, and where it would change what any name means.
func rename(_ context.Context, s *session, p *RenameParams) (any, error) {
	d := s.docs.get(p.TextDocument.URI)
	if d == nil {
		return nil, nil
	}
	a := s.sense(d)
	o := a.names().at(d.text.offset(p.Position))
	switch {
	case o == nil:
		return nil, refused("there is no name here that can be renamed")
	case !o.symbol.renamable():
		return nil, refused("%s is %s, and is not renamed here", o.symbol.name, notOurs(o.symbol))
	case !dsl.IsName(p.NewName):
		return nil, refused("%q is no name: a name is a word of letters, digits and _, and none of the words over, of, in, where, and, or, not", p.NewName)
	case d.syntax().faults.HasErrors():
		return nil, refused("the spec does not parse; a rename could miss an occurrence")
	}
	occurrences := a.names().of(o.symbol)
	if !keepsMeaning(d, a, occurrences, p.NewName) {
		return nil, refused("%s means something else already", p.NewName)
	}
	edits := make([]TextEdit, 0, len(occurrences))
	for _, at := range occurrences {
		if r, ok := d.span(at.span); ok {
			edits = append(edits, TextEdit{Range: r, NewText: p.NewName})
		}
	}
	return edit(d, edits), nil
}

// edit changes a version of a document.
func edit(d *document, edits []TextEdit) *WorkspaceEdit {
	return &WorkspaceEdit{DocumentChanges: []DocumentEdit{{TextDocument: VersionedDocument{URI: d.uri, Version: d.version}, Edits: edits}}}
}

func notOurs(s *symbol) string {
	switch s.kind {
	case variableSymbol:
		return "bound by its index set; give it a name of your own there"
	case labelSymbol, columnSymbol:
		return "a name that the data have"
	case familySymbol, domainSymbol, mapSymbol, definitionSymbol:
		return "a word of a family or of the language"
	}
	return "a word of the language"
}

// keepsMeaning reports whether every name means the same after some occurrences are renamed: it renames them, looks again,
// and compares. A word of the language or of a family fails, too, and a label or column, which a reader would take the new
// name for.
func keepsMeaning(d *document, a *sense, renamed []occurrence, name string) bool {
	kind, spelled := renamed[0].symbol.kind, dsl.Spell(name)
	local := kind == variableSymbol || kind == parameterSymbol
	if spelled == "f" || !local && (slices.Contains(compiler.BuiltinWords(), spelled) || a.names().families.family[spelled] != nil || a.names().inData(name)) {
		return false
	}
	var b strings.Builder
	at := 0
	for _, o := range renamed {
		b.WriteString(d.text.src[at:o.span.Start.Offset])
		b.WriteString(name)
		at = o.span.End.Offset
	}
	b.WriteString(d.text.src[at:])
	after, faults := dsl.Parse(d.path, []byte(b.String()))
	return !faults.HasErrors() && sameNames(a.names().occurrences, resolve(after, a.around).occurrences)
}

// inData reports whether the spec uses a name as a label or column.
func (n *names) inData(name string) bool {
	return slices.ContainsFunc(n.occurrences, func(o occurrence) bool {
		return o.symbol.name == name && (o.symbol.kind == labelSymbol || o.symbol.kind == columnSymbol)
	})
}

// sameNames reports whether two lists of occurrences tell the same names apart, and the same declarations.
func sameNames(before, after []occurrence) bool {
	if len(before) != len(after) {
		return false
	}
	twin := map[*symbol]*symbol{}
	back := map[*symbol]*symbol{}
	for i := range before {
		x, y := before[i].symbol, after[i].symbol
		if twin[x] == nil && back[y] == nil {
			twin[x], back[y] = y, x
		}
		if twin[x] != y || back[y] != x || x.kind != y.kind || before[i].def != after[i].def {
			return false
		}
	}
	return true
}
