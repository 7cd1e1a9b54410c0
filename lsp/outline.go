package lsp

import (
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// outline returns the statements of the document.
func outline(d *document) []DocumentSymbol {
	out := []DocumentSymbol{}
	for _, decl := range d.syntax().file.Decls {
		name, kind, detail := d.outlined(decl)
		out = append(out, d.symbol(name.text, kind, detail, decl.Span(), name.span))
		if data, ok := decl.(*dsl.Data); ok {
			last := &out[len(out)-1]
			for _, item := range data.Items {
				last.Children = append(last.Children, d.symbol(d.source(item.Span()), symbolField, "", item.Span(), item.Span()))
			}
		}
	}
	return out
}

// A title is the name of a statement, with its place.
type title struct {
	text string
	span diag.Span
}

func (d *document) outlined(decl dsl.Decl) (name title, kind int, detail string) {
	named := func(id *dsl.Ident) title { return title{d.source(id.Span()), id.Span()} }
	switch decl := decl.(type) {
	case *dsl.Use:
		return named(decl.Name), symbolModule, "use"
	case *dsl.Data:
		return title{"data", decl.Span()}, symbolObject, ""
	case *dsl.Let:
		return named(decl.Name), symbolConstant, d.source(decl.Value.Span())
	case *dsl.Def:
		return named(decl.Name), symbolFunction, d.source(decl.Body.Span())
	case *dsl.Invariance:
		return named(decl.Name), symbolProperty, d.source(decl.Body.Span())
	case *dsl.Setting:
		return title{decl.Keyword.Name, decl.Span()}, symbolKey, d.source(decl.Value.Span())
	case *dsl.Evaluate:
		return title{wordEvaluate, decl.Span()}, symbolEvent, ""
	}
	return title{"statement", decl.Span()}, symbolKey, ""
}

func (d *document) symbol(name string, kind int, detail string, whole, at diag.Span) DocumentSymbol {
	if r := []rune(detail); len(r) > 80 {
		detail = string(r[:79]) + "…"
	}
	out := DocumentSymbol{Name: name, Kind: kind, Detail: detail}
	out.Range, _ = d.span(whole)
	out.SelectionRange, _ = d.span(at)
	return out
}
