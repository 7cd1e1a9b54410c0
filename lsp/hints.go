package lsp

import "github.com/sipc-ml/sipc/dsl"

// inlayHints returns what was proved of each invariance in a range, to be shown behind its name.
func inlayHints(q *question) []InlayHint {
	out := []InlayHint{}
	a, d := q.analysis(), q.doc
	if a == nil {
		return out
	}
	from, to := d.text.offset(q.params.Range.Start), d.text.offset(q.params.Range.End)
	for _, decl := range d.syntax().file.Decls {
		inv, ok := decl.(*dsl.Invariance)
		if !ok || inv.Name.Span().Start.Offset > to || inv.Name.Span().End.Offset < from {
			continue
		}
		part := a.info.Of(inv.Body.Span())
		if part == nil || part.Constant {
			continue
		}
		tip := q.client.markup(judgement(part))
		out = append(out, InlayHint{
			Position: d.text.position(inv.Name.Span().End.Offset), Label: ": " + part.Kind.String(), Kind: hintType, Tooltip: &tip,
		})
	}
	return out
}
