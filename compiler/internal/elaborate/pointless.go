package elaborate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/edit"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// mendPointless says how an expression that is at no point is mended. If a quantifier's body ends
// just before it in the definition that holds it, brackets were forgotten there. Otherwise edits of
// the invariance are tried.
func mendPointless(p *names.Pass, d *diag.Diagnostic, e dsl.Expr) {
	for in := p.Inlined; in != nil; in = in.Up {
		if def := p.Decls.Defs[in.Name]; in.Family == "" && def != nil {
			if quant, sum := edit.QuantifierBefore(def.Decl.Body, e); quant != nil {
				body := quant.Body.Span().Start
				d.Mend = fmt.Sprintf("In the definition of %s, write %s(%s).", in.Name, source(p, quant.Span().Start, body), source(p, body, sum.Span().End))
				return
			}
		}
		e = in.Syntax
	}
	p.MendBy(d, "", pointed(p, e))
}

// afterQuantifier reports a sum whose second part names what only the quantifier before it binds (codes.NoPoint), and returns true
// then. The brackets that are missing belong behind the innermost `of`.
func afterQuantifier(p *names.Pass, e *dsl.Binary, sc *names.Scope) bool {
	first := edit.First(e.X)
	if e.Op != "+" && e.Op != "-" || first == nil || len(sc.Innermost()) > 0 {
		return false
	}
	body, bound, implied := chained(first)
	lost := unbound(p, e.Y, bound, sc)
	if lost == nil {
		return false
	}
	d := p.Report(&diag.Diagnostic{
		Code: codes.NoPoint, Subject: lost.Span(), Summary: fmt.Sprintf("%s stands for nothing here: the quantifier that binds it ends before %s", tree.Greek(names.Shown(lost)), e.Op),
		Detail: "A quantifier reaches to the next + or -; brackets extend it.", Mend: "Put brackets around all that the quantifier is to reach.",
	})
	p.MendBy(d, "", func(*dsl.Invariance) [][]diag.Edit {
		meant := body.Span().To(e.Span())
		all := append([][]diag.Edit{edit.Wrapped(meant, "(", ")")}, edit.Made(meant, true)...)
		if implied {
			slices.Reverse(all[1:])
		}
		return all
	})
	return true
}

// levelLacks reports f at a point without a level where f has levels (codes.MissingArgument), and returns true then: a row has none of its
// own.
func levelLacks(p *names.Pass, e dsl.Expr, at *movedPoint) bool {
	if !values.OfLevels(p) {
		return false
	}
	first := setting.LevelNames(p.Out.Data.Target.Levels)[0]
	p.Report(&diag.Diagnostic{
		Code: codes.MissingArgument, Subject: e.Span(), Summary: tree.Text(e) + " names no level, and under learn quantile f has a value at each",
		Detail: "The levels are " + values.Levels(p) + ".", Mend: fmt.Sprintf("Write f(%s, %s), or bind one: q in levels, and f(%[1]s, q).", at.point.Name, first),
	})
	return true
}

// chained returns the body of the innermost of quantifiers that follow each other, and the names that they bind. Implied says that
// one ranges over edges of a taxonomy, whose ends imply each other one way.
func chained(q *dsl.Quant) (body dsl.Expr, bound map[string]bool, implied bool) {
	bound = map[string]bool{}
	for ; q != nil; q, _ = body.(*dsl.Quant) {
		body = q.Body
		for _, b := range append([]*dsl.Binder{q.Bind}, q.More...) {
			for _, v := range b.Vars {
				bound[v.Name] = true
			}
			domain, _ := dsl.Called(b.In)
			implied = implied || domain != nil && domain.Name == "edges"
			if domain != nil && len(b.Vars) == 0 {
				bound[domain.Name] = true
			}
		}
	}
	return body, bound, implied
}

// unbound finds a name of the given ones that nothing binds where an expression stands. Quantifiers within it may bind it anew.
func unbound(p *names.Pass, e dsl.Expr, among map[string]bool, sc *names.Scope) (found *dsl.Ident) {
	dsl.Walk(e, func(n dsl.Node) bool {
		if _, ok := n.(*dsl.Quant); ok || found != nil {
			return false
		}
		if id, ok := n.(*dsl.Ident); ok && among[id.Name] && sc.Lookup(id.Name) == nil && !Declared(p, id) {
			found = id
		}
		return found == nil
	})
	return found
}

