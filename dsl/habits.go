package dsl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// What is written out of habit: mathematics and other languages say it so, and this language otherwise.

// demands are the words that elsewhere begin a constraint, and noConstraint says how sipc has one.
var demands = []string{"assert", "constraint", "constrain", "ensure"}

const noConstraint = "An invariance makes violations costly. A statement forbids them: `require NAME = … over x in box`."

// forEach are the words that elsewhere say that something holds of every row.
var forEach = []string{"for", "all", "forall", "foreach", "each", "every", "∀"}

// measures are units that numbers are given elsewhere. Single letters are more likely to be names: 2m is twice m.
var measures = []string{
	"yr", "yrs", "year", "years", "month", "months", "week", "weeks", "day", "days", "hr", "hrs", "hour", "hours", "min", "sec", "ms",
	"mm", "cm", "km", "ft", "inch", "px", "mg", "kg", "lb", "ml", "Hz", "pct", "percent", "usd", "USD", "eur", "EUR",
}

// errArrow returns the fault of an arrow between two expressions. The parser has not passed the arrow.
func errArrow(p *parser, x Expr, arrow string) *fault {
	first, second := p.next(), p.next()
	f := faultAt(UnexpectedToken, first.Span.To(second.Span), "`%s` is not an operator", arrow).
		why("That one label implies another is said by implies(a, b), which is how far f(a) exceeds f(b).").mend("write `implies(a, b)`")
	attempt(func() {
		y := p.binary(levelSum)
		switch {
		case labelNamed(x) != "" && labelNamed(y) != "":
			f.mend("write `implies(%s, %s)`", labelNamed(x), labelNamed(y))
		case arrow == "=>":
			f.why("That one side is at least the other is written with >=.").mend("write `>=`")
		}
	})
	return f
}

// secondDerivative is how the d of a second derivative is written elsewhere, with the f that it may be of.
var secondDerivative = regexp.MustCompile(`^d2f?$`)

// isSecondDerivative reports whether d2/d(age)2 f is next, or d2f/d(age)2. Without what goes on behind the brackets it would be a
// quotient: columns may be called d2 and d.
func isSecondDerivative(p *parser) bool {
	if !secondDerivative.MatchString(p.peek().Text) {
		return false
	}
	for i, want := range []string{"/", "d", "(", "", ")"} {
		if want != "" && p.ahead(i+1).Text != want {
			return false
		}
	}
	behind := p.ahead(6)
	return behind.Kind == NumberToken || isName(behind)
}

// errSecondDerivative returns the fault of d2/d(age)2 f. The parser has not passed the d2.
func errSecondDerivative(p *parser) *fault {
	first := p.next()
	_, second := p.next(), p.next()
	f := faultAt(UnexpectedToken, first.Span.To(second.Span), "`%s/d` is not a derivative in this language", first.Text).
		mend("a second derivative is `d/d(column) d/d(column) f`")
	attempt(func() {
		if call := p.call(&Ident{At: At{second.Span}, Name: "d", Raw: "d"}); len(call.Args) == 1 {
			f.mend("write `d/d(%[1]s) d/d(%[1]s) f`", ExprString(call.Args[0].Value))
		}
	})
	return f
}

// labelNamed returns the label that an expression names: cat, f(cat) or f(x, cat).
func labelNamed(e Expr) string {
	switch e := e.(type) {
	case *Paren:
		return labelNamed(e.X)
	case *Ident:
		return e.Raw
	case *String:
		return ExprString(e)
	case *Call:
		if n := len(e.Args); e.Fun.Name == "f" && n > 0 && n < 3 && e.Args[n-1].Name == nil {
			if id, ok := e.Args[n-1].Value.(*Ident); ok {
				return id.Raw
			}
		}
	}
	return ""
}

