package model

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// scoresOf returns the scores (n×m) that each of some fits gives to the rows of x, which are embedded once.
func scoresOf(ctx context.Context, r *represent.Representer, x *mat.Dense, fits []*learn.Fit) ([]*mat.Dense, error) {
	n, _ := x.Dims()
	out := make([]*mat.Dense, len(fits))
	for k := range out {
		out[k] = mat.NewDense(n, r.Labels, nil)
	}
	err := r.Each(ctx, x, nil, func(p represent.Batch) error {
		for k, fit := range fits {
			scoreBatch(r, out[k], p, fit)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k, fit := range fits {
		addBias(out[k], fit)
		fit.Finish(out[k])
	}
	return out, nil
}
