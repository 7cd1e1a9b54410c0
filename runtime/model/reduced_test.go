package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
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

// What is solved for has fewer functionals, the same embeddings and the same R, and models that are loaded know its gauge.
func TestExclusionsAreReduced(t *testing.T) {
	const rows, labels = 10, 6
	rng := rand.New(rand.NewPCG(3, 4))
	train := &dataset.Set{
		X: mat.NewDense(rows, 3, nil), Task: setting.Multilabel, LabelNames: make([]string, labels), HasTarget: true, Multi: mat.NewDense(rows, labels, nil),
	}
	for i := range rows {
		for j := range 3 {
			train.X.Set(i, j, rng.NormFloat64())
		}
		train.Multi.Set(i, rng.IntN(labels), 1)
		train.Rows = append(train.Rows, i)
	}
	reg := exclusions(rows, labels)
	out, err := Fit(t.Context(), train, reg, Options{
		Method: setting.Embed, Kernel: setting.Kernel{Kind: setting.Gaussian, Width: 1}, Features: setting.Features{},
		Learner: setting.Learner{Kind: setting.SVM, Strength: 1}, Gap: 1e-6,
	})
	if err != nil {
		t.Fatal(err)
	}
	rep := out.Model.Represent
	if n := rep.Gauge.Size(); n != rows*labels {
		t.Errorf("%d functionals are left, want %d: %v", n, rows*labels, rep.Gauge)
	}
	whole := *rep
	whole.solver = nil
	if whole.Operator, err = operator.Build(t.Context(), reg.Functionals, train.X, rep.Features, labels); err != nil {
		t.Fatal(err)
	}
	whole.Gauge = reg.Gauge()
	got, gaps := collect(t, rep, train.X)
	want, _ := collect(t, &whole, train.X)
	for i, g := range gaps {
		if g > 1e-6 {
			t.Errorf("embedding %d has the gap %v", i, g)
		}
	}
	if got.Sub(got, want); mat.Norm(got, 2) > 4e-3*math.Sqrt(rows*labels) {
		t.Errorf("the embeddings differ by %v", mat.Norm(got, 2))
	}
	checkSaved(t, out.Model, train.X, gaps)
}
