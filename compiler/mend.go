package compiler

import (
	"maps"
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// mend tries what may mend the errors of an invariance, which are found. Each candidate is
// compiled; the first that leaves fewer errors and no new kind is offered. So a fix that an editor
// shows is known to help, which no table of fixes could promise. Where a warning is mended, nothing
// at all may be left to say: its text is what a user pastes without another look. Candidates come from the part that
// is at fault (package edit), the gentlest first, and there is a budget for them.
func mend(p *names.Pass, decl *dsl.Invariance, found diag.List) {
	said, got := map[*diag.Diagnostic]bool{}, map[diag.Code]bool{}
	for _, d := range found {
		said[d], got[d.Code] = true, true
	}
	for _, m := range p.Mendings {
		if !said[m.Diagnostic] {
			continue // it was said already
		}
		for i, edits := range m.Attempts(decl) {
			if !p.Budget.Attempts.Take(names.AttemptsPerInvariance, names.AttemptsPerSpec) {
				p.Mendings = nil
				return
			}
			after, mended := attempt(p, decl, edits)
			if mended == nil || !fewer(after, found, got) && (m.Diagnostic.Severity != diag.Warning || len(after) > 0) {
				continue
			}
			title := m.Title
			if m.Diagnostic.Severity == diag.Warning { // whose mend names other ways
				title = "write " + tree.Text(mended.Body)
				m.Diagnostic.Mend += " For all in turn " + title + "."
			} else if i > 0 || title == "" {
				title = "write " + tree.Text(mended.Body)
				m.Diagnostic.Mend = "W" + title[1:] + "."
				if m.Diagnostic.Code == codes.NegatedConvex { // what was written has no convex form
					m.Diagnostic.Mend = "It says something else, but if that is meant, " + title + "."
				}
			}
			m.Diagnostic.Fixes = append(m.Diagnostic.Fixes, diag.Fix{Title: title, Edits: edits})
			break
		}
	}
	p.Mendings = nil
}

// fewer reports whether there are fewer errors than before, of no new kind. It is the order by
// which a mend counts as one. Warnings do not count: most are found in what is proven alone.
func fewer(after, before diag.List, got map[diag.Code]bool) bool {
	warning := func(d *diag.Diagnostic) bool { return d.Severity == diag.Warning }
	after, before = slices.DeleteFunc(slices.Clone(after), warning), slices.DeleteFunc(slices.Clone(before), warning)
	return len(after) < len(before) && !slices.ContainsFunc(after, func(d *diag.Diagnostic) bool { return !got[d.Code] })
}

// attempt compiles an invariance with its text edited. It returns nil where the edits are for
// another text, or make no invariance. Only the statement's own text is edited and parsed, since
// that of a long spec would be copied for each attempt.
func attempt(p *names.Pass, decl *dsl.Invariance, edits []diag.Edit) (diag.List, *dsl.Invariance) {
	at, fix := decl.Span(), diag.Fix{}
	for _, e := range edits { // as those of the invariance's text alone: that of a long spec is not copied for each attempt
		e.Span.Start.Offset -= at.Start.Offset
		e.Span.End.Offset -= at.Start.Offset
		fix.Edits = append(fix.Edits, e)
	}
	edited, err := fix.Apply(at.File, []byte(p.Text(at)))
	if err != nil {
		return nil, nil //nolint:nilerr // edits that do not fit the text make no attempt, and that is not news to the user
	}
	parse := dsl.Parse
	if at.File != p.File.Name {
		parse = dsl.ParseExpression
	}
	file, list := parse(at.File, edited)
	if len(list) > 0 || len(file.Decls) != 1 {
		return nil, nil
	}
	mended, ok := file.Decls[0].(*dsl.Invariance)
	switch {
	case !ok:
		return nil, nil
	case p.AtRow:
		return tried(p, atRow(mended)), mended
	}
	return tried(p, mended), mended
}

// tried returns what is wrong with an invariance. Nothing else comes to know of it: grids that it
// registers are forgotten again, and names that it uses stay unused. The pass is copied for that,
// with lists of its own where an attempt writes.
func tried(p *names.Pass, decl *dsl.Invariance) diag.List {
	t := *p
	t.Trial, t.Diags, t.Used = true, &diag.List{}, maps.Clone(p.Used)
	t.Mendings, t.Active, t.Inlined = nil, names.Active{}, nil
	grids := len(p.Grids)
	invariance(&t, decl)
	p.Grids = p.Grids[:grids]
	return *t.Diags
}
