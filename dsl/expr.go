package dsl

import (
	"slices"
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
	"==": levelCompare, "!=": levelCompare, wordIn: levelCompare, "<": levelCompare, "<=": levelCompare, ">": levelCompare, ">=": levelCompare,
	"+": levelSum, "-": levelSum, "*": levelProduct, "/": levelProduct,
}

// expression parses one expression outside conditions, whatever stands around it.
func (p *parser) expression() Expr { return p.within(false, levelOr) }

// within parses at a level, inside or outside a condition.
func (p *parser) within(cond bool, level int) Expr {
	outer := p.cond
	p.cond = cond
	e := p.binary(level)
	p.cond = outer
	return e
}

// binary parses operands joined by operators of the level or tighter ones.
func (p *parser) binary(level int) Expr {
	x := p.operand(level)
	var compared *Token
	for parts := 1; ; parts++ {
		op := p.peek()
		own, ok := operates(p, op)
		second := p.ahead(1)
		if f := errJoined(p, x, op, second, level); f != nil {
			panic(f)
		}
		switch {
		case !ok || own < level:
			return x
		case own < levelSum && !p.cond:
			panic(errUnconditional(p, x, op, own))
		case own == levelCompare && compared != nil:
			panic(chained.at(op.Span, compared.Text, op.Text).related(compared.Span, "the first one"))
		case parts >= maxChain:
			panic(tooLong.at(op.Span, maxChain))
		}
		compared = nil
		if own == levelCompare {
			compared = &op
		}
		p.at++
		x = joined(x, beside(p, op, own), op)
	}
}

// errUnconditional returns the fault of an operator of conditions outside of one. In lists it may stand for a comma.
func errUnconditional(p *parser, x Expr, op Token, level int) *fault {
	switch {
	case level == levelAnd && p.weighs:
		return errWeightsJoined(op)
	case level == levelAnd && p.moves:
		return errMapsJoined(op)
	}
	return errCompared(p, x, op)
}

// errJoined returns the fault of signs and words that elsewhere join two operands. Nil means that the next token, op, is none of them.
func errJoined(p *parser, x Expr, op, second Token, level int) *fault {
	if f := errForeignSign(p, x, op, second); f != nil {
		return f
	}
	switch {
	case isArrow(op, second):
		return errArrow(p, x, op.Text+second.Text)
	case op.Text == "=" && p.cond && !p.holds:
		return errStrayEquals(op, true)
	case p.cond && level <= levelCompare && (op.Text == "not" || op.Text == "between"):
		return errOutside(p, x, op, second)
	}
	return nil
}

// isArrow reports whether two tokens are written as `->` or `=>`.
func isArrow(op, second Token) bool {
	return (op.Text == "-" || op.Text == "=") && second.Text == ">" && op.Span.End == second.Span.Start
}

// operates returns the level of an operator, and whether it is one here: `in` joins nothing outside of conditions.
func operates(p *parser, op Token) (level int, ok bool) {
	level, ok = levels[op.Word]
	return level, ok && (op.Word != wordIn || p.cond)
}

// beside parses what stands behind an operator of a level.
func beside(p *parser, op Token, level int) Expr {
	if op.Word == wordIn {
		return members(p, op)
	}
	return p.binary(level + 1)
}

// members parses what stands behind `in` in a condition: a set, an interval, or the name of one.
func members(p *parser, in Token) Expr {
	switch t := p.peek(); t.Text {
	case "{":
		return p.set()
	case "[":
		return p.interval()
	default:
		if isName(t) {
			return p.ident()
		}
		panic(errMissingBracket("{", named(in), t).mend("write the values: `region in {\"north\", \"south\"}`, or an interval: `age in [18, 65]`"))
	}
}

func joined(x, y Expr, op Token) *Binary {
	b := &Binary{At: At{x.Span().To(y.Span())}, Op: op.Word, OpPos: op.Span, X: x, Y: y}
	if op.Text != b.Op {
		b.Raw = op.Text
	}
	return b
}

