package calculus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/edit"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A Finding says that a part breaks a rule: the diagnostic, where it belongs, and what may show or
// mend it. Counterexamples and mends cost time, so that both are functions, called only if somebody
// reads them.
type Finding struct {
	At         tree.Origin
	Diagnostic *diag.Diagnostic
	Title      string                                   // of the first attempt, where the mend of the diagnostic says it already
	Attempts   func(decl *dsl.Invariance) [][]diag.Edit // edits that may mend it, the best first; nil means that none is known
	Values     func() []string                          // looks for a counterexample; nil means that there is none to look for
}

// A Judge applies the rules to expressions, and gathers what it finds. It reports nothing by
// itself, as an attempt at a mend is judged in silence.
type Judge struct {
	Rules      Set
	Multilabel bool                   // f has a value for each label of a set
	Class      bool                   // f has a value for each class
	Affine     bool                   // constants may stand beside f, as they may in a requirement
	Defined    func(name string) bool // reports whether a definition has a name
	Found      []Finding
}

// Proves decides an expression's curvature from the leaves up. It reports the smallest parts that
// break a rule, and then returns false. Whatever holds such a part is not judged: it is not refused
// for what is not its fault. So a product of logic is looked for before its parts, which may be
// sound alone.
func (j *Judge) Proves(n *tree.Node) bool {
	if !j.Affine && j.rewrite(n) != "" {
		j.refuse(n) // the parts need not be judged: what they are meant to say is known
		return false
	}
	if n.Number() {
		tree.JudgeNumber(n)
		return true
	}
	ok := true
	for _, k := range n.Kids {
		ok = j.Proves(k) && ok
	}
	if n.By != nil {
		tree.JudgeNumber(n.By)
	}
	if !ok || n.Op != tree.OpScale && n.Op != tree.OpDiv && !j.homogeneous(n) {
		return false
	}
	if j.Rules.Prove(n) {
		if n.By != nil {
			n.By.Required = n.Kids[0].Kind != tree.Linear
		}
		return true
	}
	j.refuse(n)
	return false
}

// homogeneous reports constants beside parts that hold f, and returns false then. e(cf) = c e(f)
// fails for f + 1, and with it every theorem about R.
func (j *Judge) homogeneous(n *tree.Node) bool {
	ok := true
	if j.Affine {
		return true
	}
	for _, k := range n.Kids {
		if !k.Constant || k.Zero() {
			continue
		}
		ok = false
		j.Found = append(j.Found, Finding{At: k.From, Diagnostic: &diag.Diagnostic{
			Code: codes.NotHomogeneous, Summary: fmt.Sprintf("%s stands beside f", numeral(k)),
			Detail: "An invariance is homogeneous: at 2f it is twice what it is at f. With a constant beside f it is not.", Mend: "Leave the constant out, or multiply by it. A bound on f stands in a statement of its own: `require bound = f(x) <= 1 over x in box`.",
		}, Title: "leave the constant out", Attempts: edit.Without(k.From.Syntax), Values: func() []string { return inhomogeneity(n) }})
	}
	return ok
}

// numeral returns a number in the words of an error.
func numeral(n *tree.Node) string {
	if n.Data {
		return "the number " + tree.Text(n.From.Syntax)
	}
	return "the constant " + tree.Text(n.From.Syntax)
}

// negativeFactor returns a refused factor in the words of an error, with the bound that is known of
// it.
func negativeFactor(n *tree.Node) string {
	switch {
	case n.By == nil:
		return "a negative number"
	case n.By.Sign == tree.Nonpositive:
		return tree.Text(n.By.From.Syntax) + ", which is negative for all data"
	}
	return fmt.Sprintf("%s, of which it is only known that it is at least %.6g", tree.Text(n.By.From.Syntax), n.By.Bounds((*tree.Datum).Known).Lo)
}

