package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"pgregory.net/rapid"
)

// onTiers runs a test on every tier that this processor has.
func onTiers(t *testing.T, f func(t *testing.T, impl Implementation)) {
	t.Helper()
	for _, name := range Tiers() {
		t.Run(name, func(t *testing.T) {
			impl, err := New(name)
			if err != nil {
				t.Fatal(err)
			}
			f(t, impl)
		})
	}
}

// problem is a random call of a matrix product.
type problem struct {
	tA, tB        blas.Transpose
	m, n, k       int
	alpha, beta   float64
	a, b, c       []float64
	lda, ldb, ldc int
}

func (p problem) String() string {
	return fmt.Sprintf("op %c%c, m %d, n %d, k %d, alpha %v, beta %v, ld %d %d %d",
		p.tA, p.tB, p.m, p.n, p.k, p.alpha, p.beta, p.lda, p.ldb, p.ldc)
}

// most is the work of a random problem: enough for several goroutines and
// blocks, little enough for a hundred problems under the race detector.
const most = 3 << 20

func sizes() *rapid.Generator[int] {
	return rapid.OneOf(rapid.IntRange(0, 30), rapid.IntRange(0, 120), rapid.SampledFrom([]int{192, 193, 255, 256, 257, 400, 520}))
}

func drawProblem(t *rapid.T) problem {
	transpose := rapid.SampledFrom([]blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans})
	scalar := rapid.SampledFrom([]float64{0, 1, -1, 0.7, -2.5})
	extra := rapid.IntRange(0, 5)
	p := problem{
		tA: transpose.Draw(t, "tA"), tB: transpose.Draw(t, "tB"),
		m: sizes().Draw(t, "m"), n: sizes().Draw(t, "n"), k: sizes().Draw(t, "k"),
		alpha: scalar.Draw(t, "alpha"), beta: scalar.Draw(t, "beta"),
	}
	for p.m*p.n*p.k > most {
		if p.m > p.n {
			p.m /= 2
		} else {
			p.n /= 2
		}
	}
	src := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	matrix := func(rows, cols int, trans bool) ([]float64, int) {
		if trans {
			rows, cols = cols, rows
		}
		ld := max(1, cols) + extra.Draw(t, "extra")
		x := make([]float64, max(0, ld*(rows-1)+cols))
		for i := range x {
			x[i] = src.NormFloat64()
		}
		return x, ld
	}
	p.a, p.lda = matrix(p.m, p.k, p.tA != blas.NoTrans)
	p.b, p.ldb = matrix(p.k, p.n, p.tB != blas.NoTrans)
	p.c, p.ldc = matrix(p.m, p.n, false)
	return p
}

// plain computes the product in the obvious way; it also returns, per element,
// the sum of the absolute values of the terms, which bounds the rounding error.
func (p problem) plain() (c, size []float64) {
	c, size = append([]float64(nil), p.c...), make([]float64, len(p.c))
	a, b := viewOf(p.a, p.lda, p.tA != blas.NoTrans), viewOf(p.b, p.ldb, p.tB != blas.NoTrans)
	for i := range p.m {
		for j := range p.n {
			var sum, abs float64
			for l := range p.k {
				x := a.data[i*a.rs+l*a.cs] * b.data[l*b.rs+j*b.cs]
				sum, abs = sum+x, abs+math.Abs(x)
			}
			at := i*p.ldc + j
			size[at] = math.Abs(p.alpha)*abs + math.Abs(p.beta*c[at])
			old := p.beta * c[at]
			if p.beta == 0 {
				old = 0
			}
			c[at] = p.alpha*sum + old
		}
	}
	return c, size
}

func TestGemmAgreesWithPlainSums(t *testing.T) {
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		rapid.Check(t, func(t *rapid.T) {
			p := drawProblem(t)
			want, size := p.plain()
			got := append([]float64(nil), p.c...)
			impl.Dgemm(p.tA, p.tB, p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, got, p.ldc)
			single := toSingle(p.c)
			impl.Sgemm(p.tA, p.tB, p.m, p.n, p.k, float32(p.alpha), toSingle(p.a), p.lda, toSingle(p.b), p.ldb, float32(p.beta), single, p.ldc)
			for i := range got {
				bound := float64(p.k+4) * size[i]
				if d := math.Abs(got[i] - want[i]); !(d <= bound*0x1p-52) {
					t.Fatalf("%v: Dgemm: c[%d] = %v, want %v", p, i, got[i], want[i])
				}
				if size[i] == 0 && got[i] != want[i] {
					t.Fatalf("%v: Dgemm touched c[%d]", p, i)
				}
				if d := math.Abs(float64(single[i]) - want[i]); !(d <= bound*0x1p-22+1e-7*math.Abs(p.c[i])) {
					t.Fatalf("%v: Sgemm: c[%d] = %v, want %v", p, i, single[i], want[i])
				}
			}
		})
	})
}

func toSingle(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

func TestGemmBitsDoNotDependOnThreadsOrTier(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		var first []float64
		for _, name := range Tiers() {
			impl, err := New(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{1, 2, 5} {
				runtime.GOMAXPROCS(threads)
				got := append([]float64(nil), p.c...)
				impl.Dgemm(p.tA, p.tB, p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, got, p.ldc)
				if first == nil {
					first = got
				}
				for i := range got {
					if math.Float64bits(got[i]) != math.Float64bits(first[i]) {
						t.Fatalf("%v: %s on %d threads: c[%d] = %x, on %s %x", p, name, threads, i, got[i], Tiers()[0], first[i])
					}
				}
			}
		}
	})
}

// TestFewRowsHaveTheBitsOfMany checks that ways of their own for products of few rows sum as those of many rows do.
func TestFewRowsHaveTheBitsOfMany(t *testing.T) {
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		const many, n, k = flatRows + 40, 1003, 800
		a, b, before := random[float64](many*k), random[float64](n*k), random[float64](many*n)
		for _, tB := range []blas.Transpose{nt, tr} {
			for _, beta := range []float64{0, 1, -0.7} {
				ldb := strideOf(tB, k, n)
				want := slices.Clone(before)
				impl.Dgemm(nt, tB, many, n, k, 1.3, a, k, b, ldb, beta, want, n)
				for _, rows := range []int{3, 4, 10, 12, 40} {
					got := slices.Clone(before[:rows*n])
					impl.Dgemm(nt, tB, rows, n, k, 1.3, a, k, b, ldb, beta, got, n)
					if !slices.Equal(got, want[:rows*n]) {
						t.Errorf("op %c, beta %v: %d rows differ from those among %d", tB, beta, rows, many)
					}
				}
			}
		}
	})
}
