package model

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// Violations returns, for the k-th invariance, 1 for each row whose decided labels violate one of its one-sided
// functionals, and 0 for others. These are implications whose premise is decided and whose conclusion is not, and exclusions of
// which both sides are. It returns nil for an invariance that decisions about rows cannot judge.
//
// Decisions are n×m, 0 or 1, of the rows that the regularizer was grounded on. The functionals are taken at
// 2·decision − 1, as learners take labels.
func Violations(reg *regularizer.Regularizer, k int, decisions *mat.Dense) []float64 {
	if !OnRows(reg, k) {
		return nil
	}
	n, _ := decisions.Dims()
	out, at := make([]float64, n), reg.Invariances[k].First
	reg.Invariances[k].Gauge.Leaves(func(op gauge.Op) {
		if row, value := decided(reg.Functionals, at, decisions); op == gauge.Pos && value > 0 {
			out[row] = 1
		}
		at++
	})
	return out
}

// OnRows reports whether an invariance can be judged by decisions about rows. Each of its functionals must
// evaluate f at one row of the data and at labels, and some must be one-sided.
func OnRows(reg *regularizer.Regularizer, k int) bool {
	inv := &reg.Invariances[k]
	b := reg.Functionals
	for i := inv.First; i < inv.First+inv.Count; i++ {
		for t := b.Start[i]; t < b.Start[i+1]; t++ {
			if b.Point[t] < 0 || b.Point[t] != b.Point[b.Start[i]] || b.Tangent[t] != plugins.Evaluation || b.Label[t] == plugins.NoLabel {
				return false
			}
		}
	}
	return !inv.Gauge.Symmetric()
}

// decided returns the value of a functional at decisions, and the row that it looks at.
func decided(b *plugins.Block, functional int, decisions *mat.Dense) (row int32, value float64) {
	for t := b.Start[functional]; t < b.Start[functional+1]; t++ {
		row = b.Point[t]
		y := b.Labels[b.Label[t]]
		for i, c := range y.Index {
			value += b.Coef[t] * y.Value[i] * (2*decisions.At(int(row), int(c)) - 1)
		}
	}
	return row, value
}
