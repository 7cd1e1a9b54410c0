package compiler

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

func TestSettings(t *testing.T) {
	plan := accepted(t, `
data {
    target  digit : binary(-4, "nine")
    columns image(28, 28)
    split   train = 100, test = 50
    missing mean
    standardize
    scale   255
}
let s = 0.25
kernel   gaussian(2 * s * median)
features nystrom(landmarks = 2n, rank = 7, select = kmeans, seed = 3)
method   plain
seed     42
learn    logistic(C = grid(0.1, 10))
evaluate under {rotate(15deg), shift(dx = 2)}
`, testOptions(nil))
	want := setting.Data{
		Target:  setting.Target{Names: []string{"digit"}, Task: setting.Binary, Classes: [2]string{"-4", "nine"}},
		Columns: setting.Columns{Height: 28, Width: 28}, Split: setting.Split{Train: 100, Test: 50}, Missing: "mean", Standardize: true, Scale: 255,
	}
	if d := cmp.Diff(want, plan.Data); d != "" {
		t.Error(d)
	}
	in := plan.At([]int{1})
	if d := cmp.Diff(setting.Kernel{Kind: "gaussian", Width: 0.5, OfMedian: true}, in.Kernel); d != "" {
		t.Error(d)
	}
	features := setting.Features{Kind: "nystrom", Landmarks: setting.CountLandmarks, PerRow: 2, Rank: 7, Draw: "kmeans", Seed: 3, HasSeed: true}
	if d := cmp.Diff(features, in.Features); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(setting.Learner{Kind: "logistic", Strength: 10}, in.Learn); d != "" {
		t.Error(d)
	}
	if in.Method != setting.Plain || plan.Seed != 42 || !plan.HasSeed {
		t.Errorf("method %s, seed %d", in.Method, plan.Seed)
	}
	if d := cmp.Diff([]GridParam{{Name: "logistic.C", Values: []float64{0.1, 10}, Texts: []string{"0.1", "10"}, Written: []string{"0.1", "10"}, LearnerOnly: true}}, plan.Grid, cmpopts.IgnoreTypes(diag.Span{})); d != "" {
		t.Error(d)
	}
}

func TestDefaults(t *testing.T) {
	for target, learner := range map[string]setting.Learner{
		"a : real": {Kind: "ridge", Strength: 1}, "a : class": {Kind: "softmax", Strength: 100}, "a : binary(1, 2)": {Kind: "svm", Strength: 1},
		"a, b : multilabel": {Kind: "svm", Strength: 1},
	} {
		in := accepted(t, "data { target "+target+" }\nkernel gaussian\nfeatures nystrom\n", testOptions(nil)).At(nil)
		if in.Learn != learner || in.Learn.String() != in.Explain(nil).Learner || in.Method != setting.Plain || in.Kernel.Width != 1 || !in.Kernel.OfMedian || in.Features.Landmarks != setting.AllLandmarks {
			t.Errorf("%s: %+v", target, in)
		}
	}
}

func TestAtFromSeveralGoroutines(t *testing.T) {
	plan := accepted(t, jointSpec+"learn svm(C = grid(1, 2, 3, 4))\n", testOptions(testFiles))
	data := testData(5, []string{"animal", "cat", "dog"}, func() float64 { return 1 })
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			in := plan.At([]int{i})
			if _, err := in.Ground(t.Context(), &ground.Data{Data: data}); err != nil || in.Learn.Strength != float64(i+1) {
				t.Error(err, in.Learn.Strength)
			}
		})
	}
	wg.Wait()
}

func TestGridIsCheckedForEveryValue(t *testing.T) {
	for expr, code := range map[string]diag.Code{
		"rms over x of grid(1, 2, -1) * |f(cat)|":            codes.NegativeFactor,
		"rms over x of grid(1, 2, 0) * |f(cat)|":             codes.AlwaysZero,
		"rms over x of (grid(1, 2) - grid(0, 3)) * |f(cat)|": codes.NegativeFactor,
		"norm(grid(2, 0.5)) over x of |f(cat)|":              codes.OutOfRange,
	} {
		_, list := check(t, withDefaults(expr), testOptions(nil))
		if len(list) != 1 || list[0].Code != code {
			t.Errorf("%s: %v", expr, list)
		}
	}
}