// operand parses what stands between binary operators of the level.
func (p *parser) operand(level int) Expr {
	t := p.peek()
	if p.depth++; p.depth > maxDepth {
		panic(tooDeep.at(t.Span, maxDepth))
	}
	defer func() { p.depth-- }()
	switch {
	case t.Text == "not" && !p.cond:
		panic(errComparison(t))
	case t.Text == "not" && level <= levelNot:
		p.at++
		x := p.binary(levelCompare)
		return &Not{At: At{t.Span.To(x.Span())}, X: x}
	case t.Word == "-":
		p.at++
		x := p.operand(levelProduct)
		return &Neg{At: At{t.Span.To(x.Span())}, X: x}
	case t.Text == "d" && p.ahead(1).Text == "/" && p.ahead(2).Kind == WordToken && p.ahead(2).Text[0] == 'd':
		return derivative(p)
	}
	return p.primary()
}

// primary parses a literal, a name, a call, a quantifier or something in brackets.
func (p *parser) primary() Expr {
	t := p.peek()
	switch {
	case t.Kind == NumberToken:
		p.at++
		value, unit, f := readNumber(t)
		if f != nil {
			panic(f)
		}
		return &Number{At: At{t.Span}, Value: value, Unit: unit, Raw: t.Text}
	case t.Kind == StringToken:
		s := p.str()
		if p.peek().Text == "(" { // a column at a point
			return p.call(&Ident{At: s.At, Name: s.Value, Raw: t.Text})
		}
		return s
	case isName(t):
		return p.named()
	case t.Text == "(":
		return p.paren()
	case t.Text == "|":
		return p.abs()
	case t.Text == "{":
		return p.set()
	case t.Text == "[":
		return p.interval()
	}
	if f := errPlusMinus(p, t); f != nil {
		panic(f)
	}
	panic(errNoOperand(p.last(), t))
}

// errNoOperand returns the fault of a token that begins no operand where one is wanted.
func errNoOperand(last, t Token) *fault {
	switch {
	case t.isEnd() && last.Text == "|":
		return errUnclosedBar(last, t)
	case (t.Text == "=" || t.Text == ":") && last.Kind == WordToken && sets(last.Text):
		return errSettingSign(last.Text, t)
	case t.Text == "=":
		return errStrayEquals(t, false)
	}
	return errMissingExpression(last, t)
}

// named parses what begins with a name: the name alone, a call, or an aggregation.
func (p *parser) named() Expr {
	if isSecondDerivative(p) {
		panic(errSecondDerivative(p))
	}
	word := p.peek()
	id := p.ident()
	var call *Call
	var read Expr = id
	if p.peek().Text == "(" {
		call = p.call(id)
		read = call
	}
	if f := errOrbitForm(p, word, call); f != nil {
		panic(f)
	}
	switch next := p.peek(); {
	case next.Text == "{" && id.Name == wordOrbit:
		return orbit(p, id, call)
	case next.Text == wordOver && regionFollows(p, id, call):
		return read
	case next.Text == wordOver:
		return quantifier(p, aggregation(p, word, id, call))
	case next.Text == "{":
		op := aggregation(p, word, id, call)
		set := p.set()
		return &Aggregate{At: At{op.Place.To(set.Place)}, Op: op, Set: set}
	case call != nil && next.Text == "(":
		return applied(p, call, next)
	}
	return read
}

// regionFollows reports whether an `over` behind a name or a call begins the region of a requirement, as neither is an aggregation.
func regionFollows(p *parser, id *Ident, call *Call) bool {
	if call != nil {
		return p.relates && !slices.Contains(aggregationsWithArg, id.Name)
	}
	return p.relates && !isAggregation(id.Name)
}

// applied parses the point that a transformation moves, `put(town, "b")(x)`.
func applied(p *parser, call *Call, open Token) Expr {
	if slices.Contains(aggregationsWithArg, call.Fun.Name) {
		panic(errCalledTwice(call, open))
	}
	p.at++
	to := p.expression()
	if t := p.peek(); t.Text != ")" {
		panic(errInList(p.last(), t))
	}
	p.at++
	if t := p.peek(); t.Text == "(" {
		panic(errCalledTwice(call, t))
	}
	return &Apply{At: p.since(call.Place), Map: call, To: to}
}

