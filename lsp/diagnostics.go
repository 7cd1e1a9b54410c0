package lsp

import (
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// diagnostics returns those of the document, in the protocol's form.
func (d *document) diagnostics(a *analysis) []Diagnostic {
	out := []Diagnostic{}
	for _, g := range a.diags {
		out = append(out, d.diagnostic(g))
	}
	return out
}

// diagnostic converts one diagnostic. What has no place in the document is shown at its beginning.
func (d *document) diagnostic(g *diag.Diagnostic) Diagnostic {
	out := Diagnostic{Severity: severityError, Code: string(g.Code), Source: "sipc", Message: message(g)}
	switch g.Severity {
	case diag.Warning:
		out.Severity = severityWarning
	case diag.Note:
		out.Severity = severityInformation
	}
	if g.Code == codes.FamilyNotStarted && strings.Contains(g.Summary, errFamilyOff.Error()) {
		out.Severity = severityInformation
	}
	out.Range, _ = d.span(g.Subject)
	if page := g.Page(); page != "" {
		out.CodeDescription = &CodeDescription{Href: page}
	}
	if g.Code == codes.UnusedInvariance || g.Code == codes.ZeroWeight {
		out.Tags = []int{tagUnnecessary}
	}
	for _, r := range g.Related {
		if at, ok := d.span(r.Span); ok {
			out.Related = append(out.Related, DiagnosticRelated{Location: Location{URI: d.uri, Range: at}, Message: r.Message})
		}
	}
	return out
}

// message returns all that a diagnostic says, in plain text.
func message(g *diag.Diagnostic) string {
	lines := []string{g.Summary}
	if g.Detail != "" {
		lines = append(lines, g.Detail)
	}
	lines = append(lines, g.Values...)
	if g.Mend != "" {
		lines = append(lines, g.Mend)
	}
	return strings.Join(lines, "\n")
}
