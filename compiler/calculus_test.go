package compiler

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// TestRules has an accepted and a refused case for every rule of the calculus.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		expr string
		want string // kind and sign, or a code
	}{
		{"f(cat)", "linear, of either sign"},
		{"-f(cat)", "linear, of either sign"},
		{"-|f(cat)|", "E401"},
		{"f(cat) - 0 * |f(dog)|", "linear, of either sign"},
		{"-2 * f(cat)", "linear, of either sign"},
		{"f(cat) / -2", "linear, of either sign"},
		{"3 * |f(cat)|", "seminorm, nonnegative"},
		{"|f(cat)| / 3", "seminorm, nonnegative"},
		{"-3 * |f(cat)|", "E403"},
		{"|f(cat)| / -3", "E403"},
		{"f(cat) * f(dog)", "E404"},
		{"f(cat) / f(dog)", "E408"},
		{"f(cat) + f(dog)", "linear, of either sign"},
		{"|f(cat)| + |f(dog)|", "seminorm, nonnegative"},
		{"|f(cat)| + f(dog)", "sublinear, of either sign"},
		{"|f(cat)| + pos(f(dog))", "sublinear, nonnegative"},
		{"|f(cat)| - |f(dog)|", "E401"},
		{"f(cat) - 1", "E402"},
		{"f(cat) + 0", "linear, of either sign"},
		{"|f(cat) - f(dog)|", "seminorm, nonnegative"},
		{"||f(cat)||", "seminorm, nonnegative"},
		{"|pos(f(cat))|", "sublinear, nonnegative"},
		{"|max {f(cat), f(dog)}|", "E407"},
		{"pos(f(cat))", "sublinear, nonnegative"},
		{"pos(|f(cat)|)", "seminorm, nonnegative"},
		{"pos(max {f(cat), f(dog)})", "sublinear, nonnegative"},
		{"pos(f(cat) - 1)", "E402"},
		{"pos(-|f(cat)|)", "E401"},
		{"max {f(cat), f(dog)}", "sublinear, of either sign"},
		{"max {f(cat), |f(dog)|}", "sublinear, nonnegative"},
		{"max {f(cat), 0}", "sublinear, nonnegative"},
		{"max {|f(cat)|, 0}", "seminorm, nonnegative"},
		{"max {|f(cat)|, |f(dog)|}", "seminorm, nonnegative"},
		{"max {f(cat), 1}", "E402"},
		{"min {f(cat), f(dog)}", "E405"},
		{"sum {f(cat), f(dog)}", "linear, of either sign"},
		{"sum {|f(cat)|, pos(f(dog))}", "sublinear, nonnegative"},
		{"mean {f(cat), f(dog)}", "linear, of either sign"},
		{"mean {|f(cat)|, f(dog)}", "sublinear, of either sign"},
		{"rms {|f(cat)|, |f(dog)|}", "seminorm, nonnegative"},
		{"rms {|f(cat)|, f(dog)}", "E406"},
		{"norm(1) {|f(cat)|, |f(dog)|}", "seminorm, nonnegative"},
		{"norm(3) {|f(cat)|, pos(f(dog))}", "sublinear, nonnegative"},
		{"norm(3) {f(cat)}", "E406"},
		{"top(1) {|f(cat)|, |f(dog)|}", "seminorm, nonnegative"},
		{"top(1) {f(cat), |f(dog)|}", "E406"},
		{"hypot(|f(cat)|, |f(dog)|)", "seminorm, nonnegative"},
		{"hypot(f(cat), |f(dog)|)", "E406"},
		{"max over z in rows of f(z)", "sublinear, of either sign"},
		{"max over z in rows of |f(z)|", "seminorm, nonnegative"},
		{"mean over z in rows of f(z)", "linear, of either sign"},
		{"sum over z in rows of |f(z)|", "seminorm, nonnegative"},
		{"rms over z in rows of f(z)", "E406"},
		{"d/d(area) f(cat)", "linear, of either sign"},
		{"d/d(area) (2 * f(cat) - f(dog))", "linear, of either sign"},
		{"d/d(area) |f(cat)|", "E409"},
		{"0 * |f(cat)|", "linear, zero"},
	} {
		t.Run(c.expr, func(t *testing.T) {
			n, list := judgedExpression(t, c.expr)
			var got string
			if list.HasErrors() {
				got = string(list[0].Code)
			} else {
				got = fmt.Sprintf("%s, %s", n.Kind, n.Sign)
			}
			if got != c.want || len(list) > 1 {
				t.Errorf("%s, want %s\n%v", got, c.want, list)
			}
		})
	}
}

