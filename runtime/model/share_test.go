package model

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
	count := rapid.IntRange(1, 4).Draw(t, "count")
	repeat := rapid.Bool().Draw(t, "repeat")
	kids := make([]*gauge.Node, count)
	for i := range kids {
		kids[i] = drawGauge(t, depth-1)
	}
	if repeat {
		kids = kids[:1]
	}
	var out *gauge.Node
	switch rapid.IntRange(0, 3).Draw(t, "node") {
	case 0:
		out = gauge.MaxOf(kids...)
	case 1:
		out = gauge.SumOf(kids...)
	case 2:
		out = gauge.NormOf(rapid.SampledFrom([]float64{1.5, 2, 3}).Draw(t, "p"), kids...)
	default:
		out = gauge.TopOf(rapid.IntRange(1, 3).Draw(t, "k"), kids...)
	}
	if repeat {
		out = gauge.Repeat(count, out)
	}
	if rapid.Bool().Draw(t, "weighted") {
		w := make([]float64, count)
		for i := range w {
			w[i] = rapid.Float64Range(.1, 3).Draw(t, "w")
		}
		out = gauge.Weighted(out, w...)
	}
	return out
}

func drawValues(t *rapid.T, size int) []float64 {
	values := make([]float64, size)
	for i := range values {
		values[i] = float64(rapid.IntRange(-6, 6).Draw(t, "t")) / 2 // small whole numbers tie
	}
	return values
}

// Shares are not negative, sum to one, and belong to leaves that are positive in the gauge.
func TestSharesSumToTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawGauge(t, 3)
		values := drawValues(t, n.Size())
		got := make([]float64, len(values))
		shares(n, got, values)
		total, rho := 0.0, n.Value(values)
		for i, s := range got {
			if s < 0 || math.IsNaN(s) || s > 0 && values[i] == 0 {
				t.Fatalf("leaf %d at %v has the share %v of %v", i, values[i], s, n)
			}
			total += s * rho
		}
		if math.Abs(total-rho) > 1e-12*rho {
			t.Fatalf("the contributions sum to %v, the value is %v", total, rho)
		}
	})
}

// Where nothing ties, a share is the derivative of the gauge in the logarithm of its leaf, over the gauge.
func TestSharesAreDerivatives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawGauge(t, 3)
		values := drawValues(t, n.Size())
		for i := range values { // no two leaves, or sums of them, are near each other
			values[i] *= 1 + .37*math.Sqrt(float64(i)+2)
		}
		rho := n.Value(values)
		got := make([]float64, len(values))
		shares(n, got, values)
		const h = 1e-4
		for i, v := range values {
			ahead, behind := append([]float64(nil), values...), append([]float64(nil), values...)
			ahead[i], behind[i] = v*(1+h), v*(1-h)
			up, down := n.Value(ahead)-rho, rho-n.Value(behind)
			if math.Abs(up-down) > 1e-2*math.Abs(up+down)+1e-12 || rho == 0 || nearTie(n, values) {
				continue // at a kink there are many subgradients
			}
			if want := (up + down) / (2 * h) / rho; math.Abs(got[i]-want) > 1e-4 {
				t.Fatalf("leaf %d has the share %v, the derivative is %v: %v at %v", i, got[i], want, n, values)
			}
		}
	})
}

// nearTie says whether parts of a maximum or of a sum of the largest may pass for equal.
func nearTie(n *gauge.Node, values []float64) bool {
	if n.Op == gauge.Abs || n.Op == gauge.Pos {
		return false
	}
	parts, at := gauge.Parts(n, values)
	for i := range parts {
		if nearTie(gauge.Child(n, i), values[at[i]:at[i+1]]) {
			return true
		}
		for j := range i {
			near := math.Abs(parts[i]-parts[j]) <= 2*tied*math.Max(parts[i], parts[j])
			if near && (n.Op == gauge.Max || n.Op == gauge.Top) {
				return true
			}
		}
	}
	return false
}

func TestSharesOfKnownGauges(t *testing.T) {
	abs := gauge.Leaf(gauge.Abs)
	for _, c := range []struct {
		name   string
		gauge  *gauge.Node
		t, out []float64
	}{
		{"rms", gauge.Repeat(2, gauge.Hypot(abs)), []float64{3, -4}, []float64{9. / 25, 16. / 25}},
		{"sum", gauge.Repeat(3, gauge.SumOf(abs)), []float64{1, 0, -3}, []float64{.25, 0, .75}},
		{"one largest", gauge.Repeat(3, gauge.MaxOf(abs)), []float64{1, 2, -3}, []float64{0, 0, 1}},
		{"two largest", gauge.Repeat(3, gauge.MaxOf(abs)), []float64{3, 2, -3}, []float64{.5, 0, .5}},
		{"weighted", gauge.Weighted(gauge.Repeat(2, gauge.MaxOf(abs)), 1, 2), []float64{3, 2}, []float64{0, 1}},
		{"top", gauge.Repeat(4, gauge.TopOf(2, abs)), []float64{4, 2, 2, 1}, []float64{2. / 3, 1. / 6, 1. / 6, 0}},
		{"one-sided", gauge.SumOf(gauge.Leaf(gauge.Pos), abs), []float64{-5, -2}, []float64{0, 1}},
		{"zero", gauge.Repeat(2, gauge.MaxOf(gauge.Leaf(gauge.Pos))), []float64{-1, 0}, []float64{0, 0}},
	} {
		got := make([]float64, len(c.t))
		shares(c.gauge, got, c.t)
		for i := range got {
			if math.Abs(got[i]-c.out[i]) > 1e-12 {
				t.Errorf("%s: shares %v, want %v", c.name, got, c.out)
				break
			}
		}
	}
}
