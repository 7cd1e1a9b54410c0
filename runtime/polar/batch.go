package polar

import (
	"context"
	"math"
	"sync"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/parallel"
)

// relaxation is the factor of the residual in a step; between 0 and 2 the iteration converges. On mixup, logic and
// transform problems anything from 1.6 to 1.95 takes a third fewer iterations than 1.
const relaxation = 1.8

// accelerateFrom is the iteration from which steps are accelerated. Earlier steps gain nothing by it, and many tasks
// need no more.
const accelerateFrom = 20

// A batch holds the tasks that iterate together in one precision. Row i of every matrix belongs to tasks[i].
type batch[T precision] struct {
	solver *Solver
	arith  arithmetic[T]
	// bound bounds the gaps of some tasks.
	bound  func(ctx context.Context, due []int) error
	tasks  []*task
	over   bool      // the time is: every task ends as it is
	floor  float64   // the gap below which a task leaves; 0 means never
	spares sync.Pool // *matrix[T] of 2×r, for steps of descents
	// descends says that tasks begin with a descent where a quadratic is near.
	descends bool
	accel    []*anderson[T]
	spare    []*anderson[T]
	metric   []T // W
	root     []T // √W

	// a, v and q are n×D: right-hand sides, V, and what it is solved from.
	a, v, q matrix[T]
	// z, t and y are n×r: the iterate t + c/(βW), then t, and βW(2t − z), which AV replaces. Descents have others there.
	z, t, y matrix[T]
	// Rooms serve the tasks of one level, and the bounds of gaps.
	part, out, c, b room[T]
	precise         [4]room[float64]

	// own is n×r, Aa, where tasks iterate by values, and solve multiplies by K; else solve is nil. See [values].
	own   matrix[T]
	solve func(ctx context.Context, level int, dst, b matrix[T]) error
}

// newBatch allocates a batch for as many tasks as there is room for.
func newBatch[T precision](s *Solver, arith arithmetic[T], room int) *batch[T] {
	f := &batch[T]{
		solver: s, arith: arith, metric: make([]T, s.r), root: make([]T, s.r),
		a: newMatrix[T](room, s.dim), v: newMatrix[T](room, s.dim), q: newMatrix[T](room, s.dim),
		z: newMatrix[T](room, s.r), t: newMatrix[T](room, s.r), y: newMatrix[T](room, s.r),
	}
	f.descends = s.descends
	for j, w := range s.metric {
		f.metric[j], f.root[j] = T(w), T(math.Sqrt(w))
		f.descends = f.descends && f.metric[j] > 0 && !math.IsInf(float64(f.metric[j]), 0)
	}
	return f
}

// room returns how many more tasks the batch takes.
func (f *batch[T]) room() int { return f.a.rows - len(f.tasks) }

// admit takes new tasks. z becomes twice the values at the closed form M₀⁻¹a, M₀ = αI + AᵀWA. For a quadratic gauge
// ρ² = Σ W_j t_j² this is the fixed point with β = 1: there t = AV and c = βWt, so z = t + c/(βW) = 2AV.
func (f *batch[T]) admit(ctx context.Context, tasks []*task) error {
	lo, hi := len(f.tasks), len(f.tasks)+len(tasks)
	for i, t := range tasks {
		convert(f.a.row(lo+i), t.a)
	}
	a, v, z := f.a.span(lo, hi), f.v.span(lo, hi), f.z.span(lo, hi)
	if f.solve != nil {
		own := f.own.span(lo, hi)
		f.arith.apply(own, a)
		if err := f.solve(ctx, 0, z, own); err != nil {
			return err
		}
	} else {
		if err := f.arith.solve(ctx, 0, v, a); err != nil {
			return err
		}
		f.arith.apply(z, v)
	}
	f.append(tasks)
	parallel.For(len(tasks), 1, func(first, end int) {
		for i := lo + first; i < lo+end; i++ {
			f.begin(i)
		}
	})
	return nil
}

// begin begins the iterations of task i, with a descent or without.
func (f *batch[T]) begin(i int) {
	t := f.tasks[i]
	if f.descends && f.solve == nil && !t.plain {
		p := f.solver.lendProx()
		defer f.solver.putProx(p)
		before, cut := p.Work(), p.Cut()
		opened := f.open(i, p)
		t.work, t.cut = t.work+p.Work()-before, t.cut+p.Cut()-cut
		if opened {
			return
		}
	}
	for j, z := 0, f.z.row(i); j < len(z); j++ {
		z[j] *= 2
	}
}

// take takes a task that has already iterated, at its iterate z.
func (f *batch[T]) take(t *task, z []T) {
	i := len(f.tasks)
	convert(f.a.row(i), t.a)
	copy(f.z.row(i), z)
	f.append([]*task{t})
}

// append adds tasks whose rows are set.
func (f *batch[T]) append(tasks []*task) {
	for _, t := range tasks {
		t.fresh = true
		f.tasks, f.accel = append(f.tasks, t), append(f.accel, nil)
	}
}