// errCompared returns the fault of a comparison outside a condition. The author may mean how far it fails.
func errCompared(p *parser, x Expr, op Token) *fault {
	f := errComparison(op)
	p.at++
	var y Expr
	if attempt(func() { y = p.binary(levelSum) }) != nil {
		return f
	}
	var heads []string
	for q, ok := x.(*Quant); ok; q, ok = x.(*Quant) {
		heads = append(heads, strings.TrimSuffix(ExprString(q), ExprString(q.Body)))
		x = q.Body
	}
	if isZero(x) {
		x, y, op.Word = y, x, strings.NewReplacer("<", ">", ">", "<").Replace(op.Word)
	}
	inX, inY := holdsF(x), holdsF(y)
	if inX && isZero(y) {
		return signed(p, f, heads, x, op.Word)
	}
	switch {
	case op.Word == "and" && isStandard(x) && isStandard(y):
		f.write = ExprString(x) + " + " + ExprString(y)
		return f.why("Each statement is a number that is 0 where f obeys it.").
			mend("write `%s`, or make an invariance of each and regularize both", f.write)
	case inX && inY:
		return differing(f, x, y, op.Word)
	case inX || inY:
		return f.mend("compare f with f elsewhere, or with 0 as in `pos(-f)`: an invariance holds no other number beside f")
	case isStandard(x):
		f.write = ExprString(x)
		return f.mend("leave the comparison out: `%s` is 0 where f obeys it", f.write)
	case namesSomething(x) || namesSomething(y):
		return f.mend("put the condition into `where`: `mean over x where %s %s %s of f`", ExprString(x), op.Word, ExprString(y))
	}
	return f
}

// differing returns a comparison of two parts that hold f: how far it fails is convex, apart from that of `!=`.
func differing(f *fault, x, y Expr, op string) *fault {
	switch op {
	case "!=":
		return f.mend("no convex expression says that values of f differ; leave it out")
	case "==":
		return f.mend("for how far the two differ write `|%s - %s|`", ExprString(x), operandText(y))
	case ">", ">=":
		x, y = y, x
	}
	a, b := pointAndLabel(x), pointAndLabel(y)
	if a != nil && b != nil && a[0] == b[0] && a[1] != b[1] {
		return f.mend("for how far it fails write `implies(%s, %s)`", a[1], b[1])
	}
	return f.mend("for how far it fails write `pos(%s - %s)`", ExprString(x), operandText(y))
}

// isStandard reports whether an expression calls a statement of the standard library.
func isStandard(e Expr) bool {
	call, ok := e.(*Call)
	return ok && (call.Fun.Name == "parity_between" || slices.Contains(standard, call.Fun.Name))
}

// namesSomething reports whether an expression holds a name.
func namesSomething(e Expr) bool {
	return Holds(e, func(n Node) bool { _, ok := n.(*Ident); return ok })
}

// signed returns a comparison of what holds f with 0, under the heads of quantifiers. Where no quantifier is around it, the one offered has its own.
func signed(p *parser, f *fault, heads []string, x Expr, op string) *fault {
	if len(heads) == 0 && p.quantified == 0 {
		heads = []string{"rms over x of "}
	}
	if x = Bare(x); holdsQuantifier(x) {
		return f
	}
	var penalty string
	switch op {
	case "==":
		penalty = "|" + ExprString(x) + "|"
	case "<", "<=":
		if penalty = ExprString(x); !isPositivePart(x) {
			penalty = "pos(" + penalty + ")"
		}
	case ">", ">=":
		penalty = "pos(" + negated(x) + ")"
	default:
		return f
	}
	f.write = strings.Join(heads, "") + penalty
	return f.why(noConstraint).mend("to make violations costly write `%s`", f.write)
}

// isPositivePart reports whether an expression is pos(…), which is nowhere negative.
func isPositivePart(e Expr) bool {
	call, ok := e.(*Call)
	return ok && call.Fun.Name == "pos"
}

func holdsQuantifier(e Expr) bool {
	return Holds(e, func(n Node) bool { _, ok := n.(*Quant); return ok })
}

func isZero(e Expr) bool {
	n, ok := e.(*Number)
	return ok && n.Value == 0
}

// negated returns an expression with a minus sign before it, or without the one it has.
func negated(e Expr) string {
	if n, ok := e.(*Neg); ok {
		return ExprString(n.X)
	}
	return "-" + operandText(e)
}

// operandText returns an expression as it stands after a minus sign.
func operandText(e Expr) string {
	if b, ok := e.(*Binary); ok && (b.Op == "+" || b.Op == "-") {
		return "(" + ExprString(e) + ")"
	}
	return ExprString(e)
}

func holdsF(e Expr) bool {
	return Holds(e, func(n Node) bool { id, ok := n.(*Ident); return ok && id.Name == "f" })
}

