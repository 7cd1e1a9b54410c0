package compiler

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
)

// A mutation is a rule of the calculus made wrong.
type mutation struct {
	op   tree.Op
	text string // of the rule
	name string
	when func([]tree.Judged, *tree.Node) bool // nil: as it was
	then func([]tree.Judged, *tree.Node) (tree.Kind, tree.Sign)
}

// claim is a conclusion that does not look at the parts.
func claim(kind tree.Kind, sign tree.Sign) func([]tree.Judged, *tree.Node) (tree.Kind, tree.Sign) {
	return func([]tree.Judged, *tree.Node) (tree.Kind, tree.Sign) { return kind, sign }
}

// strongest is the kind of a sum where a linear part beside a seminorm is taken for one.
func strongest(parts []tree.Judged, _ *tree.Node) (tree.Kind, tree.Sign) {
	kind := tree.Linear
	for _, j := range parts {
		if !j.Zero() {
			kind = max(kind, j.Kind)
		}
	}
	return kind, calculus.Total(parts)
}

// hopeful is a sum that is nonnegative if one of its parts is.
func hopeful(parts []tree.Judged, n *tree.Node) (tree.Kind, tree.Sign) {
	return calculus.Weakest(parts), calculus.Largest(parts, n)
}

const (
	linearSum    = "a sum of linear parts is linear"
	convexSum    = "a sum of convex parts keeps the weakest kind"
	linearMean   = "a mean of linear parts is linear"
	convexMean   = "a mean of convex parts keeps the weakest kind"
	convexMax    = "a maximum of convex parts is sublinear, and nonnegative if one of them is"
	symmetricMax = "a maximum of linear parts and their negatives is a seminorm"
)

var mutations = []mutation{
	{tree.OpLeaf, "f and its derivatives are linear in f", "nonnegative", nil, claim(tree.Linear, tree.Nonnegative)},
	{tree.OpNeg, "minus linear is linear", "of any part", calculus.Always, nil},
	{tree.OpScale, "zero times anything is zero", "for negative numbers too", func(_ []tree.Judged, n *tree.Node) bool { return n.Num <= 0 }, nil},
	{tree.OpScale, "a multiple of linear is linear", "of any part", calculus.Always, nil},
	{tree.OpScale, "a positive multiple keeps kind and sign", "for negative numbers too", calculus.Always, nil},
	{tree.OpScale, "a multiple by data that are nowhere negative keeps kind and sign", "for negative numbers too", func(_ []tree.Judged, n *tree.Node) bool { return n.By != nil }, nil},
	{tree.OpAdd, "linear parts that cancel are zero", "whether or not they do", calculus.AllLinear, nil},
	{tree.OpAdd, linearSum, "of any parts", calculus.Always, nil},
	{tree.OpAdd, convexSum, "a seminorm and a linear part are a seminorm", nil, strongest},
	{tree.OpAdd, convexSum, "nonnegative if one part is", nil, hopeful},
	{tree.OpAbs, "the absolute value of linear is a seminorm", "of any part", calculus.Always, nil},
	{tree.OpAbs, "the absolute value of linear is a seminorm", "linear", nil, claim(tree.Linear, tree.Nonnegative)},
	{tree.OpAbs, "the absolute value of a nonnegative part is that part", "of any part", calculus.Always, nil},
	{tree.OpPos, "the positive part of a nonnegative part is that part", "of any part", calculus.Always, nil},
	{tree.OpPos, "the positive part of a convex part is sublinear", "a seminorm", nil, claim(tree.Seminorm, tree.Nonnegative)},
	{tree.OpMax, "a maximum of nonnegative parts keeps the weakest kind", "of any parts", calculus.Always, nil},
	{tree.OpMax, symmetricMax, "of any linear parts", calculus.AllLinear, nil},
	{tree.OpMax, convexMax, "a seminorm", nil, claim(tree.Seminorm, tree.UnknownSign)},
	{tree.OpMax, convexMax, "linear", nil, claim(tree.Linear, tree.UnknownSign)},
	{tree.OpMax, convexMax, "always nonnegative", nil, claim(tree.Sublinear, tree.Nonnegative)},
	{tree.OpSum, linearSum, "of any parts", calculus.Always, nil},
	{tree.OpSum, convexSum, "a seminorm and a linear part are a seminorm", nil, strongest},
	{tree.OpSum, convexSum, "nonnegative if one part is", nil, hopeful},
	{tree.OpMean, linearMean, "of any parts", calculus.Always, nil},
	{tree.OpMean, convexMean, "a seminorm and a linear part are a seminorm", nil, strongest},
	{tree.OpMean, convexMean, "nonnegative if one part is", nil, hopeful},
	{tree.OpNorm, "a norm of nonnegative parts keeps the weakest kind", "of any parts", calculus.Always, nil},
	{tree.OpNorm, "a norm of nonnegative parts keeps the weakest kind", "a seminorm", nil, claim(tree.Seminorm, tree.Nonnegative)},
	{tree.OpTop, "the sum of the largest nonnegative parts keeps the weakest kind", "of any parts", calculus.Always, nil},
	{tree.OpTop, "the sum of the largest nonnegative parts keeps the weakest kind", "a seminorm", nil, claim(tree.Seminorm, tree.Nonnegative)},
}

