package polar

import (
	"context"
	"errors"
)

// finish tries to close the gaps of tasks that have iterated for long. A task whose iterations ran out gets a last
// try, where its work did not. That try may take as much work again.
func (s *Solver) finish(ctx context.Context, f *batch[float64], due []int) error {
	if s.settings.NoFinish || f.over {
		return nil
	}
	errs := make([]error, len(due))
	s.each(due, func(k, i int) {
		t := f.tasks[i]
		lastTry := t.done && t.status == IterationLimit && t.work <= s.most
		if !lastTry && (t.done || t.iterations < max(finishFrom, 2*t.tried) || !s.finishPays(f, i)) {
			return
		}
		t.tried = t.iterations
		n := s.newNewton(ctx, f, i)
		if n.most = s.most; lastTry {
			n.most += t.work
		}
		errs[k] = n.run()
		t.done = t.done || lastTry
	})
	return errors.Join(errs...)
}

// finishPays reports whether a try costs less than the remaining iterations of the alternating directions would. It
// assumes that their gap goes on falling as in the second half of the iterations so far. Units are multiplications.
func (s *Solver) finishPays(f *batch[float64], i int) bool {
	task := f.tasks[i]
	remaining := min(float64(s.settings.MaxIterations-task.iterations), task.watch.remaining(s.settings.Gap))
	work := WorkOf(s.r, s.dim, Moved(f.z.row(i), f.t.row(i)))
	return finishUsual*(work.Matrices+work.Vectors) < remaining*work.Iteration
}

// newNewton returns a newton that goes on from a task's V and c.
func (s *Solver) newNewton(ctx context.Context, f *batch[float64], i int) *newton {
	n := s.standing()
	n.ctx, n.task, n.z, n.a = ctx, f.tasks[i], f.z.row(i), f.tasks[i].a
	n.beta, n.steps = step(f.tasks[i].level), f.tasks[i].newton
	copy(n.v.RawRowView(0), f.v.row(i))
	s.multipliers(n.c.RawRowView(0), f, i)
	return &n
}