func TestGridIsFixed(t *testing.T) {
	plan := accepted(t, `
data { target a, b : multilabel }
let w = grid(1, 2)
kernel   gaussian(width = grid(0.5, 1) * median)
features exact
invariance i = rms over x of |w * f(a)|
invariance j = rms over x of |f(b)|
regularize grid(0, 3) * j, w * i
learn svm(C = w + 1)
`, testOptions(nil))
	var names []string
	for _, g := range plan.Grid {
		if g.LearnerOnly {
			t.Errorf("%s does not concern the learner alone", g.Name)
		}
		names = append(names, g.Name)
	}
	if d := cmp.Diff([]string{"gaussian.width", "w", "factor of j"}, names); d != "" {
		t.Fatal(d)
	}
	data := testData(2, []string{"a", "b"}, func() float64 { return 1 })
	for _, c := range []struct {
		choice []int
		c      float64
		width  float64
		terms  int
		coef   float64
	}{{nil, 2, 0.5, 1, 1}, {[]int{1, 0, 0}, 2, 1, 1, 1}, {[]int{0, 1, 1}, 3, 0.5, 2, 1}} {
		in := plan.At(c.choice)
		if in.Learn.Strength != c.c || in.Kernel.Width != c.width {
			t.Errorf("%v: C = %v, width = %v", c.choice, in.Learn.Strength, in.Kernel.Width)
		}
		r, err := in.Ground(t.Context(), &ground.Data{Data: data})
		if err != nil || len(r.Invariances) != c.terms {
			t.Errorf("%v: %v, %v", c.choice, r, err)
		}
	}
}

func TestSet(t *testing.T) {
	src := "let c = 1\nlet λ = 2\nlearn svm(C = c * λ)\ninvariance i = rms over x of |f(cat)|\n"
	for _, c := range []struct {
		set  map[string]string
		c    float64
		code diag.Code
	}{
		{map[string]string{"c": "3"}, 6, ""},
		{map[string]string{"lambda": "5"}, 5, ""},
		{map[string]string{"λ": "1/4"}, 0.25, ""},
		{map[string]string{"d": "3"}, 0, codes.WrongOverride},
		{map[string]string{"c": "3 +"}, 0, codes.WrongOverride},
		{map[string]string{"c": "\"x\""}, 0, codes.WrongType},
	} {
		opts := testOptions(nil)
		opts.Set = c.set
		plan, list := check(t, withDefaults(src), opts)
		switch {
		case c.code != "":
			if len(list) != 1 || list[0].Code != c.code {
				t.Errorf("%v: %v", c.set, list)
			}
		case plan == nil || plan.At(nil).Learn.Strength != c.c:
			t.Errorf("%v: %v", c.set, list)
		}
	}
}

// An override of no let says which lets there are, and what else to write.
func TestWrongOverrides(t *testing.T) {
	var many strings.Builder
	for c := 'a'; c <= 'o'; c++ {
		fmt.Fprintf(&many, "let n%c = 1\n", c)
	}
	for _, c := range []struct{ lets, name, value, detail, mend string }{
		{"let wide = 1\nlet cost = 2\n", "widht", "2", "it has cost, wide.", "Did you mean wide?"},
		{"let wide = 1\nlet cost = 2\n", "method", "risk", "it has cost, wide.", "Write --method risk to sipc run."},
		{"", "seed", "3", "it has none.", "Write --seed 3 to sipc run."},
		{"", "strength", "3", "it has none.", "let strength = …"},
		{"", "svm.C", "3", "it has none.", "let weight = …"},
		{"let cost = 2\n", "train", "30", "it has cost.", "split train = training."},
		{many.String(), "elsewhere", "1", "it has na, nb, nc, nd, ne, nf, ng, nh, ni, nj, nk, nl and 3 more.", "let elsewhere = …"},
	} {
		opts := testOptions(nil)
		opts.Set = map[string]string{c.name: c.value}
		_, list := check(t, withDefaults(c.lets+"invariance own = rms over x of |f(cat)|\n"), opts)
		at := slices.IndexFunc(list, func(d *diag.Diagnostic) bool { return d.Code == codes.WrongOverride })
		if at < 0 || !strings.Contains(list[at].Detail, c.detail) || !strings.Contains(list[at].Mend, c.mend) {
			t.Errorf("--set %s=%s: %v", c.name, c.value, list)
		}
	}
}

