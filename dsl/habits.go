package dsl

import (
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// What is written out of habit: mathematics and other languages say it so, and this language otherwise.

// demands are the words that elsewhere begin a constraint, and noConstraint says that sipc has none.
var demands = []string{"require", "assert", "constraint", "constrain", "ensure"}

const noConstraint = "The language has no hard constraint (no `require`); it can make violations costly."

// forEach are the words that elsewhere say that something holds of every row.
var forEach = []string{"for", "all", "forall", "foreach", "each", "every", "∀"}

// measures are units that numbers are given elsewhere. Single letters are more likely to be names: 2m is twice m.
var measures = []string{
	"yr", "yrs", "year", "years", "month", "months", "week", "weeks", "day", "days", "hr", "hrs", "hour", "hours", "min", "sec", "ms",
	"mm", "cm", "km", "ft", "inch", "px", "mg", "kg", "lb", "ml", "Hz", "pct", "percent", "usd", "USD", "eur", "EUR",
}

// errArrow returns the fault of an arrow between two expressions. The parser has not passed the arrow.
func (p *exprParser) errArrow(x Expr, arrow string) *fault {
	first := p.in.next()
	second := p.in.next()
	f := faultAt(UnexpectedToken, first.span.To(second.span), "`%s` is no operator", arrow).
		why("That one label implies another is said by implies(a, b), which is how far f(a) exceeds f(b).")
	if y, wrong := p.binary(levelSum); wrong == nil && labelNamed(x) != "" && labelNamed(y) != "" {
		return f.mend("write `implies(%s, %s)`", labelNamed(x), labelNamed(y))
	}
	return f.mend("write `implies(a, b)`")
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

// compared returns the fault of a comparison outside a condition. The author may mean how far it fails.
func (p *exprParser) compared(x Expr, op token) *fault {
	f := errComparison(op)
	p.in.next()
	y, wrong := p.binary(levelSum)
	if wrong != nil {
		return f
	}
	var heads []string
	for q, ok := x.(*Quant); ok; q, ok = x.(*Quant) {
		heads = append(heads, strings.TrimSuffix(ExprString(q), ExprString(q.Body)))
		x = q.Body
	}
	if isZero(x) {
		x, y, op.text = y, x, strings.NewReplacer("<", ">", ">", "<").Replace(op.word())
	}
	inX, inY := holdsF(x), holdsF(y)
	if inX && isZero(y) {
		return p.signed(f, heads, x, op.word())
	}
	switch {
	case inX && inY:
		return differing(f, x, y, op.word())
	case inX || inY:
		return f.mend("compare f with f elsewhere, or with 0 as in `pos(-f)`: an invariance holds no other number beside f")
	case isStandard(x):
		f.write = ExprString(x)
		return f.mend("leave the comparison out: `%s` is 0 where f obeys it", f.write)
	case namesSomething(x) || namesSomething(y):
		return f.mend("put the condition into `where`: `mean over x where %s %s %s of f`", ExprString(x), op.word(), ExprString(y))
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
func (p *exprParser) signed(f *fault, heads []string, x Expr, op string) *fault {
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
		penalty = "pos(" + ExprString(x) + ")"
	case ">", ">=":
		penalty = "pos(" + negated(x) + ")"
	default:
		return f
	}
	f.write = strings.Join(heads, "") + penalty
	return f.why(noConstraint).mend("to make violations costly write `%s`", f.write)
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

// errCalledTwice returns the fault of calling the result of a call: jitter(age, 5)(x).
func errCalledTwice(call *Call, t token) *fault {
	f := faultAt(UnexpectedToken, t.span, "unexpected `(` after `)`")
	switch {
	case call.Fun.Name == "f":
		return f.mend("f takes a point and a label together: `f(x, label)`")
	case slices.Contains(aggregationsWithArg, call.Fun.Name):
		return f.mend("write `%s over x of …`, or `%[1]s {…}`", ExprString(call))
	}
	return f.why("A transformation with its arguments moves the point that is bound around it.").
		mend("write `f(%s)`, or bind it: `max over t in {%[1]s} of |f(t(x)) - f(x)|`; for a product write `*`", ExprString(call))
}

// errMeasured returns the fault of a number with a unit of measurement.
func errMeasured(at diag.Span, number, unit string) *fault {
	return faultAt(UnknownUnit, at, "unknown unit `%s`", unit).
		why("A number stands alone, as a multiple of the number of training rows (`4n`) or as an angle (`10deg`). Amounts are in the units of their column.").
		replace(at, "", "leave the unit out: write `%s`", number)
}

// dotted says of a point between two names that a column is asked for at a point by its name: grape(a).
func dotted(tokens []token, i int) {
	if i == 0 || i+1 >= len(tokens) || tokens[i].text != "." {
		return
	}
	a, b := tokens[i-1], tokens[i+1]
	if a.kind == identToken && b.kind == identToken {
		f := tokens[i].fault
		f.d.Mend, f.d.Fixes = "", nil
		f.replace(a.span.To(b.span), b.text+"("+a.text+")", "for the column %s at %s write `%[1]s(%[2]s)`", b.text, a.text)
	}
}
