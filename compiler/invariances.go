package compiler

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/edit"
	"github.com/sipc-ml/sipc/compiler/internal/elaborate"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// invariances compiles the invariances that regularize takes, and checks the others. Each has a
// budget for counterexamples and for mends of its own, so that the last faulty invariance is told
// as well as the first.
func invariances(p *names.Pass) {
	for _, decl := range p.Decls.Invariances {
		p.Section = decl.Keyword.Name
		before := len(*p.Diags)
		p.Budget.Next()
		values.Jointly(p, func() {
			inv := invariance(p, decl)
			inv.Grids = p.Met
			p.Out.Invariances = append(p.Out.Invariances, inv)
			atFirstValues(p, (*p.Diags)[before:])
		})
		mend(p, decl, (*p.Diags)[before:])
	}
}

// unused checks what no invariance and no requirement uses.
func unused(p *names.Pass) {
	unusedDefinitions(p)
	unusedParameters(p)
	unusedLets(p)
}

// unusedParameters warns of parameters that the body of their definition does not name
// (codes.NoEffect): arguments in their place change nothing.
func unusedParameters(p *names.Pass) {
	p.Inlined = nil
	for _, decl := range p.File.Decls {
		def, ok := decl.(*dsl.Def)
		if !ok {
			continue
		}
		for _, id := range def.Params {
			named := func(n dsl.Node) bool { other, isName := n.(*dsl.Ident); return isName && other.Name == id.Name }
			if !dsl.Holds(def.Body, named) {
				p.Warn(&diag.Diagnostic{
					Code: codes.NoEffect, Subject: id.Span(), Summary: fmt.Sprintf("the parameter %s is not used in %s", names.Shown(id), names.Shown(def.Name)),
					Mend: "Leave it out, or write it where it is meant.",
				})
			}
		}
	}
}

// invariance compiles one: syntax to tree, tree to proof, proof to gauge. Tried is the tree even
// where no proof was found; Root and Form are there only if the invariance may stand in R.
func invariance(p *names.Pass, decl *dsl.Invariance) *tree.Invariance {
	p.Place, p.Inlined, p.Decl, p.NoPoint = decl.Name.Name, nil, decl.Span(), nil
	before := p.Used[decl.Name.Name]
	var root *tree.Node
	values.Expand(p, decl, decl.Name, func() bool { root = elaborate.Expr(p, decl.Body, nil); return root != nil })
	p.Used[decl.Name.Name] = before
	inv := &tree.Invariance{Name: decl.Name.Name, Decl: decl, Tried: root}
	if root == nil {
		return inv
	}
	j := elaborate.Judge(p)
	if j.Proves(root) && j.MayBeSquared(inv.Name, root) && j.Representable(root, 1) {
		inv.Root = root
		inv.Form = j.FormOf(root)
		j.Idle(root, len(p.Grids) > 0)
	}
	elaborate.Tell(p, j.Found)
	if inv.Root != nil {
		doubt(p, inv)
	}
	return inv
}

// doubt warns of an invariance about the scores of rows' own labels where others may be meant. What
// is meant may be the same of all labels. Then its |…| is taken for each in turn, and the warning
// writes the statement with that. Sums of squares remain such by norm(2), as features
// and learners know shorter ways for these. Other statements take the largest, which no number of
// labels makes larger.
func doubt(p *names.Pass, inv *tree.Invariance) {
	f, moved := calculus.Doubtful(inv.Root, false), calculus.Moved(inv.Root)
	at, task := cmp.Or(f, moved), p.Out.Data.Target.Task
	if task != setting.Class && task != setting.Multilabel || at == nil {
		return
	}
	var d *diag.Diagnostic
	switch {
	case f == nil:
		d = calculus.MovedAtOwn(at, task == setting.Multilabel)
	case task == setting.Class:
		d = calculus.OwnClass(at)
	default:
		d = calculus.OwnLabels(at)
	}
	if abs := calculus.Absolute(inv.Root, at); abs != nil {
		word := "max"
		if inv.Form.Quadratic() {
			word = "norm(2)"
		}
		p.MendBy(d, "", func(*dsl.Invariance) [][]diag.Edit { return edit.EachLabel(abs, word) })
	}
	p.ReportAt(at.From, d)
}