func TestTransforms(t *testing.T) {
	plan := accepted(t, "data { target price : real }\nkernel linear\nfeatures exact\nlet t = double\nevaluate under {move(age, 2), double()}\n", testOptions(nil))
	data := testData(3, nil, func() float64 { return 1 })
	want := []plugins.Matrix{{Rows: 3, Cols: 3}, {Rows: 3, Cols: 3}}
	for range 3 {
		want[0].Data = append(want[0].Data, 1, 5, 1)
		want[1].Data = append(want[1].Data, 2, 2, 2)
	}
	var texts []string
	for i, tr := range plan.At(nil).Transforms() {
		texts = append(texts, tr.Text)
		m, err := tr.Apply(t.Context(), data, 0)
		if d := cmp.Diff(want[i], m); err != nil || d != "" {
			t.Error(tr.Text, err, d)
		}
	}
	if d := cmp.Diff([]string{"move(age, 2)", "double()"}, texts); d != "" {
		t.Error(d)
	}
}

func TestTaxonomyFormats(t *testing.T) {
	labels := []string{"animal", "cat", "dog", "tabby"}
	edges := []plugins.Edge{{Child: 1, Parent: 0}, {Child: 2, Parent: 0}, {Child: 3, Parent: 1}}
	for name, content := range map[string]string{
		"csv":      "child,parent\ncat,animal\ndog,animal\ntabby,cat\n",
		"reversed": "parent, child\nanimal,cat\nanimal,dog\ncat,tabby\n",
		"lines":    "0 1\n0 2\n1 3\n",
		"words":    "animal cat\nanimal dog\ncat tabby\n",
		"obo":      "format-version: 1.2\n\n[Term]\nid: X:0\nname: animal\n\n[Term]\nid: X:1\nname: cat\nis_a: X:0 ! animal\n\n[Term]\nid: X:2\nname: hound\nalt_id: dog\nis_a: X:0\n\n[Term]\nid: X:3\nname: tabby\nis_a: X:1\n\n[Term]\nid: X:4\nis_obsolete: true\nis_a: X:0\n\n[Typedef]\nid: X:5\nis_a: X:0\n",
		"between":  "child,parent\ncat,animal\ndog,pet\npet,animal\ntabby,cat\n",
	} {
		tax, err := tree.ParseTaxonomy([]byte(content))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, missing := tax.Resolve(labels)
		if d := cmp.Diff(edges, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if (len(missing) > 0) != (name == "between") {
			t.Errorf("%s: %v are missing", name, missing)
		}
	}
	for _, content := range []string{"", "child,parent\n", "a,b\n1,2\n", "1 2 3\n", "child,parent\ncat,\n", "child,parent\n\"cat\n"} {
		if _, err := tree.ParseTaxonomy([]byte(content)); err == nil {
			t.Errorf("%q was read", content)
		}
	}
}

func TestGroundErrors(t *testing.T) {
	const price = "data { target price : real }\n"
	for _, c := range []struct {
		src  string
		code diag.Code
		at   string
	}{
		{price + "invariance i = rms over x of |d/d(aera) f|\n", codes.ColumnNotInData, "aera"},
		{price + "invariance i = rms over x where aera > 1 of |f|\n", codes.ColumnNotInData, "aera"},
		{price + "invariance i = rms over x where area > 1000 of |f|\n", codes.EmptyIndexSet, "area > 1000"},
		{price + "invariance i = " + strings.Repeat("max over x of ", 60) + "|f|\n", codes.TooLarge, "i"},
		{price + "invariance i = rms over x where region > 3 of |f|\n", codes.Incomparable, "region > 3"},
		{price + "invariance i = rms over x where region < floor of |f|\n", codes.Incomparable, "region < floor"},
		{price + "invariance i = rms over x where area == \"north\" of |f|\n", codes.Incomparable, "area == \"north\""},
		{price + "invariance i = rms over x of |f(rotate(10deg)) - f(x)|\n", codes.NeedsImage, "rotate(10deg)"},
		{price + "invariance i = rms over x of max over t in {move(aera, 1)} of |f(t(x))|\n", codes.ColumnNotInData, "aera"},
		{price + "invariance i = rms over x of |d/d(rooms) f|\n", codes.ConstantColumn, "rooms"},
		{price + "invariance i = rms over x of aera * |f|\n", codes.ColumnNotInData, "aera"},
		{price + "invariance i = rms over x of aera(x) * |f|\n", codes.ColumnNotInData, "aera(x)"},
		{price + "invariance i = rms over x of region * |f|\n", codes.NoNumber, "region"},
		{price + "invariance i = rms over x of |floor * f|\n", codes.NoNumber, "floor"},
		{price + "invariance i = rms over x of |f / (area - 3)|\n", codes.NoNumber, "area - 3"},
		{price + "invariance i = rms over x of |sqrt(area - 4) * f|\n", codes.NoNumber, "sqrt(area - 4)"},
		{price + "invariance i = rms over x of (area - 3.5) * |f|\n", codes.NegativeFactorInData, "area - 3.5"},
		{price + "invariance i = rms over x of |f| / (area - 3.5)\n", codes.NegativeFactorInData, "area - 3.5"},
		{price + "invariance i = rms over x of hypot(|f|, max {(area - 3.5) * |f|, |f|})\n", codes.NegativeFactorInData, "area - 3.5"},
		{price + "invariance i = rms over x of |1e-160 * area * f|\n", codes.OutOfRange, "1e-160 * area"},
		{price + "invariance i = rms over x of |1e100 * area * (1e100 * area * f)|\n", codes.OutOfRange, "1e100 * area"},
		{price + "invariance i = rms over x of |1e-100 * area * (1e-100 * area * f)|\n", codes.OutOfRange, "1e-100 * area"},
		{price + "invariance i = rms over x of 1e100 * max {1e100 * area * |f|, |f|}\n", codes.OutOfRange, "1e100 * area"},
		{price + "invariance i = rms over x of |1e100 * area * f|\nregularize 1e100 * i\n", codes.OutOfRange, "1e100 * area"},
		{price + "invariance i = rms over x of top(1) {|area|, floor} * |f|\n", codes.NoNumber, "top(1) {|area|, floor}"},
		{price + "invariance i = rms over x of |pos(-1 / (area - 3)) * f|\n", codes.NoNumber, "pos(-1 / (area - 3))"},
		{price + "invariance i = rms over (a, b, w) in graph(\"weighed.csv\", weight = w) of (w - 1) * |f(a) - f(b)|\n", codes.NegativeFactorInData, "w - 1"},
		{price + "invariance i = rms over (a, b, w) in graph(\"weighed.csv\", weight = w) of |f(a) - f(b)| / (w - 0.5)\n", codes.NoNumber, "w - 0.5"},
		{price + "invariance i = rms over (a, b, w) in graph(\"weighed.csv\", weight = w) where w > 3 of |f(a) - f(b)|\n", codes.EmptyIndexSet, "w > 3"},
		{price + "invariance i = rms over (a, b, w) in graph(\"weighed.csv\", weight = w) where w == \"north\" of |f(a) - f(b)|\n", codes.Incomparable, "w == \"north\""},
		{price + "invariance i = rms over fakes of |f(a)|\n", codes.FamilyFailed, "fakes"},
		{price + "invariance i = rms over (a, b) in graph(\"edges.csv\") of |f(a) - f(b)|\n", codes.EmptyIndexSet, "graph(\"edges.csv\")"},
		{"data { target columns(\"*\") : multilabel }\ninvariance i = rms over x of |f(cot)|\n", codes.LabelNotInData, "cot"},
		{"data { target columns(\"*\") : multilabel }\ninvariance i = rms over x, c in {cat, cot} of |f(c)|\n", codes.LabelNotInData, "cot"},
		{"data { target columns(\"*\") : multilabel }\ninvariance i = rms over x of implies(cat, cot)\n", codes.LabelNotInData, "implies(cat, cot)"},
		{"data { target columns(\"*\") : multilabel }\nlet t = taxonomy(\"strange.csv\")\ninvariance i = rms over x, (a, b) in edges(t) of implies(a, b)\n", codes.WrongTaxonomy, `taxonomy("strange.csv")`},
		{"data { target columns(\"*\") : multilabel }\ninvariance i = rms over x, (a, b) in edges(taxonomy(data)) of implies(a, b)\n", codes.WrongTaxonomy, "taxonomy(data)"},
	} {
		var labels []string
		if !strings.HasPrefix(c.src, price) {
			labels = []string{"animal", "cat", "dog"}
		}
		data := testData(5, labels, func() float64 { return 1 })
		plan := accepted(t, c.src+"kernel linear\nfeatures exact\n", testOptions(testFiles))
		_, err := plan.At(nil).Ground(t.Context(), &ground.Data{
			Data: data, Column: testColumn(data), RowID: func(i int) string { return []string{"r1", "r2", "r3", "r4", "r5"}[i] },
			Constant: func(j int) bool { return data.Columns[j] == "rooms" },
		})
		var list diag.List
		if !errors.As(err, &list) || len(list) != 1 || list[0].Code != c.code {
			t.Errorf("%s%v, want %s", c.src, err, c.code)
			continue
		}
		span := list[0].Subject
		if got := c.src[span.Start.Offset:span.End.Offset]; got != c.at {
			t.Errorf("%sthe error is at %q, want %q", c.src, got, c.at)
		}
	}
}

func TestGroundWarns(t *testing.T) {
	files := map[string]string{"edges.csv": "a,b\n1,2\n2,9\n", "t.csv": "child,parent\ncat,animal\nnine,animal\n"}
	plan := accepted(t, `
data { target columns("*") : multilabel }
kernel linear
features exact
let t = taxonomy("t.csv")
invariance i = rms over (a, b) in graph("edges.csv") of |f(a, cat) - f(b, cat)|
invariance j = rms over x, (a, b) in edges(t) of implies(a, b)
`, testOptions(files))
	var got []diag.Code
	g := &ground.Data{Data: testData(5, []string{"animal", "cat"}, func() float64 { return 1 })}
	g.Warn = func(d *diag.Diagnostic) { got = append(got, d.Code) }
	if _, err := plan.At(nil).Ground(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]diag.Code{codes.NamesLeftOut, codes.EdgesLeftOut}, got); d != "" {
		t.Error(d)
	}
}

func TestGroundIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	plan := accepted(t, jointSpec, testOptions(testFiles))
	_, err := plan.At(nil).Ground(ctx, &ground.Data{Data: testData(5, []string{"animal", "cat", "dog"}, func() float64 { return 1 })})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// closingFamily counts how often it is closed.
type closingFamily struct {
	otherFamily
	closed *int
}

func (c closingFamily) Close() error { *c.closed++; return nil }

func TestPluginsAreClosed(t *testing.T) {
	for _, src := range []string{"use swaps from \"./swaps\"\n", "use swaps from \"./swaps\"\ninvariance i = |g|\n"} {
		closed := 0
		opts := testOptions(nil)
		opts.Open = func(context.Context, string) (plugins.Family, error) { return closingFamily{closed: &closed}, nil }
		plan, _ := check(t, withDefaults(src), opts)
		if plan != nil && closed != 0 {
			t.Error("closed too early")
		}
		if err := plan.Close(); err != nil || closed != 1 {
			t.Errorf("closed %d times, %v", closed, err)
		}
	}
}

func TestWrongSchemas(t *testing.T) {
	for name, opts := range map[string]func(*names.Options){
		"its name":     func(o *names.Options) { o.Families["other"] = fakeFamily{"another"} },
		"names twice":  func(o *names.Options) { o.Families["fake2"] = fakeFamily{"fake2"} },
		"a definition": func(o *names.Options) { o.Families["wrong"] = wrongDefinition{} },
	} {
		o := testOptions(nil)
		opts(&o)
		_, list := check(t, withDefaults("invariance i = rms over x of |f(cat)|\n"), o)
		if len(list) != 1 || list[0].Code != codes.WrongSchema {
			t.Errorf("%s: %v", name, list)
		}
	}
}

