package compiler

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// invariances compiles the invariances that regularize takes, and checks the others.
func (p *pass) invariances() {
	p.section = "invariance"
	for _, decl := range p.decls.invariances {
		before := len(*p.diags)
		p.budget.next()
		p.jointly(func() {
			inv := p.invariance(decl)
			inv.Grids = p.met
			p.out.invariances = append(p.out.invariances, inv)
		})
		p.mend(decl, (*p.diags)[before:])
	}
	p.unusedDefinitions()
	p.unusedLets()
}

// invariance compiles one.
func (p *pass) invariance(decl *dsl.Invariance) *tree.Invariance {
	p.place, p.inlined, p.decl, p.noPoint = decl.Name.Name, nil, decl.Span(), nil
	before := p.used[decl.Name.Name]
	var root *tree.Node
	p.expand(decl, decl.Name, func() bool { root = p.expr(decl.Body, nil); return root != nil })
	p.used[decl.Name.Name] = before
	inv := &tree.Invariance{Name: decl.Name.Name, Decl: decl, Tried: root}
	if root == nil {
		return inv
	}
	j := p.judge()
	if j.Proves(root) && j.MayBeSquared(inv.Name, root) && j.Representable(root, 1) {
		inv.Root = root
		inv.Form = j.FormOf(root)
	}
	p.tell(j.Found)
	if inv.Root != nil {
		if f := calculus.Doubtful(root, false); f != nil && p.out.Data.Target.Task == setting.Class {
			p.reportAt(f.From, calculus.OwnClass(f))
		}
	}
	return inv
}

// judge returns a judge of the spec's expressions.
func (p *pass) judge() *calculus.Judge {
	task := p.out.Data.Target.Task
	return &calculus.Judge{Rules: p.rules, Multilabel: task == setting.Multilabel, Class: task == setting.Class, Defined: func(name string) bool { return p.decls.defs[name] != nil }}
}

// tell reports what the calculus found, with counterexamples as far as the budget goes, and notes what may mend it.
func (p *pass) tell(found []calculus.Finding) {
	for _, f := range found {
		d := p.reportAt(f.At, f.Diagnostic)
		if f.Attempts != nil {
			p.mendBy(d, f.Title, f.Attempts)
		}
		if f.Values != nil && p.shows() {
			d.Values = f.Values()
		}
	}
}

// unusedLets checks the lets that nothing uses. (Those with a grid are left alone: it would be chosen from in vain.)
func (p *pass) unusedLets() {
	p.section, p.place, p.inlined = "let", "", nil
	for _, name := range tree.SortedKeys(p.decls.lets) {
		let := p.decls.lets[name]
		if p.used[name] || p.choice != nil || holdsGrid(let.Value) {
			continue
		}
		p.unusedLet(let.Value)
	}
}

func (p *pass) unusedLet(e dsl.Expr) {
	switch e := e.(type) {
	case *dsl.String:
		return
	case *dsl.Ident:
		if _, schema := p.pointMap(e.Name); schema != nil || p.unknown(e.Name) {
			return
		}
	case *dsl.Call:
		_, schema := p.pointMap(e.Fun.Name)
		switch {
		case e.Fun.Name == tree.TaxonomyWord:
			_ = p.taxonomy(e, nil)
			return
		case schema != nil:
			_ = p.mapping(e, nil)
			return
		case p.unknown(e.Fun.Name):
			return
		case e.Fun.Name != tree.GridWord:
			p.uncallable(e.Fun, append(p.mapNames(), tree.TaxonomyWord, tree.GridWord))
			return
		}
	}
	_, _ = p.quantity(e, nil)
}

func holdsGrid(e dsl.Expr) bool {
	found := false
	dsl.Walk(e, func(n dsl.Node) bool {
		call, isCall := n.(*dsl.Call)
		found = found || isCall && call.Fun.Name == tree.GridWord
		return !found
	})
	return found
}

// unusedDefinitions checks the names of definitions that no invariance calls.
func (p *pass) unusedDefinitions() {
	for _, decl := range p.file.Decls {
		def, ok := decl.(*dsl.Def)
		if !ok || p.used[def.Name.Name] || p.decls.defs[def.Name.Name] == nil {
			continue
		}
		params := map[string]bool{}
		for _, id := range def.Params {
			params[id.Name] = true
		}
		dsl.Walk(def.Body, func(n dsl.Node) bool {
			call, isCall := n.(*dsl.Call)
			if isCall && !params[call.Fun.Name] && !p.callable(call.Fun.Name) {
				p.uncallable(call.Fun, append(tree.SortedKeys(p.decls.defs), functions...))
			}
			return true
		})
	}
}

// callable reports whether a name can be called somewhere: it may be bound by a quantifier of the definition.
func (p *pass) callable(name string) bool {
	_, isMap := p.pointMap(name)
	_, isDomain := p.domain(name)
	return slices.Contains(builtinWords, name) || p.decls.defs[name] != nil || isMap != nil || isDomain != nil || len(name) == 1
}
