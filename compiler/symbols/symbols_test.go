package symbols_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/symbols"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/hierarchy"
	"github.com/sipc-ml/sipc/plugins/mixup"
	"github.com/sipc-ml/sipc/plugins/transform"
)

// spec names something of every kind; one statement is faulty, one does not parse, and nothing calls both.
const spec = `use mixup
data { target cat, dog : multilabel; columns area, age; ignore street; scale 2 }
kernel gaussian(width = 2 * median)
features nystrom(landmarks = rows, select = kmeans)
let weight = grid(1, 2)
let tree = taxonomy("tree.csv")
let turn = move(area, 1)
def both(a, b) = hypot(|f(a)|, pos(f(b)))
def still(D, t) = rms over D of |f(t(x)) - f(x)|
invariance moved = max over s in {turn} of rms over x where age > 3 and area(x) != weight of |f(s(x), cat) - f(x, cat)|
invariance path = rms over pairs of max over λ in [0, 1] of |d/dλ f|
invariance edges = mean over (p, q, w) in graph("edges.csv", weight = heavy) of w * both(a = dog, b = lion)
invariance steep = rms over row in rows of |d/d(area) f(row)|
invariance broken = rms over of f
regularize weight * moved, auto * nothing
learn svm(C = weight)
evaluate under {move(age, 2), turn}
`

func resolve(tb testing.TB, source string) *symbols.Table {
	tb.Helper()
	file, _ := dsl.Parse("spec.inv", []byte(source))
	families := map[string]plugins.Family{"mixup": mixup.New(), "hierarchy": hierarchy.New(), "transform": transform.New()}
	return compiler.Resolve(tb.Context(), file, compiler.Options{Families: families}).Names
}

// A name stands for what its place says, in faulty specs too, and in definitions that nothing calls.
func TestBind(t *testing.T) {
	table := resolve(t, spec)
	for before, want := range map[string]struct {
		kind   symbols.Kind
		name   string
		detail string
	}{
		"use mix":                    {symbols.Family, "mixup", "a family of invariances"},
		"target ca":                  {symbols.Label, "cat", "a label of the target"},
		"dog : multi":                {symbols.Type, "multilabel", ""},
		"columns ar":                 {symbols.Column, "area", "a column of the data"},
		"ignore st":                  {symbols.Column, "street", "a column of the data"},
		"kernel ga":                  {symbols.Choice, "gaussian", ""},
		"gaussian(wi":                {symbols.Argument, "width", "an argument of gaussian"},
		"2 * me":                     {symbols.Function, "median", ""},
		"landmarks = ro":             {symbols.Filler, "rows", ""},
		"select = km":                {symbols.Filler, "kmeans", ""},
		"let we":                     {symbols.Let, "weight", "a number, chosen from several"},
		"weight = gr":                {symbols.Function, "grid", ""},
		"let tr":                     {symbols.Let, "tree", "a taxonomy"},
		"let tu":                     {symbols.Let, "turn", "a transformation"},
		"turn = mo":                  {symbols.Map, "move", "a transformation of the family transform"},
		"move(ar":                    {symbols.Column, "area", ""},
		"def both(a":                 {symbols.Parameter, "a", "a parameter of both"},
		"hypot(|f(a":                 {symbols.Parameter, "a", ""},
		"rms over D":                 {symbols.Parameter, "D", ""},
		"of |f(t":                    {symbols.Parameter, "t", ""},
		"over s in {tu":              {symbols.Let, "turn", ""},
		"max over s":                 {symbols.Variable, "s", "a transformation: one of {turn}"},
		"of rms over x":              {symbols.IndexSet, "x", ""},
		"where ag":                   {symbols.Column, "age", ""},
		"and ar":                     {symbols.Column, "area", ""},
		"!= we":                      {symbols.Let, "weight", ""},
		"|f(s":                       {symbols.Variable, "s", ""},
		"s(x), ca":                   {symbols.Label, "cat", ""},
		"|d/dλ":                      {symbols.Variable, "lambda", "a path's parameter: where on the path, in [0, 1]"},
		"(p, q, w":                   {symbols.Variable, "w", "an edge's weight: the column heavy of the graph's file"},
		"* bo":                       {symbols.Def, "both", ""},
		"both(a = do":                {symbols.Label, "dog", ""},
		"* both(a":                   {symbols.Parameter, "a", ""},
		"b = li":                     {symbols.Label, "lion", ""},
		"|d/d(ar":                    {symbols.Column, "area", ""},
		"area) f(ro":                 {symbols.Variable, "row", "a point: a training row"},
		"weight * mo":                {symbols.Invariance, "moved", ""},
		"moved, au":                  {symbols.Function, "auto", ""},
		"learn svm(C":                {symbols.Argument, "C", ""},
		"under {move(age, 2), turn}": {-1, "", ""},
		"auto * no":                  {-1, "", ""},
		"invariance br":              {-1, "", ""},
	} {
		i := strings.Index(spec, before)
		if i < 0 {
			t.Fatalf("the spec has no %q", before)
		}
		o := table.At(i + len(before))
		switch {
		case o == nil && want.kind < 0:
		case o == nil:
			t.Errorf("at %q nothing stands", before)
		case o.Symbol.Kind != want.kind || o.Symbol.Name != want.name || !strings.HasPrefix(o.Symbol.Detail, want.detail):
			t.Errorf("at %q stands %+v, want %+v", before, o.Symbol, want)
		}
	}
}

