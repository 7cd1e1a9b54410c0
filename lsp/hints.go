package lsp

import (
	"context"

	"github.com/sipc-ml/sipc/dsl"
)

// inlayHints show behind the name of every invariance what was proved of it.
func inlayHints(ctx context.Context, s *session, p *RangeParams) (any, error) {
	out := []InlayHint{}
	d, a := s.analysed(ctx, p.TextDocument.URI)
	if a == nil {
		return out, nil
	}
	from, to := d.text.offset(p.Range.Start), d.text.offset(p.Range.End)
	for _, decl := range d.syntax().file.Decls {
		inv, ok := decl.(*dsl.Invariance)
		if !ok || inv.Name.Span().Start.Offset > to || inv.Name.Span().End.Offset < from {
			continue
		}
		part := a.index.Of(inv.Body.Span())
		if part == nil || part.Constant {
			continue
		}
		tip := s.markup(judgement(part))
		out = append(out, InlayHint{
			Position: d.text.position(inv.Name.Span().End.Offset), Label: ": " + part.Kind.String(), Kind: hintType, Tooltip: &tip,
		})
	}
	return out, nil
}

// refreshHints asks the client to ask for hints again. What it answers does not matter.
func (s *session) refreshHints() {
	if s.callback == nil {
		return
	}
	s.work.Go(func() {
		if err := s.callback("workspace/inlayHint/refresh"); err != nil && s.ctx.Err() == nil {
			s.log.Printf("workspace/inlayHint/refresh: %v", err)
		}
	})
}
