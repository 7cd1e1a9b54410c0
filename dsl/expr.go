package dsl

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// Bounds that keep every walk of a syntax tree within the stack.
const (
	maxDepth = 200  // levels of nesting
	maxChain = 4096 // parts joined on one level
)

// The levels of precedence, loosest first. A quantifier's body is a product: it ends before a binary + or -, so that
// `mean over x of f - mean over y of f` is the difference of two means.
const (
	levelOr = iota
	levelAnd
	levelNot
	levelCompare
	levelSum
	levelProduct
)

var comparisons = []string{"==", "!=", "<", "<=", ">", ">="}

var levels = map[string]int{
	"or": levelOr, "and": levelAnd,
	"==": levelCompare, "!=": levelCompare, "<": levelCompare, "<=": levelCompare, ">": levelCompare, ">=": levelCompare,
	"+": levelSum, "-": levelSum, "*": levelProduct, "/": levelProduct,
}

// An exprParser parses expressions by precedence climbing. It needs no look ahead to know what a bar means. Where an
// operand is expected a bar opens an absolute value; after an operand it closes the innermost one.
type exprParser struct {
	in    *reader
	depth int
	cond  bool // inside `where`: comparisons and logic are welcome
	// quantified counts the quantifiers around what is parsed.
	quantified int
}

func newExprParser(lex *lexer.PeekingLexer) *exprParser { return &exprParser{in: newReader(lex)} }

// expression parses one expression outside conditions, whatever stands around it.
func (p *exprParser) expression() (Expr, *fault) { return p.within(false, levelOr) }

// within parses at a level, inside or outside a condition.
func (p *exprParser) within(cond bool, level int) (Expr, *fault) {
	outer := p.cond
	p.cond = cond
	e, f := p.binary(level)
	p.cond = outer
	return e, f
}

// binary parses operands joined by operators of the level or tighter ones.
func (p *exprParser) binary(level int) (Expr, *fault) {
	x, f := p.operand(level)
	var compared *token
	for parts := 1; f == nil; parts++ {
		op := p.in.peek()
		own, ok := levels[op.word()]
		if arrow := p.in.arrow(op); arrow != "" {
			return nil, p.errArrow(x, arrow)
		}
		switch {
		case op.text == "=" && p.cond:
			return nil, errStrayEquals(op, true)
		case !ok || op.kind == stringToken || own < level:
			return x, nil
		case own < levelSum && !p.cond:
			return nil, p.compared(x, op)
		case own == levelCompare && compared != nil:
			return nil, errChained(*compared, op)
		case parts >= maxChain:
			return nil, errTooLong(op.span, maxChain)
		}
		compared = nil
		if own == levelCompare {
			compared = &op
		}
		p.in.next()
		var y Expr
		if y, f = p.binary(own + 1); f == nil {
			x = joined(x, y, op)
		}
	}
	return nil, f
}

func joined(x, y Expr, op token) *Binary {
	b := &Binary{At: At{x.Span().To(y.Span())}, Op: op.word(), OpPos: op.span, X: x, Y: y}
	if op.text != b.Op {
		b.Raw = op.text
	}
	return b
}

// operand parses what stands between binary operators of the level.
func (p *exprParser) operand(level int) (Expr, *fault) {
	t := p.in.peek()
	if p.depth++; p.depth > maxDepth {
		return nil, errTooDeep(t.span, maxDepth)
	}
	defer func() { p.depth-- }()
	switch {
	case t.text == "not" && !p.cond:
		return nil, errComparison(t)
	case t.text == "not" && level <= levelNot:
		p.in.next()
		x, f := p.binary(levelCompare)
		if f != nil {
			return nil, f
		}
		return &Not{At: At{t.span.To(x.Span())}, X: x}, nil
	case t.word() == "-":
		p.in.next()
		x, f := p.operand(levelProduct)
		if f != nil {
			return nil, f
		}
		return &Neg{At: At{t.span.To(x.Span())}, X: x}, nil
	case p.in.atDerivative():
		return p.derivative()
	}
	return p.primary()
}

// primary parses a literal, a name, a call, a quantifier or something in brackets.
func (p *exprParser) primary() (Expr, *fault) {
	t := p.in.peek()
	switch {
	case t.kind == numberToken:
		p.in.next()
		value, unit, f := readNumber(t)
		if f != nil {
			return nil, f
		}
		return &Number{At: At{t.span}, Value: value, Unit: unit, Raw: t.text}, nil
	case t.kind == stringToken:
		return p.in.str()
	case isName(t):
		return p.named()
	case t.text == "(":
		return p.paren()
	case t.text == "|":
		return p.abs()
	case t.text == "{":
		return p.set()
	case t.text == "[":
		return p.interval()
	case t.isEnd() && p.in.last.text == "|":
		return nil, errUnclosedBar(p.in.last, t)
	case t.text == "=" && p.in.last.kind == identToken && sets(p.in.last.text):
		return nil, errStatementEquals(p.in.last.text, t)
	case t.text == "=":
		return nil, errStrayEquals(t, false)
	}
	return nil, errMissingExpression(p.in.last, t)
}