// call parses the arguments of a call.
func (p *parser) call(id *Ident) *Call {
	p.at++
	args := list(p, ")", func() *Arg {
		a := p.arg()
		if f := errBehindArgument(p, id, a); f != nil {
			panic(f)
		}
		return a
	})
	return &Call{Fun: id, Args: args, At: p.since(id.Place)}
}

// arg parses an argument, `x` or `name = x`.
func (p *parser) arg() *Arg {
	name := p.peek()
	switch {
	case name.Kind == StringToken && p.ahead(1).Text == "=":
		column := p.name("a column", true)
		p.at++
		value := p.expression()
		return &Arg{At: At{name.Span.To(value.Span())}, Name: column, Value: value}
	case name.Kind != WordToken || p.ahead(1).Text != "=":
		value := p.expression()
		return &Arg{At: At{value.Span()}, Value: value}
	case isReserved(name.Word):
		panic(errMissingName("an argument", name))
	}
	id := p.ident()
	p.at++
	value := p.expression()
	return &Arg{At: At{name.Span.To(value.Span())}, Name: id, Value: value}
}

func (p *parser) paren() Expr {
	open := p.next()
	x := p.within(p.cond, levelOr)
	switch t := p.peek(); t.Text {
	case ")":
		p.at++
		return &Paren{At: p.since(open.Span), X: x}
	case ",":
		if p.ofColumns || p.weighs {
			p.at++
			more := list(p, ")", p.expression)
			return &Tuple{At: p.since(open.Span), Elems: append([]Expr{x}, more...)}
		}
		panic(errUnexpected(p.last(), t).mend("a list stands in braces, `max {a, b}`, or after a name, `hypot(a, b)`"))
	case "=":
		panic(errStrayEquals(t, false))
	default:
		panic(errUnexpected(p.last(), t))
	}
}

func (p *parser) abs() Expr {
	open := p.next()
	x := p.expression()
	switch t := p.peek(); {
	case t.Text == "|":
		p.at++
		return &Abs{At: p.since(open.Span), X: x}
	case t.isEnd() || t.Text == "," || closes(t) || t.Text == wordOf:
		panic(errUnclosedBar(open, t))
	case t.Text == "=":
		panic(errStrayEquals(t, false))
	default:
		panic(errUnexpected(p.last(), t))
	}
}

func (p *parser) set() *Set {
	open := p.next()
	if t := p.peek(); t.Text == "}" {
		panic(errMissingExpression(open, t))
	}
	return &Set{Elems: list(p, "}", p.expression), At: p.since(open.Span)}
}

func (p *parser) interval() *Interval {
	open := p.next()
	ends := list(p, "]", p.expression)
	at := p.since(open.Span)
	if len(ends) != 2 {
		panic(badInterval.at(at.Place, len(ends)))
	}
	return &Interval{At: at, Lo: ends[0], Hi: ends[1]}
}

// aggregation returns the operation that a word, with its arguments, stands for.
func aggregation(p *parser, word Token, id *Ident, call *Call) *Agg {
	name := id.Name
	wants := slices.Contains(aggregationsWithArg, name)
	switch {
	case call != nil && isStandard(call):
		panic(errQuantifiedTwice(p, word, call))
	case !isAggregation(name):
		panic(errUnknownAggregation(word))
	case call == nil && wants:
		panic(errLacksArgument(name, id.Place))
	case call == nil:
		return &Agg{At: id.At, Name: name}
	case !wants:
		panic(noArgument.at(call.Place, name))
	case len(call.Args) == 0:
		panic(errLacksArgument(name, call.Place))
	case len(call.Args) > 1 || call.Args[0].Name != nil:
		panic(oneArgument.at(call.Place, name))
	}
	return &Agg{At: call.At, Name: name, Arg: call.Args[0].Value}
}

