package dsl

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// levelUnary is the level of what needs no brackets as an operand.
const levelUnary = levelProduct + 1

// A printer turns nodes into docs, and weaves in the comments where they stood. It hands out each comment before the
// part of the statement that follows it, at a place where the language allows a line to end.
type printer struct {
	comments []Comment // of this statement, not handed out yet
	source   []byte
	hoisted  []Comment // that stood where no line can end; they go before the statement
}

// ExprString returns an expression on one line.
func ExprString(e Expr) string {
	if e == nil {
		return ""
	}
	return flat((&printer{}).expr(e, levelOr))
}

// before hands out the comments that stand before a node, or within the head of its first part.
func (p *printer) before(n Node) doc { return p.upTo(headEnd(n)) }

// headEnd returns the offset up to which no line may end in what is printed of a node: where it begins, or behind
// `d/dx`.
func headEnd(n Node) int {
	switch n := n.(type) {
	case *Deriv:
		return headEnd(n.Of)
	case *Binary:
		return headEnd(n.X)
	case *Arg:
		if n.Name == nil {
			return headEnd(n.Value)
		}
	}
	return n.Span().Start.Offset
}

// closing hands out the comments that stand before the bracket that closes a node.
func (p *printer) closing(n Node) doc { return p.upTo(n.Span().End.Offset - 1) }

func (p *printer) upTo(offset int) doc {
	if len(p.comments) == 0 {
		return doc{}
	}
	var docs []doc
	for len(p.comments) > 0 && p.comments[0].Span.Start.Offset < offset {
		docs = append(docs, remark(p.comments[0].Text, standsAlone(p.source, p.comments[0])))
		p.comments = p.comments[1:]
	}
	return cat(docs...)
}

// hoist takes away the comments that stand before an offset; they go before the statement.
func (p *printer) hoist(offset int) {
	for len(p.comments) > 0 && p.comments[0].Span.Start.Offset < offset {
		p.hoisted = append(p.hoisted, p.comments[0])
		p.comments = p.comments[1:]
	}
}

// standsAlone reports whether nothing stands before a comment on its line.
func standsAlone(source []byte, c Comment) bool {
	before := source[:min(c.Span.Start.Offset, len(source))]
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	return len(bytes.TrimSpace(bytes.TrimPrefix(before, []byte("\uFEFF")))) == 0
}

// level returns how tightly an expression binds.
func level(e Expr) int {
	switch e := e.(type) {
	case *Binary:
		return levels[e.Op]
	case *Not:
		return levelNot
	}
	return levelUnary
}

// openRight reports whether an expression ends in the body of a quantifier, which would swallow a product that follows.
func openRight(e Expr) bool {
	for ; e != nil; e = lastPart(e) {
		if _, ok := e.(*Quant); ok {
			return true
		}
	}
	return false
}

// endsInD reports whether an expression ends in the bare name d, so that a division by a name that begins with d would read
// as a derivative.
func endsInD(e Expr) bool {
	for ; e != nil; e = lastPart(e) {
		if id, ok := e.(*Ident); ok {
			return identText(id) == "d"
		}
	}
	return false
}

// lastPart returns the part that an expression ends in, without brackets around it. Nil means that it has none.
func lastPart(e Expr) Expr {
	switch e := e.(type) {
	case *Neg:
		return e.X
	case *Not:
		return e.X
	case *Deriv:
		return e.Of
	case *Binary:
		return e.Y
	case *Quant:
		return e.Body
	}
	return nil
}

// expr returns an expression as an operand of the level, in brackets if it binds less tightly.
func (p *printer) expr(e Expr, at int) doc {
	if level(e) < at {
		return p.bracketed(e)
	}
	return p.bare(e)
}

// bracketed lays an expression out as if it had brackets already.
func (p *printer) bracketed(e Expr) doc { return group(txt("("), nest(p.bare(e)), txt(")")) }

func (p *printer) bare(e Expr) doc {
	switch e := e.(type) {
	case *Ident:
		return txt(identText(e))
	case *Number:
		return txt(numberText(e))
	case *String:
		return txt(strconv.Quote(e.Value))
	case *Paren:
		return group(txt("("), nest(p.before(e.X), p.bare(e.X), p.closing(e)), txt(")"))
	case *Neg:
		return cat(txt("-"), nest(p.before(e.X)), p.expr(e.X, levelUnary))
	case *Not:
		return cat(txt("not "), nest(p.before(e.X)), p.expr(e.X, levelCompare))
	case *Abs:
		return group(txt("|"), nest(p.before(e.X)), p.bare(e.X), nest(p.closing(e)), txt("|"))
	case *Binary:
		return p.chain(e)
	case *Call:
		return cat(txt(identText(e.Fun)), p.args(e, "(", e.Args, ")"))
	case *Set:
		return p.elements(e, "{", e.Elems, "}")
	case *Interval:
		return p.elements(e, "[", []Expr{e.Lo, e.Hi}, "]")
	case *Deriv:
		return p.deriv(e)
	case *Aggregate:
		return cat(p.agg(e.Op), txt(" "), nest(p.before(e.Set)), p.bare(e.Set))
	case *Quant:
		return p.quant(e)
	}
	return txt("")
}