// pointAndLabel returns the arguments of f(x, label) as they are written, nil for anything else.
func pointAndLabel(e Expr) []string {
	call, ok := e.(*Call)
	if !ok || call.Fun.Name != "f" || len(call.Args) != 2 {
		return nil
	}
	return []string{ExprString(call.Args[0].Value), ExprString(call.Args[1].Value)}
}

// errQuantifiedTwice returns the fault of a quantifier behind a statement of the standard library: decreasing(area) over x. Over other rows than all,
// as over x in sample(100), what the statement stands for is offered.
func errQuantifiedTwice(p *parser, word Token, call *Call) *fault {
	f := errUnknownAggregation(word).mend("write `%s` alone: it ranges over the rows itself", ExprString(call))
	q := &Quant{}
	if p.peek().Text != wordOver || attempt(func() { bind(p, q) }) != nil || !p.peek().isEnd() {
		return f
	}
	if rows := headText(q); rows != "x" && rows != "rows" {
		if f.write = Spelled(call, "rms", rows); f.write != "" {
			f.instead(p.since(word.Span).Span(), f.write, "write `%s`: `%s` is over all rows", f.write, ExprString(call))
		}
	}
	return f
}

// errCalledTwice returns the fault of calling what a call returns once too often: norm(2)(x), move(age, 5)(x)(y).
func errCalledTwice(call *Call, t Token) *fault {
	f := faultAt(UnexpectedToken, t.Span, "unexpected `(` after `)`")
	if slices.Contains(aggregationsWithArg, call.Fun.Name) {
		return f.mend("write `%s over x of …`, or `%[1]s {…}`", ExprString(call))
	}
	return f.why("A transformation with its arguments moves one point.").mend("write one point, `%s(x)`; for a product write `*`", ExprString(call))
}

// dotted mends a point between two names: a path lacks its quotes, or a column is asked for at a row by its name, grape(a).
func dotted(tokens []Token, i int) {
	if i == 0 || i+1 >= len(tokens) || tokens[i].Text != "." {
		return
	}
	a, b := tokens[i-1], tokens[i+1]
	if a.Kind != WordToken || b.Kind != WordToken {
		return
	}
	f := tokens[i].fault
	if !slices.Contains([]string{"csv", "tsv", "txt", "dat", "gz", "inv"}, b.Text) {
		f.instead(a.Span.To(b.Span), b.Text+"("+a.Text+")", "for the column %s at %s write `%[1]s(%[2]s)`", b.Text, a.Text)
		return
	}
	path := a.Text + "." + b.Text
	for k := i - 2; k >= 0 && tokens[k].Span.End == a.Span.Start && (tokens[k].Kind == WordToken || tokens[k].Text == "/"); k-- {
		a, path = tokens[k], tokens[k].Text+path
	}
	f.d.Summary = "the path " + path + " has no quotes"
	f.instead(a.Span.To(b.Span), `"`+path+`"`, "a path stands in quotes: `\"%s\"`", path).spelling()
}

// whenever are the words that elsewhere begin a condition behind what it restricts.
var whenever = []string{"if", "when", "unless", wordWhere}

// conditional returns the fault of a condition behind a statement: increasing(area) if region == "north". Conditions choose rows of a quantifier.
func conditional(tokens []Token, i int) *fault {
	f := errUnexpected(tokens[i-1], tokens[i])
	if i < 4 || tokens[i-1].Text != ")" || tokens[i-3].Text != "(" || expanded[tokens[i-4].Text] == "" || tokens[i].Text == "unless" || i+1 == len(tokens) {
		return f
	}
	var condition []string
	for _, t := range tokens[i+1:] {
		condition = append(condition, t.Text)
	}
	write := "rms over x where " + strings.Join(condition, " ") + " of " + fmt.Sprintf(expanded[tokens[i-4].Text], tokens[i-2].Text)
	return f.instead(tokens[i-4].Span.To(tokens[len(tokens)-1].Span), write, "write `%s`", write)
}

