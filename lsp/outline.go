package lsp

import (
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// outline returns the statements of the document, each under its name or else its keyword, with its value.
func outline(q *question) []DocumentSymbol {
	out := []DocumentSymbol{}
	for _, decl := range q.doc.syntax().file.Decls {
		whole := decl.Span()
		name, kind, value := whole, symbolKey, whole
		switch decl := decl.(type) {
		case *dsl.Use:
			name, kind = decl.Name.Span(), symbolModule
		case *dsl.Let:
			name, kind, value = decl.Name.Span(), symbolConstant, decl.Value.Span()
		case *dsl.Def:
			name, kind, value = decl.Name.Span(), symbolFunction, decl.Body.Span()
		case *dsl.Invariance:
			name, kind, value = decl.Name.Span(), symbolProperty, decl.Body.Span()
		case *dsl.Require:
			name, kind, value = decl.Name.Span(), symbolProperty, decl.Holds.Span()
		case *dsl.Setting:
			name, value = decl.Keyword.Span(), decl.Value.Span().To(decl.Span())
		default:
			keyword, _, _ := strings.Cut(q.doc.source(whole), " ")
			name.End = name.Start
			name.End.Offset += len(keyword)
			name.End.Column += len(keyword)
		}
		out = append(out, q.doc.symbol(kind, whole, name, value))
	}
	return out
}

// symbol returns a statement's part of the outline, with the text of its value, of which a long one is cut.
func (d *document) symbol(kind int, whole, name, value diag.Span) DocumentSymbol {
	detail := []rune(strings.Join(strings.Fields(d.source(value)), " "))
	if len(detail) > 80 {
		detail = append(detail[:79:79], '…')
	}
	out := DocumentSymbol{Name: d.source(name), Kind: kind, Detail: string(detail)}
	out.Range, _ = d.span(whole)
	out.SelectionRange, _ = d.span(name)
	return out
}
