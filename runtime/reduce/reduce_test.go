package reduce

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// A function gives f(x, label) for rows and labels, and derivatives along tangents.
type function [4][8][3]float64

// values applies the functionals of a block.
func (f *function) values(b *plugins.Block) []float64 {
	t := make([]float64, b.Len())
	for i := range t {
		for k := b.Start[i]; k < b.Start[i+1]; k++ {
			y := b.Labels[b.Label[k]]
			for n, c := range y.Index {
				t[i] += b.Coef[k] * y.Value[n] * f[b.Point[k]][c][b.Tangent[k]+1]
			}
		}
	}
	return t
}

// siblings is the largest exclusion among the labels of each group, on every row.
func siblings(rows int, groups ...[]int32) *regularizer.Regularizer {
	b := &plugins.Block{}
	for l := range int32(8) {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{l}, Value: []float64{1}})
	}
	count := 0
	for x := range int32(rows) { //nolint:gosec // small
		count = 0
		for _, g := range groups {
			for i, a := range g {
				for _, c := range g[:i] {
					b.Term(1, x, plugins.Evaluation, a)
					b.Term(1, x, plugins.Evaluation, c)
					b.End()
					count++
				}
			}
		}
	}
	return &regularizer.Regularizer{Functionals: b, Invariances: []regularizer.Invariance{{
		Name: "logic", Weight: 2, Kind: regularizer.Sublinear, Count: b.Len(),
		Gauge: gauge.Repeat(rows, gauge.Hypot(gauge.Repeat(count, gauge.MaxOf(gauge.Leaf(gauge.Pos))))),
	}}}
}

func TestSiblings(t *testing.T) {
	for _, c := range []struct {
		groups [][]int32
		count  int
		text   string
	}{
		{[][]int32{{0, 1, 2, 3, 4, 5}}, 6, "hypot(top₊[2](t ×6) ×3)"},
		{[][]int32{{0, 1, 2}}, 3, "hypot(max([·]₊ ×3) ×3)"},
		{[][]int32{{0, 1, 2, 3}, {4, 5, 6}, {6, 7}}, 8, "hypot(max(top₊[2](t ×4), top₊[2](t ×3), max([·]₊ ×1)) ×3)"},
		{[][]int32{{0, 1}, {2, 3}}, 2, "hypot(max([·]₊ ×2) ×3)"},
	} {
		r := siblings(3, c.groups...)
		out := Reduce(r)
		if got := out.Functionals.Len(); got != 3*c.count {
			t.Errorf("%v: %d functionals, want %d", c.groups, got, 3*c.count)
		}
		if got := out.Invariances[0].Gauge.String(); got != c.text {
			t.Errorf("%v: %s, want %s", c.groups, got, c.text)
		}
		if r2 := Reduce(out); r2 != out {
			t.Errorf("%v: reduced twice, %s", c.groups, r2.Invariances[0].Gauge)
		}
	}
}

// drawMaximum adds a maximum of positive parts of sums among few terms, where sums of all pairs are likely.
func drawMaximum(t *rapid.T, b *plugins.Block, x int32) *gauge.Node {
	count := 0
	add := func(terms ...[3]int32) {
		scale := rapid.SampledFrom([]float64{1, 1, 1, 0.5, 0.3}).Draw(t, "scale")
		for _, v := range terms {
			b.Term(scale*float64(v[0]), x, v[1], v[2])
		}
		b.End()
		count++
	}
	label := rapid.Int32Range(0, 7)
	for range rapid.IntRange(1, 3).Draw(t, "parts") {
		switch rapid.IntRange(0, 2).Draw(t, "part") {
		case 0:
			m := rapid.Int32Range(2, 7).Draw(t, "siblings")
			for a := range m {
				for c := range a {
					if rapid.IntRange(0, 20).Draw(t, "left out") > 0 {
						b.Term(1, x, plugins.Evaluation, a)
						b.Term(1, x, plugins.Evaluation, c)
						b.End()
						count++
					}
				}
			}
		case 1:
			for range rapid.IntRange(0, 6).Draw(t, "implications") {
				add([3]int32{1, -1, label.Draw(t, "child")}, [3]int32{-1, -1, label.Draw(t, "parent")})
			}
		default:
			for range rapid.IntRange(0, 3).Draw(t, "others") {
				var terms [][3]int32
				for range rapid.IntRange(0, 3).Draw(t, "terms") {
					terms = append(terms, [3]int32{rapid.Int32Range(-2, 2).Draw(t, "coef"), rapid.Int32Range(-1, 1).Draw(t, "tangent"), label.Draw(t, "label")})
				}
				add(terms...)
			}
		}
	}
	if count == 0 {
		b.End()
		count++
	}
	n := gauge.Repeat(count, gauge.MaxOf(gauge.Leaf(rapid.SampledFrom([]gauge.Op{gauge.Pos, gauge.Pos, gauge.Pos, gauge.Abs}).Draw(t, "leaf"))))
	if rapid.Bool().Draw(t, "weighted") {
		return gauge.Scaled(n, rapid.Float64Range(0.2, 3).Draw(t, "w"))
	}
	return n
}

func TestReduceKeepsR(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &plugins.Block{}
		for l := range int32(10) {
			b.Labels = append(b.Labels, plugins.Label{Index: []int32{l % 8}, Value: []float64{1}})
		}
		r := &regularizer.Regularizer{Functionals: b}
		for range rapid.IntRange(1, 3).Draw(t, "invariances") {
			inv := regularizer.Invariance{Weight: rapid.Float64Range(0.1, 3).Draw(t, "weight"), First: b.Len(), Gauge: gauge.Hypot()}
			for x := range rapid.Int32Range(1, 4).Draw(t, "rows") {
				inv.Gauge.Children = append(inv.Gauge.Children, drawMaximum(t, b, x))
			}
			inv.Count = b.Len() - inv.First
			r.Invariances = append(r.Invariances, inv)
		}
		out := Reduce(r)
		if out.Functionals.Len() > b.Len() {
			t.Fatalf("%d functionals become %d", b.Len(), out.Functionals.Len())
		}
		for i := range out.Invariances {
			if inv := out.Invariances[i]; inv.Gauge.Validate() != nil || inv.Gauge.Size() != inv.Count {
				t.Fatalf("%v of %d functionals: %v", inv.Gauge, inv.Count, inv.Gauge.Validate())
			}
		}
		var f function
		for i := range f {
			for j := range f[i] {
				for k := range f[i][j] {
					f[i][j][k] = rapid.Float64Range(-2, 2).Draw(t, "f")
				}
			}
		}
		want, got := make([]float64, len(r.Invariances)), make([]float64, len(r.Invariances))
		r.Value(want, f.values(b))
		out.Value(got, f.values(out.Functionals))
		for i := range want {
			if math.Abs(want[i]-got[i]) > 1e-12*(1+want[i]) {
				t.Fatalf("R%d = %v, reduced %v: %v and %v", i, want[i], got[i], r.Invariances[i].Gauge, out.Invariances[i].Gauge)
			}
		}
	})
}
