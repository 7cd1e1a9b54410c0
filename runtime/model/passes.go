package model

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/risk"
)

// firstRows is how many rows first steps are made on, where rows are worthSampling times as many.
const firstRows, worthSampling = 4096, 3

// eachPass returns a function that tells how far passes are, by their number; nil where nobody listens.
func eachPass(f *fitter) func(done, total int) {
	if f.o.Progress == nil {
		return nil
	}
	passes, before := 0, f.learnt.Len()
	return func(done, total int) {
		if before == total {
			passes++
		}
		before = done
		f.o.Progress(fmt.Sprintf("pass %d over rows", passes), done, total)
	}
}

// passingOf returns the rows of x as they pass by in some features, with functionals. Those of the first steps are evenly taken.
func passingOf(x *mat.Dense, features embed.Map, a *operator.Operator, kept *operator.Keeping, progress func(done, total int)) *risk.Passing {
	out := &risk.Passing{Rows: &operator.Passing{X: x, Features: features, Of: a, Progress: progress, Keeping: kept}}
	n, p := x.Dims()
	if n < worthSampling*firstRows {
		return out
	}
	few := mat.NewDense(firstRows, p, nil)
	for i := range firstRows {
		out.Index = append(out.Index, i*n/firstRows)
		few.SetRow(i, x.RawRowView(out.Index[i]))
	}
	out.Sample = &operator.Passing{X: few, Features: features, Of: a}
	return out
}