// judgedExpression compiles an expression at a row, whatever its sign.
func judgedExpression(t *testing.T, expr string) (*tree.Node, diag.List) {
	t.Helper()
	plan, list := check(t, withDefaults("invariance i = sum over x of (|f(animal)| + max {0, "+expr+"})\n"), testOptions(testFiles))
	if list.HasErrors() {
		return nil, list
	}
	defer plan.Close()
	return plan.first.Invariances[0].Root.Kids[0].Kids[1].Kids[1], nil
}

// drawExpression draws an expression, convex or not.
func drawExpression(t *rapid.T, depth int) string {
	leaves := []string{"f(cat)", "f(dog)", "f(animal)", "f(x, cat)", "f(c)"}
	if depth <= 0 {
		return rapid.SampledFrom(leaves).Draw(t, "leaf")
	}
	sub := func() string { return drawExpression(t, depth-1-rapid.IntRange(0, 1).Draw(t, "less")) }
	scalar := rapid.SampledFrom([]string{"2", "0.5", "-1", "3", "0"}).Draw(t, "scalar")
	switch rapid.IntRange(0, 15).Draw(t, "form") {
	case 0, 1:
		return "|" + sub() + "|"
	case 2, 3:
		return "pos(" + sub() + ")"
	case 4:
		return "(" + sub() + " + " + sub() + ")"
	case 5:
		return "(" + sub() + " - " + sub() + ")"
	case 6:
		return scalar + " * (" + sub() + ")"
	case 7, 8:
		return "max {" + sub() + ", " + sub() + "}"
	case 9:
		return "mean {" + sub() + ", " + sub() + "}"
	case 10:
		return "hypot(" + sub() + ", " + sub() + ")"
	case 11:
		return "norm(3) {" + sub() + ", " + sub() + "}"
	case 12:
		return "top(2) {" + sub() + ", " + sub() + ", " + sub() + "}"
	case 13:
		op := rapid.SampledFrom([]string{"max", "sum", "mean", "rms", "norm(1.5)", "top(1)"}).Draw(t, "op")
		return "(" + op + " over x of " + sub() + ")"
	case 14:
		op := rapid.SampledFrom([]string{"max", "sum", "mean", "rms"}).Draw(t, "op")
		return "(" + op + " over c in {cat, dog} of " + sub() + ")"
	}
	return rapid.SampledFrom(leaves).Draw(t, "leaf")
}

// TestJudgedConvexIsConvex draws expressions. Those that the calculus accepts must satisfy Jensen's inequality, be
// homogeneous of the degree that their kind says, have the sign that was proved, and equal the gauge of the functionals
// that grounding makes of them. Those that it refuses must say where.
func TestJudgedConvexIsConvex(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(rt *rapid.T) {
		expr := drawExpression(rt, rapid.IntRange(1, 5).Draw(rt, "depth"))
		src := withDefaults("invariance i = max over x, c in {cat, dog} of " + expr + "\n")
		plan, list := check(t, src, testOptions(testFiles))
		if plan == nil {
			refused := false
			for _, d := range list {
				refused = refused || d.Severity == diag.Error
				if d.Severity == diag.Error && !strings.HasPrefix(string(d.Code), "E4") || d.Subject.IsZero() {
					rt.Fatalf("%v\n%s", d, src)
				}
			}
			if !refused {
				rt.Fatalf("no error says why there is no plan: %v\n%s", list, src)
			}
			return
		}
		defer plan.Close()
		accepted++
		inv := plan.first.Invariances[0]
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		for range 20 {
			jensen(rt, inv.Root, rng, src)
		}
		sameAsGrounded(rt, plan, inv, rng, src)
	})
	if accepted < 3 {
		t.Errorf("only %d expressions were accepted", accepted)
	}
	t.Logf("%d expressions were accepted", accepted)
}

