package kernel_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// BenchmarkMatrix shows kernel matrices beside the matrix product inside them.
func BenchmarkMatrix(b *testing.B) {
	const n, p = 2000, 784
	rng := rand.New(rand.NewPCG(1, 8))
	x, v := random(rng, n, p), random(rng, n, p)
	out := mat.NewDense(n, n, nil)
	rate := func(b *testing.B, products float64) {
		b.Helper()
		b.ReportMetric(products*2*n*n*p*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	}
	b.Run("product", func(b *testing.B) {
		for b.Loop() {
			out.Mul(x, x.T())
		}
		rate(b, 1)
	})
	for _, s := range []setting.Kernel{{Kind: setting.Gaussian, Width: 20}, {Kind: setting.Laplacian, Width: 20}, {Kind: setting.Polynomial, Degree: 3, Offset: 1}} {
		k := must(b, s)
		b.Run(string(s.Kind), func(b *testing.B) {
			for b.Loop() {
				k.Matrix(out, x, x)
			}
			rate(b, 1)
		})
		b.Run(string(s.Kind)+"/directional", func(b *testing.B) {
			for b.Loop() {
				k.Derived(out, by(x, v, 1), kernel.At(x))
			}
			rate(b, 2)
		})
	}
}
