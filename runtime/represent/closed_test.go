package represent

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// everyLabel is a representer of m labels of which each has f(x_i + step, y) − f(x_i, y) with its own weights at nine rows, in closed form.
func everyLabel(t *testing.T, weights []float64) (*Representer, *mat.Dense) {
	t.Helper()
	return everyLabelAt(t, weights, 9, 9)
}

// everyLabelAt is everyLabel with functionals at the first of n rows.
func everyLabelAt(t *testing.T, weights []float64, n, functionals int) (*Representer, *mat.Dense) {
	t.Helper()
	rows, moved, block, m := drawn(n, 3, 1), drawn(n, 3, 2), &plugins.Block{}, len(weights)
	for y := range int32(m) {
		block.Labels = append(block.Labels, plugins.Label{Index: []int32{y}, Value: []float64{1}})
	}
	for i := range functionals {
		at := block.Points.Append(moved.RawRowView(i))
		for y := range int32(m) {
			block.Term(weights[y], int32(^at), plugins.Evaluation, y)
			block.Term(-weights[y], int32(i), plugins.Evaluation, y)
			block.End()
		}
	}
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 1.2})
	if err != nil {
		t.Fatal(err)
	}
	features, err := embed.ForLabels(context.Background(), k, setting.Features{}, embed.Labels{Count: m, Coupled: m}, rows, block)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.Build(context.Background(), block, rows, features, m)
	if err != nil {
		t.Fatal(err)
	}
	root := gauge.Repeat(functionals*m, gauge.Hypot(gauge.Leaf(gauge.Abs)))
	return &Representer{Method: setting.Warp, Features: features, Operator: op, Gauge: root, Labels: m, Scale: 1, Gap: 1e-6}, rows
}

// Labels that R does not couple are embedded one by one. The closed form of all labels at once says the same.
func TestLabelsOfTheirOwnAreTheWhole(t *testing.T) {
	for _, weights := range [][]float64{{2, 2, 2}, {1, 3, 3}, {5, 5}} {
		r, rows := everyLabel(t, weights)
		if !r.Reducible() {
			t.Fatal("labels that nothing couples are embedded together")
		}
		want, before := collect(t, r, rows)
		found, err := r.EmbedBySupport(context.Background(), rows, nil, nil)
		if err != nil || found == nil {
			t.Fatalf("%v, error %v", found, err)
		}
		alike := 1
		for y, w := range weights {
			if len(found.Support[y]) != 1 || int(found.Support[y][0]) != y {
				t.Errorf("label %d has the support %v", y, found.Support[y])
			}
			if w != weights[0] {
				alike = 2
			}
		}
		if len(found.Rows) != alike {
			t.Errorf("weights %v: %d problems, want %d", weights, len(found.Rows), alike)
		}
		r.Scale = 1
		got, gaps := collect(t, r, rows)
		for i := range gaps {
			if !(gaps[i] >= 0) || gaps[i] > 1e-9 || before[i] > 1e-9 {
				t.Errorf("gap %g by itself and %g with the others", gaps[i], before[i])
			}
		}
		got.Sub(got, want)
		if e := mat.Norm(got, 2); e > 1e-10 {
			t.Errorf("weights %v: embeddings differ by %g", weights, e)
		}
		w := make([]float64, r.Dim())
		for k := range w {
			w[k] = math.Sin(float64(k))
		}
		back, err := Linear(context.Background(), r, w)
		if err != nil {
			t.Fatal(err)
		}
		if own, err := r.Embed(context.Background(), w); err != nil || !floats.EqualApprox(own, back, 1e-10) {
			t.Errorf("weights %v: M⁻¹w label by label is another, error %v", weights, err)
		}
		next := r.RightHandSides(rows)
		a, err := next(0, 3)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			direct := mat.Dot(want.RowView(k), mat.NewVecDense(len(w), w))
			if turned := mat.Dot(a.RowView(k), mat.NewVecDense(len(back), back)); math.Abs(direct-turned) > 1e-10 {
				t.Errorf("⟨w, ι⟩ = %g, and %g by the function", direct, turned)
			}
		}
	}
}

