package lsp

import "context"

// definition is where the name at a place is declared; nil where that is not in the document.
func (s *session) definition(_ context.Context, d *document, offset int) []Location {
	out := []Location{}
	if sym := s.symbolAt(d, offset); sym != nil {
		if r, ok := d.span(sym.def); ok {
			out = append(out, Location{URI: d.uri, Range: r})
		}
	}
	return out
}

// symbolAt is what the name at a place stands for; nil where there is no name, or nothing is known of it.
func (s *session) symbolAt(d *document, offset int) *symbol {
	if o := s.sense(d).names().at(offset); o != nil {
		return o.symbol
	}
	return nil
}

// references are all occurrences of the name at a place.
func references(_ context.Context, s *session, p *ReferenceParams) (any, error) {
	out := []Location{}
	d := s.docs.get(p.TextDocument.URI)
	if d == nil {
		return out, nil
	}
	for _, o := range s.occurrences(d, d.text.offset(p.Position)) {
		if r, ok := d.span(o.span); ok && (!o.def || p.Context.IncludeDeclaration) {
			out = append(out, Location{URI: d.uri, Range: r})
		}
	}
	return out, nil
}

func (s *session) occurrences(d *document, offset int) []occurrence {
	n := s.sense(d).names()
	if o := n.at(offset); o != nil {
		return n.of(o.symbol)
	}
	return nil
}

// highlight are the occurrences of the name at a place, to be shown as one.
func (s *session) highlight(_ context.Context, d *document, offset int) []DocumentHighlight {
	out := []DocumentHighlight{}
	for _, o := range s.occurrences(d, offset) {
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