// unusedLets checks the lets that nothing uses. An error in one is an error all the same, and a
// user is about to use it. An included file may serve many specs, so that its lets are left alone. Those with a grid are left alone: cross-validation would choose from it
// in vain. The first pass alone checks them, as they do not vary.
func unusedLets(p *names.Pass) {
	p.Section, p.Place, p.Inlined = "let", "", nil
	for _, name := range tree.SortedKeys(p.Decls.Lets) {
		let := p.Decls.Lets[name]
		if p.Used[name] || p.Choice != nil || holdsGrid(let.Value) || names.IsIncluded(p.Spec, let.Span()) {
			continue
		}
		unusedLet(p, let, let.Value)
	}
}

// unusedLet checks the value of a let by its form: a text, a taxonomy, a transformation, a set, or else a
// number. Which names of a set are labels is known where it is used.
func unusedLet(p *names.Pass, let *dsl.Let, e dsl.Expr) {
	if values.HoldsCondition(p, e) {
		return // which is judged where a point is bound
	}
	switch e := e.(type) {
	case *dsl.String:
		return
	case *dsl.Set:
		for _, elem := range e.Elems {
			if call, ok := elem.(*dsl.Call); ok {
				_ = elaborate.Mapping(p, call, nil)
			}
		}
		return
	case *dsl.Orbit:
		_ = elaborate.Orbit(p, e, nil)
		return
	case *dsl.Interval:
		unusedLet(p, let, e.Lo)
		unusedLet(p, let, e.Hi)
		return
	case *dsl.Ident:
		if _, schema := p.PointMap(e.Name); schema != nil || p.Unknown(e.Name) || values.IsIndexSet(p, e.Name) || values.Held(p, e.Name) != nil {
			return // what another let holds is checked there
		}
	case *dsl.Call:
		if unusedCall(p, e) {
			return
		}
	}
	if !values.OfRows(p, let) {
		_, _ = values.Quantity(p, e, nil)
	}
}

// unusedCall checks a call that is all of a let. It returns false for grid(…), which is a number.
func unusedCall(p *names.Pass, e *dsl.Call) bool {
	_, schema := p.PointMap(e.Fun.Name)
	switch {
	case e.Fun.Name == tree.TaxonomyWord:
		_ = values.Taxonomy(p, e, nil)
	case schema != nil:
		_ = elaborate.Mapping(p, e, nil)
	case values.IsIndexSet(p, e.Fun.Name):
		elaborate.IndexSet(p, e, nil)
	case p.Unknown(e.Fun.Name):
	case e.Fun.Name != tree.GridWord:
		p.Uncallable(e.Fun, names.Of(append(p.MapNames(), tree.TaxonomyWord, tree.GridWord)...), "")
	default:
		return false
	}
	return true
}

// holdsGrid reports whether a number is chosen from several.
func holdsGrid(e dsl.Expr) bool {
	return dsl.Holds(e, func(n dsl.Node) bool {
		call, isCall := n.(*dsl.Call)
		return isCall && call.Fun.Name == tree.GridWord
	})
}

// unusedDefinitions checks the names of definitions that no invariance calls. Their bodies have no
// types before they are called: a parameter may be a point, a label or an index set. So only calls
// of names that nothing has can be reported. In a condition such a name is that of a column. So it
// may be elsewhere, if it is called with a name alone, as in age(a).
func unusedDefinitions(p *names.Pass) {
	for _, decl := range p.File.Decls {
		def, ok := decl.(*dsl.Def)
		if !ok || p.Used[def.Name.Name] || p.Decls.Defs[def.Name.Name] == nil || values.IsCondition(def.Body) {
			continue
		}
		params := map[string]bool{}
		for _, id := range def.Params {
			params[id.Name] = true
		}
		dsl.Walk(def.Body, func(n dsl.Node) bool {
			call, isCall := n.(*dsl.Call)
			if !isCall || params[call.Fun.Name] || callable(p, call.Fun.Name) {
				return true
			}
			known := append(names.Known{p.Declared.Defs()}, names.Of(elaborate.Functions...)...)
			_, named := values.Sole(call).(*dsl.Ident)
			if column := values.RawName(call.Fun); !named || values.TypeOf(p, column) == nil && names.Nearest(p, call.Fun.Name, known) != "" {
				p.Uncallable(call.Fun, known, "")
			} else {
				_ = values.KnownColumn(p, column, call.Fun.Span()) // which it reports
			}
			return true
		})
	}
}

// callable reports whether a name can be called somewhere. A single letter may be bound by a
// quantifier of the definition, t(x), and is let pass.
func callable(p *names.Pass, name string) bool {
	_, isMap := p.PointMap(name)
	_, isDomain := p.Domain(name)
	return slices.Contains(names.BuiltinWords, name) || p.Decls.Defs[name] != nil || isMap != nil || isDomain != nil || len(name) == 1
}