// applied is the calculus with the mutation.
func (m *mutation) applied(t *testing.T) calculus.Set {
	t.Helper()
	for _, r := range calculus.Rules[m.op] {
		if r.Text != m.text {
			continue
		}
		wrong := r
		if m.when != nil {
			wrong.When = m.when
		}
		if m.then != nil {
			wrong.Then = m.then
		}
		return with(calculus.Rules, m.op, m.text, wrong)
	}
	t.Fatalf("there is no rule %q", m.text)
	return nil
}

// A drawnText is a spec that was drawn.
type drawnText struct {
	shape
	bodies []string
}

// fault is what the properties of judged expressions find wrong with a spec that is judged by some rules.
func (s drawnText) fault(t *testing.T, by calculus.Set) string {
	t.Helper()
	d, fault := compileDrawn(t.Context(), s.shape, s.bodies, by)
	if fault != "" {
		return ""
	}
	defer d.plan.Close()
	rng := rand.New(rand.NewPCG(1, uint64(len(s.bodies[0]))))
	d.enumerate(1+rng.IntN(4), rng.Uint64())
	d.choose(rng.IntN)
	part := d.parts[0]
	if part.root == nil || d.spoilt(part) {
		return ""
	}
	j := judgmentsOf(part)
	for range 4 {
		if _, fault := d.jensen(part.body, j, rng); fault != "" {
			return fault
		}
	}
	return ""
}

// TestMutationsAreNoticed makes one rule of the calculus wrong after the other. The properties that TestWhatIsJudgedHolds asserts must
// fail for one of the expressions that it draws, and for none where the rules are right.
func TestMutationsAreNoticed(t *testing.T) {
	const most = 4000
	drawn := rapid.Custom(func(t *rapid.T) drawnText {
		sh, bodies := drawBodies(t, 30, false, 1)
		return drawnText{sh, bodies}
	})
	var sources []drawnText
	take := func(i int) drawnText {
		for len(sources) <= i {
			sources = append(sources, drawn.Example(len(sources)))
		}
		return sources[i]
	}
	mutated := map[string]bool{}
	used := 0
	for _, m := range mutations {
		mutated[m.text] = true
		by := m.applied(t)
		i := 0
		for i < most && take(i).fault(t, by) == "" {
			i++
		}
		used = max(used, i)
		if i == most {
			t.Errorf("nothing notices %q, %s", m.text, m.name)
		}
		t.Logf("%4d specs until %q, %s, is noticed", i+1, m.text, m.name)
	}
	for _, text := range calculus.RuleTexts() {
		if !mutated[text] {
			t.Errorf("no mutation of the rule %q", text)
		}
	}
	for i := range min(used+1, 300) {
		if fault := take(i).fault(t, calculus.Rules); fault != "" {
			t.Fatalf("%s\n%s", fault, take(i).bodies)
		}
	}
}
