package compiler

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/explain"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/plugins"
)

// sameAsGolden compares a text with a golden file.
func sameAsGolden(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Error(d)
	}
}

const explainedSpec = `
data { target animal, cat, dog : multilabel }
kernel gaussian(width = median)
features nystrom(landmarks = all)
def gap(a, b) = |f(a) - f(b)|
invariance logic = rms over x of hypot(max {implies(cat, animal), implies(dog, animal)}, excludes(cat, dog))
invariance near  = rms over x in sample(2) of gap(cat, dog)
invariance mixed = max over x, c in {cat, dog} where c != cat of (top(2) {|f(c)|, pos(f(animal)), 2 * |f(dog)|} + 0 * |f(cat)|)
regularize logic, 0.5 * near, mixed
evaluate under {move(amount = 2, column = age)}
`

func TestExplain(t *testing.T) {
	plan := accepted(t, explainedSpec, testOptions(nil))
	r, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: testData(5, []string{"animal", "cat", "dog"}, func() float64 { return 1 })})
	if err != nil {
		t.Fatal(err)
	}
	ex := plan.At(nil).Explain(r)
	sameAsGolden(t, "testdata/explain.golden", ex.Shown())
	object, err := json.MarshalIndent(ex, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	sameAsGolden(t, "testdata/explain.json.golden", string(object)+"\n")
}

// The rules of the proof are those of the table in docs/language.md.
func TestProofsUseTheRules(t *testing.T) {
	known := map[string]bool{tree.ANumber: true}
	for _, list := range calculus.Rules {
		for _, r := range list {
			known[r.Text] = true
		}
	}
	var visit func(s *explain.Step)
	visit = func(s *explain.Step) {
		if !known[s.Rule] {
			t.Errorf("%s: the rule %q is none", s.Text, s.Rule)
		}
		if s.Place.Start.Line == 0 {
			t.Errorf("%s stands nowhere", s.Text)
		}
		for i := range s.Parts {
			visit(&s.Parts[i])
		}
	}
	for _, inv := range accepted(t, explainedSpec, testOptions(nil)).Explain().Invariances {
		visit(&inv.Proof)
	}
}

func TestMembersSayWhatFunctionalsStandFor(t *testing.T) {
	files := map[string]string{"edges.csv": "a,b\nr1,r3\nr4,r2\n", "topics.csv": "child,parent\ncat,animal\ndog,animal\n"}
	ids := []string{"r1", "r2", "r3", "r4"}
	for _, c := range []struct {
		expr string
		want []string // some members: number, part, bindings
	}{
		{"rms over x of hypot(max {implies(cat, animal), implies(dog, animal)}, excludes(cat, dog))", []string{
			"0 implies(cat, animal) x = row r1", "4 implies(dog, animal) x = row r2", "11 excludes(cat, dog) x = row r4",
		}},
		{"rms over x of max over (a, b) in edges(topics) of implies(a, b)", []string{
			"1 implies(dog, animal) x = row r1, a = dog, b = animal",
		}},
		{"rms over (u, v) in graph(\"edges.csv\") of |f(u, cat) - f(v, cat)|", []string{
			"1 |f(u, cat) - f(v, cat)| u = row r4, v = row r2",
		}},
		{"rms over x where not area == 0 of max over t in {move(age, 1), move(age, -1)} of |f(t(x), cat) - f(x, cat)|", []string{
			"1 |f(move(age, -1)(x), cat) - f(x, cat)| x = row r1, t = move(age, -1)",
		}},
		{"rms over x of ((|f(x, cat)| + 2 * |f(x, dog)|) / 5 + 3 * area(x) * implies(cat, animal) + |f(x, animal)| / (1 + area(x) * area(x)))", []string{
			"0 |f(x, cat)| x = row r1", "1 2·|f(x, dog)| x = row r1", "2 3·area(x)·implies(cat, animal) x = row r1",
			"3 1/(1 + area(x)·area(x))·|f(x, animal)| x = row r1",
		}},
		{"max over c in {cat, dog} of |mean over x of f(c)|", []string{"1 |mean over x of f(dog)| c = dog"}},
	} {
		plan := accepted(t, withDefaults("invariance i = "+c.expr+"\n"), testOptions(files))
		data := testData(4, []string{"animal", "cat", "dog"}, func() float64 { return 1 })
		r, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: data, Column: testColumn(data), RowID: func(i int) string { return ids[i] }})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			var i int
			if _, err := fmt.Sscan(want, &i); err != nil {
				t.Fatal(err)
			}
			m := r.Invariances[0].Members.At(i)
			var bindings []string
			for _, b := range m.Bindings {
				bindings = append(bindings, b.Variable+" = "+b.Value)
			}
			if got := fmt.Sprintf("%d %s %s", i, m.Part, strings.Join(bindings, ", ")); got != want {
				t.Errorf("%s: %s, want %s", c.expr, got, want)
			}
		}
	}
}