// source returns a part of the spec, on one line.
func source(p *names.Pass, from, to diag.Pos) string {
	part := p.Text(diag.Span{File: p.File.Name, Start: from, End: to})
	line := strings.Join(strings.Fields(part), " ")
	if strings.HasSuffix(part, " ") {
		line += " "
	}
	return line
}

// pointed puts an expression that is at no point under a quantifier: the one whose body ends just
// before it, or a new one. Where a new one around all would have another one inside, it is put
// around the summand alone. Which of the edits mends, compiling decides.
func pointed(p *names.Pass, e dsl.Expr) func(decl *dsl.Invariance) [][]diag.Edit {
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
		if nesting(p, around) {
			around = edit.Summand(around, e)
		}
		if nesting(p, around) {
			return all
		}
		for _, s := range append([][2]string{{"", ""}}, signs...) {
			all = append(all, edit.Wrapped(around.Span(), "rms over x of "+s[0], s[1]))
		}
		return all
	}
}

// nesting reports whether an expression holds a quantifier over points whose value is not linear in
// f. Another quantifier over rows around it would count each of its elements once for every row.
// Definitions count with their bodies. No mend is offered that nests quantifiers so: it would
// compile, and mean something else.
func nesting(p *names.Pass, e dsl.Expr) bool {
	return holds(p, e, map[string]bool{}, func(n dsl.Node) bool {
		q, ok := n.(*dsl.Quant)
		return ok && overPoints(p, q) && (curved(q) || holds(p, q.Body, map[string]bool{}, curved))
	})
}

// holds reports whether a node is found in an expression, or in what the definitions that it calls
// stand for. Each definition is entered once, so that the search ends for one which calls itself,
// too.
func holds(p *names.Pass, e dsl.Expr, entered map[string]bool, is func(dsl.Node) bool) (found bool) {
	dsl.Walk(e, func(n dsl.Node) bool {
		if found = found || is(n); found {
			return false
		}
		call, ok := n.(*dsl.Call)
		if !ok || entered[call.Fun.Name] || p.Decls.Defs[call.Fun.Name] == nil {
			return true
		}
		entered[call.Fun.Name] = true
		found = holds(p, p.Decls.Defs[call.Fun.Name].Decl.Body, entered, is)
		return !found
	})
	return found
}

// curved reports whether a node is not linear in what it holds: means and sums alone are.
func curved(n dsl.Node) bool {
	switch n := n.(type) {
	case *dsl.Quant:
		return n.Op.Name != tree.MeanWord && n.Op.Name != "sum"
	case *dsl.Aggregate:
		return n.Op.Name != tree.MeanWord && n.Op.Name != "sum"
	case *dsl.Call:
		return n.Fun.Name != "f" && slices.Contains(Functions, n.Fun.Name)
	case *dsl.Abs:
		return true
	}
	return false
}

// overPoints reports whether a quantifier binds points: rows, edges, or an index set of a family
// that says so.
func overPoints(p *names.Pass, q *dsl.Quant) bool {
	for _, b := range append([]*dsl.Binder{q.Bind}, q.More...) {
		id, _ := dsl.Called(b.In)
		if id != nil && values.NamedSet(p, id.Name) != nil {
			id, _ = dsl.Called(values.NamedSet(p, id.Name))
		}
		switch {
		case id == nil: // a set or an interval
		case slices.Contains([]string{"x", tree.RowsWord, tree.SampleWord, "graph"}, id.Name):
			return true
		default:
			if _, dom := p.Domain(id.Name); dom != nil && slices.ContainsFunc(dom.Binds, func(b plugins.Bind) bool { return b.Kind == plugins.BindPoint }) {
				return true
			}
		}
	}
	return false
}

// unseen reports a name that is bound around the call of a definition and stands free in its body
// (codes.UndefinedName). It returns false for a name that stands for something where the definition
// does. That is one of a statement of the spec, a label, or a column that the data block lists.
func unseen(p *names.Pass, id *dsl.Ident, sc *names.Scope) bool {
	if !sc.Hides(id.Name) || Declared(p, id) || values.IsLabel(p, id.Name) || slices.Contains(p.Out.Data.Columns.Names, values.RawName(id)) {
		return false
	}
	reportUnseen(p, id, sc)
	return true
}

