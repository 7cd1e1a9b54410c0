package model

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"

	"github.com/sipc-ml/sipc/plugins"
)

// A withinClass is a mixing of pairs that are of one class each: class 0, 1 or, for which there is no pair, 2.
type withinClass struct {
	*mixing
	class []int // of each pair
}

func newWithinClass() *withinClass {
	m := &withinClass{mixing: newMixing(18, 10)}
	m.weight = 3
	rng := rand.New(rand.NewPCG(5, 6))
	for range m.pairs {
		m.class = append(m.class, rng.IntN(2))
	}
	m.train.Task, m.train.Real, m.train.LabelNames = setting.Class, nil, []string{"a", "b", "c"}
	for i := range m.train.Len() {
		m.train.Class = append(m.train.Class, i%3)
	}
	return m
}

func (m *withinClass) ground(ctx context.Context, nodes int, halfway bool) (*regularizer.Regularizer, error) {
	reg, err := m.mixing.ground(ctx, nodes, halfway)
	if err != nil {
		return nil, err
	}
	b := reg.Functionals
	for c := range 3 {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{int32(c)}, Value: []float64{1}})
	}
	each := b.Len() / len(m.pairs)
	for i := range b.Label {
		b.Label[i] = int32(m.class[i/each])
	}
	return reg, nil
}

func (m *withinClass) fit(t *testing.T, gap float64) *Fitting {
	t.Helper()
	reg, err := m.ground(t.Context(), 11, false)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Fit(t.Context(), m.train, reg, Options{
		Method: setting.Embed, Kernel: setting.Kernel{Kind: setting.Gaussian, Width: 1}, Features: setting.Features{},
		Learner: setting.Learner{Kind: setting.Ridge, Strength: 1}, Gap: gap, Ground: m.ground,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Embeddings that are found class by class are those of the whole problem, and their certificates hold for it, whether the interval
// is certified on the way or afterwards.
func TestClassesFallApart(t *testing.T) {
	m := newWithinClass()
	for _, gap := range []float64{1e-2, 1e-9} {
		r := m.fit(t, gap).Model.Represent
		if len(r.apart) != 3 || r.apart[2].solver != nil {
			t.Fatalf("%d pieces", len(r.apart))
		}
		apart, gaps := collect(t, r, m.train.X)
		r.apart = nil
		whole, wholeGaps := collect(t, r, m.train.X)
		count, _ := whole.Dims()
		for i := range count {
			far := rowsApart(apart, whole, i)
			// ‖V − ι‖² ≤ (upper − lower)/α for either, in units of the scale
			most := 2 * math.Sqrt((gaps[i]+wholeGaps[i])*r.Scale*r.Scale)
			if far > most+1e-12 {
				t.Errorf("gap %g: embedding %d differs by %g, its gaps allow %g", gap, i, far, most)
			}
		}
		if worst := slices.Max(gaps); gap > 1e-3 && worst > gap {
			t.Errorf("gap %g: %g was reached", gap, worst)
		}
		if gap < 1e-3 && !r.Afterwards {
			t.Error("the interval is not certified afterwards")
		}
	}
}

func rowsApart(a, b *mat.Dense, i int) float64 {
	var d mat.VecDense
	d.SubVec(a.RowView(i), b.RowView(i))
	return mat.Norm(&d, 2)
}

// Zero is embedded at zero, piece by piece.
func TestPiecesOfZero(t *testing.T) {
	m := newWithinClass()
	r := m.fit(t, 1e-2).Model.Represent
	r.apart, r.solver = nil, nil
	if err := r.prepare(t.Context()); err != nil || r.apart == nil {
		t.Fatal(err)
	}
	a := mat.NewDense(2, r.Dim(), nil)
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range a.RawMatrix().Data[:r.Dim()] { // the second is zero
		a.RawMatrix().Data[i] = rng.NormFloat64()
	}
	out := emptyResult(2, r.Dim())
	for k := range r.apart {
		if err := r.apart[k].embed(t.Context(), r, a, out); err != nil {
			t.Fatal(err)
		}
	}
	if mat.Norm(out.Iota.RowView(1), 2) != 0 || out.Gap[1] != 0 {
		t.Error("zero is not embedded at zero")
	}
}

// Where a piece proves nothing, nor does the whole, whatever the others prove.
func TestPiecesThatProveNothing(t *testing.T) {
	m := newWithinClass()
	r := m.fit(t, 1e-2).Model.Represent
	d := r.Features.Dim()
	a := mat.NewDense(1, r.Dim(), nil)
	for k := range d { // of the classes of the first two pieces
		a.Set(0, k, 1)
		a.Set(0, d+k, 1)
	}
	out := emptyResult(1, r.Dim())
	p := &r.apart[0]
	nothing := &polar.Result{Iota: mat.NewDense(1, d, nil), Gap: []float64{math.Inf(1)}, Iterations: []int{1}, Newton: []int{0}, Work: []float64{0}, Status: make([]polar.Status, 1)}
	index, rhs := p.rows(a, d)
	if len(p.labels) != 1 || len(index) != 1 {
		t.Fatalf("%d labels, rows %v", len(p.labels), index)
	}
	p.add(out, 0, nothing, 0, rhs.RawRowView(0), d)
	if err := r.apart[1].embed(t.Context(), r, a, out); err != nil {
		t.Fatal(err)
	}
	if gap := gapOf(out.Norm2[0], out.Gap[0]); !math.IsInf(gap, 1) || !(out.Norm2[0] > 0) {
		t.Errorf("the gap is %g above %g", gap, out.Norm2[0])
	}
}

// Curves of different classes that lie between each other are told apart.
func TestRunsOfAPart(t *testing.T) {
	runs := []curve.Run{{Step: 3, Stride: 1, Nodes: 3, Count: 3}}
	part, place := []int{0, 0, 0, 1, 1, 1, 0, 0, 0}, []int{0, 1, 2, 0, 1, 2, 3, 4, 5}
	if got := runsOf(runs, 0, part, place); len(got) != 1 || got[0].Count != 2 || got[0].Leaf(1, 2) != 5 {
		t.Errorf("class 0 has %+v", got)
	}
	if got := runsOf(runs, 1, part, place); len(got) != 1 || got[0].Count != 1 || got[0].First != 0 {
		t.Errorf("class 1 has %+v", got)
	}
}
