package operator

import (
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// differences is a block of f(x_i, y) − f(x_j, y) of count random pairs of rows, at each of m labels.
func differences(rng *rand.Rand, rows, count, m int) *plugins.Block {
	b := &plugins.Block{}
	for y := range m {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{int32(y)}, Value: []float64{1}})
	}
	for range count {
		i, j := int32(rng.IntN(rows)), int32(rng.IntN(rows))
		for y := range m {
			b.Term(1, i, plugins.Evaluation, int32(y))
			b.Term(-1, j, plugins.Evaluation, int32(y))
			b.End()
		}
	}
	return b
}

// evaluations is a block of f(x_i, y) for each row and label.
func evaluations(rows, m int) *plugins.Block {
	b := &plugins.Block{}
	for y := range m {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{int32(y)}, Value: []float64{1}})
	}
	for i := range rows {
		for y := range m {
			b.Term(1, int32(i), plugins.Evaluation, int32(y))
			b.End()
		}
	}
	return b
}

// exactForm is Σ_i w_i t_i² in rational numbers, over functionals of an operator from one on, at V label by label.
func exactForm(a *Operator, first int, w, v []float64) *big.Rat {
	sum, row := new(big.Rat), mat.NewDense(1, len(v), nil)
	for i, weight := range w {
		a.Rows(row, []int{first + i})
		t := exactDot(row.RawRowView(0), v)
		sum.Add(sum, t.Mul(t, t).Mul(t, exactly(weight)))
	}
	return sum
}

// Few functionals have the same sums of squares as many, within what Off says, and scores behind them are what they were.
func TestSquaredFormsAreThoseOfAllFunctionals(t *testing.T) {
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 2})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		n, m, d := rapid.IntRange(6, 12).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "labels"), rapid.IntRange(1, 5).Draw(t, "landmarks")
		rows := asDense(randomGeneral(rng, n, 3))
		f, err := embed.New(t.Context(), k, setting.Features{Landmarks: setting.CountLandmarks, Count: d}, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		block, behind := differences(rng, n, 60, m), evaluations(n, m)
		forms := []Form{{First: 0}, {First: 20 * m}}
		for i := range 60 {
			form, weight := &forms[min(1, i/20)], rng.ExpFloat64()
			for range m {
				form.Weights = append(form.Weights, weight)
			}
		}
		few, err := Squared(t.Context(), asked(block, rows, forms, rapid.IntRange(1, 4).Draw(t, "parts")), behind, rows, f, m, Options{})
		if err != nil || few == nil {
			t.Fatalf("no operator: %v", err)
		}
		all, err := Build(t.Context(), block, rows, f, m)
		if err != nil {
			t.Fatal(err)
		}
		scores, err := Build(t.Context(), behind, rows, f, m)
		if err != nil {
			t.Fatal(err)
		}
		own, v := m*f.Dim(), make([]float64, m*f.Dim())
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		size := exactDot(v, v)
		for k, form := range forms {
			ones := make([]float64, own)
			weights := make([]float64, RootsOf(few).Squares())
			for j := range ones {
				ones[j], weights[k*own+j] = 1, 1
			}
			off := exactForm(few, k*own, ones, v)
			off.Sub(off, exactForm(all, form.First, form.Weights, v)).Abs(off)
			if allowed := new(big.Rat).Mul(size, exactly(RootsOf(few).Off(weights))); off.Cmp(allowed) > 0 || !(RootsOf(few).Off(weights) < 1e-6) {
				got, _ := off.Float64()
				most, _ := allowed.Float64()
				t.Fatalf("form %d is off by %g, and %g are said", k, got, most)
			}
		}
		checkBehind(t, few, scores, len(forms)*own, v)
	})
}