// unseenArgument reports the argument of COLUMN(a) where the body of a definition does not see the point a.
func unseenArgument(p *names.Pass, e *dsl.Call, sc *names.Scope) bool {
	id, isName := values.Sole(e).(*dsl.Ident)
	return isName && unseen(p, id, sc)
}

// unseenPoint reports a name in the place of a point that the body of a definition does not see. Where f
// takes no label, no other name can stand there.
func unseenPoint(p *names.Pass, e dsl.Expr, sc *names.Scope) bool {
	id, isName := e.(*dsl.Ident)
	switch {
	case !isName:
		return false
	case sc.Calls() == nil || !withoutLabels(p) && id.Name != "x" || naming(p, id.Name, sc) != "" || Declared(p, id):
		return unseen(p, id, sc)
	}
	reportUnseen(p, id, sc)
	return true
}

// reportUnseen reports a name that stands for nothing in the body of a definition, and the parameter that it should be. Of several
// places of one name in a definition the first says it.
func reportUnseen(p *names.Pass, id *dsl.Ident, sc *names.Scope) {
	call := sc.Calls()
	if p.Decls.Defs[call.Name] == nil {
		p.Report(&diag.Diagnostic{
			Code: codes.UndefinedName, Subject: id.Span(), Summary: fmt.Sprintf("%s stands for nothing in let %s", tree.Greek(names.Shown(id)), call.Name),
			Detail: "A let does not see what quantifiers bind.", Mend: fmt.Sprintf("Write a definition with a parameter for each point: def %s(%s, …) = ….", call.Name, tree.Greek(names.Shown(id))),
		})
		return
	}
	d := &diag.Diagnostic{
		Code: codes.UndefinedName, Subject: id.Span(), Summary: fmt.Sprintf("%s stands for nothing in the definition of %s", tree.Greek(names.Shown(id)), call.Name),
		Detail: "A definition does not see what quantifiers bind around its calls.",
		Mend:   fmt.Sprintf("Make it a parameter: def %s.", withParameter(p.Decls.Defs[call.Name].Decl, id)),
	}
	if id.Name == "x" {
		d.Mend += " A bare f is f at the point of the call."
	}
	if !slices.ContainsFunc(*p.Diags, func(other *diag.Diagnostic) bool { return other.Code == d.Code && other.Summary == d.Summary }) {
		p.Report(d)
	}
}

// withParameter writes the head of a definition with one more parameter. The name is the given one, unless no parameter may have it.
func withParameter(def *dsl.Def, id *dsl.Ident) string {
	schema := names.Parameters(def)
	name := tree.Greek(names.Shown(id))
	taken := append(tree.Each(schema, func(a plugins.Arg) string { return a.Name }), names.BuiltinWords...)
	for _, other := range []string{"z", "y", "u", "v"} {
		if slices.Contains(taken, id.Name) && !slices.Contains(taken, other) {
			name = other
			break
		}
	}
	return values.Signature(def.Name.Name, append(schema, plugins.Arg{Name: name}))
}

// pointless reports an f that is at no point. What lacks a quantifier is most often a whole
// invariance, and all of it is told in one error: further places are related ones.
func pointless(p *names.Pass, e dsl.Expr, name string) {
	first, at := p.NoPoint, e.Span()
	own := p.Inlined == nil && edit.Encloses(p.Decl, at)
	if own && first != nil {
		if first.Code == codes.NoPoint {
			first.Related = append(first.Related, diag.Related{Span: at, Message: "nor for this one"})
		}
		return
	}
	d := p.Report(&diag.Diagnostic{
		Code: codes.NoPoint, Subject: at, Summary: "there is no point at which " + name + " could be evaluated",
		Detail: "No quantifier around it binds one. A quantifier reaches to the next + or -; brackets extend it.", Mend: "Put it under a quantifier: rms over x of ….",
	})
	if p.Section == tree.RequireWord {
		d.Detail, d.Mend = "No binder after `over` binds one.", "Say where the statement holds: over x in box."
		return
	}
	mendPointless(p, d, e)
	if own {
		p.NoPoint = d
	}
}
