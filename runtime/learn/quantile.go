package learn

import (
	"context"
	"errors"
	"slices"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

// fitQuantiles fits a function for each level. The loss of an example is a hinge on either side of its number, with the weight q
// below it and 1 − q above:
//
//	max(q (t − s), (q − 1)(t − s)) = q max(0, t − s) + (1 − q) max(0, s − t).
//
// Levels are problems of their own, unless a joint design makes them one.
func (f *Fit) fitQuantiles(ctx context.Context, d *Design, t *Targets) error {
	problems := d.m
	if d.joint && !d.rows.apart {
		problems = 1
	}
	solutions, errs := make([]*hingeSolution, problems), make([]error, problems)
	parallel.For(problems, 1, func(k, _ int) { solutions[k], errs[k] = f.fitLevel(ctx, d, t, k, problems == 1) })
	if err := errors.Join(errs...); err != nil {
		return errs[slices.IndexFunc(errs, func(err error) bool { return err != nil })]
	}
	f.gather(d, solutions)
	return nil
}

// fitLevel fits the k-th level, or all of them at once.
func (f *Fit) fitLevel(ctx context.Context, d *Design, t *Targets, k int, all bool) (*hingeSolution, error) {
	own, levels := d, t.Levels[k:k+1]
	switch {
	case d.rows.apart:
		own = &Design{n: d.n, m: 1, rows: d.rows.ofGroup(k)}
	case all:
		levels = t.Levels
	}
	p := &hinge{rows: &own.rows, c: f.Learner.Strength * t.Spread()}
	for i, v := range t.Real {
		for _, q := range levels {
			p.target, p.sign = append(p.target, v), append(p.sign, 1)
			p.weight, p.other = append(p.weight, t.Of(i)*q), append(p.other, t.Of(i)*(1-q))
		}
	}
	return p.solve(ctx, own, &f.Learner)
}