// quantifier parses `over BINDER, … [where COND] of BODY`, after the aggregation.
func quantifier(p *parser, op *Agg) Expr {
	q := &Quant{Op: op}
	bind(p, q)
	if !p.accept(wordOf) {
		f := errMissingOf(op, p.peek())
		if q.Where != nil {
			f.orQuoted(p.last(), p.peek())
		}
		panic(f)
	}
	p.quantified++
	q.Body = p.within(false, levelProduct)
	p.quantified--
	q.Place = op.Place.To(q.Body.Span())
	return q
}

// bind parses `over` and what a quantifier binds, with its condition.
func bind(p *parser, q *Quant) {
	p.at++
	q.Bind = binder(p)
	for p.accept(",") {
		q.More = append(q.More, binder(p))
	}
	if p.accept(wordWhere) {
		holds := p.holds
		p.holds = false
		q.Where = p.within(true, levelOr)
		p.holds = holds
	}
}

// binder parses what a quantifier ranges over.
func binder(p *parser) *Binder {
	t := p.peek()
	b := &Binder{}
	switch {
	case t.Text == "(":
		tuple(p, b)
	case t.Text == "[" || t.Text == "{":
		panic(badBinder.at(t.Span, named(t), "A set or an interval needs a name for its elements."))
	case !isName(t):
		panic(badBinder.at(t.Span, named(t), "After `over` stands what the quantifier ranges over."))
	case p.ahead(1).Word == wordIn:
		b.Vars = []*Ident{p.ident()}
		b.In = domain(p)
	default:
		b.In = domainNamed(p)
		_, bare := b.In.(*Ident)
		if next := p.peek(); bare && (next.Text == "{" || next.Text == "[") {
			panic(missingIn.at(next.Span, named(next), t.Text))
		}
	}
	b.At = p.since(t.Span)
	return b
}

// tuple parses `(a, b) in DOMAIN`.
func tuple(p *parser, b *Binder) {
	p.at++
	if t := p.peek(); t.Text == ")" {
		panic(errMissingName("an element", t))
	}
	b.Vars, b.Tuple = p.names("an element"), true
	if t := p.peek(); t.Word != wordIn {
		panic(missingIn.at(t.Span, named(t), "("+commas(b.Vars, identText)+")"))
	}
	b.In = domain(p)
}

// domain parses `in DOMAIN`.
func domain(p *parser) Expr {
	p.at++
	switch t := p.peek(); {
	case t.Text == "{":
		return p.set()
	case t.Text == "[":
		return p.interval()
	case isName(t):
		return domainNamed(p)
	default:
		panic(badBinder.at(t.Span, named(t), "After `in` stands a domain, a set or an interval."))
	}
}

// domainNamed parses a domain by its name, with its arguments where it has some.
func domainNamed(p *parser) Expr {
	word := p.peek()
	id := p.ident()
	var call *Call
	if p.peek().Text == "(" {
		call = p.call(id)
	}
	if f := errOrbitForm(p, word, call); f != nil {
		panic(f)
	}
	switch {
	case id.Name == wordOrbit && p.peek().Text == "{":
		return orbit(p, id, call)
	case call != nil:
		return call
	}
	return id
}

// orbit parses the maps of `orbit {…}`, after its word and its arguments. The call holds these; nil means that there are none.
func orbit(p *parser, id *Ident, call *Call) *Orbit {
	o := &Orbit{Word: id}
	if call != nil {
		o.Args = call.Args
	}
	o.Set = orbitMaps(p)
	o.At = p.since(id.Place)
	return o
}

// relation parses what a requirement says: comparisons, and where they are to hold. A statement about means over rows holds nowhere else.
func (p *parser) relation() *Relation {
	start := p.peek().Span
	p.relates = true
	r := &Relation{Sides: []Expr{p.binary(levelSum)}}
	for p.compares(r) {
		r.Sides = append(r.Sides, p.binary(levelSum))
	}
	p.relates = false
	for more := p.accept(wordOver); more; more = p.accept(",") {
		r.Over = append(r.Over, binder(p))
	}
	if p.accept(wordWhere) {
		r.Where = p.within(true, levelOr)
	}
	r.At = p.since(start)
	return r
}

