package dsl

import "strings"

// quantifier parses `over BINDER, … [where COND] of BODY`, after the aggregation.
func (p *exprParser) quantifier(op *Agg) (Expr, *fault) {
	q := &Quant{Op: op}
	for {
		p.in.next() // over, or a comma
		b, f := p.binder()
		if f != nil {
			return nil, f
		}
		if q.Bind == nil {
			q.Bind = b
		} else {
			q.More = append(q.More, b)
		}
		if p.in.peek().text != "," {
			break
		}
	}
	var f *fault
	if p.in.accept(wordWhere) {
		if q.Where, f = p.within(true, levelOr); f != nil {
			return nil, f
		}
	}
	if !p.in.accept(wordOf) {
		return nil, errMissingOf(op, p.in.peek())
	}
	p.quantified++
	q.Body, f = p.within(false, levelProduct)
	p.quantified--
	if f != nil {
		return nil, f
	}
	q.Place = op.Place.To(q.Body.Span())
	return q, nil
}

// binder parses what a quantifier ranges over.
func (p *exprParser) binder() (*Binder, *fault) {
	t := p.in.peek()
	switch {
	case t.text == "(":
		return p.tuple()
	case t.text == "[" || t.text == "{":
		return nil, errBadBinder(t, "A set or an interval needs a name for its elements.")
	case !isName(t):
		return nil, errBadBinder(t, "After `over` stands what the quantifier ranges over.")
	}
	id := p.in.ident()
	b := &Binder{}
	switch next := p.in.peek(); {
	case next.word() == wordIn:
		b.Vars = []*Ident{id}
		return p.bindIn(b, id.At)
	case next.text == "(":
		call, f := p.call(id)
		if f != nil {
			return nil, f
		}
		b.In = call
	case next.text == "{" || next.text == "[":
		return nil, errMissingIn(id.Raw, next)
	default:
		b.In = id
	}
	b.Place = id.Place.To(p.in.last.span)
	return b, nil
}

// tuple parses `(a, b) in DOMAIN`.
func (p *exprParser) tuple() (*Binder, *fault) {
	open := p.in.next()
	if t := p.in.peek(); t.text == ")" {
		return nil, errMissingName("an element", t)
	}
	names, f := list(p.in, ")", func() (*Ident, *fault) { return p.in.name("an element", false) })
	if f != nil {
		return nil, f
	}
	b := &Binder{Vars: names, Tuple: true}
	if t := p.in.peek(); t.word() != wordIn {
		return nil, errMissingIn("("+joinNames(names)+")", t)
	}
	return p.bindIn(b, At{open.span})
}

func joinNames(names []*Ident) string {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = n.Raw
	}
	return strings.Join(parts, ", ")
}

// bindIn parses `in DOMAIN`.
func (p *exprParser) bindIn(b *Binder, start At) (*Binder, *fault) {
	p.in.next()
	var f *fault
	switch t := p.in.peek(); {
	case t.text == "{":
		b.In, f = p.set()
	case t.text == "[":
		b.In, f = p.interval()
	case isName(t):
		id := p.in.ident()
		b.In = id
		if p.in.peek().text == "(" {
			b.In, f = p.call(id)
		}
	default:
		return nil, errBadBinder(t, "After `in` stands a domain, a set or an interval.")
	}
	if f != nil {
		return nil, f
	}
	b.Place = start.Place.To(p.in.last.span)
	return b, nil
}

// derivative parses `d/dλ e` and `d/d(column) e`. It takes one operand: `d/dλ f * 2` is twice the derivative.
func (p *exprParser) derivative() (Expr, *fault) {
	d := p.in.next()
	p.in.next()
	e := &Deriv{}
	if t := p.in.next(); t.text == "d" {
		var f *fault
		if e.With, e.RawUnit, f = p.in.along(); f != nil {
			return nil, f
		}
		e.Bracketed = true
	} else {
		t.text = t.text[1:]
		t.span.Start = advanced(t.span.Start, "d")
		e.With = &Ident{At: At{t.span}, Name: t.word(), Raw: t.text}
	}
	outer := p.cond
	p.cond = false
	of, f := p.operand(levelProduct)
	p.cond = outer
	if f != nil {
		return nil, f
	}
	e.Of = of
	e.Place = d.span.To(of.Span())
	return e, nil
}
