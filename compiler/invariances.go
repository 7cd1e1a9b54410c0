package compiler

import (
	"fmt"
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
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
			p.instance.invariances = append(p.instance.invariances, inv)
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
	if j.proves(root) && j.mayBeSquared(inv.Name, root) && j.representable(root, 1) {
		inv.Root = root
		inv.Form = j.formOf(root)
	}
	p.tell(j.found)
	if inv.Root != nil {
		if f := doubtful(root, false); f != nil && p.instance.Data.Target.Task == Class {
			p.reportAt(f.From, ownClass(f))
		}
	}
	return inv
}

// judge returns a judge of the spec's expressions.
func (p *pass) judge() *judge {
	task := p.instance.Data.Target.Task
	return &judge{rules: p.rules, multilabel: task == Multilabel, class: task == Class, defined: func(name string) bool { return p.decls.defs[name] != nil }}
}

// tell reports what the calculus found, with counterexamples as far as the budget goes, and notes what may mend it.
func (p *pass) tell(found []finding) {
	for _, f := range found {
		d := p.reportAt(f.at, f.diagnostic)
		if f.attempts != nil {
			p.mendBy(d, f.title, f.attempts)
		}
		if f.values != nil && p.shows() {
			d.Values = f.values()
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

// ownClass returns the warning that a leaf is at each row's own class where the score of one class may be meant.
func ownClass(f *tree.Node) *diag.Diagnostic {
	return &diag.Diagnostic{
		Code: codes.OwnLabel, Severity: diag.Warning,
		Summary: fmt.Sprintf("%s is about the score of each row's own class", written(f.From)),
		Detail:  fmt.Sprintf("It stands for %s, y being the class of %s. So the statement is about another score at rows of another class.", f.Leaf, f.Leaf.Point.Name),
		Mend:    "Name the class, as in f(x, CLASS), or take each in turn: over x, c in labels of …f(x, c)…. Of two classes write target NAME : binary(0, 1), whose f is one score.",
	}
}

// written returns the text of the user that a part stems from: a call where a definition was inlined.
func written(from tree.Origin) string {
	s := tree.Text(from.Syntax)
	for in := from.Inlined; in != nil; in = in.Up {
		s = in.Text()
	}
	return s
}

// doubtful returns the first f of an expression that W303 warns of on classes; nil means that there is none. Those are slopes along columns,
// signs, and statements of the standard library, whose f no user sees. oneSided says that a positive part or a maximum holds the expression.
func doubtful(n *tree.Node, oneSided bool) *tree.Node {
	if n.Kind != tree.Linear {
		oneSided = oneSided || n.Op == tree.OpPos || n.Op == tree.OpMax && n.Kind == tree.Sublinear
		return first(n.Kids, func(k *tree.Node) *tree.Node { return doubtful(k, oneSided) })
	}
	if namesLabel(n) {
		return nil // it compares the own class with another
	}
	moved := firstLeaf(n, func(n *tree.Node) bool { return len(n.Leaf.Maps) > 0 || n.Leaf.Deriv.Kind == tree.MapDeriv }) != nil
	return firstLeaf(n, func(n *tree.Node) bool {
		slope := n.Leaf.Deriv.Kind == tree.ColumnDeriv
		sign := oneSided && n.Leaf.Deriv.Kind == tree.NoDeriv && !moved
		return n.Leaf.Own && (slope || sign || standardCall(n.From.Inlined))
	})
}

// firstLeaf returns the first leaf that a condition holds of; nil means that it holds of no leaf.
func firstLeaf(n *tree.Node, holds func(*tree.Node) bool) *tree.Node {
	if n.Leaf != nil && holds(n) {
		return n
	}
	return first(n.Kids, func(k *tree.Node) *tree.Node { return firstLeaf(k, holds) })
}

// first returns what find finds in the first node in which it finds something.
func first(nodes []*tree.Node, find func(*tree.Node) *tree.Node) *tree.Node {
	for _, n := range nodes {
		if found := find(n); found != nil {
			return found
		}
	}
	return nil
}

// namesLabel reports whether a part holds an f at a label that the spec names or binds.
func namesLabel(n *tree.Node) bool {
	return n.Leaf != nil && n.Leaf.Label != nil || slices.ContainsFunc(n.Kids, namesLabel)
}

// standardCall reports whether a part stems from a statement of the standard library.
func standardCall(in *tree.Inlining) bool {
	for ; in != nil; in = in.Up {
		if in.Family == tree.StandardName {
			return true
		}
	}
	return false
}