// compares passes the sign of a comparison and returns true, or returns false where the sides end.
func (p *parser) compares(r *Relation) bool {
	t := p.peek()
	switch {
	case !slices.Contains(comparisons, t.Word) && (len(r.Ops) == 0 || t.Text == "="):
		panic(uncompared.at(t.Span, named(t)))
	case !slices.Contains(comparisons, t.Word) && (t.Word == wordOver || t.isEnd()):
		return false
	case !slices.Contains(comparisons, t.Word):
		panic(errUnexpected(p.last(), t))
	case t.Word == "<" || t.Word == ">":
		panic(strict.at(t.Span, t.Text, "Where f comes close to a bound, no fit can tell it from one that reaches it.", t.Text+"=").instead(t.Span, t.Text+"=", "write `%s`", t.Text+"="))
	case t.Word == "!=":
		panic(strict.at(t.Span, t.Text, "Functions that differ somewhere do not form a convex set.", ">="))
	case len(r.Ops) == 2, len(r.Ops) == 1 && (r.Ops[0].Op != t.Word || t.Word == "=="):
		panic(twoWays.at(t.Span, r.Ops[0].Raw, t.Text))
	}
	p.at++
	r.Ops = append(r.Ops, Comparing{Op: t.Word, Raw: t.Text, Place: t.Span})
	return true
}

// orbitMaps parses the transformations of an orbit, with their braces.
func orbitMaps(p *parser) *Set {
	open := p.next()
	if t := p.peek(); t.Text == "}" {
		panic(faultAt(MissingExpression, t.Span, "the orbit lists no transformation").mend("write %s", orbitForm))
	}
	outer := p.moves
	p.moves = true
	elems := list(p, "}", func() Expr {
		e := p.expression()
		if f := errBehindMap(p, e); f != nil {
			panic(f)
		}
		return e
	})
	p.moves = outer
	return &Set{Elems: elems, At: p.since(open.Span)}
}

// errPlusMinus returns the fault of +-15deg and +/-15deg, which stand for both ends of an interval elsewhere. Nil means that the next tokens are
// none of them. The parser has not passed the plus.
func errPlusMinus(p *parser, plus Token) *fault {
	n := 1
	if p.ahead(1).Text == "/" {
		n = 2
	}
	number := p.ahead(n + 1)
	if plus.Text != "+" || p.ahead(n).Word != "-" || number.Kind != NumberToken {
		return nil
	}
	return bothEnds(plus, number)
}

// errBehindArgument returns the fault of a word behind an argument: rotate(-15deg to 15deg), rotate(angle in [-15deg, 15deg]). Nil means that none
// of them stands there.
func errBehindArgument(p *parser, id *Ident, a *Arg) *fault {
	t := p.peek()
	_, bare := a.Value.(*Ident)
	switch {
	case a.Name == nil && t.Text == "for":
		return errComprehension(p, id, a.Value)
	case a.Name == nil && bare && t.Word == wordIn && !p.cond:
		return faultAt(UnexpectedToken, t.Span, "unexpected `%s` after `%s`", t.Text, ExprString(a.Value)).
			replace(t.Span, "=", "an argument has `=`: write `%s = …`", ExprString(a.Value))
	case t.Text == "to" && (p.ahead(1).Kind == NumberToken || p.ahead(1).Word == "-"):
		f := faultAt(UnexpectedToken, t.Span, "unexpected `to` after `%s`", ExprString(a.Value))
		attempt(func() {
			p.at++
			write := "[" + ExprString(a.Value) + ", " + ExprString(p.binary(levelSum)) + "]"
			f.replace(a.Value.Span().To(p.last().Span), write, "an interval has its ends in brackets: write `%s`", write)
		})
		return f
	}
	return nil
}
