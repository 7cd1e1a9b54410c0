package model

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// alike says that two labels score alike on every row, in root mean square.
func alike(rows int) *regularizer.Regularizer {
	b := &plugins.Block{Labels: []plugins.Label{{Index: []int32{0}, Value: []float64{1}}, {Index: []int32{1}, Value: []float64{1}}}}
	for x := range int32(rows) { //nolint:gosec // small
		b.Term(1, x, plugins.Evaluation, 0)
		b.Term(-1, x, plugins.Evaluation, 1)
		b.End()
	}
	root := gauge.Scaled(gauge.Repeat(rows, gauge.Hypot(gauge.Leaf(gauge.Abs))), 1/math.Sqrt(float64(rows)))
	return &regularizer.Regularizer{Functionals: b, Invariances: []regularizer.Invariance{
		{Name: "alike", Weight: 2, Kind: regularizer.Seminorm, Gauge: root, Count: b.Len()},
	}}
}

// Under every method what is minimized has n·w²·R²: n rows are the same as one of which it is said that its weight is √n·w, and values
// of R are free of both.
func TestObjectiveHasTheNumberOfRows(t *testing.T) {
	const rows, labels, gap = 18, 4, 1e-6
	train := labelled(rows, labels)
	for _, c := range []struct {
		method setting.Method
		reg    func() *regularizer.Regularizer
	}{
		{setting.Embed, func() *regularizer.Regularizer { return alike(rows) }},
		{setting.Risk, func() *regularizer.Regularizer { return alike(rows) }},
		{setting.Dual, func() *regularizer.Regularizer { return alike(rows) }},
		{setting.Warp, func() *regularizer.Regularizer { return alike(rows) }},
		{setting.Plain, func() *regularizer.Regularizer { return alike(rows) }},
	} {
		t.Run(string(c.method), func(t *testing.T) {
			counted, single := c.reg(), c.reg()
			counted.Rows, single.Rows = rows, 1
			single.Invariances[0].Weight *= math.Sqrt(rows)
			a, x := scored(t, train.X, counted, c.method, gap)
			b, y := scored(t, train.X, single, c.method, gap)
			if !mat.EqualApprox(x, y, 1e-6) {
				t.Error("scores differ")
			}
			if math.Abs(a-b) > 1e-6 || a == 0 {
				t.Errorf("the value is %v, or %v", a, b)
			}
			single.Invariances[0].Weight = counted.Invariances[0].Weight
			if _, z := scored(t, train.X, single, c.method, gap); c.method != setting.Plain && mat.EqualApprox(x, z, 1e-3) {
				t.Error("n counts for nothing")
			}
		})
	}
}

// scored are the value of the one invariance at a fit, and the fit's scores.
func scored(t *testing.T, x *mat.Dense, reg *regularizer.Regularizer, method setting.Method, gap float64) (float64, *mat.Dense) {
	t.Helper()
	n, _ := x.Dims()
	out, err := Fit(t.Context(), labelled(n, 4), reg, wholeOptions(method, gap))
	if err != nil {
		t.Fatal(err)
	}
	scores, _, err := out.Model.Scores(t.Context(), x, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return float64(out.Measured[0].Value), scores
}
