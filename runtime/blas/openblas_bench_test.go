//go:build openblas && (linux || darwin)

package blas

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
)

// implementation is one side of a comparison.
type implementation struct {
	blas.Float64
	blas.Float32
	lapack lapack.Float64
}

// systems is a benchmark of many small systems solved at the same time.
type systems struct {
	name  string
	flops float64
	make  func() (prepare func(), call func(on implementation)) // for one goroutine
}

func smallSystems() []systems {
	var list []systems
	for _, n := range []int{50, 100, 200, 400, 600} {
		cube := float64(n) * float64(n) * float64(n)
		list = append(list, systems{fmt.Sprintf("Dpotrf/%d", n), cube / 3, func() (func(), func(implementation)) {
			x, a := random[float64](n*n), make([]float64, n*n)
			for i := range n {
				x[i*n+i] += float64(n)
			}
			return func() { copy(a, x) }, func(on implementation) { on.lapack.Dpotrf(blas.Lower, n, a, n) }
		}})
		for _, rhs := range []int{1, 8, 32} {
			for _, t := range []blas.Transpose{nt, tr} {
				list = append(list, systems{fmt.Sprintf("Dtrsm%c/%dx%d", t, n, rhs), float64(n * n * rhs), func() (func(), func(implementation)) {
					a, x := random[float64](n*n), random[float64](n*rhs)
					for i := range n {
						a[i*n+i] += float64(n)
					}
					return func() {}, func(on implementation) {
						on.Dtrsm(blas.Left, blas.Lower, t, blas.NonUnit, n, rhs, 1, a, n, x, rhs)
					}
				}})
			}
		}
	}
	for _, k := range []int{600, 5000} {
		for _, m := range []int{1, 4, 8, 16, 32} {
			const n = 1000
			flops := 2 * float64(m*n*k)
			list = append(list, systems{fmt.Sprintf("Dgemm/%dx%dx%d", m, n, k), flops, func() (func(), func(implementation)) {
				a, b, c := random[float64](m*k), random[float64](n*k), make([]float64, m*n)
				return func() {}, func(on implementation) { on.Dgemm(nt, nt, m, n, k, 1, a, k, b, n, 0, c, n) }
			}}, systems{fmt.Sprintf("DgemmT/%dx%dx%d", m, n, k), flops, func() (func(), func(implementation)) {
				a, b, c := random[float64](m*k), random[float64](n*k), make([]float64, m*n)
				return func() {}, func(on implementation) { on.Dgemm(nt, tr, m, n, k, 1, a, k, b, k, 0, c, n) }
			}}, systems{fmt.Sprintf("Sgemm/%dx%dx%d", m, n, k), flops, func() (func(), func(implementation)) {
				a, b, c := random[float32](m*k), random[float32](n*k), make([]float32, m*n)
				return func() {}, func(on implementation) { on.Sgemm(nt, nt, m, n, k, 1, a, k, b, n, 0, c, n) }
			}}, systems{fmt.Sprintf("SgemmT/%dx%dx%d", m, n, k), flops, func() (func(), func(implementation)) {
				a, b, c := random[float32](m*k), random[float32](n*k), make([]float32, m*n)
				return func() {}, func(on implementation) { on.Sgemm(nt, tr, m, n, k, 1, a, k, b, k, 0, c, n) }
			}})
		}
	}
	return list
}

// rate runs calls on two goroutines at once, each at least for the time given,
// and returns GFLOP/s of both together.
func (s systems) rate(on implementation, least time.Duration) float64 {
	const goroutines = 2
	var group sync.WaitGroup
	rates := make([]float64, goroutines)
	for g := range goroutines {
		prepare, call := s.make()
		group.Go(func() {
			var spent time.Duration
			calls := 0
			for spent < least {
				prepare()
				start := time.Now()
				call(on)
				spent += time.Since(start)
				calls++
			}
			rates[g] = s.flops * float64(calls) / spent.Seconds() * 1e-9
		})
	}
	group.Wait()
	return rates[0] + rates[1]
}

// BenchmarkSystems compares with OpenBLAS on one thread per call, in turn.
func BenchmarkSystems(b *testing.B) {
	o, err := NewOpenBLAS()
	if err != nil {
		b.Skip(err)
	}
	before := o.lib.Threads()
	o.lib.SetThreads(1)
	b.Cleanup(func() { o.lib.SetThreads(before) })
	own := Implementation{on: available()[0]}
	blas64.Use(own) // for our Cholesky factorization
	sides := []implementation{{own, own, Lapack{}}, {o, o, OpenLapack{lib: o.lib}}}
	for _, s := range smallSystems() {
		b.Run(s.name, func(b *testing.B) {
			var best [2]float64
			for b.Loop() {
				for range 3 {
					for k, side := range sides {
						best[k] = max(best[k], s.rate(side, 8*time.Millisecond))
					}
				}
			}
			b.ReportMetric(best[0], "GFLOP/s")
			b.ReportMetric(best[1], "OpenBLAS")
			b.ReportMetric(best[0]/best[1], "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}
