//go:build linux || darwin

package openblas

import (
	"fmt"
	"sync"
	"testing"
	"time"

	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// implementation is one side of a comparison.
type implementation struct {
	gonum.Float64
	gonum.Float32
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
			x, a := random[float64](n*n, 1), make([]float64, n*n)
			for i := range n {
				x[i*n+i] += float64(n)
			}
			return func() { copy(a, x) }, func(on implementation) { on.lapack.Dpotrf(gonum.Lower, n, a, n) }
		}})
		for _, rhs := range []int{1, 8, 32} {
			for _, t := range []gonum.Transpose{gonum.NoTrans, gonum.Trans} {
				list = append(list, systems{fmt.Sprintf("Dtrsm%c/%dx%d", t, n, rhs), float64(n * n * rhs), func() (func(), func(implementation)) {
					a, x := random[float64](n*n, 1), random[float64](n*rhs, 1)
					for i := range n {
						a[i*n+i] += float64(n)
					}
					return func() {}, func(on implementation) {
						on.Dtrsm(gonum.Left, gonum.Lower, t, gonum.NonUnit, n, rhs, 1, a, n, x, rhs)
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
				a, b, c := random[float64](m*k, 1), random[float64](n*k, 1), make([]float64, m*n)
				return func() {}, func(on implementation) { on.Dgemm(gonum.NoTrans, gonum.NoTrans, m, n, k, 1, a, k, b, n, 0, c, n) }
			}}, systems{fmt.Sprintf("DgemmT/%dx%dx%d", m, n, k), flops, func() (func(), func(implementation)) {
				a, b, c := random[float64](m*k, 1), random[float64](n*k, 1), make([]float64, m*n)
				return func() {}, func(on implementation) { on.Dgemm(gonum.NoTrans, gonum.Trans, m, n, k, 1, a, k, b, k, 0, c, n) }
			}}, systems{fmt.Sprintf("Sgemm/%dx%dx%d", m, n, k), flops, func() (func(), func(implementation)) {
				a, b, c := random[float32](m*k, 1), random[float32](n*k, 1), make([]float32, m*n)
				return func() {}, func(on implementation) { on.Sgemm(gonum.NoTrans, gonum.NoTrans, m, n, k, 1, a, k, b, n, 0, c, n) }
			}}, systems{fmt.Sprintf("SgemmT/%dx%dx%d", m, n, k), flops, func() (func(), func(implementation)) {
				a, b, c := random[float32](m*k, 1), random[float32](n*k, 1), make([]float32, m*n)
				return func() {}, func(on implementation) { on.Sgemm(gonum.NoTrans, gonum.Trans, m, n, k, 1, a, k, b, k, 0, c, n) }
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
	o, err := Load()
	if err != nil {
		b.Skip(err)
	}
	if err := blas.Select(""); err != nil { // for our Cholesky factorization
		b.Fatal(err)
	}
	before := o.lib.threads()
	o.lib.setThreads(1)
	b.Cleanup(func() { o.lib.setThreads(before) })
	var own blas.Implementation
	sides := []implementation{{own, own, blas.NewLapack()}, {o, o, o.Lapack()}}
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
