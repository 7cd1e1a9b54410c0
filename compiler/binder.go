package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// bindAll binds the variables of a quantifier's binders. The scope is nil where one of them is faulty.
func (p *pass) bindAll(q *quantifier, binders []*dsl.Binder, sc *scope) *scope {
	inner := sc
	frame := &scope{frame: true}
	ok := true
	for _, b := range binders {
		a := p.axis(b, b.In, inner)
		if a == nil {
			ok = false
			continue
		}
		q.axes = append(q.axes, a)
		for _, v := range a.vars {
			inner = inner.bind(v.name, binding{variable: v})
			if v.kind == pointVar {
				frame.points = append(frame.points, v)
			}
		}
	}
	if !ok {
		return nil
	}
	frame.up = inner
	return frame
}

// axis compiles one binder. The index set is meant in scope in, which differs from the binder's where it is an argument.
func (p *pass) axis(b *dsl.Binder, e dsl.Expr, in *scope) *axis {
	p.axes++
	a := &axis{id: p.axes - 1, from: p.origin(e), text: text(e)}
	switch e := e.(type) {
	case *dsl.Ident:
		if bound := in.lookup(e.Name); bound != nil && bound.argument != nil {
			return p.axis(b, bound.argument.expr, bound.argument.scope)
		}
		return p.domainAxis(a, b, e, nil, in)
	case *dsl.Call:
		return p.domainAxis(a, b, e.Fun, e, in)
	case *dsl.Set:
		return p.setAxis(a, b, e, in)
	case *dsl.Interval:
		return p.interval(a, b, e, in)
	case *dsl.Paren:
		return p.axis(b, e.X, in)
	}
	p.report(&diag.Diagnostic{Code: UnknownDomain, Subject: e.Span(), Summary: text(e) + " is no index set", Mend: "Write x, pairs(count = 4n), λ in [0, 1], t in {rotate(10deg)} or (a, b) in edges(topics)."})
	return nil
}

// domainAxis compiles rows, labels, graph("…") and the domains of families. call is nil for a bare name.
func (p *pass) domainAxis(a *axis, b *dsl.Binder, id *dsl.Ident, call *dsl.Call, sc *scope) *axis {
	switch id.Name {
	case "x", rowsWord:
		a.kind, a.word = rowAxis, "row"
		return p.named0(a, b, call, []plugins.Bind{{Name: "x", Kind: plugins.BindPoint}})
	case labelsWord:
		a.kind, a.word = labelAxis, "label"
		if !p.labelAllowed(id.Span(), "") {
			return nil
		}
		return p.named0(a, b, call, []plugins.Bind{{Name: "label", Kind: plugins.BindLabel}})
	case "graph":
		a.kind, a.word = graphAxis, "edge"
		if call == nil {
			call = &dsl.Call{At: id.At, Fun: id}
		}
		if a.graph = p.graph(call, sc); a.graph == nil {
			return nil
		}
		return p.edgeVariables(a, b)
	}
	fam, dom := p.domain(id.Name)
	if dom == nil {
		if !p.unknown(id.Name) {
			p.misnamed(id.Name, p.domainNames(), &diag.Diagnostic{Code: UnknownDomain, Subject: id.Span(), Summary: shown(id) + " is no index set"})
		}
		return nil
	}
	var args []*dsl.Arg
	at := id.Span()
	if call != nil {
		args, at = call.Args, call.Span()
	}
	values, ok := p.arguments(dom.Args, dom.Name, args, at, sc)
	if !ok {
		return nil
	}
	a.kind, a.fam, a.dom, a.args, a.word = familyAxis, fam, dom, values, dom.Name
	return p.nameVariables(a, b, dom.Binds)
}