// Functionals are of one group where they are the same part with the same labels and transformations, however deep the part lies.
func TestGroupsAreStatements(t *testing.T) {
	for _, expr := range []string{
		"rms over x of hypot(max {implies(cat, animal), implies(dog, animal)}, excludes(cat, dog))",
		"rms over x of hypot(max {implies(cat, animal), hypot(|f(cat)|, |f(dog)|), |f(animal)|}, max {excludes(cat, dog), |f(cat)|})",
		"rms over x of ((max over c in {cat, dog} of hypot(implies(c, animal), |f(c)|)) + excludes(cat, dog))",
		"rms over x of max over t in {move(age, 1), move(age, -1)} of hypot(|f(t(x), cat) - f(x, cat)|, |f(t(x), dog)|)",
	} {
		plan := accepted(t, withDefaults("invariance i = "+expr+"\n"), testOptions(nil))
		data := testData(4, []string{"animal", "cat", "dog"}, func() float64 { return 1 })
		r, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: data})
		if err != nil {
			t.Fatal(err)
		}
		inv := r.Invariances[0]
		parts, groups, rowsOf := map[int]string{}, map[string]int{}, inv.Members.Rows()
		for i := range inv.Count {
			m := inv.Members.At(i)
			part, group := m.Part, inv.Members.Group(i)
			if got := slices.Compact(slices.Sorted(slices.Values(slices.Concat(rowsOf(i)...)))); !slices.Equal(got, slices.Sorted(slices.Values(m.Rows()))) {
				t.Errorf("%s is about the rows %v, and its variables stand for %v", part, m.Rows(), got)
			}
			if p, ok := parts[group]; ok && p != part {
				t.Errorf("%s: group %d is both %s and %s", expr, group, p, part)
			}
			parts[group] = part
			groups[part]++
		}
		for part, count := range groups {
			if count%4 != 0 {
				t.Errorf("%s: %s has %d members on 4 rows", expr, part, count)
			}
		}
	}
}

// The theorems are claimed of seminorms whose squares are differentiable everywhere, and of no others.
func TestTheoremsAreClaimedOfSmoothSeminorms(t *testing.T) {
	for body, want := range map[string]string{
		"rms over x of |f(cat)|":                                                    "smooth seminorm",
		"norm(3) over x of hypot(|f(cat)|, |f(dog)|)":                               "smooth seminorm",
		"|mean over x of f(cat)|":                                                   "smooth seminorm",
		"rms over x of 2 * max {|f(cat)|}":                                          "smooth seminorm",
		"rms over x of max {|f(cat)|, |f(dog)|}":                                    "seminorm",
		"rms over x of sum {|f(cat)|, |f(dog)|}":                                    "seminorm",
		"norm(1) over x of |f(cat)|":                                                "seminorm",
		"mean over x of |f(cat)|":                                                   "seminorm",
		"top(2) over x of |f(cat)|":                                                 "seminorm",
		"rms over x of |f(cat)|\ninvariance j = max over x of |f(dog)|":             "seminorm",
		"rms over x of pos(f(cat))":                                                 "sublinear",
		"rms over x of |f(cat)|\ninvariance j = rms over x of implies(cat, animal)": "sublinear",
	} {
		ex := accepted(t, withDefaults("invariance i = "+body), testOptions(testFiles)).Explain()
		theorems := want == "smooth seminorm"
		if ex.Kind != want || ex.Theorems != theorems || strings.Contains(ex.Theory, "not claimed") == theorems {
			t.Errorf("%s: %q, theorems %v, %q; want %q", body, ex.Kind, ex.Theorems, ex.Theory, want)
		}
	}
}

