package compiler

import (
	"slices"

	"github.com/sipc-ml/sipc/dsl"
)

// invariances compiles the invariances that regularize takes, and checks the others.
func (p *pass) invariances() {
	p.section = "invariance"
	for _, decl := range p.decls.invariances {
		before := len(*p.diags)
		p.budget.next()
		p.jointly(func() {
			inv := p.invariance(decl)
			inv.grids = p.met
			p.instance.invariances = append(p.instance.invariances, inv)
		})
		p.mend(decl, (*p.diags)[before:])
	}
	p.unusedDefinitions()
	p.unusedLets()
}

// invariance compiles one.
func (p *pass) invariance(decl *dsl.Invariance) *invariance {
	p.place, p.inlined, p.decl, p.noPoint = decl.Name.Name, nil, decl.Span(), nil
	before := p.used[decl.Name.Name]
	var root *node
	p.expand(decl, decl.Name, func() bool { root = p.expr(decl.Body, nil); return root != nil })
	p.used[decl.Name.Name] = before
	inv := &invariance{name: decl.Name.Name, decl: decl, tried: root}
	if root != nil && p.judge(root) && p.mayBeSquared(inv, root) && p.representable(root, 1) {
		inv.root = root
		inv.form = p.formOf(root)
		p.doubtOwnLabel(root)
	}
	return inv
}

// unusedLets checks the lets that nothing uses. (Those with a grid are left alone: it would be chosen from in vain.)
func (p *pass) unusedLets() {
	p.section, p.place, p.inlined = "let", "", nil
	for _, name := range keys(p.decls.lets) {
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
		case e.Fun.Name == taxonomyWord:
			_ = p.taxonomy(e, nil)
			return
		case schema != nil:
			_ = p.mapping(e, nil)
			return
		case p.unknown(e.Fun.Name):
			return
		case e.Fun.Name != gridWord:
			p.uncallable(e.Fun, append(p.mapNames(), taxonomyWord, gridWord))
			return
		}
	}
	_, _ = p.quantity(e, nil)
}

func holdsGrid(e dsl.Expr) bool {
	found := false
	dsl.Walk(e, func(n dsl.Node) bool {
		call, isCall := n.(*dsl.Call)
		found = found || isCall && call.Fun.Name == gridWord
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
				p.uncallable(call.Fun, append(keys(p.decls.defs), functions...))
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
