package mixup_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/familytest"
	"github.com/sipc-ml/sipc/plugins/mixup"
)

// pairs is a call of the domain.
func pairs(count float64, choose string, nodes []float64) *plugins.DomainCall {
	return &plugins.DomainCall{
		Name: "pairs", Seed: 7, Nodes: nodes,
		Args: []plugins.Value{
			{Name: "count", Kind: plugins.KindCount, Number: count},
			{Name: "choose", Kind: plugins.KindChoice, Text: choose},
		},
	}
}

// ends are the two rows of every element; the call's nodes must be 0 and 1.
func ends(chunks []*plugins.Chunk) [][2]int32 {
	var out [][2]int32
	for _, c := range chunks {
		for e := range c.Count {
			out = append(out, [2]int32{c.Points[0].Point[2*e+1], c.Points[0].Point[2*e]})
		}
	}
	return out
}

func unordered(p [][2]int32) [][2]int32 {
	out := slices.Clone(p)
	for i, q := range out {
		out[i] = [2]int32{min(q[0], q[1]), max(q[0], q[1])}
	}
	return out
}

func draw(tb testing.TB, data *plugins.Data, call *plugins.DomainCall) [][2]int32 {
	tb.Helper()
	call.Nodes = []float64{0, 1}
	chunks, err := familytest.Expand(context.Background(), tb, mixup.New(), data, call)
	if err != nil {
		tb.Fatal(err)
	}
	return ends(chunks)
}

func TestSchema(t *testing.T) {
	schema, err := mixup.New().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(); err != nil {
		t.Error(err)
	}
}

// Whatever is chosen, no pair is of a row with itself, classes are as asked, and each distinct pair comes once before
// any comes twice.
func TestDrawLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(rt, "n")
		classes := rapid.IntRange(1, 3).Draw(rt, "classes")
		data := familytest.Table(n, 2, classes, rapid.Uint64().Draw(rt, "data"))
		choose := rapid.SampledFrom([]string{"any", "same_class", "different_class", "nearest", "nearest_same_class"}).Draw(rt, "choose")
		count := rapid.IntRange(1, 100).Draw(rt, "count")
		call := pairs(float64(count), choose, []float64{0, 1})
		call.Seed = rapid.Uint64().Draw(rt, "seed")
		possible := possiblePairs(data, choose)
		chunks, err := familytest.Expand(context.Background(), t, mixup.New(), data, call)
		if len(possible) == 0 {
			if err == nil {
				rt.Fatalf("no error though no pair fits")
			}
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		drawn := ends(chunks)
		if len(drawn) != count {
			rt.Fatalf("%d pairs, want %d", len(drawn), count)
		}
		times := map[[2]int32]int{}
		for _, p := range unordered(drawn) {
			if !possible[p] {
				rt.Fatalf("pair %v does not fit %s", p, choose)
			}
			times[p]++
		}
		for p := range possible {
			if k := times[p]; k < count/len(possible) || k > (count+len(possible)-1)/len(possible) {
				rt.Fatalf("pair %v drawn %d times of %d; there are %d pairs", p, k, count, len(possible))
			}
		}
	})
}

// possiblePairs is what choose allows, by brute force.
func possiblePairs(data *plugins.Data, choose string) map[[2]int32]bool {
	out := map[[2]int32]bool{}
	n := data.N()
	for i := range n {
		order := []int{}
		for j := range n {
			if j == i {
				continue
			}
			same := data.Labels[i].Index[0] == data.Labels[j].Index[0]
			if same || choose != "nearest_same_class" {
				order = append(order, j)
			}
			if choose == "any" || (choose == "same_class" && same) || (choose == "different_class" && !same) {
				out[[2]int32{int32(min(i, j)), int32(max(i, j))}] = true
			}
		}
		if !strings.HasPrefix(choose, "nearest") {
			continue
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return cmpFloat(distance(data.Rows.Row(i), data.Rows.Row(a)), distance(data.Rows.Row(i), data.Rows.Row(b)))
		})
		for _, j := range order[:min(5, len(order))] {
			out[[2]int32{int32(min(i, j)), int32(max(i, j))}] = true
		}
	}
	return out
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func distance(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += (a[i] - b[i]) * (a[i] - b[i])
	}
	return s
}

