package bench

import (
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// rateTimes is how often the machine's rate is measured before a solve, and again after it.
const rateTimes = 3

// Rates are those of a matrix product, in operations per second.
type Rates struct {
	Double float64 `json:"dgemm"`
	Single float64 `json:"sgemm"`
}

// samples are the seconds that products of square matrices took.
type samples struct {
	order          int
	double, single []float64
}

// take measures both rates in turn, so that what disturbs one disturbs the other.
func (s *samples) take() {
	n := s.order
	x, y, z := random[float64](n*n, 1), random[float64](n*n, 2), make([]float64, n*n)
	xs, ys, zs := random[float32](n*n, 1), random[float32](n*n, 2), make([]float32, n*n)
	for range rateTimes {
		s.double = append(s.double, seconds(func() {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, blas64.General{Rows: n, Cols: n, Stride: n, Data: x},
				blas64.General{Rows: n, Cols: n, Stride: n, Data: y}, 0, blas64.General{Rows: n, Cols: n, Stride: n, Data: z})
		}))
		s.single = append(s.single, seconds(func() {
			blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, blas32.General{Rows: n, Cols: n, Stride: n, Data: xs},
				blas32.General{Rows: n, Cols: n, Stride: n, Data: ys}, 0, blas32.General{Rows: n, Cols: n, Stride: n, Data: zs})
		}))
	}
}

// rates returns the median rates.
func (s *samples) rates() Rates {
	n := float64(s.order)
	operations := 2 * n * n * n
	return Rates{operations / median(s.double), operations / median(s.single)}
}

func seconds(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}

func random[F float32 | float64](n int, stream uint64) []F {
	rng := rand.New(rand.NewPCG(1, stream))
	x := make([]F, n)
	for i := range x {
		x[i] = F(rng.Float64() - 0.5)
	}
	return x
}

// median returns the median of some numbers, the upper one of two.
func median[T int | float64](x []T) T {
	s := slices.Clone(x)
	slices.Sort(s)
	return s[len(s)/2]
}
