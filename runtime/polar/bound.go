package polar

import (
	"context"
	"math"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

// lookRows is how many gaps are bounded at once.
const lookRows = 64

// boundDouble bounds gaps by V and by c = βW(z − t), which the iteration in float64 has at hand, and tries to finish.
func (s *Solver) boundDouble(f *flight[float64]) func(context.Context, []int) error {
	return func(ctx context.Context, due []int) error {
		for lo := 0; lo < len(due); lo += lookRows {
			part := due[lo:min(lo+lookRows, len(due))]
			c, q := newBatch[float64](len(part), s.r), newBatch[float64](len(part), s.dim)
			s.each(part, func(k, i int) { s.multipliers(c.row(k), f, i) })
			f.arith.applyT(q, c)
			s.each(part, func(k, i int) {
				t := f.tasks[i]
				t.cert.primal(s.measured, t.a, f.v.row(i), f.y.row(i))
				t.cert.dual(s.measured, t.a, c.row(k), q.row(k))
				t.judge(s.settings, t.cert.gap())
			})
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return s.finish(ctx, f, due)
	}
}

// judge ends a task whose gap is reached or out of reach.
func (t *task) judge(o Settings, gap float64) {
	if math.IsNaN(gap) {
		t.done, t.status = true, Contradiction
		return
	}
	t.watch.saw(t.iterations, gap, o.Gap)
	switch {
	case gap <= o.Gap:
		t.done, t.status = true, Converged
	case t.exhausted():
		t.done, t.status = true, Precision
	case t.iterations >= o.MaxIterations:
		t.done, t.status = true, IterationLimit
	}
}

// exhausted says that more iterations would only move rounding errors.
func (t *task) exhausted() bool {
	return t.residual < 1e-15 || (t.watch.best < 1e-9 && t.iterations-t.watch.bestAt > 100)
}

// multipliers sets c to βW(z − t), moved to where the polar gauge is finite.
func (s *Solver) multipliers(c []float64, f *flight[float64], i int) {
	scaled(c, f.z.row(i), f.t.row(i), s.metric, step(f.tasks[i].level))
	s.problem.Gauge.Repair(c)
}

func scaled[S, T precision](c []S, z, t []T, w []float64, beta float64) {
	for j, x := range w {
		c[j] = S(beta * x * (float64(z[j]) - float64(t[j])))
	}
}

func (s *Solver) each(part []int, body func(k, i int)) {
	parallel.For(len(part), 1, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			body(k, part[k])
		}
	})
}

// Single precision is left at a gap of singleFloor, or where the gap has not fallen by a tenth for singleStall iterations:
// what is left is rounding errors. singleMisses is how often it may think that a gap is reached which is not.
const (
	singleFloor  = 2e-5
	singleStall  = 40
	singleMisses = 2
)

// boundSingle estimates gaps in float32 and certifies in float64 those that seem to be reached.
func (s *Solver) boundSingle(f *flight[float32]) func(context.Context, []int) error {
	return func(ctx context.Context, due []int) error {
		for lo := 0; lo < len(due); lo += lookRows {
			part := due[lo:min(lo+lookRows, len(due))]
			promising := s.estimate(f, part)
			if err := ctx.Err(); err != nil {
				return err
			}
			s.certify(f, promising)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	}
}

// estimate looks at tasks in single precision and returns those that are worth a certificate.
func (s *Solver) estimate(f *flight[float32], part []int) (promising []int) {
	c, q := newBatch[float32](len(part), s.r), newBatch[float32](len(part), s.dim)
	s.each(part, func(k, i int) { scaled(c.row(k), f.z.row(i), f.t.row(i), s.metric, step(f.tasks[i].level)) })
	f.arith.applyT(q, c)
	s.each(part, func(k, i int) {
		t := f.tasks[i]
		guess := certificate{upper: s.measured.norm2(t.a)}
		guess.primal(s.measured, t.a, wide(f.v.row(i)), wide(f.y.row(i)))
		multipliers := wide(c.row(k))
		s.problem.Gauge.Repair(multipliers)
		guess.dual(s.measured, t.a, multipliers, wide(q.row(k)))
		t.watch.saw(t.iterations, guess.gap(), s.settings.Gap)
		t.leaves = guess.gap() < singleFloor || t.iterations-t.watch.bestAt > singleStall
	})
	for _, i := range part {
		t := f.tasks[i]
		if last := t.watch.last(); last <= s.settings.Gap || t.leaves || t.iterations >= s.settings.MaxIterations {
			promising = append(promising, i)
		}
	}
	return promising
}

func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	convert(y, x)
	return y
}

// certify bounds the gaps of tasks in float64.
func (s *Solver) certify(f *flight[float32], part []int) {
	if len(part) == 0 {
		return
	}
	v, values := newBatch[float64](len(part), s.dim), newBatch[float64](len(part), s.r)
	c, q := newBatch[float64](len(part), s.r), newBatch[float64](len(part), s.dim)
	s.each(part, func(k, i int) {
		convert(v.row(k), f.v.row(i))
		scaled(c.row(k), f.z.row(i), f.t.row(i), s.metric, step(f.tasks[i].level))
		s.problem.Gauge.Repair(c.row(k))
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
		case t.iterations >= s.settings.MaxIterations:
			t.done, t.leaves, t.status = true, false, IterationLimit
		default:
			t.missed++
			t.leaves = t.leaves || t.missed >= singleMisses
		}
	})
}

// last is the last gap that was seen.
func (w *watch) last() float64 {
	if len(w.gaps) == 0 {
		return math.Inf(1)
	}
	return w.gaps[len(w.gaps)-1].gap
}
