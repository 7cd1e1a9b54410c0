package model

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// rules are label 0 implies label 1, and labels 0 and 2 exclude each other, on every row.
func rules(rows int) *regularizer.Regularizer {
	b := &plugins.Block{}
	for c := range int32(3) {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{c}, Value: []float64{1}})
	}
	for i := range int32(rows) {
		b.Term(1, i, plugins.Evaluation, 0)
		b.Term(-1, i, plugins.Evaluation, 1)
		b.End()
		b.Term(1, i, plugins.Evaluation, 0)
		b.Term(1, i, plugins.Evaluation, 2)
		b.End()
	}
	pair := gauge.Hypot(gauge.Leaf(gauge.Pos), gauge.Leaf(gauge.Pos))
	return &regularizer.Regularizer{Functionals: b, Invariances: []regularizer.Invariance{{
		Name: "logic", Weight: 1, Gauge: gauge.Repeat(rows, gauge.Hypot(pair)), Count: 2 * rows,
	}}}
}

func TestViolationsAreThoseOfRows(t *testing.T) {
	decisions := mat.NewDense(4, 3, []float64{
		1, 1, 0, // obeys both
		1, 0, 0, // 0 without 1
		1, 1, 1, // 0 and 2
		0, 0, 0, // nothing is decided, nothing violated
	})
	if got := Violations(rules(4), 0, decisions); !slices.Equal(got, []float64{0, 1, 1, 0}) {
		t.Errorf("violations %v", got)
	}
}

func TestDecisionsDoNotJudgeWhatIsNotOnRows(t *testing.T) {
	reg := rules(1)
	reg.Functionals.Point[0] = ^0
	reg.Functionals.Points.Append([]float64{0})
	if got := Violations(reg, 0, mat.NewDense(1, 3, nil)); got != nil {
		t.Errorf("violations %v at a new point", got)
	}
}

func TestDecisionsDoNotJudgeWhatCouplesRows(t *testing.T) {
	b := &plugins.Block{Labels: []plugins.Label{{Index: []int32{0}, Value: []float64{1}}}}
	b.Term(1, 0, plugins.Evaluation, 0)
	b.Term(-1, 1, plugins.Evaluation, 0)
	b.End()
	reg := &regularizer.Regularizer{Functionals: b, Invariances: []regularizer.Invariance{{
		Name: "rises", Weight: 1, Gauge: gauge.Leaf(gauge.Pos), Count: 1,
	}}}
	if got := Violations(reg, 0, mat.NewDense(2, 1, []float64{1, 0})); got != nil {
		t.Errorf("a violation between two rows was counted as %v of them", got)
	}
}
