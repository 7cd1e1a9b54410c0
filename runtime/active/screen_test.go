package active

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// drawGauge draws a tree of so many levels at most.
func drawGauge(t *rapid.T, depth int) *gauge.Node {
	if depth == 0 || rapid.IntRange(0, 4).Draw(t, "leaf") == 0 {
		return gauge.Leaf(rapid.SampledFrom([]gauge.Op{gauge.Abs, gauge.Pos}).Draw(t, "op"))
	}
	kids := make([]*gauge.Node, rapid.IntRange(1, 4).Draw(t, "count"))
	for i := range kids {
		kids[i] = drawGauge(t, depth-1)
	}
	n := rapid.SampledFrom([]func(...*gauge.Node) *gauge.Node{gauge.MaxOf, gauge.SumOf, gauge.Hypot, func(k ...*gauge.Node) *gauge.Node { return gauge.TopOf(2, k...) }}).Draw(t, "op")(kids...)
	w := make([]float64, len(kids))
	for i := range w {
		w[i] = rapid.Float64Range(.1, 3).Draw(t, "w")
	}
	return gauge.Weighted(n, w...)
}

// Wherever leaves lie within their spans, a gauge is the same without those that are screened. So it is where nothing is known of some.
func TestScreenedLeavesDoNotMatter(t *testing.T) {
	screenedAny := false
	rapid.Check(t, func(t *rapid.T) {
		root := drawGauge(t, 4)
		v := &values{value: make([]float64, root.Size()), off: make([]float64, root.Size())}
		exact := make([]float64, root.Size())
		for j := range exact {
			exact[j] = rapid.Float64Range(-3, 3).Draw(t, "t")
			v.off[j] = rapid.SampledFrom([]float64{0, 0.1, 1, math.Inf(1)}).Draw(t, "off")
			v.value[j] = exact[j]
			if !math.IsInf(v.off[j], 1) {
				v.value[j] += v.off[j] * rapid.Float64Range(-.999, .999).Draw(t, "error")
			}
		}
		asked := make([]bool, len(exact))
		screen(root, asked, v.spans(root))
		rest := make([]float64, len(exact))
		for j, yes := range asked {
			if yes {
				rest[j] = exact[j]
			} else {
				screenedAny = true
			}
		}
		if got, want := root.Value(rest), root.Value(exact); math.Abs(got-want) > 1e-12*want {
			t.Errorf("the gauge is %v without what is screened, and %v with it", got, want)
		}
	})
	if !screenedAny {
		t.Error("nothing was screened")
	}
}

// A gauge has its value by the leaves that attain it, and those alone have subgradients.
func TestAttainingLeavesMakeTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := drawGauge(t, 4)
		all := make([]float64, root.Size())
		for j := range all {
			all[j] = float64(rapid.IntRange(-6, 6).Draw(t, "t")) / 2
		}
		marked, near := make([]bool, len(all)), make([]bool, len(all))
		attain(root, marked, all, 0)
		attain(root, near, all, 0.3)
		few := make([]float64, len(all))
		for j, yes := range marked {
			if yes {
				few[j] = all[j]
			}
			if yes && !near[j] {
				t.Errorf("leaf %d attains, and is not near to it", j)
			}
		}
		got, want := root.Value(few), root.Value(all)
		if math.Abs(got-want) > 1e-12*want {
			t.Errorf("the gauge is %v by what attains it, and %v by all", got, want)
		}
		slopes := make([]float64, len(all))
		root.Subgradient(slopes, all)
		for j, g := range slopes {
			if math.Abs(g*all[j]) > 0 && !marked[j] {
				t.Errorf("leaf %d has a slope of %v, and does not attain", j, g)
			}
		}
	})
}