// named parses what begins with a name: the name alone, a call, or an aggregation.
func (p *exprParser) named() (Expr, *fault) {
	word := p.in.peek()
	id := p.in.ident()
	var call *Call
	if p.in.peek().text == "(" {
		var f *fault
		if call, f = p.call(id); f != nil {
			return nil, f
		}
	}
	next := p.in.peek()
	if next.text == wordOver || next.text == "{" {
		op, f := aggregation(word, id, call)
		switch {
		case f != nil:
			return nil, f
		case next.text == wordOver:
			return p.quantifier(op)
		}
		set, f := p.set()
		if f != nil {
			return nil, f
		}
		return &Aggregate{At: At{op.Place.To(set.Place)}, Op: op, Set: set}, nil
	}
	switch {
	case call != nil && next.text == "(":
		return nil, errCalledTwice(call, next)
	case call != nil:
		return call, nil
	}
	return id, nil
}

func (p *exprParser) call(id *Ident) (*Call, *fault) {
	p.in.next()
	args, f := list(p.in, ")", p.arg)
	if f != nil {
		return nil, f
	}
	return &Call{At: At{id.Place.To(p.in.last.span)}, Fun: id, Args: args}, nil
}

func (p *exprParser) arg() (*Arg, *fault) {
	name := p.in.peek()
	if name.kind == identToken {
		before, last := p.in.lex.MakeCheckpoint(), p.in.last
		id := p.in.ident()
		if p.in.peek().text == "=" {
			if isReserved(id.Name) {
				return nil, errMissingName("an argument", name)
			}
			p.in.next()
			value, f := p.expression()
			if f != nil {
				return nil, f
			}
			return &Arg{At: At{name.span.To(value.Span())}, Name: id, Value: value}, nil
		}
		p.in.lex.LoadCheckpoint(before)
		p.in.last = last
	}
	value, f := p.expression()
	if f != nil {
		return nil, f
	}
	return &Arg{At: At{value.Span()}, Value: value}, nil
}

// list parses elements separated by commas, up to and with the closing bracket. The opening one is passed already.
func list[T any](r *reader, closer string, element func() (T, *fault)) ([]T, *fault) {
	var elements []T
	for {
		if len(elements) > 0 || r.last.text != "," {
			if t := r.peek(); t.text == closer {
				r.next()
				return elements, nil
			}
		}
		e, f := element()
		if f != nil {
			return nil, f
		}
		elements = append(elements, e)
		switch t := r.peek(); {
		case t.text == ",":
			r.next()
		case t.text != closer:
			return nil, r.notInList(t)
		}
	}
}

// notInList returns the fault of a token after an element of a list.
func (r *reader) notInList(t token) *fault {
	switch {
	case t.text == "=":
		return errStrayEquals(t, false)
	case t.text == ";" || t.kind == numberToken || t.kind == stringToken || isName(t):
		return errMissingComma(r.last, t)
	}
	return errUnexpected(r.last, t)
}

func (p *exprParser) paren() (Expr, *fault) {
	open := p.in.next()
	x, f := p.within(p.cond, levelOr)
	if f != nil {
		return nil, f
	}
	if t := p.in.peek(); t.text != ")" {
		if t.text == "," {
			return nil, errUnexpected(p.in.last, t).mend("a list stands in braces, `max {a, b}`, or after a name, `hypot(a, b)`")
		}
		if t.text == "=" {
			return nil, errStrayEquals(t, false)
		}
		return nil, errUnexpected(p.in.last, t)
	}
	p.in.next()
	return &Paren{At: At{open.span.To(p.in.last.span)}, X: x}, nil
}

func (p *exprParser) abs() (Expr, *fault) {
	open := p.in.next()
	x, f := p.expression()
	if f != nil {
		return nil, f
	}
	switch t := p.in.peek(); {
	case t.text == "|":
		p.in.next()
		return &Abs{At: At{open.span.To(p.in.last.span)}, X: x}, nil
	case t.isEnd() || t.text == "," || closes(t) || t.text == wordOf:
		return nil, errUnclosedBar(open, t)
	case t.text == "=":
		return nil, errStrayEquals(t, false)
	default:
		return nil, errUnexpected(p.in.last, t)
	}
}

func (p *exprParser) set() (*Set, *fault) {
	open := p.in.next()
	if t := p.in.peek(); t.text == "}" {
		return nil, errMissingExpression(open, t)
	}
	elems, f := list(p.in, "}", p.expression)
	if f != nil {
		return nil, f
	}
	return &Set{At: At{open.span.To(p.in.last.span)}, Elems: elems}, nil
}

func (p *exprParser) interval() (*Interval, *fault) {
	open := p.in.next()
	ends, f := list(p.in, "]", p.expression)
	if f != nil {
		return nil, f
	}
	at := open.span.To(p.in.last.span)
	if len(ends) != 2 {
		return nil, errBadInterval(at, len(ends))
	}
	return &Interval{At: At{at}, Lo: ends[0], Hi: ends[1]}, nil
}

// aggregation returns the operation that a word, with its arguments, stands for.
func aggregation(word token, id *Ident, call *Call) (*Agg, *fault) {
	name := id.Name
	if !isAggregation(name) {
		return nil, errUnknownAggregation(word)
	}
	op := &Agg{At: id.At, Name: name}
	switch wants := slices.Contains(aggregationsWithArg, name); {
	case call == nil && wants:
		return nil, errAggregationWithout(name, id.Place)
	case call == nil:
		return op, nil
	case !wants, len(call.Args) > 1, len(call.Args) == 1 && call.Args[0].Name != nil:
		return nil, errAggregationWith(name, call.Place)
	case len(call.Args) == 0:
		return nil, errAggregationWithout(name, call.Place)
	}
	op.Place, op.Arg = call.Place, call.Args[0].Value
	return op, nil
}