// chain returns operands joined by operators of one level.
func (p *printer) chain(e *Binary) doc {
	own := levels[e.Op]
	var spine []*Binary
	var first Expr = e
	for b, ok := e, true; ok && levels[b.Op] == own; b, ok = first.(*Binary) {
		spine = append(spine, b)
		first = b.X
		if own == levelCompare {
			break
		}
	}
	left := own
	if own == levelCompare {
		left = own + 1
	}
	parts := []doc{p.left(first, left, own)}
	for i := len(spine) - 1; i >= 0; i-- {
		b := spine[i]
		text := b.Op
		if b.Raw != "" && canonical(b.Raw) == b.Op {
			text = b.Raw
		}
		parts = append(parts, txt(" "+text), nest(p.before(b.Y), line(), p.right(b, own, i > 0)))
	}
	return group(parts...)
}

func (p *printer) left(e Expr, at, own int) doc {
	if own == levelProduct && openRight(e) {
		return p.bracketed(e)
	}
	return p.expr(e, at)
}

// right returns the right operand of b. more says that another operator of the level follows.
func (p *printer) right(b *Binary, own int, more bool) doc {
	_, paren := b.Y.(*Paren)
	if !paren && (more && own == levelProduct && openRight(b.Y) || b.Op == "/" && endsInD(b.X)) {
		return p.bracketed(b.Y)
	}
	return p.expr(b.Y, own+1)
}

// commas returns elements between brackets, separated by commas. with lays out element i.
func (p *printer) commas(n Node, opener, closer string, count int, at func(int) Node, with func(int) doc) doc {
	inner := make([]doc, 0, 4*count+1)
	for i := range count {
		if i > 0 {
			inner = append(inner, txt(","), p.before(at(i)), line(), with(i))
		} else {
			inner = append(inner, p.before(at(i)), soft(), with(i))
		}
	}
	inner = append(inner, p.closing(n))
	return group(txt(opener), nest(inner...), txt(closer))
}

func (p *printer) elements(n Node, opener string, elems []Expr, closer string) doc {
	return p.commas(n, opener, closer, len(elems),
		func(i int) Node { return elems[i] }, func(i int) doc { return p.bare(elems[i]) })
}

func (p *printer) args(n Node, opener string, args []*Arg, closer string) doc {
	return p.commas(n, opener, closer, len(args),
		func(i int) Node { return args[i] }, func(i int) doc { return p.arg(args[i]) })
}

func (p *printer) arg(a *Arg) doc {
	if a.Name == nil {
		return p.bare(a.Value)
	}
	return cat(txt(identText(a.Name)+" = "), nest(p.before(a.Value)), p.bare(a.Value))
}

func (p *printer) deriv(e *Deriv) doc {
	along := "d/d" + identText(e.With)
	if e.Bracketed {
		along = "d/d(" + nameText(e.With)
		if e.RawUnit {
			along += ", " + unitWord + " = " + rawWord
		}
		along += ")"
	}
	return cat(txt(along+" "), p.expr(e.Of, levelUnary))
}

func (p *printer) agg(a *Agg) doc {
	if a.Arg == nil {
		return txt(a.Name)
	}
	return cat(txt(a.Name+"("), nest(p.before(a.Arg)), p.bare(a.Arg), nest(p.closing(a)), txt(")"))
}

// quant returns a quantifier. If the whole does not fit on one line, its body goes on the next. A list in brackets
// that is too long for that as well stays behind `of`, with one element a line.
func (p *printer) quant(e *Quant) doc {
	parts := []doc{p.agg(e.Op), txt(" over "), p.binder(e.Bind)}
	for _, b := range e.More {
		parts = append(parts, txt(", "), p.binder(b))
	}
	if e.Where != nil {
		parts = append(parts, txt(" where "), nest(p.before(e.Where)), p.expr(e.Where, levelOr))
	}
	parts = append(parts, txt(" of"))
	comments := p.before(e.Body)
	body := p.expr(e.Body, levelProduct)
	_, call := e.Body.(*Call)
	_, list := e.Body.(*Aggregate)
	if (call || list) && !comments.hard && (body.hard || body.width > lineWidth-2*indentStep) {
		return cat(append(parts, txt(" "), body)...)
	}
	return group(append(parts, nest(comments, line(), body))...)
}

func (p *printer) binder(b *Binder) doc {
	parts := []doc{nest(p.before(b))}
	if len(b.Vars) > 0 {
		names := make([]string, len(b.Vars))
		for i, v := range b.Vars {
			names[i] = identText(v)
		}
		text := strings.Join(names, ", ")
		if b.Tuple {
			text = "(" + text + ")"
		}
		parts = append(parts, txt(text+" in "), nest(p.before(b.In)))
	}
	return cat(append(parts, p.bare(b.In))...)
}

// identText returns a name as it was written, if that still spells the name.
func identText(id *Ident) string {
	if id.Raw != "" && spellOut(id.Raw) == id.Name {
		return id.Raw
	}
	return id.Name
}

var identPattern = regexp.MustCompile(`^[\p{L}_][\p{L}\p{M}\p{N}_]*$`)

// nameText returns a name for places where names may stand in quotes.
func nameText(id *Ident) string {
	text := identText(id)
	if !identPattern.MatchString(text) || isReserved(text) || spellOut(text) != id.Name || strings.HasPrefix(id.Raw, `"`) {
		return strconv.Quote(id.Name)
	}
	return text
}

// numberText returns a number as it was written, if that still spells the number.
func numberText(n *Number) string {
	if n.Raw != "" {
		if v, unit, f := readNumber(token{text: n.Raw}); f == nil && v == n.Value && unit == n.Unit {
			return n.Raw
		}
	}
	return strconv.FormatFloat(n.Value, 'g', -1, 64) + n.Unit
}