// TestPolarsAreWrittenOut compares the polar that is printed, whose text is an expression of the language with multipliers
// for functionals, with the polar of the gauge. In each case the functionals are the labels' own values.
func TestPolarsAreWrittenOut(t *testing.T) {
	const rows = 4
	for _, c := range []struct {
		expr   string
		polar  string // what is printed
		same   string // the polar with f in place of c, but for a factor
		factor float64
	}{
		{"rms over x of |f(cat)|", "n · rms over x of |c(x)|", "rms over x of |f(cat)|", rows},
		{"mean over x of |f(cat)|", "n · max over x of |c(x)|", "max over x of |f(cat)|", rows},
		{"max over x of pos(f(cat))", "sum over x of c(x)", "sum over x of pos(f(cat))", 1},
		{"sum over x of |f(cat)|", "max over x of |c(x)|", "max over x of |f(cat)|", 1},
		{"norm(3) over x of |f(cat)|", "norm(1.5) over x of |c(x)|", "norm(1.5) over x of |f(cat)|", 1},
		{
			"top(2) over x of |f(cat)|", "max {max over x of |c(x)|, 0.5 · sum over x of |c(x)|}",
			"max {max over x of |f(cat)|, 0.5 * sum over x of |f(cat)|}", 1,
		},
		{
			"3 * rms over x of hypot(max {pos(f(cat)), |f(dog)|}, pos(f(animal)))",
			"0.3333 · n · rms over x of hypot(sum {c₁(x), |c₂(x)|}, c₃(x))",
			"rms over x of hypot(sum {pos(f(cat)), |f(dog)|}, pos(f(animal)))", rows / 3.0,
		},
		{
			"rms over x of mean {|f(cat)|, 2 * |f(dog)|}", "n · rms over x of max {2 · |c₁(x)|, 2 · |c₂(x)|}",
			"rms over x of max {2 * |f(cat)|, 2 * |f(dog)|}", rows,
		},
	} {
		t.Run(c.expr, func(t *testing.T) {
			grounded := func(expr string) (*Plan, func(v []float64, polar bool) float64) {
				plan := accepted(t, withDefaults("invariance i = "+expr+"\n"), testOptions(nil))
				r, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: testData(rows, []string{"animal", "cat", "dog"}, func() float64 { return 1 })})
				if err != nil {
					t.Fatal(err)
				}
				return plan, func(v []float64, polar bool) float64 {
					values := labelValues(r.Functionals, v)
					if polar {
						return r.Invariances[0].Gauge.Polar(multipliers(r.Functionals, v))
					}
					return r.Invariances[0].Gauge.Value(values)
				}
			}
			plan, rho := grounded(c.expr)
			if got := plan.Explain().Invariances[0].Ball.Polar; got != c.polar {
				t.Errorf("the polar is %s, want %s", got, c.polar)
			}
			_, dual := grounded(c.same)
			rng := rand.New(rand.NewPCG(1, 2))
			for range 20 {
				v := make([]float64, 3*rows)
				for i := range v {
					v[i] = rng.Float64()
				}
				if got, want := c.factor*dual(v, false), rho(v, true); math.Abs(got-want) > 1e-9*want {
					t.Fatalf("what is printed comes to %v, the polar of the gauge is %v", got, want)
				}
			}
		})
	}
}

// labelValues are the values of functionals at f(x_i, label l) = v[3i+l].
func labelValues(b *plugins.Block, v []float64) []float64 {
	t := make([]float64, b.Len())
	for i := range t {
		for k := b.Start[i]; k < b.Start[i+1]; k++ {
			t[i] += b.Coef[k] * v[3*b.Point[k]+b.Labels[b.Label[k]].Index[0]]
		}
	}
	return t
}

// multipliers are c with c·t = v·f for functionals that are multiples of one value each: a multiple's multiplier is that
// much smaller.
func multipliers(b *plugins.Block, v []float64) []float64 {
	c := make([]float64, b.Len())
	for i := range c {
		k := b.Start[i]
		c[i] = v[3*b.Point[k]+b.Labels[b.Label[k]].Index[0]]
	}
	return c
}
