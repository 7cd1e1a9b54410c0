package model

import (
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// exclusions says of all pairs among some labels that they exclude each other, on every row.
func exclusions(rows, labels int) *regularizer.Regularizer {
	b := &plugins.Block{}
	for l := range int32(labels) { //nolint:gosec // small
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{l}, Value: []float64{1}})
	}
	for x := range int32(rows) { //nolint:gosec // small
		for i := range b.Labels {
			for j := range i {
				b.Term(1, x, plugins.Evaluation, int32(i))
				b.Term(1, x, plugins.Evaluation, int32(j))
				b.End()
			}
		}
	}
	root := gauge.Repeat(rows, gauge.Hypot(gauge.Repeat(labels*(labels-1)/2, gauge.MaxOf(gauge.Leaf(gauge.Pos)))))
	return &regularizer.Regularizer{Functionals: b, Invariances: []regularizer.Invariance{
		{Name: "logic", Weight: 2, Kind: regularizer.Sublinear, Gauge: root, Count: b.Len()},
	}}
}
