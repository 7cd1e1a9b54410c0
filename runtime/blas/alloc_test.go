package blas

import (
	"testing"

	"gonum.org/v1/gonum/blas"
)

// TestSmallSystemsAllocateNothing is for solvers that run many of them at once.
func TestSmallSystemsAllocateNothing(t *testing.T) {
	if underRace {
		t.Skip("the race detector empties pools")
	}
	must(t, Select(""))
	for _, n := range []int{10, 50, 100, 150} {
		x, b, c, f, g := random[float64](n*n), random[float64](n*n), make([]float64, n*n), make([]float32, n*n), make([]float32, n*n)
		factor := func() {
			copy(c, x)
			for i := range n {
				c[i*n+i] += float64(n)
			}
			if !NewLapack().Dpotrf(blas.Lower, n, c, n) {
				t.Fatal("not positive definite")
			}
		}
		factor()
		for name, call := range map[string]func(){
			"Dpotrf":      factor,
			"Dtrsm left":  func() { Implementation{}.Dtrsm(blas.Left, blas.Lower, nt, blas.NonUnit, n, 8, 1, c, n, b, n) },
			"Dtrsm right": func() { Implementation{}.Dtrsm(blas.Right, blas.Lower, tr, blas.NonUnit, 8, n, 1, c, n, b, n) },
			"Dgemm":       func() { Implementation{}.Dgemm(nt, tr, n, n, n, 1, x, n, x, n, 0, b, n) },
			"Sgemm":       func() { Implementation{}.Sgemm(nt, nt, n, n, n, 1, f, n, f, n, 0, g, n) },
			"Dsyrk":       func() { Implementation{}.Dsyrk(blas.Lower, nt, n, n, 1, x, n, 0, b, n) },
		} {
			// A garbage collection may empty the pools of buffers meanwhile.
			if allocations := testing.AllocsPerRun(100, call); allocations >= 1 {
				t.Errorf("%s of order %d allocates %v times", name, n, allocations)
			}
		}
	}
}
