package compiler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// leibniz reports df/dage, which is how mathematics writes the derivative d/d(age) f.
func (p *pass) leibniz(e *dsl.Binary) bool {
	top := e.X
	if neg, ok := top.(*dsl.Neg); ok {
		top = neg.X
	}
	id, ok := top.(*dsl.Ident)
	along, named := e.Y.(*dsl.Ident)
	if e.Op != "/" || !ok || !named || id.Name != "df" || len(along.Name) < 2 || along.Name[0] != 'd' || p.declared(id) || p.declared(along) {
		return false
	}
	write := "d/d(" + shown(along)[1:] + ") f"
	if along.Name == "dlambda" {
		write = "d/d" + shown(along)[1:] + " f"
	}
	at := id.Span().To(along.Span())
	d := p.report(&diag.Diagnostic{Code: UndefinedName, Subject: at, Summary: fmt.Sprintf("%s/%s is no derivative in this language", shown(id), shown(along)), Mend: "Write " + write + "."})
	p.offer(d, "write "+write, at, write)
	return true
}

// declared reports whether a name may stand for something that the spec declares.
func (p *pass) declared(id *dsl.Ident) bool {
	_, known := p.decls.names[id.Name]
	return known || p.poison[id.Name]
}

// displaced says how a point is moved, of an argument of f that adds to one: f(x + 1).
func (p *pass) displaced(e dsl.Expr) bool {
	sum, ok := bare(e).(*dsl.Binary)
	if _, jitter := p.pointMap("jitter"); !ok || jitter == nil || sum.Op != "+" && sum.Op != "-" {
		return false
	}
	p.report(&diag.Diagnostic{
		Code: WrongType, Subject: e.Span(), Summary: "a point or a label is wanted here, not " + text(e), Detail: "Points are moved by transformations, and not by numbers.",
		Mend: "Write f(jitter(column, amount)), with a column of the data.",
	})
	return true
}

// quoted offers quotes around a bare word of a condition that is no column, where the column beside it holds it as a text.
func (g *grounder) quoted(d *diag.Diagnostic, o, beside *operand) {
	id, ok := o.from.syntax.(*dsl.Ident)
	if !ok || beside == nil || beside.kind != columnOperand || g.data.Column == nil {
		return
	}
	_, texts, _ := g.data.Column(beside.text)
	if t := nearest(o.text, texts); t != "" {
		d.Mend = fmt.Sprintf("Write %q: a value of %s, and a text stands in double quotes.", t, beside.text)
		d.Fixes = []diag.Fix{{Title: fmt.Sprintf("write %q", t), Edits: replaced(id.Span(), fmt.Sprintf("%q", t))}}
	}
}

// mendEmpty returns what to write in place of a condition that no element satisfies; empty means that only its code's mend is known.
func (g *grounder) mendEmpty(c *condition) string {
	return cmp.Or(g.nearValue(c), mendParity(c.from.inlined, g.columns[c.x.text]))
}

// nearValue returns what to write for a text of a condition that its column never has, but for one that is nearly the same; empty elsewhere.
func (g *grounder) nearValue(c *condition) string {
	for _, k := range c.kids {
		if mend := g.nearValue(k); mend != "" {
			return mend
		}
	}
	column, value := &c.x, &c.y
	if column.kind != columnOperand {
		column, value = value, column
	}
	if column.kind != columnOperand || value.kind != textOperand || g.columns[column.text] == nil {
		return ""
	}
	texts := g.columns[column.text].texts
	best := nearest(value.text, texts)
	if best == "" || slices.Contains(texts, value.text) {
		return ""
	}
	return fmt.Sprintf("Did you mean %q? A text is compared letter by letter.", best)
}

// fileColumns returns the names of columns that may stand in conditions and factors: for the features that stand for values of a text, as
// region=north does, the column that they are made of.
func (g *grounder) fileColumns() []string {
	var names []string
	for _, name := range g.data.Columns {
		if column, _, made := strings.Cut(name, "="); made && g.data.Column != nil {
			if _, _, ok := g.data.Column(column); ok {
				name = column
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
