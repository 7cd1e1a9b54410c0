package sipc

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// probedRows are the rows of which the number of functionals is told.
const probedRows = 8

// groundForFit grounds R on the rows that it sees. Where method risk needs but its squares, and their points would be too many to hold, R comes in parts.
func groundForFit(ctx context.Context, p *Prepared, in *compiler.Instance, method setting.Method, warn func(*diag.Diagnostic)) (*regularizer.Regularizer, error) {
	n, cols := p.seen.X.Dims()
	if method != setting.Risk || n <= probedRows || !compiler.Apart(in) || len(p.Spec.Plan.Requires()) > 0 {
		return p.ground(ctx, in, warn)
	}
	probe, err := in.Ground(ctx, grounding(p, leading(p.seen, probedRows), nil))
	if err != nil {
		return nil, err
	}
	each := max(1, probe.Functionals.Points.Rows*cols/probedRows)
	if _, quadratic := probe.Gauge().Quadratic(); !quadratic || each*n <= limits.HeldNumbers {
		return p.ground(ctx, in, warn)
	}
	return inParts(ctx, p, in, max(1, min(limits.PartNumbers/each, limits.PartFunctionals*probedRows/max(1, probe.Functionals.Len()))), warn)
}

// inParts grounds R in parts of so many rows. The first of them is there, as if it were all.
func inParts(ctx context.Context, p *Prepared, in *compiler.Instance, rows int, warn func(*diag.Diagnostic)) (*regularizer.Regularizer, error) {
	if err := p.bounded(in); err != nil {
		return nil, err
	}
	reg, err := in.Ground(ctx, grounding(p, leading(p.seen, rows), warn))
	if err != nil {
		return nil, err
	}
	n := p.seen.Len()
	if reg.Rows = n; p.seen.Weight != nil {
		reg.Total = p.seen.Total()
	}
	reg.Parts = &regularizer.Parts{Count: (n + rows - 1) / rows, Held: min(rows, n), All: n, Make: func(ctx context.Context, k int) (*regularizer.Regularizer, *mat.Dense, error) {
		part := slice(p.seen, k*rows, min(n, (k+1)*rows))
		g := grounding(p, part, nil)
		g.Sample.First, g.Share = k*rows, part.Total()/p.seen.Total()
		of, err := in.Ground(ctx, g)
		if err != nil {
			return nil, nil, err
		}
		of.Rows, of.Total = reg.Rows, reg.Total
		return of, part.X, nil
	}}
	return reg, nil
}

// heldOf returns the first rows of a set, as many as an R in parts holds of the training rows. What R is of them stands for all.
func heldOf(reg *regularizer.Regularizer, s *dataset.Set) *dataset.Set {
	if reg.Parts == nil || s.Len() <= reg.Parts.Held {
		return s
	}
	return leading(s, reg.Parts.Held)
}

// leading returns the first rows of a set.
func leading(s *dataset.Set, rows int) *dataset.Set { return slice(s, 0, min(rows, s.Len())) }

// slice returns rows from … to−1 of a set.
func slice(s *dataset.Set, from, to int) *dataset.Set {
	positions := make([]int, to-from)
	for k := range positions {
		positions[k] = from + k
	}
	return s.Subset(positions)
}