func jensen(t *rapid.T, n *tree.Node, rng *rand.Rand, src string) {
	m := calculus.ModelOf(n, 2)
	u, v, mid, neg := make([]float64, len(m.Order)), make([]float64, len(m.Order)), make([]float64, len(m.Order)), make([]float64, len(m.Order))
	l := rng.Float64()
	for i := range u {
		u[i], v[i] = rng.NormFloat64(), rng.NormFloat64()
		mid[i] = l*u[i] + (1-l)*v[i]
		neg[i] = -u[i]
	}
	a, b, c := m.At(n, u), m.At(n, v), m.At(n, mid)
	if c > l*a+(1-l)*b+1e-9 {
		t.Fatalf("judged %s, but not convex: %v > %v\n%s", n.Kind, c, l*a+(1-l)*b, src)
	}
	if n.Sign == tree.Nonnegative && a < -1e-9 {
		t.Fatalf("judged nonnegative, but %v\n%s", a, src)
	}
	if d := m.At(n, neg); n.Kind == tree.Seminorm && math.Abs(d-a) > 1e-9 {
		t.Fatalf("judged a seminorm, but %v at f and %v at −f\n%s", a, d, src)
	}
	for i := range u {
		u[i] *= 3
	}
	if d := m.At(n, u); math.Abs(d-3*a) > 1e-9*(1+math.Abs(a)) {
		t.Fatalf("not homogeneous: %v at f, %v at 3f\n%s", a, d, src)
	}
}

// sameAsGrounded compares the expression in the abstract model, whose rows are x₁ and x₂, with the gauge of its functionals
// on data of two rows.
func sameAsGrounded(t *rapid.T, plan *Plan, inv *tree.Invariance, rng *rand.Rand, src string) {
	names := []string{"animal", "cat", "dog"}
	data := &plugins.Data{LabelNames: names, Columns: []string{"area"}}
	for range 2 {
		data.Rows.Append([]float64{rng.NormFloat64()})
		data.Labels = append(data.Labels, plugins.Label{Index: []int32{0}, Value: []float64{1}})
	}
	r, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: data})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if err := r.Functionals.Validate(2, 1, 3); err != nil {
		t.Fatal(err)
	}
	gauge := r.Invariances[0].Gauge
	if err := gauge.Validate(); err != nil || gauge.Size() != r.Functionals.Len() {
		t.Fatalf("%v: %d leaves, %d functionals\n%s", err, gauge.Size(), r.Functionals.Len(), src)
	}
	m := calculus.ModelOf(inv.Root, 2)
	f := make([]float64, len(m.Order))
	for i := range f {
		f[i] = rng.NormFloat64()
	}
	b := r.Functionals
	values := make([]float64, b.Len())
	for i := range values {
		for k := b.Start[i]; k < b.Start[i+1]; k++ {
			key := fmt.Sprintf("f(x%c, %s)", '₁'+b.Point[k], names[b.Labels[b.Label[k]].Index[0]])
			at, ok := m.Index[key]
			if !ok {
				t.Fatalf("the gauge has %s, and the expression has not\n%s", key, src)
			}
			values[i] += b.Coef[k] * f[at]
		}
	}
	want, got := m.At(inv.Root, f), gauge.Value(values)
	if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
		t.Fatalf("the gauge is %v, the expression %v\n%s", got, want, src)
	}
}