// Among many rows, some of them equal and all of them far from the origin, the neighbours are still the nearest.
func TestNearestOfManyRows(t *testing.T) {
	data := familytest.Table(700, 5, 2, 3)
	for i := range data.Rows.Data {
		data.Rows.Data[i] = math.Round(2*data.Rows.Data[i]) + 1e5
	}
	possible := possiblePairs(data, "nearest")
	got := map[[2]int32]bool{}
	for _, p := range unordered(draw(t, data, pairs(float64(len(possible)), "nearest", nil))) {
		got[p] = true
	}
	if diff := cmp.Diff(possible, got); diff != "" {
		t.Errorf("pairs differ (-want +got):\n%.2000s", diff)
	}
}

func TestSeedDecides(t *testing.T) {
	data := familytest.Table(40, 3, 2, 1)
	first := draw(t, data, pairs(50, "any", nil))
	if diff := cmp.Diff(first, draw(t, data, pairs(50, "any", nil))); diff != "" {
		t.Errorf("same seed, other pairs:\n%s", diff)
	}
	call := pairs(50, "any", nil)
	call.Seed++
	if cmp.Equal(first, draw(t, data, call)) {
		t.Error("another seed, same pairs")
	}
	call.Args = append(call.Args, plugins.Value{Name: "seed", Number: 7})
	if diff := cmp.Diff(first, draw(t, data, call)); diff != "" {
		t.Errorf("an own seed is not heeded:\n%s", diff)
	}
}

func TestDefaultCount(t *testing.T) {
	data := familytest.Table(10, 3, 2, 1)
	if got := len(draw(t, data, &plugins.DomainCall{Name: "pairs"})); got != 40 {
		t.Errorf("%d pairs of 10 rows, want 4n = 40", got)
	}
}

// The values are f(x_λ, y_λ) and the derivatives are those of the values along the path, by central differences.
func TestPathLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(rt, "n")
		p := rapid.IntRange(1, 4).Draw(rt, "p")
		m := rapid.IntRange(0, 3).Draw(rt, "m")
		data := familytest.Table(n, p, m, rapid.Uint64().Draw(rt, "data"))
		if m > 0 && rapid.Bool().Draw(rt, "empty label") {
			data.Labels[0] = plugins.Label{}
		}
		f := familytest.NewFunction(p, m, 5)
		const h = 1e-5
		l := rapid.Float64Range(2*h, 1-2*h).Draw(rt, "lambda")
		call := pairs(7, "any", []float64{0, l - h, l, l + h, 1})
		call.Derivative = true
		chunks, err := familytest.Expand(context.Background(), t, mixup.New(), data, call)
		if err != nil {
			rt.Fatal(err)
		}
		for _, c := range chunks {
			values, derivatives := f.Values(c.Points[0], data), f.Values(c.Derivatives[0], data)
			for e := range c.Count {
				i, j := int(c.Points[0].Point[5*e+4]), int(c.Points[0].Point[5*e])
				if want := mixed(f, data, i, j, l); math.Abs(values[5*e+2]-want) > 1e-12 {
					rt.Errorf("value at λ = %v between %d and %d: %v, want %v", l, i, j, values[5*e+2], want)
				}
				want := (values[5*e+3] - values[5*e+1]) / (2 * h)
				if got := derivatives[5*e+2]; math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
					rt.Errorf("derivative at λ = %v between %d and %d: %v, differences say %v", l, i, j, got, want)
				}
			}
		}
	})
}

// mixed is f(x_λ, y_λ) from the formula.
func mixed(f *familytest.Function, data *plugins.Data, i, j int, l float64) float64 {
	x := make([]float64, data.Rows.Cols)
	for k := range x {
		x[k] = l*data.Rows.Row(i)[k] + (1-l)*data.Rows.Row(j)[k]
	}
	if len(data.Labels) == 0 {
		return f.At(x, nil)
	}
	return l*f.At(x, &data.Labels[i]) + (1-l)*f.At(x, &data.Labels[j])
}

