package compiler

import (
	"fmt"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/edit"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
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
	d := p.report(&diag.Diagnostic{Code: codes.UndefinedName, Subject: at, Summary: fmt.Sprintf("%s/%s is no derivative in this language", shown(id), shown(along)), Mend: "Write " + write + "."})
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
	sum, ok := edit.Bare(e).(*dsl.Binary)
	if _, jitter := p.pointMap("jitter"); !ok || jitter == nil || sum.Op != "+" && sum.Op != "-" {
		return false
	}
	p.report(&diag.Diagnostic{
		Code: codes.WrongType, Subject: e.Span(), Summary: "a point or a label is wanted here, not " + tree.Text(e), Detail: "Points are moved by transformations, and not by numbers.",
		Mend: "Write f(jitter(column, amount)), with a column of the data.",
	})
	return true
}