// unquantified says how an aggregation goes on over rows where it does so with another word: rms x of, rms of.
func unquantified(f *fault, aggregation string, found Token) *fault {
	if slices.Contains(aggregationsWithArg, aggregation) {
		aggregation += "(2)"
	}
	row := found.Text
	switch {
	case row == wordOf:
		f.insert(found.Span, wordOver+" x ", "write `%s over x of …`", aggregation)
	case isName(found) && !slices.Contains(forEach, row) && row != "f":
		f.insert(found.Span, wordOver+" ", "write `%s over %s of …`", aggregation, row)
	}
	if f.d.Mend == "" {
		f.mend("write `%s over x of …`", aggregation)
	}
	return f
}

// numbered says how a word takes a number that stands behind it: as an argument, or in a product. For a share of elements a count stands, as only the
// data tell how many there are.
func numbered(f *fault, word, number string) *fault {
	switch takes := slices.Contains(aggregationsWithArg, word); {
	case takes && strings.HasSuffix(number, "%"):
		return f.why("How many elements a share of them is, only data tell.").mend("write a count in brackets: `%s(5) over x of …`", word)
	case takes:
		return f.mend("write `%s(%s) over x of …`", word, number)
	}
	return f.mend("write `%[1]s = %[2]s` for an argument, `%[1]s * %[2]s` for a product", word, number)
}

// errOutside returns the fault of `not in` and `between` behind an operand of a condition, as SQL and Python have them. Nil means that neither
// stands there. The parser has not passed the word.
func errOutside(p *parser, x Expr, word, second Token) *fault {
	var write string
	attempt(func() {
		switch {
		case word.Text == "not" && second.Text == wordIn:
			p.at += 2
			write = "not " + ExprString(x) + " in " + ExprString(members(p, second))
		case word.Text == "between":
			p.at++
			low := p.binary(levelSum)
			if p.accept("and") {
				write = ExprString(x) + " in [" + ExprString(low) + ", " + ExprString(p.binary(levelSum)) + "]"
			}
		}
	})
	if write == "" {
		return nil
	}
	at := x.Span().To(p.last().Span)
	return faultAt(UnexpectedToken, word.Span, "unexpected %s after `%s`", named(word), ExprString(x)).replace(at, write, "write `%s`", write)
}

// errWeightedList returns the fault of a list in brackets in regularize, such as 2 * (a, b). Nil means that there is no list.
func errWeightedList(e Expr) *fault {
	weight, list := "", e
	if b, ok := e.(*Binary); ok && b.Op == "*" {
		weight, list = ExprString(b.X)+" * ", b.Y
	}
	var at *Tuple
	Holds(e, func(n Node) bool {
		t, ok := n.(*Tuple)
		if ok {
			at = t
		}
		return ok
	})
	if at == nil {
		return nil
	}
	f := faultAt(UnexpectedToken, at.Place, "a list stands in brackets").why("regularize takes a list of invariances, each with its weight before it.")
	if list != at {
		return f.mend("write each with its weight: `2 * a, 2 * b`")
	}
	var terms []string
	for _, term := range at.Elems {
		terms = append(terms, weight+ExprString(term))
	}
	write := strings.Join(terms, ", ")
	return f.replace(e.Span(), write, "write `%s`", write)
}

// differential returns the fault of a derivative as mathematics writes it: ∂f/∂area, d f/d(area), ∂/∂area f. Nil means that there is none.
func differential(tokens []Token) *fault {
	texts := make([]string, len(tokens)+8) // those behind the end are empty
	for i, t := range tokens {
		texts[i] = t.Text
	}
	for i, t := range tokens {
		if t.Text != "d" && t.Text != "∂" {
			continue
		}
		of, j := derived(texts[i+1:])
		if j += i + 1; of == "" && t.Text == "d" || texts[j] != "/" || texts[j+1] != "d" && texts[j+1] != "∂" {
			continue
		}
		along, end := texts[j+2], j+2
		switch {
		case along == "(":
			along, end = "("+texts[j+3]+")", j+4
		case len([]rune(along)) > 1: // one letter is a place on a path, or a transformation
			along = "(" + along + ")"
		}
		if end >= len(tokens) {
			continue
		}
		at, write := t.Span.To(tokens[end].Span), "d/d"+along+of
		return faultAt(UnexpectedToken, at, "a derivative is not written so").replace(at, write, "write `%s`", write)
	}
	return nil
}

