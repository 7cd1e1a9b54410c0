package embed_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// movedBlock compares f at each row with f at some points around it: two labels, of which a functional looks at one.
func movedBlock(rng *rand.Rand, rows *mat.Dense, moves int, by float64) *plugins.Block {
	n, p := rows.Dims()
	b := &plugins.Block{Labels: []plugins.Label{{Index: []int32{0}, Value: []float64{1}}, {Index: []int32{1}, Value: []float64{2}}}}
	point := make([]float64, p)
	for i := range n {
		for range moves {
			for j := range point {
				point[j] = rows.At(i, j) + by*rng.NormFloat64()
			}
			label := int32(rng.IntN(2))
			b.Term(1, ^int32(b.Points.Append(point)), plugins.Evaluation, label)
			b.Term(-1, int32(i), plugins.Evaluation, label)
			b.End()
		}
	}
	return b
}

// chosenOf returns a map with all landmarks, of labels that are coupled or not, and how they were chosen.
func chosenOf(t *testing.T, width float64, labels embed.Labels, rows *mat.Dense, block *plugins.Block) (embed.Map, *embed.Choice) {
	t.Helper()
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: width})
	if err != nil {
		t.Fatal(err)
	}
	m, err := embed.ForLabels(t.Context(), k, setting.Features{Seed: 3}, labels, rows, block)
	if err != nil {
		t.Fatal(err)
	}
	return m, embed.Choose(m)
}

// All takes as many landmarks as lose next to nothing, and no more than their work allows.
func TestLandmarksFollowWhatTheyLose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	apart := embed.Labels{Count: 2, Coupled: 1}
	flat, rough := random(rng, 200, 2), random(rng, 200, 8)
	wide, narrow := movedBlock(rng, flat, 9, 0.1), movedBlock(rng, rough, 9, 0.3)
	if _, c := chosenOf(t, 1.5, apart, flat, wide); c.Points != 2000 || c.Landmarks > 1000 || c.Costly || c.Rows > 1e-3 || c.Functionals > 1e-3 {
		t.Errorf("of smooth functions %+v", c)
	}
	if _, c := chosenOf(t, 1, apart, rough, narrow); c.Landmarks < 1900 || c.Costly || c.Functionals > 1e-3 || c.Sampled != 1800 {
		t.Errorf("of functions of many columns %+v", c)
	}
	if _, c := chosenOf(t, 1, embed.Labels{Count: 2, Coupled: 2}, rough, narrow); c.Landmarks != 1000 || !c.Costly || c.Functionals < 0.1 {
		t.Errorf("of labels that are coupled %+v", c)
	}
	if m, c := chosenOf(t, 1, apart, random(rng, 1500, 8), nil); c != nil || m.Dim() != 1500 {
		t.Errorf("of few points %+v", c)
	}
}

// The shares are those of features: a projection keeps ‖φ(x)‖² of k(x, x).
func TestSharesOutsideTheSpan(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	rows := random(rng, 270, 8)
	block := movedBlock(rng, rows, 13, 0.3)
	m, c := chosenOf(t, 1, embed.Labels{Count: 2, Coupled: 1}, rows, block)
	if want := int(1.08 * math.Sqrt(2.7e10/3780)); c.Points != 3780 || c.Landmarks != want || !c.Costly || c.Sampled != 2000 {
		t.Fatalf("%+v, want %d landmarks", c, want)
	}
	kept := mat.Norm(featuresOf(m, rows), 2)
	if want := 1 - kept*kept/270; math.Abs(c.Rows-want) > 1e-9 {
		t.Errorf("rows lose %g, and %g by their features", c.Rows, want)
	}
	phi := featuresOf(m, embed.NewPoints(rows, block).Gather(pointsOf(block)))
	lost, whole := 0.0, 0.0
	here := featuresOf(m, rows)
	for i := range block.Len() {
		row := here.RawRowView(int(block.Point[2*i+1]))
		norm := 2 - 2*kernelAt(m, rows.RawRowView(int(block.Point[2*i+1])), block.Points.Row(i))
		weight := block.Labels[block.Label[2*i]].Value[0]
		part := floats.Distance(phi.RawRowView(i), row, 2)
		lost, whole = lost+weight*weight*(norm-part*part), whole+weight*weight*norm
	}
	if want := lost / whole; math.Abs(c.Functionals-want) > 0.05*want { // of a sample
		t.Errorf("functionals lose %g, and %g by their features", c.Functionals, want)
	}
}

// pointsOf returns the ids of the points of a block.
func pointsOf(b *plugins.Block) []int32 {
	out := make([]int32, b.Points.Rows)
	for i := range out {
		out[i] = ^int32(i)
	}
	return out
}

// kernelAt returns k(x, y).
func kernelAt(m embed.Map, x, y []float64) float64 {
	out := mat.NewDense(1, 1, nil)
	m.Kernel().Matrix(out, mat.NewDense(1, len(x), x), mat.NewDense(1, len(y), y))
	return out.At(0, 0)
}
