//go:build openblas && (linux || darwin)

package blas

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/testblas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/testlapack"
	"pgregory.net/rapid"
)

// oracle is OpenBLAS, where the machine has it.
func oracle(t *testing.T) OpenBLAS {
	t.Helper()
	o, err := NewOpenBLAS()
	if err != nil {
		t.Skip(err)
	}
	return o
}

func TestOpenBLASPassesGonumSuites(t *testing.T) {
	o := oracle(t)
	testblas.TestDgemm(t, o)
	testblas.DsyrkTest(t, o)
	testblas.Dsyr2kTest(t, o)
	testblas.DsymmTest(t, o)
	testblas.DtrmmTest(t, o)
	testblas.DtrsmTest(t, o)
	use(t, o)
	testlapack.DpotrfTest(t, OpenLapack{lib: o.lib})
	testlapack.DsyevTest(t, OpenLapack{lib: o.lib})
}

// TestAgreesWithOpenBLAS compares every routine with OpenBLAS's.
func TestAgreesWithOpenBLAS(t *testing.T) {
	o := oracle(t)
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		rapid.Check(t, func(t *rapid.T) {
			p := drawProblem(t)
			_, size := p.plain()
			got, want := append([]float64(nil), p.c...), append([]float64(nil), p.c...)
			impl.Dgemm(p.tA, p.tB, p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, got, p.ldc)
			o.Dgemm(p.tA, p.tB, p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, want, p.ldc)
			single, wanted := toSingle(p.c), toSingle(p.c)
			impl.Sgemm(p.tA, p.tB, p.m, p.n, p.k, float32(p.alpha), toSingle(p.a), p.lda, toSingle(p.b), p.ldb, float32(p.beta), single, p.ldc)
			o.Sgemm(p.tA, p.tB, p.m, p.n, p.k, float32(p.alpha), toSingle(p.a), p.lda, toSingle(p.b), p.ldb, float32(p.beta), wanted, p.ldc)
			for i := range got {
				bound := float64(p.k+4) * size[i]
				if d := math.Abs(got[i] - want[i]); !(d <= bound*0x1p-52) {
					t.Fatalf("%v: Dgemm: c[%d] = %v, OpenBLAS has %v", p, i, got[i], want[i])
				}
				if d := math.Abs(float64(single[i] - wanted[i])); !(d <= bound*0x1p-22) {
					t.Fatalf("%v: Sgemm: c[%d] = %v, OpenBLAS has %v", p, i, single[i], wanted[i])
				}
			}
		})
		for _, r := range routines {
			rapid.Check(t, func(t *rapid.T) {
				s := drawStructured(t)
				got, want := append([]float64(nil), s.c...), append([]float64(nil), s.c...)
				r.call(impl, s, got)
				r.call(o, s, want)
				for i := range got {
					if d := math.Abs(got[i] - want[i]); !(d <= 1e-14*float64(s.ld+10)*(1+math.Abs(want[i]))) {
						t.Fatalf("%s, m %d n %d: [%d,%d] = %v, OpenBLAS has %v", r.name, s.m, s.n, i/s.ld, i%s.ld, got[i], want[i])
					}
				}
			})
		}
	})
}

func TestEigenvaluesAgreeWithOpenBLAS(t *testing.T) {
	o := oracle(t)
	for _, n := range []int{1, 20, 90, 333} {
		a := random[float64](n * n)
		mine, theirs := append([]float64(nil), a...), append([]float64(nil), a...)
		w, ok := syev(lapack.EVCompute, blas.Lower, n, mine)
		want := make([]float64, n)
		if !(OpenLapack{lib: o.lib}).Dsyev(lapack.EVCompute, blas.Lower, n, theirs, n, want, nil, 0) || !ok {
			t.Fatalf("n %d: no convergence", n)
		}
		for i := range n {
			inner := 0.0
			for r := range n {
				inner += mine[r*n+i] * theirs[r*n+i]
			}
			if math.Abs(w[i]-want[i]) > 1e-14*float64(n) || math.Abs(math.Abs(inner)-1) > 1e-8 {
				t.Fatalf("n %d: eigenvalue %d is %v, OpenBLAS has %v; cosine of the vectors %v", n, i, w[i], want[i], inner)
			}
		}
	}
}
