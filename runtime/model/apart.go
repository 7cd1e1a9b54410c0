package model

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/proof"
)

// leastApart is the least number of rows for which factors are kept together.
const leastApart = 64

// Apart returns bounds (n×m) on |s_iy − f(x_i)_y| for scores s of the rows of x, where f is the function of which statements are proved. They
// enclose f(x_i) by arithmetic with bounds, and hold for any kernel and any numbers. A bound is infinite where a number is too large. Apart
// returns an error if the model has no such function, and ctx's when ctx ends. Progress, if not nil, is told how many rows are done.
func Apart(ctx context.Context, m *Model, x, scores *mat.Dense, progress func(done, total int)) (*mat.Dense, error) {
	if m.Coefficients == nil {
		return nil, fmt.Errorf("the scores of method %s are not sums of the kernel at landmarks", m.Represent.Method)
	}
	f, err := functionOf(m.Represent, m.Coefficients, m.Fit.Bias)
	if err != nil {
		return nil, err
	}
	n, labels := scores.Dims()
	out := mat.NewDense(n, labels, nil)
	var mu sync.Mutex
	done := 0
	tell := func(more int) {
		mu.Lock()
		defer mu.Unlock()
		if done += more; progress != nil {
			progress(done, n)
		}
	}
	parallel.For(n, max(leastApart, (n+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0)), func(lo, hi int) {
		e, low, high := proof.NewEvaluator(f), make([]float64, labels), make([]float64, labels)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			if i > lo && (i-lo)%leastApart == 0 {
				tell(leastApart)
			}
			if e.Values(low, high, x.RawRowView(i)) != nil {
				floats.AddConst(math.Inf(1), out.RawRowView(i))
				continue
			}
			for y, s := range scores.RawRowView(i) {
				out.Set(i, y, math.Nextafter(math.Max(math.Abs(s-low[y]), math.Abs(s-high[y])), math.Inf(1)))
			}
		}
		tell((hi-lo-1)%leastApart + 1)
	})
	return out, ctx.Err()
}
