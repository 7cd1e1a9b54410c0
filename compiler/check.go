package compiler

import (
	"context"

	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// Check compiles a spec as far as it goes without data. The list holds all errors of names, types
// and curvature in the order of the source, and warnings. None of the errors follows from another
// or from a statement that failed to parse. The plan is nil where there is an error; else the
// caller closes it, which ends the programs of families.
func Check(ctx context.Context, file *dsl.File, opts names.Options) (*Plan, diag.List) {
	c := names.NewSpec(ctx, file, opts)
	plan := compile(c)
	c.Diags.Sort()
	if c.Diags.HasErrors() {
		_ = plan.Close() // the errors found are what the caller needs to hear of
		return nil, c.Diags
	}
	return plan, c.Diags
}

// compile runs the passes for every choice of grid values. It never stops at an error: later passes
// find faults that do not follow from it, and a user wants to see all of them. The first pass takes
// the first value of each grid and finds out which grids stand together. Only then are their
// combinations judged. The method is fixed last, as it depends on whether any of them made an
// invariance one-sided.
func compile(c *names.Spec) *Plan {
	plan := &Plan{checker: c}
	plan.first = run(c.Pass(nil))
	note(c, plan.first)
	judgeChoices(c)
	settleFirst(c, plan.first)
	disguises(c)
	oldNames(c)
	plan.Data = plan.first.Data
	plan.Seed, plan.HasSeed = plan.first.Seed, plan.first.HasSeed
	for _, g := range c.Grids {
		plan.Grid = append(plan.Grid, export(g))
	}
	return plan
}
