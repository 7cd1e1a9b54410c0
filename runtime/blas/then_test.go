package blas

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// TestGemmThenHandsOnAllOfC checks that the rectangles cover C once, and are
// final when they are handed on.
func TestGemmThenHandsOnAllOfC(t *testing.T) {
	t.Cleanup(func() { must(t, Select("")) })
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, name := range Tiers() {
		t.Run(name, func(t *testing.T) {
			must(t, Select(name))
			for _, size := range [][3]int{{1, 1, 1}, {3, 500, 40}, {300, 300, 20}, {3, 1000, 800}, {280, 280, 500}, {70, 900, 0}} {
				for _, lowerOnly := range []bool{false, size[0] == size[1]} {
					for _, processors := range []int{1, 3} {
						runtime.GOMAXPROCS(processors)
						checkThen(t, size[0], size[1], size[2], lowerOnly)
					}
				}
			}
		})
	}
}

func checkThen(t *testing.T, m, n, k int, lowerOnly bool) {
	t.Helper()
	a := blas64.General{Rows: m, Cols: k, Stride: max(k, 1), Data: random[float64](m * max(k, 1))}
	b := blas64.General{Rows: n, Cols: k, Stride: max(k, 1), Data: random[float64](n * max(k, 1))}
	c := blas64.General{Rows: m, Cols: n, Stride: n + 2, Data: make([]float64, m*(n+2))}
	seen, times := make([]float64, m*n), make([]int, m*n)
	var lock sync.Mutex
	GemmThen(blas.Trans, 2, a, b, c, lowerOnly, func(i, j, rows, cols int) {
		lock.Lock()
		defer lock.Unlock()
		for r := i; r < i+rows; r++ {
			copy(seen[r*n+j:][:cols], c.Data[r*c.Stride+j:][:cols])
			for q := j; q < j+cols; q++ {
				times[r*n+q]++
			}
		}
	})
	want := make([]float64, m*n)
	Implementation{}.Dgemm(blas.NoTrans, blas.Trans, m, n, k, 2, a.Data, a.Stride, b.Data, b.Stride, 0, want, n)
	for i := range want {
		if lowerOnly && i%n > i/n {
			continue
		}
		if times[i] != 1 || seen[i] != want[i] {
			t.Fatalf("%d×%d×%d, lower %t: [%d,%d] handed on %d times, as %v, want %v", m, n, k, lowerOnly, i/n, i%n, times[i], seen[i], want[i])
		}
	}
	if i := slices.IndexFunc(times, func(n int) bool { return n > 1 }); i >= 0 {
		t.Fatalf("[%d,%d] handed on twice", i/n, i%n)
	}
}
