package compiler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/edit"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// A mending is what a diagnostic of an invariance may be mended by.
type mending struct {
	diagnostic *diag.Diagnostic
	title      string // of the first attempt, where the mend of the diagnostic says it already
	attempts   func(decl *dsl.Invariance) [][]diag.Edit
}

// mendBy names the edits that may mend a diagnostic, the best first. Those are offered that are found to: the invariance then
// has fewer errors, and none of a kind that it did not have.
func (p *pass) mendBy(d *diag.Diagnostic, title string, attempts func(decl *dsl.Invariance) [][]diag.Edit) {
	if !p.trial {
		p.mendings = append(p.mendings, mending{d, title, attempts})
	}
}

// mend tries what may mend the errors of an invariance, which are found.
func (p *pass) mend(decl *dsl.Invariance, found diag.List) {
	said, got := map[*diag.Diagnostic]bool{}, map[diag.Code]bool{}
	for _, d := range found {
		said[d], got[d.Code] = true, true
	}
	for _, m := range p.mendings {
		if !said[m.diagnostic] {
			continue // it was said already
		}
		for i, edits := range m.attempts(decl) {
			if !p.budget.attempts.take(attemptsPerInvariance, attemptsPerSpec) {
				p.mendings = nil
				return
			}
			after, mended := p.attempt(decl, edits)
			if mended == nil || !fewer(after, len(found), got) {
				continue
			}
			title := m.title
			if i > 0 || title == "" {
				title = "write " + tree.Text(mended.Body)
				m.diagnostic.Mend = "W" + title[1:] + "."
			}
			m.diagnostic.Fixes = append(m.diagnostic.Fixes, diag.Fix{Title: title, Edits: edits})
			break
		}
	}
	p.mendings = nil
}

// fewer reports whether there are fewer errors than before, of no new kind.
func fewer(after diag.List, before int, got map[diag.Code]bool) bool {
	for _, d := range after {
		if !got[d.Code] {
			return false
		}
	}
	return len(after) < before
}

// attempt compiles an invariance with its text edited; it is nil where the edits are for another text, or make none of it.
func (p *pass) attempt(decl *dsl.Invariance, edits []diag.Edit) (diag.List, *dsl.Invariance) {
	at, fix := decl.Span(), diag.Fix{}
	if at.End.Offset > len(p.file.Source) {
		return nil, nil
	}
	for _, e := range edits { // as those of the invariance's text alone: that of a long spec is not copied for each attempt
		e.Span.Start.Offset -= at.Start.Offset
		e.Span.End.Offset -= at.Start.Offset
		fix.Edits = append(fix.Edits, e)
	}
	edited, err := fix.Apply(p.file.Name, p.file.Source[at.Start.Offset:at.End.Offset])
	if err != nil {
		return nil, nil //nolint:nilerr // edits that do not fit the text make no attempt, and that is no news to the user
	}
	file, list := dsl.Parse(p.file.Name, edited)
	if len(list) > 0 || len(file.Decls) != 1 {
		return nil, nil
	}
	mended, ok := file.Decls[0].(*dsl.Invariance)
	if !ok {
		return nil, nil
	}
	return p.tried(mended), mended
}

// tried is what is wrong with an invariance. Nothing else comes to know of it.
func (p *pass) tried(decl *dsl.Invariance) diag.List {
	t := *p
	t.trial, t.diags, t.used = true, &diag.List{}, maps.Clone(p.used)
	t.mendings, t.active, t.inlined = nil, nil, nil
	grids := len(p.grids)
	t.invariance(decl)
	p.grids = p.grids[:grids]
	return *t.diags
}

// offer adds a fix of one edit, where the text is that of the user.
func (p *pass) offer(d *diag.Diagnostic, title string, at diag.Span, text string) {
	if at.File == p.file.Name && at.End.Offset <= len(p.file.Source) {
		d.Fixes = append(d.Fixes, diag.Fix{Title: title, Edits: []diag.Edit{{Span: at, New: text}}})
	}
}

// misnamed reports a name that is not among those known, and offers the nearest of them.
func (p *pass) misnamed(name string, known []string, d *diag.Diagnostic) *diag.Diagnostic {
	at := d.Subject
	d.Mend = tree.DidYouMean(name, known)
	p.report(d)
	p.rename(d, at, name, known)
	return d
}

// rename offers the nearest of the known names in the place of one that is written at a span.
func (p *pass) rename(d *diag.Diagnostic, at diag.Span, name string, known []string) {
	best := tree.Nearest(name, known)
	if best == "" || at.File != p.file.Name || at.End.Offset > len(p.file.Source) {
		return
	}
	written := string(p.file.Source[at.Start.Offset:at.End.Offset])
	if strings.Trim(written, `"`) != name {
		return // it was named elsewhere
	}
	title := "write " + best
	if !isWord(best) || strings.HasPrefix(written, `"`) {
		best = `"` + best + `"`
	}
	p.offer(d, title, at, best)
}

