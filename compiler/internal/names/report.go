package names

import (
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// Text returns what the user wrote in a span, of the spec, of what it includes, or of an expression that is judged beside it. It is empty
// for spans of definitions of families.
func (c *Spec) Text(at diag.Span) string {
	files := []*dsl.File{c.File, c.Beside}
	if in := includedAt(c, at); in != nil {
		files = append(files, in.File)
	}
	for _, file := range files {
		if file != nil && file.Name == at.File && at.Start.Offset <= at.End.Offset && at.End.Offset <= len(file.Source) {
			return string(file.Source[at.Start.Offset:at.End.Offset])
		}
	}
	return ""
}

// Report adds an error at its subject, and returns it for more to be said. The definitions that are
// being replaced around it decide where it is shown.
func (p *Pass) Report(d *diag.Diagnostic) *diag.Diagnostic {
	return p.ReportAt(tree.Origin{Span: d.Subject, Inlined: p.Inlined}, d)
}

// ReportAt adds an error at an origin. Of several parts of a family's definition that break one
// rule in one call, the first says so. At the place of the call they would read alike.
func (p *Pass) ReportAt(o tree.Origin, d *diag.Diagnostic) *diag.Diagnostic {
	d = tree.AtOrigin(o, d)
	said := func(other *diag.Diagnostic) bool { return other.Code == d.Code && other.Subject == d.Subject }
	if d.Subject == o.Span || !slices.ContainsFunc(*p.Diags, said) {
		p.Diags.Add(d)
	}
	return d
}

// Errors counts the errors so far. A part of the spec is sound if the count stays as it was while
// the part was compiled.
func (p *Pass) Errors() int {
	n := 0
	for _, d := range *p.Diags {
		if d.Severity == diag.Error {
			n++
		}
	}
	return n
}

// Origin returns the origin of an expression met now: its place, its syntax, and the definitions
// that are being replaced around it.
func (p *Pass) Origin(e dsl.Expr) tree.Origin {
	return tree.Origin{Span: e.Span(), Syntax: e, Inlined: p.Inlined}
}

// A mending is what a diagnostic of an invariance may be mended by.
type mending struct {
	Diagnostic *diag.Diagnostic
	Title      string // of the first attempt, where the mend of the diagnostic says it already
	Attempts   func(decl *dsl.Invariance) [][]diag.Edit
}

// MendBy names the edits that may mend a diagnostic, the best first. Those are offered that are found to: the invariance then
// has fewer errors, and none of a kind that it did not have. Where a warning is mended, nothing may be left to say.
func (p *Pass) MendBy(d *diag.Diagnostic, title string, attempts func(decl *dsl.Invariance) [][]diag.Edit) {
	if !p.Trial {
		p.Mendings = append(p.Mendings, mending{d, title, attempts})
	}
}

// Offer adds a fix of one edit, where the text is that of the user. A definition of a family has no
// file that could be changed.
func (p *Pass) Offer(d *diag.Diagnostic, title string, at diag.Span, text string) {
	if at.File == p.File.Name && at.End.Offset <= len(p.File.Source) {
		d.Fixes = append(d.Fixes, diag.Fix{Title: title, Edits: []diag.Edit{{Span: at, New: text}}})
	}
}

// Spell adds a fix as Offer does, one that changes how something is written and not what is meant.
func (p *Pass) Spell(d *diag.Diagnostic, title string, at diag.Span, text string) {
	offered := len(d.Fixes)
	p.Offer(d, title, at, text)
	for i := offered; i < len(d.Fixes); i++ {
		d.Fixes[i].Spelling = true
	}
}

// Misnamed reports a name that is not among those known, and offers the nearest of them. It returns
// the diagnostic for more to be said.
func (p *Pass) Misnamed(name string, known []string, d *diag.Diagnostic) *diag.Diagnostic {
	misnamed(p, name, tree.Nearest(name, known), known, d)
	return d
}

// MisnamedAmong reports a name as Misnamed does, where the known names may be many.
func (p *Pass) MisnamedAmong(name string, known Known, d *diag.Diagnostic) *diag.Diagnostic {
	misnamed(p, name, Nearest(p, name, known), words(p, known), d)
	return d
}

// misnamed reports a name, with the nearest of the known ones or a list of these.
func misnamed(p *Pass, name, best string, known []string, d *diag.Diagnostic) {
	at := d.Subject
	d.Mend = tree.Meant(best, known)
	p.Report(d)
	rename(p, d, at, name, best)
}

// Rename offers the nearest of the known names in the place of one that is written at a span.
// Nothing is offered where the name is written elsewhere, as that of an argument is.
func (p *Pass) Rename(d *diag.Diagnostic, at diag.Span, name string, known []string) {
	rename(p, d, at, name, tree.Nearest(name, known))
}

// rename offers a name in the place of another, where that stands at the span.
func rename(p *Pass, d *diag.Diagnostic, at diag.Span, name, best string) {
	written := p.Text(at)
	if best == "" || strings.Trim(written, `"`) != name {
		return // it was named elsewhere
	}
	title := "write " + best
	if !dsl.IsName(best) || strings.HasPrefix(written, `"`) {
		best = `"` + best + `"`
	}
	p.Spell(d, title, at, best)
}

// Uncallable reports a call of nothing, unless it may be a definition of a family that is missing. The column is a text as in
// NoColumn.
func (p *Pass) Uncallable(id *dsl.Ident, known Known, column string) {
	if !p.Broken.families && !p.Broken.includes {
		p.NoColumn(id, Nearest(p, id.Name, known), known, column)
	}
}

// Undefined reports a name that stands for nothing (codes.UndefinedName), unless a faulty statement
// may declare it.
func (p *Pass) Undefined(id *dsl.Ident, known Known) {
	p.NoColumn(id, Nearest(p, id.Name, known), known, "")
}

// NoColumn reports a name as Undefined does, where the nearest of the known names has been found. A name that is near a known one
// is not taken for a column. So the mend also says how to write the column, in quotes; empty means that no column can stand there.
func (p *Pass) NoColumn(id *dsl.Ident, near string, known Known, column string) {
	if p.Poison[id.Name] || p.Broken.includes {
		return
	}
	d := &diag.Diagnostic{Code: codes.UndefinedName, Subject: id.Span(), Summary: Shown(id) + " is not defined"}
	misnamed(p, id.Name, near, words(p, known), d)
	if near != "" && column != "" {
		d.Mend += " If it is a column, write it in quotes: " + column + "."
	}
}

// Shown returns a name as the user wrote it: λ and not lambda.
func Shown(id *dsl.Ident) string {
	if id.Raw != "" {
		return id.Raw
	}
	return id.Name
}

// Warn adds a warning at its subject, and returns it for more to be said. A warning never keeps a
// spec from running.
func (p *Pass) Warn(d *diag.Diagnostic) *diag.Diagnostic {
	d.Severity = diag.Warning
	return p.Report(d)
}
