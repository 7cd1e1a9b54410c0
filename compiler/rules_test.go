package compiler

import (
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A ruleCase is an expression that a rule proves, and one that is refused because the rule says no more than it does: were
// its premise dropped or its conclusion a stronger one, that would be accepted.
type ruleCase struct {
	op       tree.Op
	rule     string
	accepted string
	verdict  string // kind and sign
	refused  string
	code     diag.Code
}

var ruleCases = []ruleCase{
	{tree.OpLeaf, "f and its derivatives are linear in f", "d/d(area) f(cat)", "linear, of either sign", "rms {f(cat)}", codes.NeedsNonnegative},
	{tree.OpNeg, "minus linear is linear", "-f(cat)", "linear, of either sign", "-|f(cat)|", codes.NegatedConvex},
	{tree.OpScale, "zero times anything is zero", "0 * |f(cat)|", "linear, zero", "-1 * |f(cat)|", codes.NegativeFactor},
	{tree.OpScale, "a multiple of linear is linear", "-2 * f(cat)", "linear, of either sign", "-2 * |f(cat)|", codes.NegativeFactor},
	{tree.OpScale, "a positive multiple keeps kind and sign", "|f(cat)| / 3", "seminorm, nonnegative", "|f(cat)| / -3", codes.NegativeFactor},
	{tree.OpScale, "a multiple by data that are nowhere negative keeps kind and sign", "area * |f(cat)|", "seminorm, nonnegative", "(-1 - |area|) * |f(cat)|", codes.NegativeFactor},
	{tree.OpAdd, "linear parts that cancel are zero", "f(x, cat) + (mean {f(dog), -f(dog)} - f(cat))", "linear, zero", "|f(cat) - f(dog) + |f(dog)||", codes.AbsOfConvex},
	{tree.OpAdd, "a sum of linear parts is linear", "f(cat) - f(dog)", "linear, of either sign", "|f(cat) + |f(dog)||", codes.AbsOfConvex},
	{tree.OpAdd, "a sum of convex parts keeps the weakest kind", "|f(cat)| + pos(f(dog))", "sublinear, nonnegative", "rms {|f(cat)| + f(dog)}", codes.NeedsNonnegative},
	{tree.OpAbs, "the absolute value of linear is a seminorm", "|f(cat) - f(dog)|", "seminorm, nonnegative", "|max {f(cat), f(dog)}|", codes.AbsOfConvex},
	{tree.OpAbs, "the absolute value of a nonnegative part is that part", "|pos(f(cat))|", "sublinear, nonnegative", "|f(cat) + |f(dog)||", codes.AbsOfConvex},
	{tree.OpPos, "the positive part of a nonnegative part is that part", "pos(|f(cat)|)", "seminorm, nonnegative", "-pos(f(cat))", codes.NegatedConvex},
	{tree.OpPos, "the positive part of a convex part is sublinear", "pos(max {f(cat), f(dog)})", "sublinear, nonnegative", "-2 * pos(f(cat))", codes.NegativeFactor},
	{tree.OpMax, "a maximum of nonnegative parts keeps the weakest kind", "max {|f(cat)|, 0}", "seminorm, nonnegative", "|max {f(cat), f(dog)}|", codes.AbsOfConvex},
	{tree.OpMax, "a maximum of linear parts and their negatives is a seminorm", "max {f(cat) - f(dog), f(x, dog) - f(cat)}", "seminorm, nonnegative", "|max {f(cat), -f(dog)}|", codes.AbsOfConvex},
	{
		tree.OpMax, "a maximum of convex parts is sublinear, and nonnegative if one of them is",
		"max {f(cat), |f(dog)|}", "sublinear, nonnegative", "top(1) over z in rows of max {f(z), d/d(area) f(z)}", codes.NeedsNonnegative,
	},
	{tree.OpSum, "linear parts that cancel are zero", "sum {f(cat), f(dog), -f(cat), -f(x, dog)}", "linear, zero", "|sum {f(cat), |f(dog)|}|", codes.AbsOfConvex},
	{tree.OpSum, "a sum of linear parts is linear", "sum {f(cat), f(dog)}", "linear, of either sign", "|sum {f(cat), |f(dog)|}|", codes.AbsOfConvex},
	{tree.OpSum, "a sum of convex parts keeps the weakest kind", "sum over z in rows of |f(z)|", "seminorm, nonnegative", "norm(3) {sum {|f(cat)|, f(dog)}}", codes.NeedsNonnegative},
	{tree.OpMean, "linear parts that cancel are zero", "mean {f(cat), -f(x, cat)}", "linear, zero", "|mean {f(cat), |f(dog)|}|", codes.AbsOfConvex},
	{tree.OpMean, "a mean of linear parts is linear", "mean over z in rows of f(z)", "linear, of either sign", "|mean {f(cat), |f(dog)|}|", codes.AbsOfConvex},
	{tree.OpMean, "a mean of convex parts keeps the weakest kind", "mean {|f(cat)|, f(dog)}", "sublinear, of either sign", "hypot(mean {|f(cat)|, f(dog)})", codes.NeedsNonnegative},
	{tree.OpNorm, "a norm of nonnegative parts keeps the weakest kind", "norm(3) {|f(cat)|, pos(f(dog))}", "sublinear, nonnegative", "norm(3) {|f(cat)|, f(dog)}", codes.NeedsNonnegative},
	{
		tree.OpTop, "the sum of the largest nonnegative parts keeps the weakest kind",
		"top(2) over z in rows of |f(z)|", "seminorm, nonnegative", "top(2) {f(cat), |f(dog)|, f(animal)}", codes.NeedsNonnegative,
	},
}

// beyond are what the calculus says outside of the rules of operations: of those that have none, of constants, and of what
// becomes of an invariance.
var beyond = []struct {
	accepted, refused string
	code              diag.Code
}{
	{"require a = |f(cat)| <= 1 over x in box", "require a = |f(cat)| >= 1 over x in box", codes.NotConvexSet},
	{"require a = f(cat) <= f(dog) over x in box", "require a = f(x) <= 1 over x in box", codes.NotEverywhere},
	{"require a = f(cat) == 0 over x in rows", "require a = f(cat) == 0 over x in box(age = [0, 1], others = rows)", codes.EqualEverywhere},
	{"rms over x of |2 * f(cat)|", "rms over x of |f(dog) * f(cat)|", codes.Product},
	{"rms over x of |f(cat) / 2|", "rms over x of |f(cat) / f(dog)|", codes.DividedByF},
	{"rms over x of max {|f(cat)|, |f(dog)|}", "rms over x of min {|f(cat)|, |f(dog)|}", codes.Minimum},
	{"rms over x of |f(cat) - (max over z in rows of 0 * f(z))|", "rms over x of |f(cat) - (max over z in rows of 0)|", codes.ConstantBody},
	{"rms over x of |f(cat)|", "rms over x of (|f(cat)| + (sum over z in rows of 1 - 2))", codes.ConstantBody},
	{"rms over x of |f(cat) - 0|", "rms over x of |f(cat) - 1|", codes.NotHomogeneous},
	{"rms over x of |d/d(area) (f(cat) - f(dog))|", "rms over x of |d/d(area) |f(cat)||", codes.DerivativeOfNonlinear},
	{"|mean over x of f(cat)|", "mean over x of f(cat)", codes.MayBeNegative},
	{"rms over x of (|f(cat)| + 0 * |f(dog)|)", "rms over x of 0 * |f(dog)|", codes.AlwaysZero},
	{"rms over x of |f(cat)|\nregularize 2 * i", "rms over x of |f(cat)|\nregularize -2 * i", codes.NegativeWeight},
	{"rms over x of pos(|f(cat)| - f(dog))", "rms over x of pos(hypot(|f(cat)|, |f(dog)|) - f(animal))", codes.NoGauge},
	{"rms over x of hypot(|f(cat)|, |f(dog)|)\nmethod warp", "rms over x of max {|f(cat)|, |f(dog)|}\nmethod warp", codes.NotQuadratic},
}

// judgedAt is what the calculus says of an expression at a row, and the code by which it refuses it.
func judgedAt(t *testing.T, expr string) (*tree.Node, diag.Code) {
	t.Helper()
	file, list := dsl.Parse("test.inv", []byte(withDefaults("invariance i = sum over x of ("+expr+")\n")))
	if list.HasErrors() {
		t.Fatalf("%s: %v", expr, list)
	}
	p := names.NewSpec(t.Context(), file, testOptions(testFiles)).Pass(nil)
	root := run(p).Invariances[0].Tried
	if root == nil {
		t.Fatalf("%s: %v", expr, *p.Diags)
	}
	for _, d := range *p.Diags {
		if d.Code != codes.MayBeNegative && d.Code != codes.AlwaysZero && d.Code != codes.NoEffect { // which are said of the sum
			return root.Kids[0], d.Code
		}
	}
	return root.Kids[0], ""
}

// provable judges an expression by a calculus.
func provable(c calculus.Set, n *tree.Node) bool {
	n.Judged = tree.Judged{}
	for _, k := range n.Kids {
		if !provable(c, k) {
			return false
		}
	}
	if n.Op == tree.OpConst {
		n.Constant, n.Sign = true, tree.SignOf(n.Num)
		return true
	}
	return c.Prove(n)
}

// with is the calculus in which a rule is another, or is not.
func with(c calculus.Set, o tree.Op, text string, others ...calculus.Rule) calculus.Set {
	out := calculus.Set{}
	for at, list := range c {
		for _, r := range list {
			if at == o && r.Text == text {
				out[at] = append(out[at], others...)
			} else {
				out[at] = append(out[at], r)
			}
		}
	}
	return out
}

// stronger are rules that say more than one does: of any parts, or with a stronger conclusion.
func stronger(r calculus.Rule) []calculus.Rule {
	out := []calculus.Rule{{Text: "any parts", When: calculus.Always, Then: r.Then}}
	for _, kind := range []tree.Kind{tree.Linear, tree.Seminorm} {
		for _, sign := range []tree.Sign{tree.UnknownSign, tree.Nonnegative} {
			out = append(out, calculus.Rule{Text: "a bold claim", When: r.When, Then: func([]tree.Judged, *tree.Node) (tree.Kind, tree.Sign) { return kind, sign }})
		}
	}
	return out
}

func verdict(n *tree.Node) string { return n.Kind.String() + ", " + n.Sign.String() }

// TestEveryRule has an accepted and a refused case for every rule that the calculus has, and shows that each is needed and
// says as much as it should: without the rule the accepted case is not judged so, and with a bolder one the refused case passes.
func TestEveryRule(t *testing.T) {
	for o := tree.OpConst; o <= tree.OpMin; o++ {
		for _, r := range calculus.Rules[o] {
			if !slices.ContainsFunc(ruleCases, func(c ruleCase) bool { return c.op == o && c.rule == r.Text }) {
				t.Errorf("no case for the rule %q of operation %d", r.Text, o)
			}
		}
	}
	for _, c := range ruleCases {
		t.Run(c.rule, func(t *testing.T) {
			i := slices.IndexFunc(calculus.Rules[c.op], func(r calculus.Rule) bool { return r.Text == c.rule })
			if i < 0 {
				t.Fatal("there is no such rule")
			}
			n, code := judgedAt(t, c.accepted)
			if code != "" || verdict(n) != c.verdict || n.Rule != c.rule || n.Op != c.op {
				t.Errorf("%s: %s by %q, want %s; %s", c.accepted, verdict(n), n.Rule, c.verdict, code)
			}
			special := strings.HasSuffix(c.rule, "linear parts is linear") // what the rule for convex parts says, in plainer words
			if !special && provable(with(calculus.Rules, c.op, c.rule), n) && verdict(n) == c.verdict {
				t.Errorf("%s is judged so without the rule", c.accepted)
			}
			n, code = judgedAt(t, c.refused)
			if code != c.code {
				t.Fatalf("%s: %q, want %s", c.refused, code, c.code)
			}
			if provable(calculus.Rules, n) {
				t.Errorf("%s is provable all the same", c.refused)
			}
			if !slices.ContainsFunc(stronger(calculus.Rules[c.op][i]), func(r calculus.Rule) bool { return provable(with(calculus.Rules, c.op, c.rule, r), n) }) {
				t.Errorf("%s is refused for another reason than this rule", c.refused)
			}
		})
	}
}

// TestBeyondTheRules has an accepted and a refused case for every other way in which curvature is judged.
func TestBeyondTheRules(t *testing.T) {
	for _, c := range beyond {
		for _, src := range []string{c.accepted, c.refused} {
			plan, list := check(t, withDefaults(src+"\n"), testOptions(testFiles))
			_ = plan.Close()
			list = slices.DeleteFunc(list, func(d *diag.Diagnostic) bool { return d.Code == codes.NoEffect })
			if src == c.accepted && len(list) > 0 || src == c.refused && (len(list) != 1 || list[0].Code != c.code) {
				t.Errorf("%s: %v, %s", src, list, c.code)
			}
		}
	}
	got, _ := documented(t)
	for _, code := range got {
		if !strings.HasPrefix(string(code), "E4") {
			continue
		}
		byRule := slices.ContainsFunc(ruleCases, func(c ruleCase) bool { return c.code == code })
		for _, c := range beyond {
			byRule = byRule || c.code == code
		}
		if !byRule {
			t.Errorf("no case is refused with %s", code)
		}
	}
	for o := tree.OpConst + 1; o <= tree.OpMin; o++ {
		if len(calculus.Rules[o]) == 0 && !slices.Contains([]tree.Op{tree.OpMul, tree.OpDiv, tree.OpMin}, o) {
			t.Errorf("operation %d has no rule, and no case that shows it refused", o)
		}
	}
}
