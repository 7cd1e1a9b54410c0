package lsp

import "context"

// definition is where the name at a place is declared; nil where that is not in the document.
func (s *session) definition(ctx context.Context, d *document, offset int) []Location {
	out := []Location{}
	if sym := s.symbolAt(ctx, d, offset); sym != nil {
		if r, ok := d.span(sym.def); ok {
			out = append(out, Location{URI: d.uri, Range: r})
		}
	}
	return out
}

// symbolAt is what the name at a place stands for; nil where there is no name, or nothing is known of it.
func (s *session) symbolAt(ctx context.Context, d *document, offset int) *symbol {
	a := s.sense(ctx, d)
	if a == nil {
		return nil
	}
	if o := a.names().at(offset); o != nil {
		return o.symbol
	}
	return nil
}

// references are all occurrences of the name at a place.
func references(ctx context.Context, s *session, p *ReferenceParams) (any, error) {
	out := []Location{}
	d := s.docs.get(p.TextDocument.URI)
	if d == nil {
		return out, nil
	}
	for _, o := range s.occurrences(ctx, d, d.text.offset(p.Position)) {
		if r, ok := d.span(o.span); ok && (!o.def || p.Context.IncludeDeclaration) {
			out = append(out, Location{URI: d.uri, Range: r})
		}
	}
	return out, nil
}

func (s *session) occurrences(ctx context.Context, d *document, offset int) []occurrence {
	a := s.sense(ctx, d)
	if a == nil {
		return nil
	}
	if o := a.names().at(offset); o != nil {
		return a.names().of(o.symbol)
	}
	return nil
}

// highlight are the occurrences of the name at a place, to be shown as one.
func (s *session) highlight(ctx context.Context, d *document, offset int) []DocumentHighlight {
	out := []DocumentHighlight{}
	for _, o := range s.occurrences(ctx, d, offset) {
		kind := highlightText
		if o.def {
			kind = highlightWrite
		}
		if r, ok := d.span(o.span); ok {
			out = append(out, DocumentHighlight{Range: r, Kind: kind})
		}
	}
	return out
}
