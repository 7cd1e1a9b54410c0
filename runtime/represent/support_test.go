package represent

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// taxonomy is labels below labels: 0 above 1 and 2, 1 above 3 … 5, 6 above 7 and 8, and 9 by itself.
var taxonomy = [][2]int32{{1, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 1}, {7, 6}, {8, 6}}

const taxonomyLabels = 10

// implications is weight · rms over rows of the largest implication violated.
func implications(rows int, weight float64) (*plugins.Block, *gauge.Node) {
	block := &plugins.Block{}
	for y := range int32(taxonomyLabels) {
		block.Labels = append(block.Labels, plugins.Label{Index: []int32{y}, Value: []float64{1}})
	}
	for i := range rows {
		for _, e := range taxonomy {
			block.Term(1, int32(i), plugins.Evaluation, e[0])
			block.Term(-1, int32(i), plugins.Evaluation, e[1])
			block.End()
		}
	}
	each := gauge.Repeat(len(taxonomy), gauge.MaxOf(gauge.Leaf(gauge.Pos)))
	return block, gauge.Scaled(gauge.Repeat(rows, gauge.Hypot(each)), weight/math.Sqrt(float64(rows)))
}

// drawn are rows of a normal distribution.
func drawn(n, p int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := mat.NewDense(n, p, nil)
	for i := range n {
		for j := range p {
			out.Set(i, j, rng.NormFloat64())
		}
	}
	return out
}

func logicRepresenter(t *testing.T, rows *mat.Dense, weight, gap float64) *Representer {
	t.Helper()
	n, _ := rows.Dims()
	block, root := implications(n, weight)
	return representerOf(t, rows, block, root, gap)
}

func representerOf(t *testing.T, rows *mat.Dense, block *plugins.Block, root *gauge.Node, gap float64) *Representer {
	t.Helper()
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 1.2})
	if err != nil {
		t.Fatal(err)
	}
	features, err := embed.ForLabels(context.Background(), k, setting.Features{}, embed.Labels{Count: taxonomyLabels, Coupled: taxonomyLabels}, rows, block)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.Build(context.Background(), block, rows, features, taxonomyLabels)
	if err != nil {
		t.Fatal(err)
	}
	return &Representer{Method: setting.Embed, Features: features, Operator: op, Gauge: root, Labels: taxonomyLabels, Scale: 1, Gap: gap}
}

func explored(t *testing.T, r *Representer, rows *mat.Dense) *supports {
	t.Helper()
	n, _ := rows.Dims()
	phi := mat.NewDense(n, r.Features.Dim(), nil)
	r.Features.Features(phi, rows)
	found, _, err := explore(context.Background(), r, phi, nil)
	if err != nil || found == nil {
		t.Fatalf("supports %v, error %v", found, err)
	}
	return found
}

func TestSupportsHoldForTheWholeProblem(t *testing.T) {
	const gap = 1e-3
	for _, weight := range []float64{1, 8, 40} {
		rows, fresh := drawn(20, 3, 1), drawn(15, 3, 2)
		whole, short := logicRepresenter(t, rows, weight, 1e-8), logicRepresenter(t, rows, weight, gap)
		found := explored(t, short, rows)
		for y, support := range found.of {
			for _, e := range taxonomy {
				if e[0] == int32(y) && !slices.Contains(support, e[1]) {
					t.Errorf("weight %g: the support of %d is %v, without its parent %d", weight, y, support, e[1])
				}
			}
		}
		if found.shape[3] != found.shape[4] || found.shape[7] != found.shape[8] || found.shape[3] == found.shape[7] {
			t.Errorf("weight %g: leaves at the same places of a tree should share a problem: %v", weight, found.shape)
		}
		short.Support = found.of
		want, _ := collect(t, whole, fresh)
		got, gaps := collect(t, short, fresh)
		for i := range gaps {
			if gaps[i] > gap {
				t.Errorf("weight %g: gap %g of right-hand side %d", weight, gaps[i], i)
			}
			// ‖V − ι‖² ≤ (2/α)(P(V) − D(c)) ≤ gap·‖a‖², the norm being at most 1 under this kernel.
			var diff mat.VecDense
			diff.SubVec(got.RowView(i), want.RowView(i))
			if d := mat.Norm(&diff, 2); d > 1.1*math.Sqrt(gap) {
				t.Errorf("weight %g: embedding %d lies %g off", weight, i, d)
			}
		}
	}
}

