package dsl

import "strings"

// quantifier parses `over BINDER, … [where COND] of BODY`, after the aggregation.
func (p *exprParser) quantifier(op *Agg) (Expr, *fault) {
	q := &Quant{Op: op}
	for {
		p.next() // over, or a comma
		b, f := p.binder()
		if f != nil {
			return nil, f
		}
		if q.Bind == nil {
			q.Bind = b
		} else {
			q.More = append(q.More, b)
		}
		if p.peek().text != "," {
			break
		}
	}
	var f *fault
	if p.accept(wordWhere) {
		if q.Where, f = p.within(true, levelOr); f != nil {
			return nil, f
		}
	}
	if !p.accept(wordOf) {
		return nil, errMissingOf(op, p.peek())
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
	t := p.peek()
	switch {
	case t.text == "(":
		return p.tuple()
	case t.text == "[" || t.text == "{":
		return nil, errBadBinder(t, "A set or an interval needs a name for its elements.")
	case !isName(t):
		return nil, errBadBinder(t, "After `over` stands what the quantifier ranges over.")
	}
	id := p.ident()
	b := &Binder{}
	switch next := p.peek(); {
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
	b.Place = id.Place.To(p.last.span)
	return b, nil
}

// tuple parses `(a, b) in DOMAIN`.
func (p *exprParser) tuple() (*Binder, *fault) {
	open := p.next()
	if t := p.peek(); t.text == ")" {
		return nil, errMissingName("an element", t)
	}
	names, f := list(p, ")", func(p *exprParser) (*Ident, *fault) { return p.name("an element", false) })
	if f != nil {
		return nil, f
	}
	b := &Binder{Vars: names, Tuple: true}
	if t := p.peek(); t.word() != wordIn {
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
	p.next()
	var f *fault
	switch t := p.peek(); {
	case t.text == "{":
		b.In, f = p.set()
	case t.text == "[":
		b.In, f = p.interval()
	case isName(t):
		id := p.ident()
		b.In = id
		if p.peek().text == "(" {
			b.In, f = p.call(id)
		}
	default:
		return nil, errBadBinder(t, "After `in` stands a domain, a set or an interval.")
	}
	if f != nil {
		return nil, f
	}
	b.Place = start.Place.To(p.last.span)
	return b, nil
}

// name parses a name, in quotes where that is allowed.
func (p *exprParser) name(of string, quoted bool) (*Ident, *fault) {
	t := p.peek()
	switch {
	case isName(t):
		return p.ident(), nil
	case t.kind == stringToken && quoted:
		s, f := p.str()
		if f != nil {
			return nil, f
		}
		return &Ident{At: s.At, Name: s.Value, Raw: t.text}, nil
	}
	return nil, errMissingName(of, t)
}

// atDerivative reports whether `d/d…` comes next. (A value that is called d is divided by one that begins with d in brackets:
// `d/(dx)`.)
func (p *exprParser) atDerivative() bool {
	if p.peek().text != "d" {
		return false
	}
	before := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(before)
	p.lex.Next()
	if p.lex.Next().Value != "/" {
		return false
	}
	t := p.peek()
	return t.kind == identToken && strings.HasPrefix(t.text, "d")
}

// derivative parses `d/dλ e` and `d/d(column) e`. It takes one operand: `d/dλ f * 2` is twice the derivative.
func (p *exprParser) derivative() (Expr, *fault) {
	d := p.next()
	p.next()
	e := &Deriv{}
	if t := p.next(); t.text == "d" {
		var f *fault
		if e.With, e.RawUnit, f = p.along(); f != nil {
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

// The words of a derivative's unit.
const (
	unitWord = "unit"
	rawWord  = "raw"
)

// along parses the bracketed name after `d/d`, and the unit.
func (p *exprParser) along() (name *Ident, raw bool, f *fault) {
	if t := p.peek(); t.text != "(" {
		return nil, false, errBadDerivative(t)
	}
	p.next()
	t := p.peek()
	if t.kind != stringToken && !isName(t) {
		return nil, false, errBadDerivative(t)
	}
	if name, f = p.name("a column", true); f != nil {
		return nil, false, f
	}
	if p.peek().text == "," {
		p.next()
		if f := p.rawUnit(name); f != nil {
			return nil, false, f
		}
		raw = true
	}
	return name, raw, p.closeAlong(name)
}

// rawUnit parses `unit = raw`.
func (p *exprParser) rawUnit(column *Ident) *fault {
	for _, word := range []string{unitWord, "=", rawWord} {
		if t := p.next(); t.text != word {
			return errBadUnit(t, column)
		}
	}
	return nil
}

// closeAlong parses the bracket behind the name of a column.
func (p *exprParser) closeAlong(name *Ident) *fault {
	if t := p.peek(); t.text != ")" {
		f := errUnexpected(p.last, t)
		f.d.Fixes = nil
		f.mend("write `d/d(%s) …`; a column whose name is no word stands in quotes", name.Raw)
		if words, at := p.spacedName(p.last); words != "" {
			f.d.Mend = ""
			f.replace(at, words, "a name of several words stands in quotes: `d/d(%s) …`", words)
		}
		return f
	}
	p.next()
	return nil
}