// derived returns the f or f(x) that tokens begin with, behind a space, and how many tokens it has. It may stand in brackets.
func derived(texts []string) (of string, n int) {
	if texts[0] == "(" && texts[1] == "f" {
		if of, n = derived(texts[1:]); of != "" && texts[n+1] == ")" {
			return of, n + 2
		}
		return "", 0
	}
	switch {
	case texts[0] != "f":
		return "", 0
	case texts[1] == "(" && texts[3] == ")":
		return " f(" + texts[2] + ")", 4
	}
	return " f", 1
}

// errComma returns the fault of a comma outside brackets, which may be that of a decimal number.
func errComma(tokens []Token, i int) *fault {
	f := errUnexpected(tokens[i-1], tokens[i])
	if i+1 == len(tokens) {
		return f
	}
	before, behind := tokens[i-1], tokens[i+1]
	if before.Kind == NumberToken && behind.Kind == NumberToken {
		number := before.Text + "." + behind.Text
		return f.instead(before.Span.To(behind.Span), number, "write the number with a point: `%s`", number)
	}
	return f
}

// errComprehension returns the fault of `for` behind an argument, as in max(|f(x)| for x in rows). The parser has not passed the `for`.
func errComprehension(p *parser, id *Ident, x Expr) *fault {
	word := p.next()
	f := faultAt(UnexpectedToken, word.Span, "unexpected `%s` after `%s`", word.Text, ExprString(x)).
		why("What an aggregation ranges over stands before its body, after `over`.")
	aggregation := id.Name
	if slices.Contains(aggregationsWithArg, aggregation) {
		aggregation += "(2)"
	}
	if !isAggregation(id.Name) {
		aggregation = "max"
	}
	write := aggregation + " over x of " + operandText(x)
	var b *Binder
	if attempt(func() { b = binder(p) }) != nil || len(b.Vars) == 0 {
		return f.mend("write `%s`", write)
	}
	if over := ExprString(b.In); b.Tuple || len(b.Vars) > 1 || b.Vars[0].Name != "x" || over != "rows" && over != "x" {
		write = aggregation + " over " + binderText(b) + " of " + operandText(x)
	}
	if p.peek().Text != ")" {
		return f.mend("write `%s`", write)
	}
	return f.replace(id.Place.To(p.next().Span), write, "write `%s`", write)
}

// errItemSign returns the fault of a sign between the word of an item and its arguments: standardize: yes.
func errItemSign(word string, sign Token) *fault {
	f := faultAt(UnexpectedToken, sign.Span, "unexpected `%s` after `%s`", sign.Text, word)
	if word == wordStandardize || word == wordNormalize {
		return f.mend("write `%s` alone; leave it out for no", word)
	}
	return f.replace(sign.Span, "", "remove the `%s`: write `%s …`", sign.Text, word)
}

// errDataFile returns the fault of a file where a data block must stand.
func errDataFile(found Token) *fault {
	return errMissingBracket("{", "`data`", found).
		why("The data block says what the columns are; the file of data is given to the command: `sipc run SPEC DATA`.").
		mend("write `data { target NAME : real }`, with the column to learn")
}

// foreignSigns are comparisons as other languages write them. Each is two tokens here, without a space between them.
var foreignSigns = map[string]string{"<>": "!=", "=<": "<=", "=>": ">=", "===": "==", "!==": "!="}

// noGap says how conditions tell gaps from values: a gap among numbers equals nothing, and among texts it is the empty text.
const noGap = "for a number that is there write `%[1]s == %[1]s`, and for a text `%[1]s != \"\"`"

const gap = "for a number that is missing write `%[1]s != %[1]s`, and for a text `%[1]s == \"\"`"