// asked yields a block so many times, with halves of the weights, then quarters and so on. The last one has the rest, so that they add up without rounding.
func asked(b *plugins.Block, rows *mat.Dense, forms []Form, parts int) iter.Seq2[*Asked, error] {
	return func(yield func(*Asked, error) bool) {
		for k := range parts {
			q := &Asked{Block: b, Rows: rows, Of: parts}
			for _, f := range forms {
				share := math.Ldexp(1, -min(k+1, parts-1))
				q.Forms = append(q.Forms, Form{f.First, floats.ScaleTo(make([]float64, len(f.Weights)), share, f.Weights)})
			}
			yield(q, nil)
		}
	}
}

// checkBehind fails where the values of an operator behind its first functionals are not those of another.
func checkBehind(t *rapid.T, few, scores *Operator, first int, v []float64) {
	r, dim := few.Dims()
	s, _ := scores.Dims()
	got, want := mat.NewDense(1, r, nil), mat.NewDense(1, s, nil)
	few.Apply(got, mat.NewDense(1, dim, v))
	scores.Apply(want, mat.NewDense(1, dim, v))
	for i := range s {
		if math.Abs(got.At(0, first+i)-want.At(0, i)) > 1e-12 {
			t.Fatalf("functional %d has the value %v, and had %v", i, got.At(0, first+i), want.At(0, i))
		}
	}
	if r != first+s {
		t.Fatalf("%d functionals, want %d and %d", r, first, s)
	}
}

// Forms that tell labels apart are left to the functionals, and so are those of few.
func TestSquaredFormsTreatLabelsAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 2})
	if err != nil {
		t.Fatal(err)
	}
	rows := asDense(randomGeneral(rng, 10, 3))
	f, err := embed.New(t.Context(), k, setting.Features{Landmarks: setting.CountLandmarks, Count: 4}, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, weights := range map[string][]float64{"labels of two weights": {1, 2}, "a label without R": {1, 0}, "few functionals": nil} {
		count, form := 30, Form{}
		if weights == nil {
			count, weights = 2, []float64{1, 1}
		}
		for range count {
			form.Weights = append(form.Weights, weights...)
		}
		if a, err := Squared(t.Context(), asked(differences(rng, 10, count, 2), rows, []Form{form}, 1), evaluations(10, 2), rows, f, 2, Options{}); a != nil || err != nil {
			t.Errorf("%s: %v, %v", what, a, err)
		}
	}
}

// What labels that count as alike may couple is within what Off says. It grows with the number of labels.
func TestSquaredFormsCountWhatLabelsCouple(t *testing.T) {
	const m, coupled = 64, 0.9 * alikeShare
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 2})
	if err != nil {
		t.Fatal(err)
	}
	rows := asDense(randomGeneral(rand.New(rand.NewPCG(7, 4)), 6, 3))
	f, err := embed.New(t.Context(), k, setting.Features{Landmarks: setting.CountLandmarks, Count: 1}, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	block, form, v := evaluations(6, m), Form{Weights: slices.Repeat([]float64{1}, 6*m)}, slices.Repeat([]float64{1}, m)
	for i := range int32(6) { // the sum over labels, which adds the share to each pair of them
		for y := range int32(m) {
			block.Term(1, i, plugins.Evaluation, y)
		}
		block.End()
		form.Weights = append(form.Weights, coupled)
	}
	few, err := Squared(t.Context(), asked(block, rows, []Form{form}, 1), evaluations(6, m), rows, f, m, Options{})
	if err != nil || few == nil {
		t.Fatalf("no operator: %v", err)
	}
	all, err := Build(t.Context(), block, rows, f, m)
	if err != nil {
		t.Fatal(err)
	}
	ones := slices.Repeat([]float64{1}, RootsOf(few).Squares())
	off := exactForm(few, 0, ones, v)
	off.Sub(off, exactForm(all, 0, form.Weights, v)).Abs(off)
	if allowed := new(big.Rat).Mul(exactDot(v, v), exactly(RootsOf(few).Off(ones))); off.Cmp(allowed) > 0 {
		got, _ := off.Float64()
		most, _ := allowed.Float64()
		t.Errorf("off by %g, and %g are said", got, most)
	}
}