func TestErrors(t *testing.T) {
	two := familytest.Table(4, 2, 2, 1)
	for i := range two.Labels {
		two.Labels[i] = plugins.Label{Index: []int32{0}, Value: []float64{1}}
	}
	distinct := familytest.Table(2, 2, 2, 1)
	distinct.Labels[0].Index[0], distinct.Labels[1].Index[0] = 0, 1
	huge := familytest.Table(3, 2, 0, 1)
	huge.Rows.Data[0] = 1e200
	seeded := pairs(1, "any", []float64{0})
	seeded.Args = append(seeded.Args, plugins.Value{Name: "seed", Number: 0.5})
	tests := []struct {
		name string
		data *plugins.Data
		call *plugins.DomainCall
		want string
	}{
		{"one row", familytest.Table(1, 2, 2, 1), pairs(1, "any", []float64{0}), "two rows make a pair, but there is 1"},
		{"no rows", familytest.Table(0, 2, 2, 1), pairs(1, "any", []float64{0}), "but there is 0"},
		{"count 0", two, pairs(0, "any", []float64{0}), "count is 0: give at least 1"},
		{"half a pair", two, pairs(1.5, "any", []float64{0}), "count is 1.5: give a whole number"},
		{"too many", two, pairs(1<<30, "any", []float64{0, 0.5, 1}), "give a smaller count"},
		{"one class", two, pairs(1, "different_class", []float64{0}), "all 4 rows have the same label"},
		{"all classes differ", distinct, pairs(1, "same_class", []float64{0}), "no two of the 2 rows have the same label"},
		{"no labels", familytest.Table(4, 2, 0, 1), pairs(1, "same_class", []float64{0}), "f is a function of x alone"},
		{"unknown choice", two, pairs(1, "best", []float64{0}), `choose is "best"`},
		{"no nodes", two, pairs(1, "any", nil), "names no nodes"},
		{"node outside", two, pairs(1, "any", []float64{1.5}), "1.5, outside [0, 1]"},
		{"distances overflow", huge, pairs(1, "nearest", []float64{0}), "exceed the range"},
		{"seed", two, seeded, "seed is 0.5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := familytest.Expand(t.Context(), t, mixup.New(), tt.data, tt.call)
			if err == nil || !strings.HasPrefix(err.Error(), "pairs: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one of pairs that says %q", err, tt.want)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	data := familytest.Table(2000, 400, 2, 1)
	s, err := mixup.New().Open(ctx, data)
	if err != nil {
		t.Fatal(err)
	}
	chunks := 0
	err = s.Expand(ctx, pairs(8000, "any", []float64{0, 0.5, 1}), func(*plugins.Chunk) error {
		chunks++
		cancel()
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) || chunks != 1 {
		t.Errorf("error %v after %d chunks, want a cancellation after one", err, chunks)
	}
	if _, err := familytest.Expand(ctx, t, mixup.New(), data, pairs(1, "nearest", []float64{0})); err == nil {
		t.Error("the search of neighbours goes on after its context is done")
	}
}

func BenchmarkNearest(b *testing.B) {
	data := familytest.Table(4000, 100, 2, 1)
	for b.Loop() {
		if _, err := familytest.Expand(b.Context(), b, mixup.New(), data, pairs(1, "nearest", []float64{0})); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPairs(b *testing.B) {
	data := familytest.Table(500, 784, 10, 1)
	call := pairs(2000, "any", []float64{0, 0.1, 0.25, 0.5, 0.75, 0.9, 1})
	call.Derivative = true
	b.SetBytes(2000 * 5 * 784 * 8)
	for b.Loop() {
		chunks, err := familytest.Expand(b.Context(), b, mixup.New(), data, call)
		if err != nil {
			b.Fatal(err)
		}
		if len(chunks) == 0 {
			b.Fatal("no pairs")
		}
	}
}
