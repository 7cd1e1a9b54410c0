package lsp

import (
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// The kinds of code actions.
const (
	kindQuickFix = "quickfix"
	kindFixAll   = "source.fixAll"
)

// codeActions returns the fixes of the diagnostics in a range, and one that applies all fixes of spelling. The client may say
// which kinds it asks for; else it asks for all.
func codeActions(q *question) []CodeAction {
	out := []CodeAction{}
	a, d, only := q.analysis(), q.doc, q.params.Context.Only
	if a == nil {
		return out
	}
	from, to := d.text.offset(q.params.Range.Start), d.text.offset(q.params.Range.End)
	for _, g := range a.diags {
		if len(g.Fixes) > 0 && wanted(only, kindQuickFix) && g.Subject.Start.Offset <= to && from <= g.Subject.End.Offset {
			out = append(out, fixes(d, g)...)
		}
	}
	if edits := fixAll(d, a.diags); len(edits) > 0 && wanted(only, kindFixAll) {
		out = append(out, CodeAction{Title: "Apply all fixes of spelling", Kind: kindFixAll, Edit: edit(d, edits)})
	}
	return out
}

// wanted reports whether the client asks for a kind of actions.
func wanted(only []string, kind string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o string) bool { return kind == o || strings.HasPrefix(kind, o+".") })
}

func fixes(d *document, g *diag.Diagnostic) []CodeAction {
	var out []CodeAction
	for _, fix := range g.Fixes {
		if edits := editsOf(d, fix); edits != nil {
			out = append(out, CodeAction{
				Title: diag.Capital(fix.Title), Kind: kindQuickFix, Diagnostics: []Diagnostic{d.diagnostic(g)}, IsPreferred: len(g.Fixes) == 1, Edit: edit(d, edits),
			})
		}
	}
	return out
}

// editsOf returns the edits of a fix. Nil means that they do not fit the document.
func editsOf(d *document, fix diag.Fix) []TextEdit {
	if _, err := fix.Apply(d.path, []byte(d.text.src)); err != nil {
		return nil
	}
	out := make([]TextEdit, 0, len(fix.Edits))
	for _, e := range fix.Edits {
		out = append(out, TextEdit{Range: d.text.rangeOf(e.Span.Start.Offset, e.Span.End.Offset), NewText: e.New})
	}
	return out
}

// fixAll returns the edits of the only fix of every diagnostic, as far as they do not overlap. It takes those of spelling alone, as it is
// often applied on saving, unseen: a text must mean the same behind it.
func fixAll(d *document, list diag.List) []TextEdit {
	var all diag.Fix
	for _, g := range list {
		if len(g.Fixes) != 1 || !g.Fixes[0].Spelling {
			continue
		}
		more := diag.Fix{Edits: slices.Concat(all.Edits, g.Fixes[0].Edits)}
		if editsOf(d, more) != nil {
			all = more
		}
	}
	return editsOf(d, all)
}