// step makes one iteration of every task. Without a descent it sets the next z, t = prox(z), V = (αI + βAᵀWA)⁻¹(a + βAᵀW(2t −
// z)), and AV. With one it moves V, c and AV along the last step, and finds the next. It then bounds the gaps that are due.
func (f *batch[T]) step(ctx context.Context) error {
	n := len(f.tasks)
	f.proximal(n)
	values := f.throughV
	if f.solve != nil {
		values = f.valuesAlone
	}
	if err := values(ctx, n); err != nil {
		return err
	}
	f.over = limits.Past(ctx)
	var due []int
	work := WorkOf(f.solver.r, f.solver.dim, 0).Iteration
	for i, t := range f.tasks {
		t.iterations++
		t.work += work
		if f.over || f.solver.spent(t) || t.due() {
			due = append(due, i)
		}
	}
	if len(due) == 0 {
		return ctx.Err()
	}
	return f.bound(ctx, due)
}

// proximal moves every task on, and sets y to what Aᵀ is to multiply.
func (f *batch[T]) proximal(n int) {
	parallel.For(n, 1, func(lo, hi int) {
		p := f.solver.lendProx()
		defer f.solver.putProx(p)
		for i := lo; i < hi; i++ {
			before, cut := p.Work(), p.Cut()
			if t := f.tasks[i]; t.descent != nil && t.descent.ends {
				f.settle(i)
			}
			if f.tasks[i].descent != nil {
				f.descend(i, p)
			} else {
				f.reflect(i, p)
			}
			f.tasks[i].work += p.Work() - before
			f.tasks[i].cut += p.Cut() - cut
		}
	})
}

// reflect moves task i to its next z and t. It sets y to βW(2t − z), or to Aa − α(2t − z) by values.
func (f *batch[T]) reflect(i int, p *gauge.Prox) {
	f.advance(i)
	beta := step(f.tasks[i].level)
	z, t, y, w := f.z.row(i), f.t.row(i), f.y.row(i), f.metric
	f.arith.prox(p, t, z, 1/beta)
	if f.solve != nil {
		own, alpha := f.own.row(i), T(f.solver.problem.Alpha)
		for j, x := range t {
			y[j] = own[j] - alpha*(2*x-z[j])
		}
		return
	}
	scale := T(beta)
	for j, x := range t {
		y[j] = scale * w[j] * (2*x - z[j])
	}
}

// valuesAlone sets y to AV = 2t − z + p, without V.
func (f *batch[T]) valuesAlone(ctx context.Context, n int) error {
	// The room of q serves, as it is not needed, and r ≤ D.
	p := matrix[T]{rows: n, cols: f.solver.r, data: f.q.data[:n*f.solver.r]}
	if err := f.solveLevels(ctx, p, f.y.top(n), f.solve); err != nil {
		return err
	}
	parallel.For(n, 16, func(lo, hi int) {
		y, t, z, p := f.y.span(lo, hi).data, f.t.span(lo, hi).data, f.z.span(lo, hi).data, p.span(lo, hi).data
		for j, x := range t {
			y[j] = 2*x - z[j] + p[j]
		}
	})
	return nil
}

// throughV sets v and y to V and AV, or to a step of a descent and A times it.
func (f *batch[T]) throughV(ctx context.Context, n int) error {
	f.arith.applyT(f.q.top(n), f.y.top(n))
	parallel.For(n, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if f.tasks[i].descent != nil {
				f.turn(i)
				continue
			}
			for j, x := range f.a.row(i) {
				f.q.row(i)[j] += x
			}
		}
	})
	if err := f.solveLevels(ctx, f.v.top(n), f.q.top(n), f.arith.solve); err != nil {
		return err
	}
	parallel.For(n, 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if f.tasks[i].descent != nil {
				f.aim(i)
			}
		}
	})
	f.arith.apply(f.y.top(n), f.v.top(n))
	return nil
}

// solveLevels sets dst to b times the inverse of each task's matrix, by solve. Tasks at one level share a matrix and so a
// product.
func (f *batch[T]) solveLevels(ctx context.Context, dst, b matrix[T], solve func(ctx context.Context, level int, dst, b matrix[T]) error) error {
	var members [2*maxLevel + 1][]int
	for i, t := range f.tasks {
		members[t.level+maxLevel] = append(members[t.level+maxLevel], i)
	}
	for k := range members {
		list := members[k]
		if len(list) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		level := k - maxLevel
		if len(list) == len(f.tasks) {
			return solve(ctx, level, dst, b)
		}
		part, out := f.part.matrix(len(list), b.cols), f.out.matrix(len(list), b.cols)
		for k, i := range list {
			copy(part.row(k), b.row(i))
		}
		if err := solve(ctx, level, out, part); err != nil {
			return err
		}
		for k, i := range list {
			copy(dst.row(i), out.row(k))
		}
	}
	return nil
}

