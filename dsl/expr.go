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
	lex   *lexer.PeekingLexer
	last  token // the token passed most recently
	ahead token // the next one, where at is where the lexer stands
	at    lexer.RawCursor
	depth int
	cond  bool // inside `where`: comparisons and logic are welcome
	// quantified counts the quantifiers around what is parsed.
	quantified int
}

func newExprParser(lex *lexer.PeekingLexer) *exprParser {
	p := &exprParser{lex: lex, at: -1}
	if at := lex.RawCursor(); at > 0 {
		p.last = placed(&lex.Range(at-1, at)[0])
	}
	return p
}

func (p *exprParser) peek() token {
	if at := p.lex.RawCursor(); p.at != at {
		p.ahead, p.at = placed(p.lex.Peek()), at
	}
	return p.ahead
}

func (p *exprParser) next() token {
	p.last = p.peek()
	p.lex.Next()
	return p.last
}

// accept passes the next token where it is the word.
func (p *exprParser) accept(word string) bool {
	if t := p.peek(); t.kind == stringToken || t.word() != word {
		return false
	}
	p.next()
	return true
}

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
		op := p.peek()
		own, ok := levels[op.word()]
		if arrow := p.arrow(op); arrow != "" {
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
		p.next()
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
	t := p.peek()
	if p.depth++; p.depth > maxDepth {
		return nil, errTooDeep(t.span, maxDepth)
	}
	defer func() { p.depth-- }()
	switch {
	case t.text == "not" && !p.cond:
		return nil, errComparison(t)
	case t.text == "not" && level <= levelNot:
		p.next()
		x, f := p.binary(levelCompare)
		if f != nil {
			return nil, f
		}
		return &Not{At: At{t.span.To(x.Span())}, X: x}, nil
	case t.word() == "-":
		p.next()
		x, f := p.operand(levelProduct)
		if f != nil {
			return nil, f
		}
		return &Neg{At: At{t.span.To(x.Span())}, X: x}, nil
	case p.atDerivative():
		return p.derivative()
	}
	return p.primary()
}

// primary parses a literal, a name, a call, a quantifier or something in brackets.
func (p *exprParser) primary() (Expr, *fault) {
	t := p.peek()
	switch {
	case t.kind == numberToken:
		p.next()
		value, unit, f := readNumber(t)
		if f != nil {
			return nil, f
		}
		return &Number{At: At{t.span}, Value: value, Unit: unit, Raw: t.text}, nil
	case t.kind == stringToken:
		return p.str()
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
	case t.isEnd() && p.last.text == "|":
		return nil, errUnclosedBar(p.last, t)
	case t.text == "=" && p.last.kind == identToken && sets(p.last.text):
		return nil, errStatementEquals(p.last.text, t)
	case t.text == "=":
		return nil, errStrayEquals(t, false)
	}
	return nil, errMissingExpression(p.last, t)
}

func (p *exprParser) str() (*String, *fault) {
	t := p.next()
	value, f := unquote(t)
	if f != nil {
		return nil, f
	}
	return &String{At: At{t.span}, Value: value}, nil
}

func (p *exprParser) ident() *Ident {
	t := p.next()
	return &Ident{At: At{t.span}, Name: t.word(), Raw: t.text}
}

// named parses what begins with a name: the name alone, a call, or an aggregation.
func (p *exprParser) named() (Expr, *fault) {
	word := p.peek()
	id := p.ident()
	var call *Call
	if p.peek().text == "(" {
		var f *fault
		if call, f = p.call(id); f != nil {
			return nil, f
		}
	}
	next := p.peek()
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
	p.next()
	args, f := list(p, ")", (*exprParser).arg)
	if f != nil {
		return nil, f
	}
	return &Call{At: At{id.Place.To(p.last.span)}, Fun: id, Args: args}, nil
}

func (p *exprParser) arg() (*Arg, *fault) {
	name := p.peek()
	if name.kind == identToken {
		before := p.lex.MakeCheckpoint()
		last := p.last
		id := p.ident()
		if p.peek().text == "=" {
			if isReserved(id.Name) {
				return nil, errMissingName("an argument", name)
			}
			p.next()
			value, f := p.expression()
			if f != nil {
				return nil, f
			}
			return &Arg{At: At{name.span.To(value.Span())}, Name: id, Value: value}, nil
		}
		p.lex.LoadCheckpoint(before)
		p.last = last
	}
	value, f := p.expression()
	if f != nil {
		return nil, f
	}
	return &Arg{At: At{value.Span()}, Value: value}, nil
}

// list parses elements separated by commas, up to and with the closing bracket. The opening one is passed already.
func list[T any](p *exprParser, closer string, element func(*exprParser) (T, *fault)) ([]T, *fault) {
	var elements []T
	for {
		if len(elements) > 0 || p.last.text != "," {
			if t := p.peek(); t.text == closer {
				p.next()
				return elements, nil
			}
		}
		e, f := element(p)
		if f != nil {
			return nil, f
		}
		elements = append(elements, e)
		switch t := p.peek(); {
		case t.text == ",":
			p.next()
		case t.text != closer:
			return nil, p.notInList(t)
		}
	}
}

// notInList returns the fault of a token after an element of a list.
func (p *exprParser) notInList(t token) *fault {
	switch {
	case t.text == "=":
		return errStrayEquals(t, false)
	case t.text == ";" || t.kind == numberToken || t.kind == stringToken || isName(t):
		return errMissingComma(p.last, t)
	}
	return errUnexpected(p.last, t)
}

func (p *exprParser) paren() (Expr, *fault) {
	open := p.next()
	x, f := p.within(p.cond, levelOr)
	if f != nil {
		return nil, f
	}
	if t := p.peek(); t.text != ")" {
		if t.text == "," {
			return nil, errUnexpected(p.last, t).mend("a list stands in braces, `max {a, b}`, or after a name, `hypot(a, b)`")
		}
		if t.text == "=" {
			return nil, errStrayEquals(t, false)
		}
		return nil, errUnexpected(p.last, t)
	}
	p.next()
	return &Paren{At: At{open.span.To(p.last.span)}, X: x}, nil
}

func (p *exprParser) abs() (Expr, *fault) {
	open := p.next()
	x, f := p.expression()
	if f != nil {
		return nil, f
	}
	switch t := p.peek(); {
	case t.text == "|":
		p.next()
		return &Abs{At: At{open.span.To(p.last.span)}, X: x}, nil
	case t.isEnd() || t.text == "," || closes(t) || t.text == wordOf:
		return nil, errUnclosedBar(open, t)
	case t.text == "=":
		return nil, errStrayEquals(t, false)
	default:
		return nil, errUnexpected(p.last, t)
	}
}

func (p *exprParser) set() (*Set, *fault) {
	open := p.next()
	if t := p.peek(); t.text == "}" {
		return nil, errMissingExpression(open, t)
	}
	elems, f := list(p, "}", (*exprParser).expression)
	if f != nil {
		return nil, f
	}
	return &Set{At: At{open.span.To(p.last.span)}, Elems: elems}, nil
}

func (p *exprParser) interval() (*Interval, *fault) {
	open := p.next()
	ends, f := list(p, "]", (*exprParser).expression)
	if f != nil {
		return nil, f
	}
	at := open.span.To(p.last.span)
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
