package model

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// Fits that share a shelf find to rounding what each finds by itself, whatever is on it: features and operators of the same rows, of other ones, of another
// kernel, and of another bias.
func TestShelvesChangeNothing(t *testing.T) {
	shelf := &Shelf{Most: 1 << 20}
	for _, c := range []struct {
		rows             int
		weight, width    float64
		learner          setting.Learner
		strengths        []float64
		features, scored bool // taken from the shelf
	}{
		{60, 30, 0.5, setting.Learner{Kind: setting.SVM, Strength: 1}, []float64{1, 10}, false, false},
		{60, 3, 0.5, setting.Learner{Kind: setting.SVM, Strength: 1}, []float64{1, 10}, true, true},
		{60, 3, 0.5, setting.Learner{Kind: setting.SVM, Strength: 1}, []float64{0.1, 10}, true, false},
		{60, 3, 0.7, setting.Learner{Kind: setting.SVM, Strength: 1}, []float64{0.1, 10}, false, false},
		{50, 3, 0.7, setting.Learner{Kind: setting.SVM, Strength: 1}, []float64{0.1, 10}, false, false},
		{50, 30, 0.7, setting.Learner{Kind: setting.SVM, Strength: 1}, []float64{0.1, 10}, true, true},
	} {
		train := tossed(c.rows)
		reg := telling(train)
		reg.Invariances[0].Weight = c.weight
		o := tellingOptions(setting.Risk)
		o.Learner, o.Strengths, o.Kernel.Width = c.learner, c.strengths, c.width
		want, err := Judge(t.Context(), train, reg, o, train.X)
		if err != nil {
			t.Fatal(err)
		}
		features, scored := shelf.features.of, shelf.scored.of
		o.Shelf = shelf
		got, err := Judge(t.Context(), train, reg, o, train.X)
		if err != nil {
			t.Fatal(err)
		}
		for k := range want {
			if !mat.EqualApprox(got[k], want[k], 1e-8) {
				t.Errorf("%+v: other scores of strength %d", c, k)
			}
		}
		if (shelf.features.of == features) != c.features || (shelf.scored.of == scored) != c.scored {
			t.Errorf("%+v: features were taken: %v, the operator: %v", c, shelf.features.of == features, shelf.scored.of == scored)
		}
	}
}

// An operator above the bound of a shelf is not kept.
func TestShelvesKeepWithinTheirBound(t *testing.T) {
	train, o := tossed(60), tellingOptions(setting.Risk)
	o.Shelf = &Shelf{Most: 8 * 60 * 63}
	if _, err := Judge(t.Context(), train, telling(train), o, train.X); err != nil {
		t.Fatal(err)
	}
	if o.Shelf.features.of == nil || o.Shelf.scored.of != nil {
		t.Errorf("%+v", o.Shelf)
	}
}