// edgeVariables names the ends of an edge, and its weight where the graph has weights: by a third name, or else as the file's column is called.
func (p *pass) edgeVariables(a *axis, b *dsl.Binder) *axis {
	points := []plugins.Bind{{Name: "a", Kind: plugins.BindPoint}, {Name: "b", Kind: plugins.BindPoint}}
	if a.graph.weight == "" {
		return p.nameVariables(a, b, points)
	}
	ends := *b
	weight := &variable{name: asciiName(a.graph.weight), kind: weightVar, axis: a, slot: 2}
	switch len(b.Vars) {
	case 0, 2:
	case 3:
		ends.Vars, weight.name = b.Vars[:2], b.Vars[2].Name
	default:
		p.report(&diag.Diagnostic{Code: WrongBinder, Subject: b.Span(), Summary: fmt.Sprintf("%s binds two points and a weight, and %s named", a.text, isAre(len(b.Vars))), Mend: "Name them as in (a, b, w), or none of them."})
		return nil
	}
	if a = p.nameVariables(a, &ends, points); a == nil {
		return nil
	}
	if len(b.Vars) < 3 && (weight.name == "f" || slices.ContainsFunc(a.vars, func(v *variable) bool { return v.name == weight.name })) {
		p.report(&diag.Diagnostic{Code: WrongBinder, Subject: b.Span(), Summary: "the weight of an edge cannot be called " + weight.name + " here", Mend: "Give it a name of its own, as in (a, b, w)."})
		return nil
	}
	a.vars = append(a.vars, weight)
	return p.checkNames(a, b)
}

// named0 is an index set that takes no arguments.
func (p *pass) named0(a *axis, b *dsl.Binder, call *dsl.Call, binds []plugins.Bind) *axis {
	if call != nil && len(call.Args) > 0 {
		p.report(&diag.Diagnostic{Code: TooManyArguments, Subject: call.Span(), Summary: call.Fun.Name + " takes no arguments"})
		return nil
	}
	return p.nameVariables(a, b, binds)
}

// nameVariables makes an axis's variables, with the binder's names where it gives some.
func (p *pass) nameVariables(a *axis, b *dsl.Binder, binds []plugins.Bind) *axis {
	parameters := 0
	for _, bind := range binds {
		if bind.Kind == plugins.BindParameter {
			parameters++
		}
	}
	named := len(b.Vars)
	if named != 0 && named != len(binds) && named != len(binds)-parameters {
		p.report(&diag.Diagnostic{
			Code: WrongBinder, Subject: b.Span(), Summary: fmt.Sprintf("%s binds %s, and %s named", a.text, plural(len(binds), "variable"), isAre(named)),
			Mend: "Name them as in " + bindNames(binds) + ", or none of them.",
		})
		return nil
	}
	points, labels, next := 0, 0, 0
	for _, bind := range binds {
		v := &variable{name: asciiName(bind.Name), axis: a}
		if named == len(binds) || named > 0 && bind.Kind != plugins.BindParameter {
			v.name = b.Vars[next].Name
			next++
		}
		switch bind.Kind {
		case plugins.BindPoint:
			v.kind, v.slot = pointVar, points
			points++
		case plugins.BindLabel:
			v.kind, v.slot = labelVar, labels
			labels++
		case plugins.BindParameter:
			a.hasPath = true
			p.axes++
			path := &axis{id: p.axes - 1, kind: pathAxis, path: a, lo: 0, hi: 1, from: a.from, text: "[0, 1]", word: "node"}
			v.kind, v.axis = paramVar, path
			path.vars = []*variable{v}
			a.path = path
		}
		a.vars = append(a.vars, v)
	}
	return p.checkNames(a, b)
}

func isAre(n int) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}

// asciiName spells out the one Greek name that is common.
func asciiName(name string) string {
	if name == "λ" {
		return "lambda"
	}
	return name
}

func bindNames(binds []plugins.Bind) string {
	names := make([]string, len(binds))
	for i, b := range binds {
		names[i] = greek(b.Name)
	}
	return "(" + strings.Join(names, ", ") + ")"
}

func (p *pass) checkNames(a *axis, b *dsl.Binder) *axis {
	seen := map[string]bool{}
	for _, id := range b.Vars {
		if id.Name == "f" || seen[id.Name] {
			p.report(&diag.Diagnostic{Code: WrongBinder, Subject: id.Span(), Summary: shown(id) + " cannot be bound here", Mend: "Choose another name."})
			return nil
		}
		seen[id.Name] = true
	}
	return a
}