// advance moves z to the next iterate, z + 1.8(AV − t), accelerated if that is due. If the step size should change,
// it changes that instead.
func (f *batch[T]) advance(i int) {
	task := f.tasks[i]
	if task.fresh {
		task.fresh = false
		f.release(i)
		return
	}
	z, t, r := f.z.row(i), f.t.row(i), f.y.row(i)
	norm, tt, cc := residual(z, t, r, f.metric)
	task.residual = math.Sqrt(norm / (tt + cc))
	if want := task.levelFor(math.Sqrt(cc/tt), f.solver.settings.Gap, f.solver.dim); want != task.level {
		// t and c stay as they are; z = t + c/(βW).
		ratio := T(step(task.level) / step(want))
		for j, x := range t {
			z[j] = x + ratio*(z[j]-x)
		}
		task.level, task.moves, task.moved = want, task.moves+1, task.iterations
		f.release(i)
		return
	}
	if task.iterations < accelerateFrom {
		for j, x := range r {
			z[j] += x
		}
		return
	}
	if f.accel[i] == nil {
		f.accel[i] = f.acceleration()
	}
	f.accel[i].step(z, r, f.root, relaxation*math.Sqrt(norm))
}

// residual turns AV, in r, into relaxation·(AV − t). It returns ‖AV − t‖², ‖t‖² and ‖z − t‖² in the metric.
func residual[T precision](z, t, r, w []T) (norm, tt, cc float64) {
	// Sums of this many terms are accurate in single precision.
	const run = 256
	for lo := 0; lo < len(t); lo += run {
		hi := min(lo+run, len(t))
		dd, xx, ee := residualRun(z[lo:hi], t[lo:hi], r[lo:hi], w[lo:hi])
		norm += float64(dd)
		tt += float64(xx)
		cc += float64(ee)
	}
	return norm, tt, cc
}

// residualRun does this for a run of places. It sums even and odd places apart, so that no addition waits for the one
// before.
func residualRun[T precision](z, t, r, w []T) (norm, tt, cc T) {
	n := len(t)
	z, r, w = z[:n], r[:n], w[:n]
	var norm1, tt1, cc1 T
	j := 0
	for ; j+1 < n; j += 2 {
		x, x1 := t[j], t[j+1]
		d, d1 := r[j]-x, r[j+1]-x1
		e, e1 := z[j]-x, z[j+1]-x1
		v, v1 := w[j], w[j+1]
		norm, norm1 = norm+v*d*d, norm1+v1*d1*d1
		tt, tt1 = tt+v*x*x, tt1+v1*x1*x1
		cc, cc1 = cc+v*e*e, cc1+v1*e1*e1
		r[j], r[j+1] = relaxation*d, relaxation*d1
	}
	if j < n {
		d, e := r[j]-t[j], z[j]-t[j]
		norm, tt, cc = norm+w[j]*d*d, tt+w[j]*t[j]*t[j], cc+w[j]*e*e
		r[j] = relaxation * d
	}
	return norm + norm1, tt + tt1, cc + cc1
}

// point sets v and c to V and the multipliers of task i.
func (f *batch[T]) point(v, c []float64, i int) {
	if d := f.tasks[i].descent; d != nil {
		copy(v, d.v)
		convert(c, f.z.row(i))
		f.solver.problem.Gauge.Repair(c)
		return
	}
	convert(v, f.v.row(i))
	f.multipliers(c, i)
}

// multipliers sets c to βW(z − t) of task i, moved to where the polar gauge is finite.
func (f *batch[T]) multipliers(c []float64, i int) {
	scaled(c, f.z.row(i), f.t.row(i), f.solver.metric, step(f.tasks[i].level))
	f.solver.problem.Gauge.Repair(c)
}

// acceleration returns spare memory for a task's acceleration, or new memory.
func (f *batch[T]) acceleration() *anderson[T] {
	f.solver.mu.Lock()
	defer f.solver.mu.Unlock()
	if n := len(f.spare); n > 0 {
		a := f.spare[n-1]
		f.spare = f.spare[:n-1]
		return a
	}
	return newAnderson(f.arith, f.solver.r)
}

// release forgets what the acceleration of a task has learnt, and keeps its memory for others.
func (f *batch[T]) release(i int) {
	a := f.accel[i]
	if a == nil {
		return
	}
	a.reset()
	f.solver.mu.Lock()
	defer f.solver.mu.Unlock()
	f.spare, f.accel[i] = append(f.spare, a), nil
}

// compact removes the tasks that are done or leave, and calls gone with each before. The last task takes the place of
// a removed one: the order of rows does not matter, since no result depends on the others.
func (f *batch[T]) compact(gone func(i int, t *task)) {
	n := len(f.tasks)
	for i := 0; i < n; {
		t := f.tasks[i]
		if !t.done && !t.leaves {
			i++
			continue
		}
		gone(i, t)
		f.release(i)
		n--
		if i < n {
			for _, m := range []matrix[T]{f.a, f.z, f.t, f.y, f.v} {
				copy(m.row(i), m.row(n))
			}
			if f.solve != nil {
				copy(f.own.row(i), f.own.row(n))
			}
			f.tasks[i], f.accel[i] = f.tasks[n], f.accel[n]
		}
		f.tasks, f.accel = f.tasks[:n], f.accel[:n]
	}
}