// refuse reports an expression to which no rule applies: with the reason, a counterexample if one
// is found, and what may be meant.
func (j *Judge) refuse(n *tree.Node) {
	at, d := n, refusal(n)
	fix := j.rewrite(n)
	if n.Op == tree.OpNorm || n.Op == tree.OpTop {
		at = negativePart(n)
		fix = madeNonnegative(at)
	}
	if d.Code == codes.Product && j.Multilabel {
		d.Mend = "Say what the product stands for: implies(a, b), excludes(a, b), hypot(…) or max {…}."
	}
	if j.Affine {
		fix = ""
		required(d, n)
	}
	title := ""
	if fix != "" {
		title = "write " + fix
		d.Mend = "Write " + fix + oneWay(at) + "."
	}
	j.Found = append(j.Found, Finding{
		At: at.From, Diagnostic: d, Title: title, Attempts: edit.Attempts(n, at, fix), Values: func() []string { return j.counterexample(n) },
	})
}

// counterexample shows functions at which a refused expression is not convex or not homogeneous. If
// none are found it says so, as the rules are not complete. An rms of linear parts is convex
// without being proved, and is told apart.
func (j *Judge) counterexample(n *tree.Node) []string {
	if values := violation(n); values != nil {
		return values
	}
	if values := inhomogeneity(n); values != nil && !j.Affine {
		return values
	}
	if squaresLinear(n) {
		return []string{ConvexAllTheSame}
	}
	return []string{NoneFound}
}

// ConvexAllTheSame is said of rms over x of f, the root of a mean of squares of what is linear.
const ConvexAllTheSame = "it is convex all the same, as the squares of linear parts do not ask for their signs; the calculus wants the signs to be written"

// squaresLinear reports whether a node is a root of squares of linear parts, (Σ ℓᵢ²)^½. It is a
// seminorm, whatever the signs of the parts.
func squaresLinear(n *tree.Node) bool {
	return n.Op == tree.OpNorm && n.P == 2 && !slices.ContainsFunc(n.Kids, func(k *tree.Node) bool { return k.Kind != tree.Linear })
}