// setAxis compiles t in {rotate(10deg), …} and c in {cat, dog}.
func (p *pass) setAxis(a *axis, b *dsl.Binder, set *dsl.Set, sc *scope) *axis {
	if len(b.Vars) != 1 || len(set.Elems) == 0 {
		p.report(&diag.Diagnostic{Code: WrongBinder, Subject: b.Span(), Summary: "a set binds one variable to its elements", Mend: "Write t in {rotate(10deg), scale(0.1)}."})
		return nil
	}
	v := &variable{name: b.Vars[0].Name, axis: a}
	a.vars = []*variable{v}
	ok := true
	for i, e := range set.Elems {
		_, isCall := e.(*dsl.Call)
		id, isName := e.(*dsl.Ident)
		isMap := isCall || isName && p.mapName(id, sc)
		if i == 0 && isMap {
			v.kind, a.kind, a.word = mapVar, mapAxis, "transformation"
		} else if i == 0 {
			v.kind, a.kind, a.word = labelVar, namedAxis, "label"
		}
		if isMap != (a.kind == mapAxis) {
			p.report(&diag.Diagnostic{Code: WrongType, Subject: e.Span(), Summary: "the set holds transformations and labels", Mend: "Quantify over one of them."})
			return nil
		}
		ok = p.element(a, e, sc) && ok
	}
	if !ok {
		return nil
	}
	return p.checkNames(a, b)
}

func (p *pass) element(a *axis, e dsl.Expr, sc *scope) bool {
	switch e := e.(type) {
	case *dsl.Call:
		m := p.mapping(e, sc)
		a.maps = append(a.maps, m)
		return m != nil
	case *dsl.Ident:
		if a.kind == mapAxis {
			m := p.bareMap(e, sc)
			if m != nil && m.bound != nil {
				p.report(&diag.Diagnostic{Code: WrongType, Subject: e.Span(), Summary: "a set lists transformations, and " + shown(e) + " varies"})
				return false
			}
			a.maps = append(a.maps, m)
			return m != nil
		}
	}
	name := p.labelName(e, sc)
	a.names = append(a.names, name)
	return name != nil
}

// interval compiles λ in [0, 1].
func (p *pass) interval(a *axis, b *dsl.Binder, e *dsl.Interval, sc *scope) *axis {
	lo, okLo := p.quantity(e.Lo, sc)
	hi, okHi := p.quantity(e.Hi, sc)
	if !okLo || !okHi {
		return nil
	}
	outer := sc.parameter(nil)
	switch {
	case len(b.Vars) != 1:
		p.report(&diag.Diagnostic{Code: WrongBinder, Subject: b.Span(), Summary: "an interval binds the parameter of a path", Mend: "Write λ in [0, 1]."})
		return nil
	case outer == nil:
		p.report(&diag.Diagnostic{
			Code: WrongBinder, Subject: b.Span(), Summary: "no path is bound around it, so there is nothing to move by " + greek(shown(b.Vars[0])),
			Mend: "Put it under a quantifier that brings a path: rms over pairs of max over λ in [0, 1] of |d/dλ f|.",
		})
		return nil
	case lo.unit != plain || hi.unit != plain || !(0 <= lo.value && lo.value < hi.value && hi.value <= 1):
		p.report(&diag.Diagnostic{Code: WrongBinder, Subject: e.Span(), Summary: text(e) + " is no interval within [0, 1]", Detail: "A path runs from 0 to 1.", Mend: "Write λ in [0, 1], or a part of it, the smaller end first."})
		return nil
	}
	a.kind, a.path, a.lo, a.hi, a.word = pathAxis, outer.axis.path, lo.value, hi.value, "node"
	a.vars = []*variable{{name: b.Vars[0].Name, kind: paramVar, axis: a}}
	return p.checkNames(a, b)
}
