package polar

import (
	"context"
	"math"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

// lookRows is how many gaps are bounded at once, which bounds the memory for their multipliers.
const lookRows = 64

// boundDouble returns what bounds the gaps of a batch in float64, and then tries to finish its tasks. V and AV are
// those of the iteration, and c = βW(z − t) ∈ ∂½ρ²(t) makes a good dual point.
func (s *Solver) boundDouble(f *batch[float64]) func(context.Context, []int) error {
	return func(ctx context.Context, due []int) error {
		for lo := 0; lo < len(due); lo += lookRows {
			descents, part := f.apart(due[lo:min(lo+lookRows, len(due))])
			certify(s, f, descents)
			s.look(f, part)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return s.finish(ctx, f, due)
	}
}

// look bounds the gaps of tasks by V, AV and c of their last iteration.
func (s *Solver) look(f *batch[float64], part []int) {
	if len(part) == 0 {
		return
	}
	c, q := f.c.matrix(len(part), s.r), f.b.matrix(len(part), s.dim)
	s.each(part, func(k, i int) { f.multipliers(c.row(k), i) })
	f.arith.applyT(q, c)
	s.each(part, func(k, i int) {
		t := f.tasks[i]
		t.cert.primal(s.measured, t.a, f.v.row(i), f.y.row(i))
		t.cert.dual(s.measured, t.a, c.row(k), q.row(k))
		t.judge(s, t.cert.gap(), f.over)
	})
}

// judge ends a task whose gap is reached or out of reach, and every task when the time is over.
func (t *task) judge(s *Solver, gap float64, over bool) {
	if math.IsNaN(gap) {
		t.done, t.status = true, Contradiction
		return
	}
	t.watch.saw(t.iterations, gap, s.settings.Gap)
	switch {
	case gap <= s.settings.Gap:
		t.done, t.status = true, Converged
	case t.exhausted():
		t.done, t.status = true, Precision
	case s.spent(t) || s.inVain(t):
		t.done, t.status = true, IterationLimit
	case over:
		t.done, t.status = true, TimeLimit
	}
}

// exhausted reports whether more iterations would only move rounding errors. The residual is then that of floating
// point, or a tiny gap has not fallen by a tenth for 100 iterations.
func (t *task) exhausted() bool {
	return t.residual < 1e-15 || (t.watch.best < 1e-9 && t.iterations-t.watch.bestAt > 100)
}

// scaled sets c to βW(z − t), computed in double precision.
func scaled[S, T precision](c []S, z, t []T, w []float64, beta float64) {
	for j, x := range w {
		c[j] = S(beta * x * (float64(z[j]) - float64(t[j])))
	}
}

// each calls body for each of some tasks, on all processors.
func (s *Solver) each(part []int, body func(k, i int)) {
	parallel.For(len(part), 1, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			body(k, part[k])
		}
	})
}

const (
	// singleFloor and singleStall say when a task leaves single precision. It does so at that gap, or when the gap
	// has not fallen by a tenth for so many iterations. Rounding errors are then all that is left.
	singleFloor = 2e-5
	singleStall = 40
	// singleMisses is how often an estimate may claim a gap that the certificate refutes.
	singleMisses = 2
)

// boundSingle returns what bounds the gaps of a batch in float32. It estimates them in float32, and certifies those
// in float64 that seem to be reached. No estimate ever becomes a result.
func (s *Solver) boundSingle(f *batch[float32]) func(context.Context, []int) error {
	return func(ctx context.Context, due []int) error {
		for lo := 0; lo < len(due); lo += lookRows {
			part := due[lo:min(lo+lookRows, len(due))]
			if f.solve != nil {
				s.byValues().place(f, part)
			}
			promising, part := f.apart(part)
			promising = append(promising, s.estimate(f, part)...)
			if err := ctx.Err(); err != nil {
				return err
			}
			certify(s, f, promising)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	}
}

// estimate estimates gaps in single precision and returns the tasks that are worth a certificate.
func (s *Solver) estimate(f *batch[float32], part []int) (promising []int) {
	if len(part) == 0 {
		return nil
	}
	c, q := f.c.matrix(len(part), s.r), f.b.matrix(len(part), s.dim)
	s.each(part, func(k, i int) { scaled(c.row(k), f.z.row(i), f.t.row(i), s.metric, step(f.tasks[i].level)) })
	f.arith.applyT(q, c)
	s.each(part, func(k, i int) {
		t := f.tasks[i]
		gap := guess(s, t, f.v.row(i), f.y.row(i), q.row(k), c.row(k))
		t.watch.saw(t.iterations, gap, s.settings.Gap)
		t.leaves = gap < singleFloor || t.iterations-t.watch.bestAt > singleStall
	})
	for _, i := range part {
		t := f.tasks[i]
		if last := t.watch.last(); f.over || last <= s.settings.Gap || t.leaves || s.spent(t) {
			promising = append(promising, i)
		}
	}
	return promising
}

// guess returns the gap that V and c give, given the values AV and q = Aᵀc, as far as one precision tells.
func guess[S, T precision](s *Solver, t *task, v []S, values, q, c []T) float64 {
	k := certificate{upper: s.measured.norm2(t.a)}
	own, _ := s.wide.Get().(*room[float64])
	if own == nil {
		own = &room[float64]{}
	}
	defer s.wide.Put(own)
	both := own.matrix(1, len(v)+len(values)).data
	vector, wide := both[:len(v)], both[len(v):]
	convert(vector, v)
	convert(wide, values)
	k.primal(s.measured, t.a, vector, wide)
	convert(vector, q)
	convert(wide, c)
	s.problem.Gauge.Repair(wide)
	k.dual(s.measured, t.a, wide, vector)
	return k.gap()
}

// apart parts tasks into those that descend and the others.
func (f *batch[T]) apart(all []int) (descents, others []int) {
	for _, i := range all {
		if f.tasks[i].descent != nil {
			descents = append(descents, i)
		} else {
			others = append(others, i)
		}
	}
	return descents, others
}

// certify bounds the gaps of tasks in float64, from V and c of any precision: all give valid bounds.
func certify[T precision](s *Solver, f *batch[T], part []int) {
	if len(part) == 0 {
		return
	}
	v, values := f.precise[0].matrix(len(part), s.dim), f.precise[1].matrix(len(part), s.r)
	c, q := f.precise[2].matrix(len(part), s.r), f.precise[3].matrix(len(part), s.dim)
	s.each(part, func(k, i int) {
		f.point(v.row(k), c.row(k), i)
	})
	s.problem.A.Apply(dense(values), dense(v))
	s.problem.A.ApplyT(dense(q), dense(c))
	s.each(part, func(k, i int) {
		t := f.tasks[i]
		t.cert.primal(s.measured, t.a, v.row(k), values.row(k))
		t.cert.dual(s.measured, t.a, c.row(k), q.row(k))
		switch {
		case t.cert.gap() <= s.settings.Gap:
			t.done, t.leaves, t.status = true, false, Converged
		case s.spent(t):
			t.done, t.leaves, t.status = true, false, IterationLimit
		case f.over:
			t.done, t.leaves, t.status = true, false, TimeLimit
		case t.descent != nil:
			if t.missed++; t.missed >= singleMisses {
				t.descent.ends = true
			}
		default:
			t.missed++
			t.leaves = t.leaves || t.missed >= singleMisses
		}
	})
}

// last returns the last gap seen, +Inf if there was none.
func (w *watch) last() float64 {
	if len(w.gaps) == 0 {
		return math.Inf(1)
	}
	return w.gaps[len(w.gaps)-1].gap
}