// errForeignSign returns the fault of a sign or word behind an operand of a condition that other languages have: age <> 2, age > 1 AND age < 3,
// name is null. Nil means that there is none. The parser has not passed the sign.
func errForeignSign(p *parser, x Expr, op, second Token) *fault {
	if !p.cond {
		return nil
	}
	sign := op.Text + second.Text
	if write := foreignSigns[sign]; write != "" && op.Span.End == second.Span.Start && (sign != "=>" || comparesNumber(p)) {
		at := op.Span.To(second.Span)
		return faultAt(UnexpectedToken, at, "`%s` is not an operator", sign).replace(at, write, "write `%s`", write).spelling()
	}
	if id, ok := x.(*Ident); ok && id.Raw == "NOT" && startsOperand(op) {
		return faultAt(UnexpectedToken, id.At.Place, "`NOT` is not a word of the language").replace(id.At.Place, "not", "write `not`").spelling()
	}
	if op.Kind != WordToken {
		return nil
	}
	f := faultAt(UnexpectedToken, op.Span, "unexpected %s after `%s`", named(op), ExprString(x))
	switch low := strings.ToLower(op.Text); {
	case low != op.Text && slices.Contains([]string{"and", "or", wordIn}, low):
		return f.replace(op.Span, low, "write `%s`", low).spelling()
	case op.Text == "is" || op.Text == "IS":
		return errIs(p, f, ExprString(x), op, second)
	case low == "like":
		return f.mend("a text is compared as a whole: write `%[1]s == \"north\"`, or `%[1]s in {\"north\", \"south\"}`", ExprString(x))
	}
	return nil
}

// comparesNumber reports whether the sign => is a comparison with a number, or stands where none but comparisons do. In what a let or a def
// stands for it may be an implication between labels.
func comparesNumber(p *parser) bool {
	t := p.ahead(2)
	return !p.holds || t.Kind == NumberToken || t.Text == "-"
}

// startsOperand reports whether a token begins an operand.
func startsOperand(t Token) bool {
	return t.Kind == NumberToken || t.Kind == StringToken || t.Kind == WordToken && !isReserved(t.Word)
}

// errIs completes the fault of `is` behind an operand: SQL asks so for gaps, and other languages for equality.
func errIs(p *parser, f *fault, x string, op, second Token) *fault {
	nothing := []string{"null", "none", "na", "nan", "missing"}
	switch negated := strings.EqualFold(second.Text, "not"); {
	case negated && slices.Contains(nothing, strings.ToLower(p.ahead(2).Text)):
		return f.mend(noGap, x)
	case negated:
		return f.replace(op.Span.To(second.Span), "!=", "write `!=`").spelling()
	case slices.Contains(nothing, strings.ToLower(second.Text)):
		return f.mend(gap, x)
	}
	return f.replace(op.Span, "==", "write `==`").spelling()
}

// errOrbitForm returns the fault of an orbit that is not written with braces, behind its word and its arguments: orbits {…}, orbit [rotate(…)],
// orbit(rotate(…)), orbit rotate(…). Nil means that the word begins something else, or an orbit that has its braces.
func errOrbitForm(p *parser, word Token, call *Call) *fault {
	next := p.peek()
	switch {
	case likeOrbit(word.Text) && next.Text == "{":
		return errOrbitWord(word)
	case word.Text != wordOrbit || next.Text == "{":
		return nil
	case call != nil && len(call.Args) > 0 && !slices.ContainsFunc(call.Args, func(a *Arg) bool { _, isCall := a.Value.(*Call); return a.Name != nil || !isCall }):
		return errOrbitBraces(word.Span.To(call.Place), call.Place, commas(call.Args, argText))
	case call == nil && next.Text == "[":
		f := errMissingBracket("{", "`orbit`", next).mend("write %s", orbitForm)
		attempt(func() {
			p.at++
			maps := list(p, "]", p.expression)
			f = errOrbitBraces(word.Span.To(p.last().Span), next.Span, commas(maps, ExprString))
		})
		return f
	case call == nil && (isName(next) && p.ahead(1).Text == "(" || next.Text == wordOf && p.ahead(1).Text == "{"):
		return errMissingBracket("{", "`orbit`", next).mend("write %s", orbitForm)
	}
	return nil
}

// errBehindMap returns the fault of what stands behind a transformation of an orbit in the place of a comma, or of its brackets. Nil means that
// nothing is known of it.
func errBehindMap(p *parser, e Expr) *fault {
	t := p.peek()
	id, bare := e.(*Ident)
	switch {
	case t.Text == "then" || t.Text == ";":
		return errMapsJoined(t)
	case bare && t.Text == "[":
		f := faultAt(UnexpectedToken, t.Span, "the amount of `%s` has no brackets", id.Raw)
		attempt(func() {
			in := p.interval()
			write := id.Raw + "(" + ExprString(in) + ")"
			f.replace(id.Place.To(in.Place), write, "write `%s`", write).spelling()
		})
		if f.d.Mend == "" {
			f.mend("write %s", orbitForm)
		}
		return f
	}
	return nil
}
