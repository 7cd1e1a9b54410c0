package compiler

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/plugins"
)

// Rows are copied under what an invariance wants f to be the same under, and under nothing else.
func TestCopies(t *testing.T) {
	for _, c := range []struct{ name, spec, copies, why string }{
		{"a set", "rms over x of max over t in {move(age, 2), move(age, -2)} of |f(t(x)) - f(x)|", "move(age, 2) | move(age, -2)", ""},
		{"the other way round", "rms over x, t in {move(area, 3)} of |f(x) - f(t(x))|", "move(area, 3)", ""},
		{"a let and a bare map", "rms over x of (|f(two(x)) - f| + |f(move(age, 2)) - f|)", "move(area, 3) | move(age, 2)", ""},
		{
			"a composition", "rms over x of max over s in {move(area, 3)}, t in {move(age, 1), move(age, 2)} of |f(t(s(x))) - f(x)|",
			"move(area, 3), then move(age, 1) | move(area, 3), then move(age, 2)", "",
		},
		{
			"one element twice", "rms over x, t in {move(area, 3), move(age, 1)} of |f(t(t(x))) - f(x)|",
			"move(area, 3), then move(area, 3) | move(age, 1), then move(age, 1)", "",
		},
		{"a factor of the data", "rms over x of |age * (f(move(area, 3)) - f)|", "move(area, 3)", ""},
		{
			"places on a path", "rms over x, p in pairs(count = 2), t in {move(area, 3)} of |f(t(x)) - f(x) + f(p(1)) - f(p(0))|", "",
			"need not have the target",
		},
		{"two factors of the data", "rms over x of |age * f(move(area, 3)) - area * f|", "", "need not have the target"},
		{"a mean", "rms over x of |mean over t in {move(area, 3), move(age, 1)} of f(t(x)) - f|", "move(area, 3) | move(age, 1)", ""},
		{"a sum", "rms over x of |sum over t in {move(area, 3), move(age, 1)} of f(t(x)) - 2 * f|", "move(area, 3) | move(age, 1)", ""},
		{"the same twice", "rms over x, t in {move(area, 3), move(area, 3)} of |f(t(x)) - f(x)|", "move(area, 3)", ""},
		{"a two-sided part beside a one-sided one", "rms over x of (pos(f(move(age, 1)) - f) + |f(move(area, 3)) - f|)", "move(area, 3)", ""},
		{"one-sided", "rms over x of pos(f - f(move(age, 1)))", "", "one-sided"},
		{"odd", "rms over x of |f(move(area, 3)) + f|", "", "need not have the target"},
		{"scaled", "rms over x of |f(move(area, 3)) - 2 * f|", "", "need not have the target"},
		{"another row", `rms over (a, b) in graph("edges.csv") of |f(two(a)) - f(b)|`, "", `points of graph("edges.csv"), not of every row`},
		{"a path", "rms over pairs of |f(two(x)) - f(x)|", "", "points of pairs, not of every row"},
		{"a slope along a path", "rms over pairs of |d/dλ f|", "", "points of pairs, which are not transformed rows"},
		{"means", "|mean over x of f(move(area, 3)) - mean over x of f|", "", "sums over rows"},
		{"a condition", "rms over x where age > 1 of |f(move(area, 3)) - f|", "", "a condition on columns"},
		{"labels of rows", "rms over x of |f(double()) - f|", "", "needs the labels of rows"},
		{"a derivative along a map", "rms over x of |d/ddouble f|", "", "a derivative"},
		{"a derivative", "rms over x of |d/d(age) f|", "", "no transformed row"},
	} {
		plan := accepted(t, "data { target price : real }\nkernel linear\nfeatures exact\nlet two = move(area, 3)\ninvariance own = "+c.spec+"\n", testOptions(testFiles))
		copies, without := plan.At(nil).Copies()
		var texts []string
		for _, one := range copies {
			texts = append(texts, one.Text)
		}
		if got := strings.Join(texts, " | "); got != c.copies {
			t.Errorf("%s: copies under %q, want %q", c.name, got, c.copies)
		}
		if (c.why == "") != (len(without) == 0) || c.why != "" && !strings.Contains(without[0].Why, c.why) {
			t.Errorf("%s: %+v, want %q", c.name, without, c.why)
		}
	}
}

// Labels that are exchanged under a transformation are not the row's own.
func TestCopiesOfLabels(t *testing.T) {
	for spec, want := range map[string]int{
		"rms over x of max over t in {move(area, 3)}, c in labels of |f(t(x), c) - f(x, c)|": 1,
		"rms over x of max over t in {move(area, 3)} of |f(t(x), cat) - f(x, dog)|":          0,
	} {
		plan := accepted(t, jointSpec+"invariance mine = "+spec+"\nregularize mine\n", testOptions(testFiles))
		if copies, _ := plan.At(nil).Copies(); len(copies) != want {
			t.Errorf("%s: %d copies, want %d", spec, len(copies), want)
		}
	}
}

// A composition moves rows by its parts one after the other, under method plain too, and what R does not take is left out.
func TestCopiesMoveRows(t *testing.T) {
	plan := accepted(t, `data { target price : real }
kernel linear
features exact
method plain
invariance own   = rms over x of max over s in {move(area, 3)}, t in {move(age, 2)} of |f(t(s(x))) - f(x)|
invariance other = rms over x of |f(move(area, 3)) - f|
regularize own, 0 * other
`, testOptions(nil))
	copies, without := plan.At(nil).Copies()
	if len(copies) != 1 {
		t.Fatalf("%d copies: %v", len(copies), without)
	}
	got, err := copies[0].Apply(t.Context(), testData(2, nil, func() float64 { return 1 }), 0)
	if err != nil {
		t.Fatal(err)
	}
	want := plugins.Matrix{Rows: 2, Cols: 3, Data: []float64{2.5, 5, 1, 2.5, 5, 1}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
