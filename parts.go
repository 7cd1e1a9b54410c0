package sipc

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/active"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// probedRows are the rows of which the number of functionals is told.
const probedRows = 8

// groundForFit grounds R on rows. Under method risk R comes in parts where it would be too large to hold. An R of squares is as large as its points, as a fit needs
// no more than sums over their features. Another R is as large as both. A fit holds what is active of it.
func groundForFit(ctx context.Context, p *Prepared, seen *dataset.Set, in *compiler.Instance, method setting.Method, warn func(*diag.Diagnostic)) (*regularizer.Regularizer, error) {
	n := seen.Len()
	if method == setting.Risk && n > probedRows && in.Features.Kind != setting.Exact && compiler.Apart(in) && len(p.Spec.Plan.Requires()) == 0 {
		probe, err := in.Ground(ctx, grounding(p, leading(seen, probedRows), nil))
		if err != nil {
			return nil, err
		}
		if rows := rowsOfPart(probe, in.Features.Fixed(n, p.Seed), n, float64(limits.Memory(ctx))); rows < n {
			return inParts(ctx, p, seen, in, rows, warn)
		}
	}
	return in.Ground(ctx, grounding(p, seen, warn))
}

// numberBytes is about what a number of an R takes that is held as a whole: in double precision, in single, and what works with it.
const numberBytes = 16

// rowsOfPart returns how many of n rows a part of R has, given R of the first few, the features, and the memory that there may be. It returns n where R is held as a
// whole.
func rowsOfPart(probe *regularizer.Regularizer, features setting.Features, n int, memory float64) int {
	b := probe.Functionals
	points := max(1, len(b.Points.Data)/probedRows)
	rows := min(limits.PartNumbers/points, limits.PartFunctionals*probedRows/max(1, b.Len()))
	if _, quadratic := probe.Gauge().Quadratic(); quadratic {
		if points*n <= limits.HeldNumbers {
			return n
		}
		return min(n, max(1, rows))
	}
	if !active.Few(probe.Gauge()) {
		return n
	}
	// Functionals that differ in their labels alone have the same features.
	each := active.Rows(b) * int(embed.MostLandmarks(features, n, n+b.Points.Rows*n/probedRows)) / probedRows
	if float64(points+each)*float64(n) <= min(limits.ActiveNumbers, memory/2/numberBytes) {
		return n
	}
	return min(n, max(1, min(rows, limits.PartFeatures/max(1, each))))
}

// inParts grounds R in parts of so many rows. The first of them is there, as if it were all.
func inParts(ctx context.Context, p *Prepared, seen *dataset.Set, in *compiler.Instance, rows int, warn func(*diag.Diagnostic)) (*regularizer.Regularizer, error) {
	reg, err := in.Ground(ctx, grounding(p, leading(seen, rows), warn))
	if err != nil {
		return nil, err
	}
	n := seen.Len()
	if reg.Rows = n; seen.Weight != nil {
		reg.Total = seen.Total()
	}
	reg.Parts = &regularizer.Parts{Count: (n + rows - 1) / rows, Held: min(rows, n), All: n, Make: func(ctx context.Context, k int) (*regularizer.Regularizer, *mat.Dense, error) {
		part := slice(seen, k*rows, min(n, (k+1)*rows))
		g := grounding(p, part, nil)
		g.Sample.First, g.Share = k*rows, part.Total()/seen.Total()
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
