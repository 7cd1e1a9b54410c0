package compiler

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// aNumber is the rule by which constants are judged.
const aNumber = "a number"

// judge decides an expression's curvature from the leaves up. It reports the smallest parts that break a rule, and then
// returns false.
func (p *pass) judge(n *node) bool {
	if p.rewrite(n) != "" {
		p.refuse(n, n.refusal()) // the parts need not be judged: what they are meant to say is known
		return false
	}
	if n.number() {
		judgeNumber(n)
		return true
	}
	ok := true
	for _, k := range n.kids {
		ok = p.judge(k) && ok
	}
	if n.by != nil {
		judgeNumber(n.by)
	}
	if !ok || n.op != opScale && !p.homogeneous(n) {
		return false
	}
	if p.rules.prove(n) {
		if n.by != nil {
			n.by.required = n.kids[0].kind != Linear
		}
		return true
	}
	p.refuse(n, n.refusal())
	return false
}

func signOf(v float64) Sign {
	switch {
	case math.IsNaN(v):
		return UnknownSign
	case v > 0:
		return Nonnegative
	case v < 0:
		return Nonpositive
	}
	return Zero
}

// homogeneous reports constants beside parts that hold f.
func (p *pass) homogeneous(n *node) bool {
	ok := true
	for _, k := range n.kids {
		if !k.constant || k.zero() {
			continue
		}
		ok = false
		d := p.reportAt(k.from, &diag.Diagnostic{
			Code: NotHomogeneous, Summary: fmt.Sprintf("%s stands beside f", k.numeral()),
			Detail: "An invariance is homogeneous: at 2f it is twice what it is at f. With a constant beside f it is not.", Mend: "Leave the constant out, or multiply by it.",
		})
		if p.shows() {
			d.Values = inhomogeneity(n)
		}
		p.mendBy(d, "leave the constant out", without(k.from.syntax))
	}
	return ok
}

// numeral is a number in the words of an error.
func (n *node) numeral() string {
	if n.data {
		return "the number " + text(n.from.syntax)
	}
	return "the constant " + text(n.from.syntax)
}

// negativeFactor is a refused factor in the words of an error.
func (n *node) negativeFactor() string {
	switch {
	case n.by == nil:
		return "a negative number"
	case n.by.sign == Nonpositive:
		return text(n.by.from.syntax) + ", which is negative for all data"
	}
	return fmt.Sprintf("%s, of which it is only known that it is at least %.6g", text(n.by.from.syntax), n.by.bounds((*datum).known).lo)
}

// refuse reports an expression to which no rule applies.
func (p *pass) refuse(n *node, r refusal) {
	at := n
	fix := p.rewrite(n)
	if n.op == opNorm || n.op == opTop {
		at = n.negativePart()
		fix = at.madeNonnegative()
	}
	if r.code == Product && p.instance.Data.Target.Task == Multilabel {
		r.mend = "Say what the product stands for: implies(a, b), excludes(a, b), hypot(…) or max {…}."
	}
	d := p.reportAt(at.from, &diag.Diagnostic{Code: r.code, Summary: r.summary, Detail: r.detail, Mend: r.mend})
	if fix != "" {
		d.Mend = "Write " + fix + oneWay(at) + "."
	}
	if p.trial {
		return
	}
	title := ""
	if fix != "" {
		title = "write " + fix
	}
	p.mendBy(d, title, n.attempts(at, fix))
	if !p.shows() {
		return
	}
	if d.Values = violation(n); d.Values == nil {
		d.Values = inhomogeneity(n)
	}
	if d.Values == nil {
		d.Values = []string{noneFound}
		if n.squaresLinear() {
			d.Values = []string{convexAllTheSame}
		}
	}
}

// convexAllTheSame is said of rms over x of f, the root of a mean of squares of what is linear.
const convexAllTheSame = "it is convex all the same, as the squares of linear parts do not ask for their signs; the calculus wants the signs to be written"

// squaresLinear reports a root of squares of linear parts.
func (n *node) squaresLinear() bool {
	return n.op == opNorm && n.p == 2 && !slices.ContainsFunc(n.kids, func(k *node) bool { return k.kind != Linear })
}

