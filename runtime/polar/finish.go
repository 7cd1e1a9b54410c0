package polar

import (
	"context"
	"errors"
)

// finish tries to close the gaps of the tasks that have crawled for long.
func (s *Solver) finish(ctx context.Context, f *flight[float64], due []int) error {
	if s.settings.NoFinish {
		return nil
	}
	errs := make([]error, len(due))
	s.each(due, func(k, i int) {
		t := f.tasks[i]
		lastTry := t.done && t.status == IterationLimit
		if !lastTry && (t.done || t.iterations < max(finishFrom, 2*t.tried) || !s.finishPays(f, i)) {
			return
		}
		t.tried = t.iterations
		errs[k] = s.newNewton(ctx, f, i).run()
		t.done = t.done || lastTry
	})
	return errors.Join(errs...)
}

// finishPays reports whether a try costs less than the alternating directions would for the rest of the way. Their pace is
// that of the second half of their iterations so far; units are multiplications.
func (s *Solver) finishPays(f *flight[float64], i int) bool {
	task := f.tasks[i]
	remaining := min(float64(s.settings.MaxIterations-task.iterations), task.watch.remaining(s.settings.Gap))
	work := WorkOf(s.r, s.dim, Moved(f.z.row(i), f.t.row(i)))
	return finishUsual*(work.Matrices+work.Vectors) < remaining*work.Iteration
}

func (s *Solver) newNewton(ctx context.Context, f *flight[float64], i int) *newton {
	n := s.standing()
	n.ctx, n.task, n.z, n.a = ctx, f.tasks[i], f.z.row(i), f.tasks[i].a
	n.beta, n.steps = step(f.tasks[i].level), f.tasks[i].newton
	copy(n.v.RawRowView(0), f.v.row(i))
	s.multipliers(n.c.RawRowView(0), f, i)
	return &n
}
