package blas

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// A pass over long rows gives the bits of panels, which every other product has.
func TestPassesHaveTheBitsOfPanels(t *testing.T) {
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		rng := rand.New(rand.NewPCG(1, 2))
		for _, s := range []struct{ m, n, k int }{{3, 700, 1003}, {10, 1000, 517}, {32, 129, 1026}, {10, 131, 2049}, {7, 3000, 101}, {10, 70001, 3}} {
			a, b := make([]float64, s.k*s.m), make([]float64, s.k*(s.n+3))
			for _, x := range [][]float64{a, b} {
				for i := range x {
					x[i] = rng.NormFloat64()
				}
			}
			for _, beta := range []float64{0, 1, 0.5} {
				op, lda := blas.Trans, s.m
				if beta == 1 {
					op, lda = blas.NoTrans, s.k
				}
				c, c32 := ones(s.m*s.n), toSingle(ones(s.m*s.n))
				impl.Dgemm(op, blas.NoTrans, s.m, s.n, s.k, 1, a, lda, b, s.n+3, beta, c, s.n)
				impl.Sgemm(op, blas.NoTrans, s.m, s.n, s.k, 1, toSingle(a), lda, toSingle(b), s.n+3, float32(beta), c32, s.n)
				// Columns of a few each have no pass.
				for j := 0; j < s.n; j += 100 {
					wide := min(100, s.n-j)
					part, part32 := ones(s.m*wide), toSingle(ones(s.m*wide))
					impl.Dgemm(op, blas.NoTrans, s.m, wide, s.k, 1, a, lda, b[j:], s.n+3, beta, part, wide)
					impl.Sgemm(op, blas.NoTrans, s.m, wide, s.k, 1, toSingle(a), lda, toSingle(b[j:]), s.n+3, float32(beta), part32, wide)
					for i := range s.m {
						for v := range wide {
							if c[i*s.n+j+v] != part[i*wide+v] || c32[i*s.n+j+v] != part32[i*wide+v] {
								t.Fatalf("%+v, beta %g: element %d, %d is %v and %v, by panels %v and %v", s, beta, i, j+v, c[i*s.n+j+v], c32[i*s.n+j+v], part[i*wide+v], part32[i*wide+v])
							}
						}
					}
				}
			}
		}
	})
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}