// Occurrences are in the order of the source, do not overlap, and each symbol has its own.
func TestOccurrences(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		source := spec
		for range rapid.IntRange(0, 4).Draw(rt, "cuts") {
			from := rapid.IntRange(0, len(source)).Draw(rt, "from")
			to := min(len(source), from+rapid.IntRange(0, 12).Draw(rt, "length"))
			source = strings.ToValidUTF8(source[:from]+source[to:], "?")
		}
		table, end := resolve(t, source), 0
		for i, o := range table.Occurrences {
			if o.Span.Start.Offset < end || o.Span.End.Offset > len(source) {
				rt.Fatalf("%q: %v lies before %d", source, o.Span, end)
			}
			end = o.Span.End.Offset
			if table.At(o.Span.Start.Offset+1) != &table.Occurrences[i] {
				rt.Fatalf("%q: %v is not found by its place", source, o.Span)
			}
		}
		if !table.Same(resolve(t, source)) {
			rt.Fatalf("%q: names differ from themselves", source)
		}
	})
}

// Two specs have the same names if one is the other with a name replaced, and not if names fall together.
func TestSame(t *testing.T) {
	table := resolve(t, spec)
	if !table.Same(resolve(t, strings.ReplaceAll(spec, "both", "pair"))) {
		t.Error("another name of a definition makes a difference")
	}
	if table.Same(resolve(t, strings.ReplaceAll(spec, "turn", "weight"))) {
		t.Error("two lets fell together, and that made no difference")
	}
}

// What an index set binds has names where the spec gives none.
func TestBinds(t *testing.T) {
	table := resolve(t, spec)
	for set, want := range map[string]string{"rows": "x", "labels": "label", "graph": "a b", "pairs": "x lambda", "nothing": ""} {
		var got []string
		for _, v := range table.Binds(set) {
			got = append(got, dsl.Spell(v.Name))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s binds %q, want %s", set, got, want)
		}
	}
}

// Names in conditions are columns, also in arithmetic, in sets, and in what lets and definitions hold.
func TestBindConditions(t *testing.T) {
	table := resolve(t, "data { target price : real }\nlet young = age + 1 < 30\ndef near(a, b) = |size(a) - size(b)| < 5 and region in {\"north\"}\n"+
		"invariance i = rms over x, z in rows where near(x, z) and young and x != z and max {width, 2} > 1 of |f(x)|\n")
	for name, kind := range map[string]symbols.Kind{"age": symbols.Column, "size": symbols.Column, "region": symbols.Column, "width": symbols.Column, "near": symbols.Def, "young": symbols.Let} {
		found := false
		for _, o := range table.Occurrences {
			if o.Symbol.Name == name {
				found = true
				if o.Symbol.Kind != kind {
					t.Errorf("%s is of kind %d", name, o.Symbol.Kind)
				}
			}
		}
		if !found {
			t.Errorf("%s has no occurrence", name)
		}
	}
}
