package dsl

import "github.com/sipc-ml/sipc/dsl/diag"

// A mover copies the nodes of a statement to another place of the source. Columns change on the statement's first line alone.
type mover struct {
	from diag.Pos
	by   diag.Pos // what is added
}

// moved is a copy of a statement that begins at another place.
func moved(d Decl, from, to diag.Pos) Decl {
	m := &mover{from: from, by: diag.Pos{Offset: to.Offset - from.Offset, Line: to.Line - from.Line, Column: to.Column - from.Column}}
	return m.decl(d)
}

func (m *mover) pos(p diag.Pos) diag.Pos {
	if p.Line == m.from.Line {
		p.Column += m.by.Column
	}
	p.Offset += m.by.Offset
	p.Line += m.by.Line
	return p
}

func (m *mover) span(s diag.Span) diag.Span {
	return diag.Span{File: s.File, Start: m.pos(s.Start), End: m.pos(s.End)}
}

func (m *mover) at(a At) At { return At{m.span(a.Place)} }

// each copies a list.
func each[T any](list []T, move func(T) T) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(list))
	for i, x := range list {
		out[i] = move(x)
	}
	return out
}

func (m *mover) decl(d Decl) Decl {
	switch d := d.(type) {
	case *Use:
		return &Use{At: m.at(d.At), Name: m.ident(d.Name), From: m.str(d.From)}
	case *Data:
		return &Data{At: m.at(d.At), Items: each(d.Items, m.item)}
	case *Let:
		return &Let{At: m.at(d.At), Name: m.ident(d.Name), Value: m.expr(d.Value)}
	case *Setting:
		return &Setting{At: m.at(d.At), Keyword: m.ident(d.Keyword), Value: m.expr(d.Value)}
	case *Def:
		return &Def{At: m.at(d.At), Name: m.ident(d.Name), Params: each(d.Params, m.ident), Body: m.expr(d.Body)}
	case *Invariance:
		return &Invariance{At: m.at(d.At), Name: m.ident(d.Name), Body: m.expr(d.Body)}
	case *Evaluate:
		return &Evaluate{At: m.at(d.At), Under: m.set(d.Under)}
	}
	return d // there are no others
}

func (m *mover) item(item DataItem) DataItem {
	switch item := item.(type) {
	case *Target:
		return &Target{At: m.at(item.At), Names: each(item.Names, m.ident), Source: m.call(item.Source), Type: m.expr(item.Type)}
	case *Columns:
		return &Columns{At: m.at(item.At), Values: each(item.Values, m.expr)}
	case *Option:
		return &Option{At: m.at(item.At), Keyword: m.ident(item.Keyword), Args: each(item.Args, m.arg)}
	}
	return item // there are no others
}

func (m *mover) expr(e Expr) Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *Ident:
		return m.ident(e)
	case *Number:
		return &Number{At: m.at(e.At), Value: e.Value, Unit: e.Unit, Raw: e.Raw}
	case *String:
		return m.str(e)
	case *Paren:
		return &Paren{At: m.at(e.At), X: m.expr(e.X)}
	case *Neg:
		return &Neg{At: m.at(e.At), X: m.expr(e.X)}
	case *Binary:
		return &Binary{At: m.at(e.At), Op: e.Op, Raw: e.Raw, OpPos: m.span(e.OpPos), X: m.expr(e.X), Y: m.expr(e.Y)}
	case *Not:
		return &Not{At: m.at(e.At), X: m.expr(e.X)}
	case *Abs:
		return &Abs{At: m.at(e.At), X: m.expr(e.X)}
	case *Call:
		return m.call(e)
	case *Set:
		return m.set(e)
	case *Interval:
		return &Interval{At: m.at(e.At), Lo: m.expr(e.Lo), Hi: m.expr(e.Hi)}
	case *Deriv:
		return &Deriv{At: m.at(e.At), With: m.ident(e.With), Bracketed: e.Bracketed, RawUnit: e.RawUnit, Of: m.expr(e.Of)}
	case *Aggregate:
		return &Aggregate{At: m.at(e.At), Op: m.agg(e.Op), Set: m.set(e.Set)}
	case *Quant:
		return m.quant(e)
	}
	return e // there are no others
}

func (m *mover) quant(e *Quant) Expr {
	return &Quant{
		At: m.at(e.At), Op: m.agg(e.Op), Bind: m.binder(e.Bind), More: each(e.More, m.binder), Where: m.expr(e.Where), Body: m.expr(e.Body),
	}
}

func (m *mover) ident(id *Ident) *Ident {
	if id == nil {
		return nil
	}
	return &Ident{At: m.at(id.At), Name: id.Name, Raw: id.Raw}
}

func (m *mover) str(s *String) *String {
	if s == nil {
		return nil
	}
	return &String{At: m.at(s.At), Value: s.Value}
}

func (m *mover) call(c *Call) *Call {
	if c == nil {
		return nil
	}
	return &Call{At: m.at(c.At), Fun: m.ident(c.Fun), Args: each(c.Args, m.arg)}
}

func (m *mover) set(s *Set) *Set {
	if s == nil {
		return nil
	}
	return &Set{At: m.at(s.At), Elems: each(s.Elems, m.expr)}
}

func (m *mover) agg(a *Agg) *Agg { return &Agg{At: m.at(a.At), Name: a.Name, Arg: m.expr(a.Arg)} }

func (m *mover) arg(a *Arg) *Arg {
	return &Arg{At: m.at(a.At), Name: m.ident(a.Name), Value: m.expr(a.Value)}
}

func (m *mover) binder(b *Binder) *Binder {
	return &Binder{At: m.at(b.At), Vars: each(b.Vars, m.ident), Tuple: b.Tuple, In: m.expr(b.In)}
}
