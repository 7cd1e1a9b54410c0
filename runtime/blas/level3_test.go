package blas

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"
	"pgregory.net/rapid"
)

func TestGonumSuites(t *testing.T) {
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		testblas.TestDgemm(t, impl)
		testblas.DsyrkTest(t, impl)
		testblas.DtrmmTest(t, impl)
		testblas.DtrsmTest(t, impl)
	})
}

// structured is a random call of a routine with a symmetric or triangular matrix.
type structured struct {
	side        blas.Side
	ul          blas.Uplo
	trans       blas.Transpose
	diag        blas.Diag
	m, n        int
	alpha, beta float64
	a, b, c     []float64
	ld          int
}

func drawStructured(t *rapid.T) structured {
	s := structured{
		side:  rapid.SampledFrom([]blas.Side{blas.Left, blas.Right}).Draw(t, "side"),
		ul:    rapid.SampledFrom([]blas.Uplo{blas.Upper, blas.Lower}).Draw(t, "triangle"),
		trans: rapid.SampledFrom([]blas.Transpose{blas.NoTrans, blas.Trans}).Draw(t, "op"),
		diag:  rapid.SampledFrom([]blas.Diag{blas.Unit, blas.NonUnit}).Draw(t, "diagonal"),
		m:     sizes().Draw(t, "m"), n: sizes().Draw(t, "n"),
		alpha: rapid.SampledFrom([]float64{0, 1, -0.6}).Draw(t, "alpha"),
		beta:  rapid.SampledFrom([]float64{0, 1, 2.5}).Draw(t, "beta"),
	}
	for s.m*s.n*max(s.m, s.n) > most/2 {
		if s.m < s.n {
			s.m /= 2
		} else {
			s.n /= 2
		}
	}
	side := max(s.m, s.n, 1)
	s.ld = side + rapid.IntRange(0, 3).Draw(t, "extra")
	src := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	for _, x := range []*[]float64{&s.a, &s.b, &s.c} {
		*x = make([]float64, s.ld*side)
		for i := range *x {
			(*x)[i] = src.NormFloat64()
		}
	}
	// Small entries beside a diagonal of about one: well conditioned.
	for i := range s.a {
		s.a[i] /= float64(side)
		if i%s.ld == i/s.ld {
			s.a[i] = 1 + src.Float64()
		}
	}
	return s
}

// level3 is what the structured tests call.
type level3 interface {
	Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int)
	Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int)
	Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int)
}

var routines = []struct {
	name string
	call func(on level3, s structured, c []float64)
}{
	{"Dsyrk", func(on level3, s structured, c []float64) {
		on.Dsyrk(s.ul, s.trans, s.m, s.n, s.alpha, s.operand(s.b), s.ld, s.beta, s.cut(c, s.m, s.m), s.ld)
	}},
	{"Dtrmm", func(on level3, s structured, c []float64) {
		on.Dtrmm(s.side, s.ul, s.trans, s.diag, s.m, s.n, s.alpha, s.square(), s.ld, s.cut(c, s.m, s.n), s.ld)
	}},
	{"Dtrsm", func(on level3, s structured, c []float64) {
		on.Dtrsm(s.side, s.ul, s.trans, s.diag, s.m, s.n, s.alpha, s.square(), s.ld, s.cut(c, s.m, s.n), s.ld)
	}},
}

// cut shortens x to what a rows × cols matrix needs, so that a routine that
// reaches further panics.
func (s structured) cut(x []float64, rows, cols int) []float64 {
	if rows == 0 || cols == 0 {
		return nil
	}
	n := s.ld*(rows-1) + cols
	return x[:n:n]
}

// square is A for the routines that multiply it with an m × n matrix.
func (s structured) square() []float64 {
	if s.side == blas.Left {
		return s.cut(s.a, s.m, s.m)
	}
	return s.cut(s.a, s.n, s.n)
}

// operand shortens x to the stored op(A) of m × n; gonum wants some x even for
// n = 0.
func (s structured) operand(x []float64) []float64 {
	switch {
	case s.m == 0 || s.n == 0:
		return x
	case s.trans == blas.NoTrans:
		return s.cut(x, s.m, s.n)
	}
	return s.cut(x, s.n, s.m)
}

func TestStructuredRoutinesAgreeWithGonum(t *testing.T) {
	for _, r := range routines {
		t.Run(r.name, func(t *testing.T) {
			onTiers(t, func(t *testing.T, impl Implementation) {
				t.Helper()
				rapid.Check(t, func(t *rapid.T) {
					s := drawStructured(t)
					got, want := append([]float64(nil), s.c...), append([]float64(nil), s.c...)
					r.call(impl, s, got)
					r.call(gonum.Implementation{}, s, want)
					for i := range got {
						// The terms are O(1); their number is at most the side.
						if d := math.Abs(got[i] - want[i]); !(d <= 1e-14*float64(s.ld+10)*(1+math.Abs(want[i]))) {
							t.Fatalf("m %d n %d ld %d side %c triangle %c op %c diagonal %c alpha %v beta %v: [%d,%d] = %v, want %v",
								s.m, s.n, s.ld, s.side, s.ul, s.trans, s.diag, s.alpha, s.beta, i/s.ld, i%s.ld, got[i], want[i])
						}
					}
				})
			})
		})
	}
}

func TestStructuredBitsDoNotDependOnThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, r := range routines {
		t.Run(r.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := drawStructured(t)
				var first []float64
				for _, threads := range []int{1, 2, 3} {
					runtime.GOMAXPROCS(threads)
					got := append([]float64(nil), s.c...)
					r.call(Implementation{}, s, got)
					if first == nil {
						first = got
					}
					for i := range got {
						if math.Float64bits(got[i]) != math.Float64bits(first[i]) {
							t.Fatalf("m %d n %d on %d threads: [%d,%d] = %x, on one %x", s.m, s.n, threads, i/s.ld, i%s.ld, got[i], first[i])
						}
					}
				}
			})
		})
	}
}

// use registers impl with blas64 until the test ends.
func use(t *testing.T, impl blas.Float64) {
	t.Helper()
	old := blas64.Implementation()
	blas64.Use(impl)
	t.Cleanup(func() { blas64.Use(old) })
}

func TestGonumSuiteDpotrf(t *testing.T) {
	if underRace {
		t.Skip("the suite checks itself by plain sums, a minute's work under the race detector")
	}
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		use(t, impl)
		testlapack.DpotrfTest(t, NewLapack())
		testlapack.DpotrfTest(t, lapack.Implementation{}) // gonum's blocks on our products
	})
}

func TestCholeskyRefusesIndefinite(t *testing.T) {
	const n = 150
	for _, bad := range []int{0, 47, 80, n - 1} {
		for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
			a := make([]float64, n*n)
			for i := range n {
				a[i*n+i] = 1
			}
			a[bad*n+bad] = -1
			if NewLapack().Dpotrf(ul, n, a, n) {
				t.Errorf("%c: accepted a negative diagonal at %d", ul, bad)
			}
			a[bad*n+bad] = math.NaN()
			if NewLapack().Dpotrf(ul, n, a, n) {
				t.Errorf("%c: accepted NaN at %d", ul, bad)
			}
		}
	}
}