// oneWay says how a derivative is bounded in one direction alone. It is empty for anything else.
// Who writes rms of d/d(area) f often means that f must not fall, and not that it must be level.
func oneWay(at *tree.Node) string {
	if neg, ok := at.From.Syntax.(*dsl.Neg); ok && len(derivedAlong(neg.X)) == 1 {
		return ", or pos(" + tree.Text(neg) + ") where f may only grow"
	}
	e, ok := at.From.Syntax.(*dsl.Deriv)
	if !ok || at.Kind != tree.Linear {
		return ""
	}
	if n := derivedAlong(e); len(n) == 2 && n[0] == n[1] {
		return ", or pos(-" + tree.Text(e) + ") where f is to be convex, pos(" + tree.Text(e) + ") where it is to be concave"
	} else if len(n) > 1 {
		return ", or pos(-" + tree.Text(e) + ") or pos(" + tree.Text(e) + ") where it has one sign"
	}
	return ", or pos(-" + tree.Text(e) + ") where f may only grow, pos(" + tree.Text(e) + ") where it may only fall"
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

// refusal returns why no rule applies to the node, with the general mend. refuse replaces it where
// the expression shows what is meant.
func refusal(n *tree.Node) *diag.Diagnostic {
	part := ""
	if len(n.Kids) > 0 {
		part = tree.Text(n.Kids[0].From.Syntax)
	}
	switch n.Op {
	case tree.OpNeg:
		return negated(n, part)
	case tree.OpScale:
		return multipliedNegatively(n, part)
	case tree.OpMul, tree.OpAdd: // of sums, those of squares alone are refused
		return &diag.Diagnostic{
			Code: codes.Product, Summary: "two parts that hold f are multiplied",
			Detail: "A product of two functions of f need not be convex, and is not homogeneous of degree one.",
			Mend:   "Say what the product stands for: hypot(…), max {…} or a sum; for a square, |…|.",
		}
	case tree.OpDiv:
		return &diag.Diagnostic{
			Code: codes.DividedByF, Summary: "a part is divided by one that holds f",
			Detail: "A quotient by a function of f need not be convex.", Mend: "Divide by a number.",
		}
	case tree.OpMin:
		return &diag.Diagnostic{
			Code: codes.Minimum, Summary: "a minimum of parts that hold f need not be convex", Mend: "Use max or sum.",
			Detail: "The minimum of convex parts need not be convex. A maximum is, and is stronger: it asks of each part what a minimum asks of one alone. A mean lies between the two.",
		}
	case tree.OpAbs:
		return &diag.Diagnostic{
			Code: codes.AbsOfConvex, Summary: fmt.Sprintf("%s is convex but not linear, and may be negative", part),
			Detail: "Where it is negative, its absolute value is concave.", Mend: "Write pos(" + part + "), or take absolute values inside.",
		}
	case tree.OpNorm, tree.OpTop:
		return needsNonnegative(n)
	}
	return &diag.Diagnostic{Code: codes.NoGauge, Summary: tree.Text(n.From.Syntax) + " is not known to be convex"}
}

// multipliedNegatively returns the refusal of a convex part that a factor may make concave.
func multipliedNegatively(n *tree.Node, part string) *diag.Diagnostic {
	d := &diag.Diagnostic{
		Code: codes.NegativeFactor, Summary: fmt.Sprintf("%s is convex but not linear, and multiplied by %s", part, negativeFactor(n)),
		Detail: "A negative multiple of a convex part is concave.", Mend: "Multiply by a number that is not negative.",
	}
	if n.By != nil && n.By.Sign == tree.UnknownSign {
		d.Mend = ground.AsProducts
	}
	return d
}

// negated returns the refusal of a minus sign before a convex part.
func negated(n *tree.Node, part string) *diag.Diagnostic {
	d := &diag.Diagnostic{
		Code: codes.NegatedConvex, Summary: fmt.Sprintf("a minus sign stands before %s, which is convex but not linear", part),
		Detail: "Minus a convex part is concave.", Mend: "Take the difference inside: |a - b| or pos(a - b) instead of |a| - |b|.",
	}
	if of := n.Difference; of != nil && (n.Kids[0].Op != tree.OpAbs || !strings.HasPrefix(tree.Text(of.X), "|")) {
		d.Mend = "An invariance adds up what breaks it: write + in place of -, or leave the part out."
	}
	return d
}

// negativePart returns the first part that may be negative. There is one where a norm was refused.
func negativePart(n *tree.Node) *tree.Node {
	return n.Kids[slices.IndexFunc(n.Kids, func(k *tree.Node) bool { return !k.AtLeastZero() })]
}

// madeNonnegative returns the nonnegative expression that is nearest to one that may be negative.
// That is |ℓ| for a linear part and pos(e) for a convex one, whose absolute value need not be
// convex.
func madeNonnegative(n *tree.Node) string {
	if n.Kind == tree.Linear {
		return "|" + tree.Text(n.From.Syntax) + "|"
	}
	return "pos(" + tree.Text(n.From.Syntax) + ")"
}

// needsNonnegative returns the refusal of a norm whose parts may be negative: it does not grow with
// them there.
func needsNonnegative(n *tree.Node) *diag.Diagnostic {
	return &diag.Diagnostic{
		Code:    codes.NeedsNonnegative,
		Summary: fmt.Sprintf("%s needs nonnegative parts, and %s may be negative", n.Word, tree.Text(negativePart(n).From.Syntax)),
		Detail:  "A norm grows with its parts only where they are nonnegative.",
	}
}

// rewrite returns a convex expression that says what a refused one is meant to. It is empty where
// none is known. Products come from logic: for f with values in [0, 1], f(a)·(1 − f(b)) is large
// where a holds and b does not.
func (j *Judge) rewrite(n *tree.Node) string {
	switch n.Op {
	case tree.OpMul:
		return j.rewriteProduct(n.Kids[0], n.Kids[1])
	case tree.OpAdd:
		return rewriteSquares(n)
	}
	return ""
}

// rewriteSquares returns hypot(a, b, …) for a·a + b·b + …, its square. The root is homogeneous, and
// R squares it again.
func rewriteSquares(n *tree.Node) string {
	var parts []string
	var collect func(n *tree.Node) bool
	collect = func(n *tree.Node) bool {
		if n.Op == tree.OpAdd {
			return collect(n.Kids[0]) && collect(n.Kids[1])
		}
		if n.Op != tree.OpMul || tree.Text(n.Kids[0].From.Syntax) != tree.Text(n.Kids[1].From.Syntax) {
			return false
		}
		part := tree.Text(n.Kids[0].From.Syntax)
		if Nonlinear(n.Kids[0]) == nil {
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

// rewriteProduct returns what a product is meant to say. f(a)·(1 − f(b)) says that a implies b,
// f(a)·f(b) that they exclude each other, and f·f is the square of |f|. It is empty for all others.
func (j *Judge) rewriteProduct(x, y *tree.Node) string {
	for range 2 {
		if j.Class {
			break // classes exclude each other, and none implies another
		}
		if a, b := ownLabel(x), complement(y); a != "" && b != "" {
			return j.definedAs("implies", a, b, " - ")
		}
		x, y = y, x
	}
	if a, b := ownLabel(x), ownLabel(y); a != "" && b != "" && a != b {
		return j.definedAs("excludes", a, b, " + ")
	}
	if x.Op != y.Op {
		return "" // in a long product, the texts of all its beginnings would be as many as the square of its length
	}
	sx, sy := tree.Text(x.From.Syntax), tree.Text(y.From.Syntax)
	if sx == sy && sx != "" {
		if x.Leaf != nil {
			return "|" + sx + "|"
		}
		return sx
	}
	return ""
}

// definedAs calls a definition, or writes it out where no family defines it. Users are shown the
// shortest form that their spec understands.
func (j *Judge) definedAs(name, a, b, op string) string {
	if j.Defined(name) {
		return name + "(" + a + ", " + b + ")"
	}
	return "pos(f(" + a + ")" + op + "f(" + b + "))"
}

// ownLabel returns the label a of a part f(a). It is empty for derivatives and for f(x, a), of
// which the short forms do not speak.
func ownLabel(n *tree.Node) string {
	call, ok := n.From.Syntax.(*dsl.Call)
	if n.Leaf == nil || n.Leaf.Label == nil || n.Leaf.Deriv.Kind != tree.NoDeriv || !ok || len(call.Args) != 1 {
		return ""
	}
	return tree.Text(call.Args[0].Value)
}

// complement returns the label b of a part 1 − f(b).
func complement(n *tree.Node) string {
	if n.Op != tree.OpAdd || n.Kids[0].Op != tree.OpConst || n.Kids[1].Op != tree.OpNeg {
		return ""
	}
	return ownLabel(n.Kids[1].Kids[0])
}

// MayBeSquared reports an invariance that may be negative (codes.MayBeNegative) or is zero whatever
// f is (codes.AlwaysZero), and returns false then. R squares it: the square of a convex e is convex
// where e ≥ 0, and falls and rises again where e changes its sign.
func (j *Judge) MayBeSquared(name string, n *tree.Node) bool {
	switch {
	case n.Constant || n.Zero():
		d := &diag.Diagnostic{
			Code: codes.AlwaysZero, Summary: fmt.Sprintf("the invariance %s is the same whatever f is", name),
			Detail: "It does not hold f, multiplies it by zero, or its parts cancel.",
		}
		if zero := vanishing(n); zero != nil && zero.From.Place() != n.From.Place() {
			d.Related = []diag.Related{{Span: zero.From.Place(), Message: "this is zero whatever f is"}}
		}
		j.Found = append(j.Found, Finding{At: n.From, Diagnostic: d})
		return false
	case n.Sign == tree.Nonnegative:
		return true
	}
	part := tree.Text(n.From.Syntax)
	mend := "Write pos(" + part + ")."
	if n.Kind == tree.Linear {
		mend = "Write |" + part + "|, or pos(" + part + ") for one side alone."
	}
	j.Found = append(j.Found, Finding{
		At: n.From, Diagnostic: &diag.Diagnostic{
			Code: codes.MayBeNegative, Summary: fmt.Sprintf("the invariance %s may be negative", name),
			Detail: "The regularizer squares it, and the square of what is convex is convex only where that is nonnegative.", Mend: mend,
		},
		Title: "make it nonnegative", Attempts: func(decl *dsl.Invariance) [][]diag.Edit { return edit.Made(decl.Body.Span(), n.Kind == tree.Linear) },
		Values: func() []string {
			if values := squareViolation(n); values != nil {
				return values
			}
			return negativity(n) // as that of what is linear
		},
	})
	return false
}
