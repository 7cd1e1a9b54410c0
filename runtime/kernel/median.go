package kernel

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ErrNoMedian reports rows that have no median distance, as all are equal, or there is one alone.
var ErrNoMedian = errors.New("median distance")

// medianRows is the number of rows up to which MedianDistance takes all pairs.
const medianRows = 2000

// MedianDistance returns the median of the distances between different rows of x, without those between equal rows.
// If there are more than 2000 rows, it takes a sample of 2000 drawn by the seed. It fails with ErrNoMedian if x has fewer than two
// different rows.
func MedianDistance(x *mat.Dense, seed uint64) (float64, error) {
	n, p := x.Dims()
	if n > medianRows {
		order := rand.New(rand.NewPCG(seed, 0x6d656469616e)).Perm(n)[:medianRows]
		slices.Sort(order)
		sample := mat.NewDense(medianRows, p, nil)
		for i, r := range order {
			sample.SetRow(i, x.RawRowView(r))
		}
		x, n = sample, medianRows
	}
	if n < 2 {
		return 0, fmt.Errorf("%w: the data have fewer than two rows; give the kernel a width of its own", ErrNoMedian)
	}
	f := newFrame(x, x)
	squares := make([]float64, 0, n*(n-1)/2)
	out := scratch(n, n)
	blocks(n, func(lo, hi int) {
		xb := f.z
		xb.Rows, xb.Data = hi-lo, f.z.Data[lo*p:hi*p]
		t := head(out, hi-lo)
		products(t, xb, f.z, f.factor())
		pass(hi-lo, func(i int) { f.finish(row(t, i), row(xb, i), floats.Dot(row(xb, i), row(xb, i)), 0) })
		for i := lo; i < hi; i++ {
			for _, d := range row(t, i-lo)[i+1:] {
				if d > 0 {
					squares = append(squares, d)
				}
			}
		}
	})
	if len(squares) == 0 {
		return 0, fmt.Errorf("%w: all rows are equal; give the kernel a width of its own", ErrNoMedian)
	}
	slices.Sort(squares)
	// Of an even number the mean of the two in the middle, of distances rather than squares.
	half := len(squares) / 2
	if len(squares)%2 == 1 {
		return math.Sqrt(squares[half]), nil
	}
	return (math.Sqrt(squares[half-1]) + math.Sqrt(squares[half])) / 2, nil
}