// wrongDefinition defines what the language cannot read.
type wrongDefinition struct{ fakeFamily }

func (wrongDefinition) Describe(context.Context) (*plugins.Schema, error) {
	return &plugins.Schema{Name: "wrong", Definitions: []plugins.Definition{{Name: "g", Source: "def g(a) = |"}}}, nil
}

// TestDerivativesAlongMaps asks for the same derivative in every way that the language has.
func TestDerivativesAlongMaps(t *testing.T) {
	plan := accepted(t, `
data { target price : real }
kernel gaussian
features exact
let turn = rotate(30deg)
let age = move(age, 2)
invariance a = rms over x of |d/drotate f|
invariance b = rms over x of |d/dturn f|
invariance c = rms over x, t in {rotate(-10deg)} of |d/dt f|
invariance d1 = rms over x of |d/dage f|
invariance e = rms over x of |d/d(age) f|
`, testOptions(nil))
	v := 0.0
	next := func() float64 { v++; return math.Sin(v) }
	data := testData(4, nil, next)
	data.Columns = []string{"p0", "p1", "p2", "p3", "age", "p5", "p6", "p7", "p8"}
	data.Offset, data.Scale = nil, nil
	data.Height, data.Width = 3, 3
	data.Rows = plugins.Matrix{}
	for range 4 {
		row := make([]float64, 9)
		for j := range row {
			row[j] = next()
		}
		data.Rows.Append(row)
	}
	got := grounded(t, plan, &ground.Data{Data: data}, newProbe(0, 9, next))
	if got["a"] == 0 || got["a"] != got["b"] || math.Abs(got["a"]-got["c"]) > 1e-12 || got["d1"] == 0 || math.Abs(got["d1"]-got["e"]) > 1e-12 {
		t.Error(got)
	}
	for _, name := range []string{"move", "shift"} {
		_, list := check(t, withDefaults("data { target price : real }\ninvariance i = rms over x of |d/d"+name+" f|\n"), testOptions(nil))
		if len(list) != 1 || list[0].Code != codes.MissingArgument {
			t.Errorf("%s: %v", name, list)
		}
	}
}