// oneWay says how a derivative is bounded in one direction alone.
func oneWay(at *node) string {
	e, ok := at.from.syntax.(*dsl.Deriv)
	if !ok || at.kind != Linear {
		return ""
	}
	if n := derivedAlong(e); len(n) == 2 && n[0] == n[1] {
		return ", or pos(-" + text(e) + ") where f is to be convex, pos(" + text(e) + ") where it is to be concave"
	} else if len(n) > 1 {
		return ", or pos(-" + text(e) + ") or pos(" + text(e) + ") where it has one sign"
	}
	return ", or pos(-" + text(e) + ") where f may only grow, pos(" + text(e) + ") where it may only fall"
}

// derivedAlong returns what derivatives of derivatives are along, the outermost first.
func derivedAlong(e dsl.Expr) []string {
	switch e := e.(type) {
	case *dsl.Paren:
		return derivedAlong(e.X)
	case *dsl.Deriv:
		return append([]string{e.With.Name}, derivedAlong(e.Of)...)
	}
	return nil
}

// attempts are the edits that may mend a refused expression, in which a part is to blame; rewrite says what that may be meant
// to be, where that is known.
func (n *node) attempts(at *node, rewrite string) func(decl *dsl.Invariance) [][]diag.Edit {
	span := at.from.span
	switch n.op {
	case opNeg:
		return unsigned(n)
	case opMin:
		return func(*dsl.Invariance) [][]diag.Edit { return maximized(n.from.syntax) }
	case opNorm, opTop:
		return func(*dsl.Invariance) [][]diag.Edit { return append(made(span, at.kind == Linear), n.madeAll()) }
	case opAbs:
		part := text(n.kids[0].from.syntax)
		return func(*dsl.Invariance) [][]diag.Edit { return [][]diag.Edit{replaced(span, "pos("+part+")")} }
	}
	return func(*dsl.Invariance) [][]diag.Edit {
		if rewrite == "" {
			return nil
		}
		return [][]diag.Edit{replaced(span, rewrite), replaced(span, "|"+rewrite+"|")}
	}
}

// refusal says why no rule applies to the node.
func (n *node) refusal() refusal {
	part := ""
	if len(n.kids) > 0 {
		part = text(n.kids[0].from.syntax)
	}
	switch n.op {
	case opNeg:
		return refusal{
			NegatedConvex, fmt.Sprintf("a minus sign stands before %s, which is convex but not linear", part),
			"Minus a convex part is concave.", "Take the difference inside: |a - b| or pos(a - b) instead of |a| - |b|.",
		}
	case opScale:
		mend := "Multiply by a number that is not negative."
		if n.by != nil && n.by.sign == UnknownSign {
			mend = asProducts
		}
		return refusal{
			NegativeFactor, fmt.Sprintf("%s is convex but not linear, and multiplied by %s", part, n.negativeFactor()),
			"A negative multiple of a convex part is concave.", mend,
		}
	case opMul, opAdd: // of sums, those of squares alone are refused
		return refusal{
			Product, "two parts that hold f are multiplied", "A product of two functions of f need not be convex, and is not homogeneous of degree one.",
			"Say what the product stands for: hypot(…), max {…} or a sum; for a square, |…|.",
		}
	case opDiv:
		return refusal{
			DividedByF, "a part is divided by one that holds f", "A quotient of two functions of f need not be convex.", "Divide by a number.",
		}
	case opMin:
		return refusal{
			Minimum, "a minimum of parts that hold f need not be convex", "The minimum of convex parts need not be convex. A maximum is, and is stronger: it asks of each part what a minimum asks of one alone.", "Use max or sum.",
		}
	case opAbs:
		return refusal{
			AbsOfConvex, fmt.Sprintf("%s is convex but not linear, and may be negative", part),
			"Where it is negative, its absolute value is concave.", "Write pos(" + part + "), or take absolute values inside.",
		}
	case opNorm, opTop:
		return n.needsNonnegative()
	}
	return refusal{NoGauge, text(n.from.syntax) + " is not known to be convex", "", ""}
}

// negativePart is the first part that may be negative.
func (n *node) negativePart() *node {
	return n.kids[slices.IndexFunc(n.kids, func(k *node) bool { return !k.atLeastZero() })]
}

// madeNonnegative is the nonnegative expression that is nearest to one that may be negative.
func (n *node) madeNonnegative() string {
	if n.kind == Linear {
		return "|" + text(n.from.syntax) + "|"
	}
	return "pos(" + text(n.from.syntax) + ")"
}

func (n *node) needsNonnegative() refusal {
	return refusal{
		NeedsNonnegative, fmt.Sprintf("%s needs nonnegative parts, and %s may be negative", n.word, text(n.negativePart().from.syntax)),
		"A norm grows with its parts only where they are nonnegative.", "",
	}
}

