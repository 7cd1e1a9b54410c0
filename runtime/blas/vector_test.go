package blas

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"
	"pgregory.net/rapid"
)

func TestGonumSuitesOfVectors(t *testing.T) {
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		testblas.DdotTest(t, impl)
		testblas.DaxpyTest(t, impl)
	})
}

// TestVectors compares every routine with gonum's, and float64 bits between
// tiers.
func TestVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(0, 300), rapid.SampledFrom([]int{1000, 4097})).Draw(t, "n")
		skip := rapid.IntRange(0, 3).Draw(t, "skip") // unaligned
		src := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		x, y := make([]float64, n+skip)[skip:], make([]float64, n+skip)[skip:]
		size := 0.0
		for i := range x {
			x[i], y[i] = src.NormFloat64(), src.NormFloat64()
			size += math.Abs(x[i] * y[i])
		}
		alpha := rapid.SampledFrom([]float64{0, 1, -1.3}).Draw(t, "alpha")
		want, plain := gonum.Implementation{}, append([]float64(nil), y...)
		want.Daxpy(n, alpha, x, 1, plain, 1)
		var firstDot float64
		var firstSum []float64
		for k, name := range Tiers() {
			impl, err := New(name)
			if err != nil {
				t.Fatal(err)
			}
			dot := impl.Ddot(n, x, 1, y, 1)
			sum := append([]float64(nil), y...)
			impl.Daxpy(n, alpha, x, 1, sum, 1)
			if k == 0 {
				firstDot, firstSum = dot, sum
			}
			if d := math.Abs(dot - want.Ddot(n, x, 1, y, 1)); !(d <= float64(n)*0x1p-52*size) || dot != firstDot {
				t.Fatalf("%s, n %d: dot product %v, off by %v; %s has %v", name, n, dot, d, Tiers()[0], firstDot)
			}
			u, v := toSingle(x), toSingle(y)
			if d := math.Abs(float64(impl.Sdot(n, u, 1, v, 1)) - dot); !(d <= float64(n)*0x1p-23*size) {
				t.Fatalf("%s, n %d: single dot product off by %v", name, n, d)
			}
			impl.Saxpy(n, float32(alpha), u, 1, v, 1)
			for i := range sum {
				if !(math.Abs(sum[i]-plain[i]) <= 0x1p-51*(math.Abs(alpha*x[i])+math.Abs(y[i]))) || sum[i] != firstSum[i] {
					t.Fatalf("%s, n %d: axpy [%d] = %v, want %v; %s has %v", name, n, i, sum[i], plain[i], Tiers()[0], firstSum[i])
				}
				if !(math.Abs(float64(v[i])-plain[i]) <= 0x1p-22*(math.Abs(alpha*x[i])+math.Abs(y[i]))) {
					t.Fatalf("%s, n %d: single axpy [%d] = %v, want %v", name, n, i, v[i], plain[i])
				}
			}
			copy(plain, firstSum)
		}
	})
}