// TestCounterexamplesAreTrue draws refused expressions, and checks what their diagnostics claim in numbers.
func TestCounterexamplesAreTrue(t *testing.T) {
	for _, expr := range []string{"-|f(cat)|", "f(cat) * f(dog)", "min {f(cat), f(dog)}", "|max {f(cat), f(dog)}|", "-3 * |f(cat)|"} {
		_, list := judgedExpression(t, expr)
		if len(list) != 1 || len(list[0].Values) != 3 {
			t.Errorf("%s: %v shows no two functions", expr, list)
			continue
		}
		var mean, half float64
		line := list[0].Values[2]
		if _, err := fmt.Sscanf(strings.ReplaceAll(line[strings.Index(line, "; value ")+8:], "−", "-"), "%g > %g", &half, &mean); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if half <= mean {
			t.Errorf("%s: %v ≤ %v", expr, half, mean)
		}
	}
}

// TestLongInvariances expands definitions that double their argument again and again.
func TestLongInvariances(t *testing.T) {
	var src strings.Builder
	src.WriteString("def d0(e) = e + e\n")
	for i := range 40 {
		fmt.Fprintf(&src, "def d%d(e) = d%d(e) + d%d(e)\n", i+1, i, i)
	}
	_, list := check(t, withDefaults(src.String()+"invariance i = rms over x of |d40(f(cat))|\n"), testOptions(nil))
	if len(list) != 1 || list[0].Code != codes.TooLarge {
		t.Error(list)
	}
	_, list = check(t, withDefaults(strings.NewReplacer("(e) + d", "(e) and d", "e + e", "age(e) < 3 and age(e) > 2").Replace(src.String())+"invariance i = rms over x where d40(x) of |f(cat)|\n"), testOptions(nil))
	if len(list) != 1 || list[0].Code != codes.TooLarge {
		t.Error(list)
	}
	deep := strings.Repeat("max over x of ", 40) + "-|f(cat)|"
	_, list = check(t, withDefaults("invariance i = "+deep+"\n"), testOptions(nil))
	if len(list) != 1 || list[0].Code != codes.NegatedConvex {
		t.Error(list)
	}
	_, list = check(t, withDefaults("invariance i = "+strings.Repeat("max over x of ", 40)+"(|f(cat)| + 3)\n"), testOptions(nil))
	if len(list) != 1 || list[0].Code != codes.NotHomogeneous {
		t.Error(list)
	}
}

// A definition may be called in an argument of itself: the argument is meant where it is written.
func TestCallsInArguments(t *testing.T) {
	const defs = "def weigh(w, e) = w * e\ndef both(e) = hypot(e, weigh(2, e))\n"
	accepted(t, withDefaults(defs+"invariance i = rms over x of |weigh(2, weigh(3, f(cat)))|\n"), testOptions(nil))
	accepted(t, withDefaults(defs+"invariance i = rms over x of both(weigh(2, both(|f(cat)|)))\n"), testOptions(nil))
	_, list := check(t, withDefaults("def a(e) = b(e)\ndef b(e) = |a(a(e))|\ninvariance i = rms over x of a(f(cat))\n"), testOptions(nil))
	if len(list) != 1 || list[0].Code != codes.Recursive {
		t.Error(list)
	}
}

// A name beside a variable for labels is a label, also where two points are bound or none that has columns.
func TestLabelsInConditions(t *testing.T) {
	for _, set := range []string{`(a, b) in graph("edges.csv")`, "pairs(count = 2)", "z in rows"} {
		src := "invariance i = max over " + set + " of max over c in labels where not animal == c and c != (dog) of |f(c)|\n"
		accepted(t, withDefaults(strings.Replace(src, "f(c)", map[bool]string{true: "f(a, c)", false: "f(c)"}[set[0] == '('], 1)), testOptions(testFiles))
	}
}