// apartMaxima is rms over rows of the largest change to the next row, among all labels: no functional has two labels.
func apartMaxima(rows int) (*plugins.Block, *gauge.Node) {
	block := &plugins.Block{}
	for y := range int32(taxonomyLabels) {
		block.Labels = append(block.Labels, plugins.Label{Index: []int32{y}, Value: []float64{1}})
	}
	for i := range rows {
		for y := range int32(taxonomyLabels) {
			block.Term(1, int32((i+1)%rows), plugins.Evaluation, y)
			block.Term(-1, int32(i), plugins.Evaluation, y)
			block.End()
		}
	}
	return block, gauge.Scaled(gauge.Repeat(rows, gauge.Hypot(gauge.Repeat(taxonomyLabels, gauge.MaxOf(gauge.Leaf(gauge.Abs))))), 2)
}

// Where no functional has two labels, a label alone is the whole problem: its gap needs no second look, and labels share what is solved.
func TestLabelsThatAMaximumAloneJoins(t *testing.T) {
	const gap = 1e-3
	rows, fresh := drawn(20, 3, 1), drawn(15, 3, 2)
	block, root := apartMaxima(20)
	short, whole := representerOf(t, rows, block, root, gap), representerOf(t, rows, block, root, 1e-8)
	found := explored(t, short, rows)
	if len(found.shapes) != 1 || found.shapes[0].whole != nil || found.shapes[0].width != 1 {
		t.Fatalf("supports %v, %d shapes", found.of, len(found.shapes))
	}
	short.Support = found.of
	want, _ := collect(t, whole, fresh)
	got, gaps := collect(t, short, fresh)
	p := polar.Problem{Alpha: Alpha, A: whole.Operator, Gauge: root}
	r, dim := whole.Operator.Dims()
	measure, values := polar.NewMeasure(p), mat.NewDense(1, r, nil)
	for i := range gaps {
		// The embedding is a multiple of a V that shows the lower bound ⟨a, V⟩²/J(V) of the whole problem.
		a, v := make([]float64, dim), mat.NewDense(1, dim, got.RawRowView(i))
		d := dim / taxonomyLabels
		whole.Features.Features(mat.NewDense(1, d, a[i%taxonomyLabels*d:][:d]), mat.NewDense(1, 3, fresh.RawRowView(i/taxonomyLabels)))
		whole.Operator.Apply(values, v)
		lower := measure.Lower(a, v.RawRowView(0), values.RawRowView(0))
		exact := mat.Dot(want.RowView(i), mat.NewVecDense(dim, a)) // ‖a‖°² within 1e-8
		if gaps[i] > gap || polar.Gap(lower, exact) > gap+1e-7 {
			t.Errorf("right-hand side %d: gap %g, and %g by the whole problem", i, gaps[i], polar.Gap(lower, exact))
		}
	}
}

func TestWholeProblemWhereASupportFallsShort(t *testing.T) {
	rows, fresh := drawn(20, 3, 1), drawn(5, 3, 2)
	whole, short := logicRepresenter(t, rows, 8, 1e-3), logicRepresenter(t, rows, 8, 1e-3)
	for y := range int32(taxonomyLabels) {
		short.Support = append(short.Support, []int32{y}) // without the labels above
	}
	want, _ := collect(t, whole, fresh)
	got, gaps := collect(t, short, fresh)
	for i, gap := range gaps {
		if gap > 1e-3 {
			t.Errorf("gap %g of right-hand side %d", gap, i)
		}
	}
	if !mat.EqualApprox(got, want, 0.05) {
		t.Error("other embeddings than those of the whole problem")
	}
	w := make([]float64, whole.Dim())
	for k := range w {
		w[k] = math.Sin(float64(k))
	}
	scores := mat.NewDense(5, taxonomyLabels, nil)
	if _, _, err := short.ScoresBySupport(context.Background(), fresh, w, scores, nil); err != nil {
		t.Fatal(err)
	}
	for k := range gaps {
		if s := mat.Dot(got.RowView(k), mat.NewVecDense(len(w), w)); math.Abs(s-scores.At(k/taxonomyLabels, k%taxonomyLabels)) > 1e-9 {
			t.Errorf("score %g of right-hand side %d, its embedding says %g", scores.At(k/taxonomyLabels, k%taxonomyLabels), k, s)
		}
	}
}