// TestLearners fixes grids that stand within arithmetic, in lets, and beside those that more depends on.
func TestLearners(t *testing.T) {
	const base = "data { target a : class }\nfeatures exact\n"
	for _, c := range []struct {
		spec   string
		choice []int
		want   []float64
	}{
		{"kernel gaussian\nlearn svm(C = 3)", nil, []float64{3}},
		{"kernel gaussian\nlearn svm(C = 10 * grid(0.1, 1))", nil, []float64{1, 10}},
		{"kernel gaussian\nlet c = grid(1, 2)\nlearn svm(C = c * grid(1, 2))", nil, []float64{1, 2, 4}},
		{"let c = grid(1, 2)\nkernel gaussian(width = c)\nlearn svm(C = c * grid(10, 20))", []int{1, 0}, []float64{20, 40}},
	} {
		plan := accepted(t, base+c.spec+"\n", testOptions(nil))
		var got []float64
		for _, l := range plan.Learners(plan.At(c.choice)) {
			got = append(got, l.Strength)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.spec, got, c.want)
		}
	}
}

// R knows how many rows it was grounded on: its gauge is √n times that of the weights, its value is not.
func TestGroundCountsRows(t *testing.T) {
	plan := accepted(t, "data { target a, b : multilabel }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = all)\ninvariance i = rms over x of |f(a) - f(b)|\nregularize 3 * i\n", testOptions(nil))
	for _, rows := range []int{4, 9} {
		r, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: testData(rows, []string{"a", "b"}, func() float64 { return 1 })})
		if err != nil {
			t.Fatal(err)
		}
		values := slices.Repeat([]float64{2}, rows)
		if got, want := r.Gauge().Value(values), math.Sqrt(float64(rows))*6; math.Abs(got-want) > 1e-12 || r.Rows != rows {
			t.Errorf("%d of %d rows; the gauge is %v, want %v", r.Rows, rows, got, want)
		}
		parts := []float64{0}
		if got := r.Value(parts, values); math.Abs(got-6) > 1e-12 || math.Abs(parts[0]-2) > 1e-12 {
			t.Errorf("R is %v, of its invariance %v", got, parts[0])
		}
	}
}
