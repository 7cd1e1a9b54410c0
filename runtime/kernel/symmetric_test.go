package kernel_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// The matrix of one set of points, of which one half is computed, has the bits of that of two equal sets, on any number of
// processors, and Diag is its diagonal.
func TestMatrixOfOneSet(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, s := range []setting.Kernel{
		{Kind: setting.Gaussian, Width: 3},
		{Kind: setting.Laplacian, Width: 3},
		{Kind: setting.Matern52, Width: 3},
		{Kind: setting.Linear},
		{Kind: setting.Polynomial, Degree: 3, Offset: 1},
		mixed(setting.Pairwise, nil),
		mixed(setting.Pairwise, [][2]int{{0, 1}, {2, 5}}),
		mixed(setting.Additive, nil),
	} {
		k := must(t, s)
		for _, n := range []int{1, 7, 40, 601} {
			x := random(rand.New(rand.NewPCG(uint64(n), 3)), n, mixedColumns)
			if n > 7 {
				x.SetRow(5, x.RawRowView(1)) // a distance of zero off the diagonal
			}
			two, one := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
			k.Matrix(two, x, mat.DenseCopyOf(x))
			for _, processors := range []int{1, 2, 3} {
				runtime.GOMAXPROCS(processors)
				one.Zero()
				k.Matrix(one, x, x)
				for i := range n {
					for j := range n {
						if math.Float64bits(one.At(i, j)) != math.Float64bits(two.At(i, j)) {
							t.Fatalf("%s, n %d, %d processors: [%d,%d] = %v, of two sets %v", s, n, processors, i, j, one.At(i, j), two.At(i, j))
						}
					}
				}
			}
			diagonal := make([]float64, n)
			k.Diag(diagonal, x)
			for i, v := range diagonal {
				if math.Abs(one.At(i, i)-v) > 1e-12*(1+v) {
					t.Fatalf("%s, n %d: [%d,%d] = %v, and Diag says %v", s, n, i, i, one.At(i, i), v)
				}
			}
		}
	}
}
