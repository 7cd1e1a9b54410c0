package polar

import (
	"context"
	"errors"
)

// Limits of the finish: the order of its linear systems, and the numbers that the active rows of A may take.
const (
	finishOrder   = 2500
	finishNumbers = 16 << 20
	// finishTotal is how many numbers all steps at one time may take, so that memory does not grow with the processors.
	finishTotal = 96 << 20
)

// finishBeta ends the growth of β. A large β is quick, one that is too large drowns u − t in rounding errors.
const finishBeta = 1e6

// finishFrom is the iteration from which the finish is tried, and again whenever their number has doubled. finishSteps is
// the number of Newton steps that a try may take, and finishUsual that which it is reckoned to take.
const (
	finishFrom  = 100
	finishSteps = 60
	finishUsual = 15
	// minimizeSteps is how many of them the minimum of one β may take.
	minimizeSteps = 40
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

// Work counts multiplications. A Newton step multiplies matrices, and matrices by vectors; an iteration of the alternating
// directions is counted whole.
type Work struct{ Matrices, Vectors, Iteration float64 }

// WorkOf returns the work where so many functionals move.
func WorkOf(functionals, dim, moved int) Work {
	r, d, m := float64(functionals), float64(dim), float64(moved)
	order := min(m, d)
	return Work{Matrices: order*m*d + order*order*order/3, Vectors: 6 * r * d, Iteration: 2*r*d + d*d}
}

// Moved counts the functionals that a proximal map moves.
func Moved(z, t []float64) int {
	count := 0
	for j, v := range t {
		if z[j] != v {
			count++
		}
	}
	return count
}

func (s *Solver) newNewton(ctx context.Context, f *flight[float64], i int) *newton {
	n := s.standing()
	n.ctx, n.task, n.z, n.a = ctx, f.tasks[i], f.z.row(i), f.tasks[i].a
	n.beta, n.steps = step(f.tasks[i].level), f.tasks[i].newton
	copy(n.v.RawRowView(0), f.v.row(i))
	s.multipliers(n.c.RawRowView(0), f, i)
	return &n
}

// run goes on as long as the gap falls.
func (n *newton) run() error {
	defer n.borrow()()
	defer func() { n.task.newton, n.task.work = n.steps, n.task.work+n.work }()
	n.solver.problem.A.Apply(n.av, n.v)
	before, slow, from := n.task.cert.gap(), true, n.steps
	for range 15 {
		if slow && n.beta < finishBeta {
			n.beta *= 10
		}
		ok, err := n.minimize(0, minimizeSteps)
		if err != nil || !ok {
			return err
		}
		n.c, n.y = n.y, n.c
		n.solver.problem.Gauge.Repair(n.c.RawRowView(0))
		n.certify()
		gap := n.task.cert.gap()
		if n.task.done = gap <= n.solver.settings.Gap; n.task.done {
			n.task.status = Converged
			return nil
		}
		if (gap > 0.5*before && n.beta >= finishBeta) || n.steps-from > finishSteps {
			break
		}
		slow = gap > before/30
		before = gap
	}
	n.resume()
	return nil
}

// resume lets the alternating directions go on from here.
func (n *newton) resume() {
	beta := step(n.task.level)
	av, c := n.av.RawRowView(0), n.c.RawRowView(0)
	for j, w := range n.solver.metric {
		n.z[j] = av[j] + c[j]/(beta*w)
	}
	n.task.fresh = true
}

// certify bounds by V and c. AV is computed afresh: the steps have left their rounding errors in it.
func (n *newton) certify() {
	n.solver.problem.A.Apply(n.av, n.v)
	v, c, q := n.v.RawRowView(0), n.c.RawRowView(0), n.q.RawRowView(0)
	n.task.cert.primal(n.solver.measured, n.a, v, n.av.RawRowView(0))
	n.solver.problem.A.ApplyT(n.q, n.c)
	n.task.cert.dual(n.solver.measured, n.a, c, q)
}