// rewrite is a convex expression that says what a refused one is meant to, empty where none is known.
func (p *pass) rewrite(n *node) string {
	switch n.op {
	case opMul:
		return p.rewriteProduct(n.kids[0], n.kids[1])
	case opAdd:
		return rewriteSquares(n)
	}
	return ""
}

// rewriteSquares knows a·a + b·b + …, the square of a hypot.
func rewriteSquares(n *node) string {
	var parts []string
	var collect func(n *node) bool
	collect = func(n *node) bool {
		if n.op == opAdd {
			return collect(n.kids[0]) && collect(n.kids[1])
		}
		if n.op != opMul || text(n.kids[0].from.syntax) != text(n.kids[1].from.syntax) {
			return false
		}
		part := text(n.kids[0].from.syntax)
		if nonlinear(n.kids[0]) == nil {
			part = "|" + part + "|"
		}
		parts = append(parts, part)
		return true
	}
	if !collect(n) {
		return ""
	}
	return "hypot(" + strings.Join(parts, ", ") + ")"
}

// rewriteProduct knows f(a)·(1 − f(b)), which says that a implies b; f(a)·f(b), which says that they exclude each other;
// and f·f, which is the square of |f|.
func (p *pass) rewriteProduct(x, y *node) string {
	for range 2 {
		if p.instance.Data.Target.Task == Class {
			break // classes exclude each other, and none implies another
		}
		if a, b := ownLabel(x), complement(y); a != "" && b != "" {
			return p.definedAs("implies", a, b, " - ")
		}
		x, y = y, x
	}
	if a, b := ownLabel(x), ownLabel(y); a != "" && b != "" && a != b {
		return p.definedAs("excludes", a, b, " + ")
	}
	if x.op != y.op {
		return "" // in a long product, the texts of all its beginnings would be as many as the square of its length
	}
	sx, sy := text(x.from.syntax), text(y.from.syntax)
	if sx == sy && sx != "" {
		if x.leaf != nil {
			return "|" + sx + "|"
		}
		return sx
	}
	return ""
}

// definedAs calls a definition, or writes it out where no family defines it.
func (p *pass) definedAs(name, a, b, op string) string {
	if p.decls.defs[name] != nil {
		return name + "(" + a + ", " + b + ")"
	}
	return "pos(f(" + a + ")" + op + "f(" + b + "))"
}

// ownLabel is the label a of a part f(a).
func ownLabel(n *node) string {
	call, ok := n.from.syntax.(*dsl.Call)
	if n.leaf == nil || n.leaf.label == nil || n.leaf.deriv.kind != noDeriv || !ok || len(call.Args) != 1 {
		return ""
	}
	return text(call.Args[0].Value)
}

// complement is the label b of a part 1 − f(b).
func complement(n *node) string {
	if n.op != opAdd || n.kids[0].op != opConst || n.kids[1].op != opNeg {
		return ""
	}
	return ownLabel(n.kids[1].kids[0])
}

// mayBeSquared reports an invariance that may be negative or is zero whatever f is: R squares it.
func (p *pass) mayBeSquared(inv *invariance, n *node) bool {
	switch {
	case n.constant || n.zero():
		p.reportAt(n.from, &diag.Diagnostic{
			Code: AlwaysZero, Summary: fmt.Sprintf("the invariance %s is the same whatever f is", inv.name),
			Detail: "It does not hold f, multiplies it by zero, or its parts cancel.",
		})
		return false
	case n.sign == Nonnegative:
		return true
	}
	part := text(n.from.syntax)
	mend := "Write pos(" + part + ")."
	if n.kind == Linear {
		mend = "Write |" + part + "|, or pos(" + part + ") for one side alone."
	}
	d := p.reportAt(n.from, &diag.Diagnostic{
		Code: MayBeNegative, Summary: fmt.Sprintf("the invariance %s may be negative", inv.name),
		Detail: "The regularizer squares it, and the square of what is convex is convex only where that is nonnegative.", Mend: mend,
	})
	if p.shows() {
		if d.Values = squareViolation(n); d.Values == nil { // as that of what is linear
			d.Values = negativity(n)
		}
	}
	p.mendBy(d, "make it nonnegative", func(decl *dsl.Invariance) [][]diag.Edit { return made(decl.Body.Span(), n.kind == Linear) })
	return false
}