// isWord reports whether a name can be written without quotes.
func isWord(s string) bool {
	file, list := dsl.Parse("", []byte("let "+s+" = 1"))
	return len(list) == 0 && tree.SoleLet(file, list) != nil
}

// mendPointless says how an expression that is at no point is mended: in the definition that it stands in, where a quantifier's
// body ends just before it there, or else in the invariance.
func (p *pass) mendPointless(d *diag.Diagnostic, e dsl.Expr) {
	for in := p.inlined; in != nil; in = in.Up {
		if def := p.decls.defs[in.Name]; in.Family == "" && def != nil {
			if quant, sum := edit.QuantifierBefore(def.decl.Body, e); quant != nil {
				body := quant.Body.Span().Start.Offset
				d.Mend = fmt.Sprintf("In the definition of %s, write %s(%s).", in.Name,
					p.source(quant.Span().Start.Offset, body), p.source(body, sum.Span().End.Offset))
				return
			}
		}
		e = in.Syntax
	}
	p.mendBy(d, "", p.pointed(e))
}

// source returns a part of the spec, on one line.
func (p *pass) source(from, to int) string {
	if to > len(p.file.Source) {
		return ""
	}
	part := string(p.file.Source[from:to])
	line := strings.Join(strings.Fields(part), " ")
	if strings.HasSuffix(part, " ") {
		line += " "
	}
	return line
}

// pointed puts an expression that is at no point under a quantifier: the one whose body ends just before it, or a new one. Where a
// new one around all would have another one inside, it is put around the summand alone.
func (p *pass) pointed(e dsl.Expr) func(decl *dsl.Invariance) [][]diag.Edit {
	return func(decl *dsl.Invariance) [][]diag.Edit {
		var all [][]diag.Edit
		signs := [][2]string{{"(", ")"}, {"|", "|"}, {"pos(", ")"}}
		if quant, sum := edit.QuantifierBefore(decl.Body, e); quant != nil {
			for _, s := range signs {
				all = append(all, []diag.Edit{
					edit.Insertion(sum.Span().File, quant.Body.Span().Start, s[0]), edit.Insertion(sum.Span().File, sum.Span().End, s[1]),
				})
			}
		}
		around := decl.Body
		if p.nesting(around) {
			around = edit.Summand(around, e)
		}
		if p.nesting(around) {
			return all
		}
		for _, s := range append([][2]string{{"", ""}}, signs...) {
			all = append(all, edit.Wrapped(around.Span(), "rms over x of "+s[0], s[1]))
		}
		return all
	}
}

// nesting reports whether an expression holds a quantifier over points whose value is not linear in f: another quantifier over
// rows around it would count each of its elements once for every row. Definitions count with their bodies.
func (p *pass) nesting(e dsl.Expr) bool {
	return p.holds(e, map[string]bool{}, func(n dsl.Node) bool {
		q, ok := n.(*dsl.Quant)
		return ok && p.overPoints(q) && (curved(q) || p.holds(q.Body, map[string]bool{}, curved))
	})
}

// holds reports whether a node is found in an expression, or in what the definitions that it calls stand for.
func (p *pass) holds(e dsl.Expr, entered map[string]bool, is func(dsl.Node) bool) (found bool) {
	dsl.Walk(e, func(n dsl.Node) bool {
		if found = found || is(n); found {
			return false
		}
		call, ok := n.(*dsl.Call)
		if !ok || entered[call.Fun.Name] || p.decls.defs[call.Fun.Name] == nil {
			return true
		}
		entered[call.Fun.Name] = true
		found = p.holds(p.decls.defs[call.Fun.Name].decl.Body, entered, is)
		return !found
	})
	return found
}

// curved reports whether a node is not linear in what it holds.
func curved(n dsl.Node) bool {
	switch n := n.(type) {
	case *dsl.Quant:
		return n.Op.Name != tree.MeanWord && n.Op.Name != "sum"
	case *dsl.Aggregate:
		return n.Op.Name != tree.MeanWord && n.Op.Name != "sum"
	case *dsl.Call:
		return n.Fun.Name != "f" && slices.Contains(functions, n.Fun.Name)
	case *dsl.Abs:
		return true
	}
	return false
}

// overPoints reports whether a quantifier binds points.
func (p *pass) overPoints(q *dsl.Quant) bool {
	for _, b := range append([]*dsl.Binder{q.Bind}, q.More...) {
		id, _ := b.In.(*dsl.Ident)
		if call, ok := b.In.(*dsl.Call); ok {
			id = call.Fun
		}
		switch {
		case id == nil: // a set or an interval
		case id.Name == "x" || id.Name == tree.RowsWord || id.Name == "graph":
			return true
		default:
			if _, dom := p.domain(id.Name); dom != nil && slices.ContainsFunc(dom.Binds, func(b plugins.Bind) bool { return b.Kind == plugins.BindPoint }) {
				return true
			}
		}
	}
	return false
}
