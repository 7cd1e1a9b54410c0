package operator

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
)

// A coordinates is the feature map φ(x) = x of functionals that evaluate and never derive.
type coordinates struct {
	embed.Map // nil, as no other method is called

	dim int
}

func (c coordinates) Dim() int { return c.dim }

func (coordinates) Features(dst, x *mat.Dense) { dst.Copy(x) }

// plainOperator makes the operator of a plain matrix, whose rows are Σ coef · (a point at a label).
func plainOperator(t *testing.T, points *mat.Dense, labels int, block *plugins.Block) *Operator {
	t.Helper()
	_, d := points.Dims()
	for c := range labels {
		block.Labels = append(block.Labels, plugins.Label{Index: []int32{int32(c)}, Value: []float64{1}})
	}
	a, err := Build(t.Context(), block, points, coordinates{dim: d}, labels)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
