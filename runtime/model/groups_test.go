package model

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

func TestCurvesAreSoughtUnderMaxima(t *testing.T) {
	leaf := gauge.Leaf(gauge.Abs)
	maximum := &gauge.Node{Op: gauge.Max, Repeat: 11, Children: []*gauge.Node{leaf}}
	pair := &gauge.Node{Op: gauge.Max, Repeat: 2, Children: []*gauge.Node{leaf}}
	mean := &gauge.Node{Op: gauge.Sum, Repeat: 3, Children: []*gauge.Node{maximum}}
	root := &gauge.Node{Op: gauge.Norm, P: 2, Children: []*gauge.Node{leaf, pair, mean, maximum}}
	got := curveGroups(nil, root, 0)
	want := []operator.Group{{First: 3, Count: 11}, {First: 14, Count: 11}, {First: 25, Count: 11}, {First: 36, Count: 11}}
	if !slices.Equal(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
	if o := tolerance(setting.Embed, 1e-2, root); o.Tolerance != 1e-4 {
		t.Errorf("tolerance %g for a gap of 1e-2", o.Tolerance)
	}
	for _, m := range []setting.Method{setting.Warp, setting.Plain} {
		if o := tolerance(m, 1e-2, root); o.Tolerance != 0 {
			t.Errorf("method %v tolerates %g", m, o.Tolerance)
		}
	}
}

// Large weights magnify the errors of rows: they must be nearer, or no gap would be reached.
func TestLargeWeightsWantNearerRows(t *testing.T) {
	m := newMixing(12, 10)
	m.weight = 1e3
	out := m.fit(t, 21, 1e-2, nil)
	rep := out.Model.Represent
	r, _ := rep.Operator.Dims()
	errs := rep.Operator.Errors()
	if errs == nil {
		errs = make([]float64, r)
	}
	if share := rep.Gauge.Value(errs) / math.Sqrt(represent.Alpha); share > mostOfGap*1e-2 {
		t.Errorf("errors of the rows take %g where the gap is to be 1e-2", share)
	}
	if worst := slices.Max(out.Gaps); worst > 1e-2 {
		t.Errorf("gap %g", worst)
	}
}

// The gap of a fit over compressed functionals is that of the functionals themselves.
func TestFitCompressesCurvesAndOwnsUp(t *testing.T) {
	m := newMixing(12, 10)
	out := m.fit(t, 21, 1e-2, nil)
	a := out.Model.Represent.Operator
	if r, _ := a.Dims(); a.Errors() == nil || 2*a.StoredRows() > r {
		t.Fatalf("%d functionals keep %d rows", r, a.StoredRows())
	}
	exact, err := operator.Build(t.Context(), m.at(curve.Nodes(21)).Functionals, m.train.X, out.Model.Represent.Features, 1)
	if err != nil {
		t.Fatal(err)
	}
	dim := out.Model.Represent.Dim()
	v, c, i := mat.NewDense(1, dim, nil), mat.NewDense(1, 210, nil), 0
	out.Iota(v.RawRowView(0)[:0], i)
	whole := polar.Problem{Alpha: represent.Alpha, A: exact, Gauge: out.Model.Represent.Gauge}
	a0, err := out.Model.Represent.RightHandSides(m.train.X)(i, i+1)
	if err != nil {
		t.Fatal(err)
	}
	lower, _ := polar.Certify(whole, a0, v, c)
	s, err := polar.New(t.Context(), whole, polar.Settings{Gap: 1e-8})
	if err != nil {
		t.Fatal(err)
	}
	best, err := s.Solve(t.Context(), a0)
	if err != nil {
		t.Fatal(err)
	}
	if gap := best.Norm2[0]/lower[0] - 1; gap > out.Gaps[i] {
		t.Errorf("the gap is %g, and %g was certified", gap, out.Gaps[i])
	}
}
