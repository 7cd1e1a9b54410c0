package model

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// apartRows is how many rows are enclosed by one goroutine at a time.
const apartRows = 8

// Apart returns bounds (n×m) on |s_iy − f(x_i)_y| for scores s of the rows of x, where f is the function of which statements are proved. They
// enclose f(x_i) by arithmetic with bounds, and hold for any kernel and any numbers. A bound is infinite where a number is too large. Apart
// returns an error if the model has no such function, and ctx's when ctx ends.
func Apart(ctx context.Context, m *Model, x, scores *mat.Dense) (*mat.Dense, error) {
	if m.Coefficients == nil {
		return nil, fmt.Errorf("the scores of method %s are not sums of the kernel at landmarks", m.Represent.Method)
	}
	f, err := functionOf(m.Represent, m.Coefficients, m.Fit.Bias)
	if err != nil {
		return nil, err
	}
	n, labels := scores.Dims()
	out := mat.NewDense(n, labels, nil)
	parallel.For(n, apartRows, func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			for y := range labels {
				out.Set(i, y, apartAt(f, x.RawRowView(i), y, scores.At(i, y)))
			}
		}
	})
	return out, ctx.Err()
}

// apartAt bounds |score − f(x)_y|.
func apartAt(f *proof.Function, x []float64, y int, score float64) float64 {
	all := statement.Side{Columns: make([]int, len(x)), Low: 1, High: 0, Points: [][]float64{x}}
	for c := range all.Columns {
		all.Columns[c] = c
	}
	low, high, err := f.Enclose(&statement.Statement{Name: "f", Terms: []statement.Term{{Coef: 1, Label: y}}, Region: []statement.Side{all}}, x)
	if err != nil || !(high-low < math.Inf(1)) {
		return math.Inf(1)
	}
	return math.Nextafter(math.Max(math.Abs(score-low), math.Abs(score-high)), math.Inf(1))
}