// Bounds by the Gram matrix hold those by the functionals between them, up to rounding, and are as near.
func TestBoundsByTheGramMatrix(t *testing.T) {
	w := newWorld(t)
	n, _ := w.rows.Dims()
	rapid.Check(t, func(t *rapid.T) {
		weight := math.Pow(10, rapid.Float64Range(-3, 5).Draw(t, "weight"))
		r := w.representer(setting.Warp, quadratic(n, weight), 1)
		weights, _ := r.Gauge.Quadratic()
		form, err := newClosedForm(context.Background(), r.Problem(), r.Operator, weights, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		a, err := r.RightHandSides(w.rows)(0, n)
		if err != nil {
			t.Fatal(err)
		}
		got, err := form.embed(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		want := Batch{Iota: got.Iota, Gap: make([]float64, n), Norm2: make([]float64, n)}
		form.certify(&want, a)
		for i, gap := range got.Gap {
			lower, upper := got.Norm2[i], got.Norm2[i]*(1+gap)
			if other := want.Norm2[i] * (1 + want.Gap[i]); !(gap >= 0) || lower > other || want.Norm2[i] > upper {
				t.Fatalf("[%g, %g] by the Gram matrix and [%g, %g] by the functionals", lower, upper, want.Norm2[i], other)
			}
			if gap > 1e-9*(1+weight*weight) {
				t.Fatalf("the gap is %g at the weight %g", gap, weight)
			}
		}
	})
}

// Bounds count what functionals leave out that stand for the squares of others, by the Gram matrix and by themselves. So they hold for any norm as near.
func TestBoundsCountWhatSquaresLeaveOut(t *testing.T) {
	const n, share = 12, 1e-3
	rows, block := drawn(n, 3, 1), &plugins.Block{}
	for i := range int32(n) {
		block.Term(1, i, plugins.Evaluation, plugins.NoLabel)
		block.Term(-1, (i+1)%n, plugins.Evaluation, plugins.NoLabel)
		block.End()
	}
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 1.2})
	if err != nil {
		t.Fatal(err)
	}
	features, err := embed.New(t.Context(), k, setting.Features{Landmarks: setting.CountLandmarks, Count: 5}, rows, block)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.Build(t.Context(), block, rows, features, 1)
	if err != nil {
		t.Fatal(err)
	}
	embedded := func(op *operator.Operator, weight float64) (byGram, byA Batch) {
		r := &Representer{Method: setting.Embed, Features: features, Operator: op, Gauge: quadratic(n, weight), Labels: 1, Scale: 1, Gap: 1e-12}
		weights, _ := r.Gauge.Quadratic()
		form, err := newClosedForm(t.Context(), r.Problem(), op, weights, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		a, err := r.RightHandSides(rows)(0, n)
		if err != nil {
			t.Fatal(err)
		}
		if byGram, err = form.embed(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		byA = Batch{Iota: byGram.Iota, Gap: make([]float64, n), Norm2: make([]float64, n)}
		form.certify(&byA, a)
		return byGram, byA
	}
	// Weights of 1 ± share make a G that is off by that share of it and its square.
	g, err := operator.RootsOf(op).Gram(t.Context(), slices.Repeat([]float64{1}, n))
	if err != nil {
		t.Fatal(err)
	}
	trace := 0.0
	for j := range g.Rows {
		trace += g.Data[j*g.Stride+j]
	}
	state := op.State()
	state.Off = []float64{share * (2 + share) * trace}
	squares, err := operator.FromState(state)
	if err != nil {
		t.Fatal(err)
	}
	byGram, byA := embedded(squares, 1)
	for _, weight := range []float64{1 - share, 1, 1 + share} {
		truth, _ := embedded(op, weight)
		for i, want := range truth.Norm2 {
			for _, b := range []Batch{byGram, byA} {
				if lower, upper := b.Norm2[i], b.Norm2[i]*(1+b.Gap[i]); want < lower || want > upper || !(b.Gap[i] < 100*share) {
					t.Errorf("weight %g: %g is not within [%g, %g]", weight, want, lower, upper)
				}
			}
		}
	}
	r := &Representer{Method: setting.Embed, Features: features, Operator: squares, Gauge: quadratic(n, 1), Labels: 1, Scale: 1, Gap: 1e-12}
	if _, gaps := collect(t, r, rows); slices.Min(gaps) < share {
		t.Errorf("a gap of %g where more is left out", slices.Min(gaps))
	}
}

// A row has the same bits alone and among others.
func TestClosedFormOfARowAlone(t *testing.T) {
	const rows = 300
	x, moved, block := drawn(rows, 3, 1), drawn(rows, 3, 2), &plugins.Block{}
	for i := range rows {
		block.Term(1, int32(^block.Points.Append(moved.RawRowView(i))), plugins.Evaluation, plugins.NoLabel)
		block.Term(-1, int32(i), plugins.Evaluation, plugins.NoLabel)
		block.End()
	}
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	features, err := embed.New(context.Background(), k, setting.Features{Landmarks: setting.RowLandmarks}, x, block)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.Build(context.Background(), block, x, features, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := &Representer{Method: setting.Warp, Features: features, Operator: op, Gauge: quadratic(rows, 2), Labels: 1, Scale: 1, Gap: 1e-3}
	together, gaps := collect(t, r, x)
	for _, i := range []int{0, 7, 129, 299} {
		alone, gap := collect(t, r, x.Slice(i, i+1, 0, 3).(*mat.Dense))
		if !mat.Equal(alone, together.Slice(i, i+1, 0, r.Dim())) || gap[0] != gaps[i] {
			t.Errorf("row %d alone differs from row %d among others", i, i)
		}
	}
}

// Weights may be too large for the closed form of labels that R does not couple. Method embed then iterates, as it does for all labels at once.
// Method warp has nothing else to take.
func TestLabelsWithoutAClosedForm(t *testing.T) {
	weights := []float64{1e9, 1e9, 1e9}
	of := func(method setting.Method) (*Representer, *mat.Dense) {
		r, rows := everyLabelAt(t, weights, 29, 2)
		r.Method, r.Support = method, [][]int32{{0}, {1}, {2}}
		return r, rows
	}
	r, rows := of(setting.Warp)
	if err := r.Each(t.Context(), rows, nil, func(Batch) error { return nil }); !errors.Is(err, polar.ErrIndefinite) {
		t.Fatalf("method warp: error %v", err)
	}
	r, rows = of(setting.Embed)
	embedded, gaps := collect(t, r, rows)
	if size := mat.Norm(embedded, 2); len(gaps) != 3*29 || !(size > 0) || math.IsInf(size, 1) || r.supports.shapes[0].form != nil {
		t.Fatalf("%d gaps, embeddings of length %g", len(gaps), size)
	}
	for k, gap := range gaps {
		if !(gap >= 0) || math.IsInf(gap, 1) {
			t.Errorf("the gap of right-hand side %d is %g", k, gap)
		}
	}
	if _, err := Linear(t.Context(), r, make([]float64, r.Dim())); !errors.Is(err, ErrNoClosedForm) {
		t.Errorf("⟨w, ι⟩ of iterations has a closed form: error %v", err)
	}
}
