//go:build linux || darwin

package openblas

import (
	"math"
	"math/rand/v2"
	"testing"

	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// oracle returns OpenBLAS, where the machine has it.
func oracle(t *testing.T) BLAS {
	t.Helper()
	o, err := Load()
	if err != nil {
		t.Skip(err)
	}
	return o
}

// random returns n numbers between −½ and ½.
func random[F float](n int, seed uint64) []F {
	src := rand.New(rand.NewPCG(seed, 2))
	x := make([]F, n)
	for i := range x {
		x[i] = F(src.Float64() - 0.5)
	}
	return x
}

// A level3 is what is compared.
type level3 interface {
	gonum.Float64Level3
	gonum.Float32Level3
}

// A task is a random call: matrices of n rows and columns, of which a routine takes what it needs.
type task struct {
	m, n, k     int
	ld          int
	tA, tB      gonum.Transpose
	side        gonum.Side
	ul          gonum.Uplo
	diag        gonum.Diag
	alpha, beta float64
	a, b, c     []float64
	sa, sb, sc  []float32
}

func draw(t *rapid.T) *task {
	size := rapid.OneOf(rapid.IntRange(1, 12), rapid.IntRange(13, 150))
	scalar := rapid.SampledFrom([]float64{0, 1, -1, 0.7, -2.5})
	transpose := rapid.SampledFrom([]gonum.Transpose{gonum.NoTrans, gonum.Trans})
	x := &task{
		m: size.Draw(t, "m"), n: size.Draw(t, "n"), k: size.Draw(t, "k"),
		tA: transpose.Draw(t, "tA"), tB: transpose.Draw(t, "tB"),
		side:  rapid.SampledFrom([]gonum.Side{gonum.Left, gonum.Right}).Draw(t, "side"),
		ul:    rapid.SampledFrom([]gonum.Uplo{gonum.Upper, gonum.Lower}).Draw(t, "triangle"),
		diag:  rapid.SampledFrom([]gonum.Diag{gonum.Unit, gonum.NonUnit}).Draw(t, "diagonal"),
		alpha: scalar.Draw(t, "alpha"), beta: scalar.Draw(t, "beta"),
	}
	most := max(x.m, x.n, x.k)
	x.ld = most + rapid.IntRange(0, 3).Draw(t, "extra")
	seed := rapid.Uint64().Draw(t, "seed")
	x.a, x.b, x.c = random[float64](most*x.ld, seed), random[float64](most*x.ld, seed+1), random[float64](most*x.ld, seed+2)
	for i := range x.a { // small entries beside a diagonal of about one: well conditioned
		x.a[i] /= float64(most)
		if i%x.ld == i/x.ld {
			x.a[i]++
		}
	}
	x.sa, x.sb, x.sc = rounded(x.a), rounded(x.b), rounded(x.c)
	return x
}

func rounded(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// routines call what OpenBLAS replaces, on a copy of C.
var routines = map[string]func(on level3, x *task, c []float64, s []float32){
	"gemm": func(on level3, x *task, c []float64, s []float32) {
		on.Dgemm(x.tA, x.tB, x.m, x.n, x.k, x.alpha, x.a, x.ld, x.b, x.ld, x.beta, c, x.ld)
		on.Sgemm(x.tA, x.tB, x.m, x.n, x.k, float32(x.alpha), x.sa, x.ld, x.sb, x.ld, float32(x.beta), s, x.ld)
	},
	"syrk": func(on level3, x *task, c []float64, _ []float32) {
		on.Dsyrk(x.ul, x.tA, x.n, x.k, x.alpha, x.b, x.ld, x.beta, c, x.ld)
	},
	"trmm": func(on level3, x *task, c []float64, _ []float32) {
		on.Dtrmm(x.side, x.ul, x.tA, x.diag, x.m, x.n, x.alpha, x.a, x.ld, c, x.ld)
	},
	"trsm": func(on level3, x *task, c []float64, _ []float32) {
		on.Dtrsm(x.side, x.ul, x.tA, x.diag, x.m, x.n, x.alpha, x.a, x.ld, c, x.ld)
	},
}

// TestRoutinesAgree compares every routine on every tier with OpenBLAS.
func TestRoutinesAgree(t *testing.T) {
	o := oracle(t)
	for _, tier := range blas.Tiers() {
		own, err := blas.New(tier)
		if err != nil {
			t.Fatal(err)
		}
		for name, call := range routines {
			t.Run(tier+"/"+name, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					x := draw(t)
					got, want := append([]float64(nil), x.c...), append([]float64(nil), x.c...)
					single, wanted := append([]float32(nil), x.sc...), append([]float32(nil), x.sc...)
					call(own, x, got, single)
					call(o, x, want, wanted)
					for i := range got {
						bound := float64(x.ld+10) * (1 + math.Abs(want[i]))
						if d := math.Abs(got[i] - want[i]); !(d <= 1e-14*bound) {
							t.Fatalf("element %d is %v, OpenBLAS has %v", i, got[i], want[i])
						}
						if d := math.Abs(float64(single[i] - wanted[i])); !(d <= 1e-5*bound) {
							t.Fatalf("element %d in float32 is %v, OpenBLAS has %v", i, single[i], wanted[i])
						}
					}
				})
			})
		}
	}
}

// TestFactorizationsAgree compares Cholesky factors and eigendecompositions with OpenBLAS.
func TestFactorizationsAgree(t *testing.T) {
	theirs, own := oracle(t).Lapack(), blas.NewLapack()
	for _, n := range []int{1, 20, 90, 333} {
		a := random[float64](n*n, 1)
		for i := range n {
			for j := range i {
				a[j*n+i] = a[i*n+j]
			}
		}
		v, u := append([]float64(nil), a...), append([]float64(nil), a...)
		got, want := make([]float64, n), make([]float64, n)
		work := []float64{0}
		own.Dsyev(lapack.EVCompute, gonum.Lower, n, v, n, got, work, -1)
		work = make([]float64, max(int(work[0]), 3*n))
		if !own.Dsyev(lapack.EVCompute, gonum.Lower, n, v, n, got, work, len(work)) ||
			!theirs.Dsyev(lapack.EVCompute, gonum.Lower, n, u, n, want, work, len(work)) {
			t.Fatalf("order %d: no convergence", n)
		}
		for i := range n {
			inner := 0.0
			for r := range n {
				inner += v[r*n+i] * u[r*n+i]
			}
			if math.Abs(got[i]-want[i]) > 1e-14*float64(n) || math.Abs(math.Abs(inner)-1) > 1e-8 {
				t.Fatalf("order %d: eigenvalue %d is %v, OpenBLAS has %v; cosine of the vectors %v", n, i, got[i], want[i], inner)
			}
		}
		for i := range n {
			a[i*n+i] += float64(n)
		}
		l := append([]float64(nil), a...)
		if !own.Dpotrf(gonum.Lower, n, a, n) || !theirs.Dpotrf(gonum.Lower, n, l, n) {
			t.Fatalf("order %d: no factor", n)
		}
		for i := range n {
			for j := range i + 1 {
				if math.Abs(a[i*n+j]-l[i*n+j]) > 1e-14*float64(n) {
					t.Fatalf("order %d: factor's element %d, %d is %v, OpenBLAS has %v", n, i, j, a[i*n+j], l[i*n+j])
				}
			}
		}
	}
}
