package blas

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
)

type shape struct {
	name    string
	tA, tB  blas.Transpose
	m, n, k int
}

const nt, tr = blas.NoTrans, blas.Trans

var shapes = []shape{
	{"square", nt, nt, 2000, 2000, 2000},
	{"square", nt, tr, 2000, 2000, 2000},
	{"square", tr, nt, 2000, 2000, 2000},
	{"wide", nt, nt, 256, 8000, 1000},
	{"wide", nt, tr, 256, 8000, 1000},
	{"batch", nt, nt, 4000, 256, 1000},
	{"long", nt, tr, 10, 70000, 1000},
	{"long", nt, nt, 10, 1000, 70000},
	{"thin", nt, nt, 2000, 10, 1000},
	{"outer", nt, nt, 2000, 2000, 16},
	{"mid", nt, nt, 300, 300, 300},
	{"small", nt, nt, 100, 100, 100},
	{"small", nt, nt, 32, 32, 32},
	{"small", nt, tr, 32, 32, 32},
	{"small", nt, nt, 10, 10, 10},
	{"small", nt, tr, 10, 10, 10},
	{"small", nt, nt, 4, 4, 4},
	{"small", tr, tr, 4, 4, 4},
	{"row", nt, nt, 1, 1000, 1000},
	{"column", nt, nt, 1000, 1, 1000},
	{"column", tr, nt, 1000, 1, 1000},
	{"dot", nt, tr, 1, 1, 1000},
}

func (s shape) String() string {
	return fmt.Sprintf("%s/%c%c/%dx%dx%d", s.name, s.tA, s.tB, s.m, s.n, s.k)
}

func random[F float](n int) []F {
	src := rand.New(rand.NewPCG(1, 2))
	x := make([]F, n)
	for i := range x {
		x[i] = F(src.Float64() - 0.5)
	}
	return x
}

type named struct {
	name string
	impl interface {
		blas.Float64
		blas.Float32
	}
}

// rivals are the tiers and gonum's own implementation.
func rivals(b *testing.B) []named {
	b.Helper()
	var list []named
	for _, name := range Tiers() {
		impl, err := New(name)
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, named{name, impl})
	}
	return append(list, named{"gonum", gonum.Implementation{}})
}

func gflops(b *testing.B, flops float64) {
	b.Helper()
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()*1e-9, "GFLOP/s")
	b.ReportMetric(0, "ns/op")
}

func BenchmarkDgemm(b *testing.B) {
	for _, s := range shapes {
		x, y, z := random[float64](s.m*s.k), random[float64](s.k*s.n), make([]float64, s.m*s.n)
		lda, ldb := strideOf(s.tA, s.m, s.k), strideOf(s.tB, s.k, s.n)
		for _, r := range rivals(b) {
			b.Run(s.String()+"/"+r.name, func(b *testing.B) {
				for b.Loop() {
					r.impl.Dgemm(s.tA, s.tB, s.m, s.n, s.k, 1, x, lda, y, ldb, 0, z, s.n)
				}
				gflops(b, 2*float64(s.m*s.n*s.k))
			})
		}
	}
}

func BenchmarkSgemm(b *testing.B) {
	for _, s := range shapes {
		x, y, z := random[float32](s.m*s.k), random[float32](s.k*s.n), make([]float32, s.m*s.n)
		lda, ldb := strideOf(s.tA, s.m, s.k), strideOf(s.tB, s.k, s.n)
		for _, r := range rivals(b) {
			b.Run(s.String()+"/"+r.name, func(b *testing.B) {
				for b.Loop() {
					r.impl.Sgemm(s.tA, s.tB, s.m, s.n, s.k, 1, x, lda, y, ldb, 0, z, s.n)
				}
				gflops(b, 2*float64(s.m*s.n*s.k))
			})
		}
	}
}

func strideOf(t blas.Transpose, rows, cols int) int {
	if t == blas.NoTrans {
		return cols
	}
	return rows
}

func BenchmarkLevel3(b *testing.B) {
	const n, k = 2000, 2000
	x, y, z := random[float64](n*k), random[float64](n*k), make([]float64, n*n)
	for i := range n {
		x[i*n+i] += n // a well-conditioned triangle
	}
	calls := []struct {
		name  string
		flops float64
		call  func(on level3)
	}{
		{"Dsyrk", n * n * k, func(on level3) { on.Dsyrk(blas.Lower, tr, n, k, 1, x, n, 0, z, n) }},
		{"DsyrkTall", n * 200 * 200, func(on level3) { on.Dsyrk(blas.Lower, tr, 200, n, 1, x, n, 0, z, n) }},
		{"DtrsmLeft", n * n * k, func(on level3) { on.Dtrsm(blas.Left, blas.Lower, nt, blas.NonUnit, n, n, 1, x, n, y, n) }},
		{"DtrsmRight", n * n * k, func(on level3) { on.Dtrsm(blas.Right, blas.Lower, tr, blas.NonUnit, n, n, 1, x, n, y, n) }},
		{"DtrsmFew", n * n * 64, func(on level3) { on.Dtrsm(blas.Left, blas.Lower, nt, blas.NonUnit, n, 64, 1, x, n, y, n) }},
		{"Dtrmm", n * n * k, func(on level3) { on.Dtrmm(blas.Left, blas.Lower, nt, blas.Unit, n, n, 1, x, n, z, n) }},
	}
	for _, c := range calls {
		for _, name := range Tiers() {
			impl, err := New(name)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(c.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					c.call(impl)
				}
				gflops(b, c.flops)
			})
		}
	}
}

func BenchmarkCholesky(b *testing.B) {
	for _, n := range []int{100, 500, 1000, 2000, 4000} {
		x := random[float64](n * n)
		for i := range n {
			x[i*n+i] += float64(n)
		}
		a := make([]float64, n*n)
		for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
			b.Run(fmt.Sprintf("%d%c", n, ul), func(b *testing.B) {
				if err := Use(); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					b.StopTimer()
					copy(a, x)
					b.StartTimer()
					if _, ok := lapack64.Potrf(blas64.Symmetric{Uplo: ul, N: n, Data: a, Stride: n}); !ok {
						b.Fatal("not positive definite")
					}
				}
				gflops(b, float64(n)*float64(n)*float64(n)/3)
			})
		}
	}
}
