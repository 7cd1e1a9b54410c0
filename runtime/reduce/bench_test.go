package reduce

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// taxonomy is the logic of a taxonomy of 188 labels: 8 sections with groups of siblings below them.
func taxonomy(rows int) (r *regularizer.Regularizer, labels int) {
	sizes := []int32{30, 28, 26, 24, 20, 20, 16, 16}
	labels = 8
	for _, s := range sizes {
		labels += int(s)
	}
	b := &plugins.Block{}
	for l := range int32(labels) {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{l}, Value: []float64{1}})
	}
	var edges, pairs int
	for x := range int32(rows) {
		edges, pairs = 0, 0
		next := int32(8)
		for p, s := range sizes {
			for k := range s {
				b.Term(1, x, plugins.Evaluation, next+k)
				b.Term(-1, x, plugins.Evaluation, int32(p))
				b.End()
				edges++
			}
			next += s
		}
		next = 8
		for _, s := range sizes {
			for k := range s {
				for j := range k {
					b.Term(1, x, plugins.Evaluation, next+j)
					b.Term(1, x, plugins.Evaluation, next+k)
					b.End()
					pairs++
				}
			}
			next += s
		}
	}
	node := gauge.Repeat(rows, gauge.Hypot(gauge.Hypot(
		gauge.Repeat(edges, gauge.MaxOf(gauge.Leaf(gauge.Pos))), gauge.Repeat(pairs, gauge.MaxOf(gauge.Leaf(gauge.Pos))))))
	w := make([]float64, rows)
	for i := range w {
		w[i] = 1 / math.Sqrt(float64(rows))
	}
	node.Weights = w
	return &regularizer.Regularizer{Functionals: b, Invariances: []regularizer.Invariance{{Name: "logic", Weight: 2, Kind: regularizer.Sublinear, Count: b.Len(), Gauge: node}}}, labels
}

// BenchmarkTaxonomy embeds 50 right-hand sides for 60 rows of 188 labels, with all pairs of siblings and with what they reduce to.
func BenchmarkTaxonomy(b *testing.B) {
	const rows, count = 60, 50
	if err := blas.Use(); err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a benchmark
	x := mat.NewDense(rows, 20, nil)
	for i := range rows {
		for j := range 20 {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	pairs, labels := taxonomy(rows)
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 6})
	if err != nil {
		b.Fatal(err)
	}
	features, err := embed.ForLabels(b.Context(), k, setting.Features{}, labels, x, pairs.Functionals)
	if err != nil {
		b.Fatal(err)
	}
	d := features.Dim()
	phi, a := mat.NewDense(rows, d, nil), mat.NewDense(count, d*labels, nil)
	features.Features(phi, x)
	for i := range count {
		copy(a.RawRowView(i)[(i*7%labels)*d:], phi.RawRowView(i%rows))
	}
	solve := func(b *testing.B, of func() *regularizer.Regularizer) {
		b.Helper()
		b.ReportAllocs()
		for b.Loop() {
			r := of()
			op, err := operator.Build(b.Context(), r.Functionals, x, features, labels)
			if err != nil {
				b.Fatal(err)
			}
			s, err := polar.New(b.Context(), polar.Problem{Alpha: 1, A: op, Gauge: r.Gauge()}, polar.Settings{Gap: 1e-3})
			if err != nil {
				b.Fatal(err)
			}
			res, err := s.Solve(b.Context(), a)
			if err != nil || res.MaxGap() > 1e-3 {
				b.Fatalf("gap %v, error %v", res.MaxGap(), err)
			}
			b.ReportMetric(float64(r.Functionals.Len()), "functionals")
		}
	}
	b.Run("pairs", func(b *testing.B) { solve(b, func() *regularizer.Regularizer { return pairs }) })
	b.Run("reduced", func(b *testing.B) { solve(b, func() *regularizer.Regularizer { return Reduce(pairs) }) })
}
