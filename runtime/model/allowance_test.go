package model

import (
	"testing"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Measuring by embeddings ends where their work passes what is allowed, is not begun where it is likely to, and takes fewer elements then
// where a sample will do.
func TestMeasuringKeepsToItsAllowance(t *testing.T) {
	train, reg := witnessed(func(n int) *gauge.Node { return gauge.Repeat(n, gauge.MaxOf(gauge.Leaf(gauge.Abs))) })
	out, err := Fit(t.Context(), train, reg, wholeOptions(setting.Embed, 1e-6))
	if err != nil {
		t.Fatal(err)
	}
	own := out.allowance
	if !(own.mean > 0) || own.most != leastWork || own.spent != 0 {
		t.Fatalf("the fit allows %+v", own)
	}
	measure := func(k int, a allowance) (done int, unknown string) {
		s, err := newScorer(t.Context(), out.Model, out.spread, a)
		if err != nil {
			t.Fatal(err)
		}
		s.progress = func(at, _ int) { done = max(done, at) }
		m, err := s.measure(&site{rows: train.X, reg: reg}, k, train, 1)
		if err != nil {
			t.Fatal(err)
		}
		return done, m.Unknown
	}
	all, why := measure(0, own)
	if why != "" || all <= firstEmbedded {
		t.Fatalf("%d embeddings, %s", all, why)
	}
	for name, c := range map[string]struct {
		allowance
		done int
	}{
		"harder than rows": {allowance{mean: 1, most: ample / 2 * float64(all)}, firstEmbedded},
		"too many":         {allowance{mean: own.mean, most: own.mean}, 0},
	} {
		if done, why := measure(0, c.allowance); why != errMuchWork.Error() || done != c.done {
			t.Errorf("%s: %d embeddings, %s", name, done, why)
		}
	}
	whole, why := measure(1, own)
	if why != "" {
		t.Fatal(why)
	}
	part, why := measure(1, allowance{mean: own.mean, most: float64(whole) * own.mean})
	if why != "" || part == 0 || part > whole/2+1 {
		t.Errorf("a sample takes %d of %d embeddings, %s", part, whole, why)
	}
}

// Work grows with iterations and steps, and none is counted of what has a closed form.
func TestWorkIsCounted(t *testing.T) {
	train, reg := witnessed(func(n int) *gauge.Node { return gauge.Repeat(n, gauge.MaxOf(gauge.Leaf(gauge.Abs))) })
	mean := func(m setting.Method, gap float64) float64 {
		out, err := Fit(t.Context(), train, reg, wholeOptions(m, gap))
		if err != nil {
			t.Fatal(err)
		}
		return out.mean
	}
	if loose, tight := mean(setting.Embed, 1e-1), mean(setting.Embed, 1e-8); !(loose > 0) || !(tight > loose) {
		t.Errorf("the gap 0.1 takes %v multiplications an embedding, 1e-8 takes %v", loose, tight)
	}
	if got := mean(setting.Plain, 1e-3); got != 0 {
		t.Errorf("method plain takes %v", got)
	}
}
