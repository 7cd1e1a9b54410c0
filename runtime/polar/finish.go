package polar

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
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

// finishPays compares what a try costs with what the alternating directions would need for the rest of the way, if they went
// on at the pace of the second half of theirs so far. Units are multiplications.
func (s *Solver) finishPays(f *flight[float64], i int) bool {
	task := f.tasks[i]
	remaining := min(float64(s.settings.MaxIterations-task.iterations), task.watch.remaining(s.settings.Gap))
	count, dim, functionals := 0.0, float64(s.dim), float64(s.r)
	z := f.z.row(i)
	for j, t := range f.t.row(i) {
		if z[j] != t {
			count++
		}
	}
	order := min(count, dim)
	newton := finishUsual * (order*count*dim + order*order*order/3 + 6*functionals*dim)
	return newton < remaining*(2*functionals*dim+dim*dim)
}

// A newton finishes one right-hand side by the method of multipliers: for a β that grows and the multipliers c at hand,
//
//	ψ(V) = α/2 ‖V‖² − ⟨a, V⟩ + min_t ½ρ(t)² + (β/2) Σ W (t − u)²,   u = AV + c/(βW)
//
// is minimized by Newton's method, and c becomes βW(u − t). ψ is convex with a Lipschitz gradient αV − a + Aᵀβ W(u − t), whose
// generalized derivative αI + AᵀSA sees the active rows alone.
type newton struct {
	*Solver
	ctx      context.Context //nolint:containedctx // lives for one run
	task     *task
	z        []float64 // the task's iterate
	prox     *gauge.Prox
	beta     float64
	a        []float64
	v, grad  *mat.Dense // 1×D
	dv, q    *mat.Dense // 1×D
	av, c, y *mat.Dense // 1×r: AV, the multipliers, those that V would give
	u, t, du []float64  // r
	active   []int
}

func (s *Solver) newNewton(ctx context.Context, f *flight[float64], i int) *newton {
	row := func(n int) *mat.Dense { return mat.NewDense(1, n, nil) }
	n := &newton{
		Solver: s, ctx: ctx, task: f.tasks[i], z: f.z.row(i), a: f.tasks[i].a,
		v: row(s.dim), grad: row(s.dim), dv: row(s.dim), q: row(s.dim), av: row(s.r), c: row(s.r), y: row(s.r),
		u: make([]float64, s.r), t: make([]float64, s.r), du: make([]float64, s.r),
		beta: step(f.tasks[i].level),
	}
	copy(n.v.RawRowView(0), f.v.row(i))
	s.multipliers(n.c.RawRowView(0), f, i)
	return n
}

// run goes on as long as the gap falls.
func (n *newton) run() error {
	n.prox = n.lendProx()
	defer n.putProx(n.prox)
	n.problem.A.Apply(n.av, n.v)
	before, slow, from := n.task.cert.gap(), true, n.task.newton
	for range 15 {
		if slow && n.beta < finishBeta {
			n.beta *= 10
		}
		ok, err := n.minimize()
		if err != nil || !ok {
			return err
		}
		n.c, n.y = n.y, n.c
		n.problem.Gauge.Repair(n.c.RawRowView(0))
		n.certify()
		gap := n.task.cert.gap()
		if n.task.done = gap <= n.settings.Gap; n.task.done {
			n.task.status = Converged
			return nil
		}
		if (gap > 0.5*before && n.beta >= finishBeta) || n.task.newton-from > finishSteps {
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
	for j, w := range n.metric {
		n.z[j] = av[j] + c[j]/(beta*w)
	}
	n.task.fresh = true
}

// certify bounds by V and c. AV is computed afresh: the steps have left their rounding errors in it.
func (n *newton) certify() {
	n.problem.A.Apply(n.av, n.v)
	v, c, q := n.v.RawRowView(0), n.c.RawRowView(0), n.q.RawRowView(0)
	n.task.cert.primal(n.measured, n.a, v, n.av.RawRowView(0))
	n.problem.A.ApplyT(n.q, n.c)
	n.task.cert.dual(n.measured, n.a, c, q)
}

// minimize minimizes ψ and leaves the new multipliers in y. It gives up where the linear systems are too large.
func (n *newton) minimize() (ok bool, err error) {
	norm, last := math.Sqrt(dot(n.a, n.a)), math.Inf(1)
	value := n.value(n.av.RawRowView(0))
	for range 40 {
		if err := n.ctx.Err(); err != nil {
			return false, err
		}
		n.gradient()
		g := n.grad.RawRowView(0)
		size := math.Sqrt(dot(g, g))
		if size <= 1e-14*norm || (size <= 1e-9*norm && size > 0.5*last) { // the latter is rounding error
			return true, nil
		}
		last = size
		if !n.direction() {
			return false, nil
		}
		n.task.newton++
		next, moved := n.search(value)
		if !moved { // rounding error in ψ: the point is as good as it gets
			n.value(n.av.RawRowView(0))
			n.gradient()
			return true, nil
		}
		value = next
	}
	return true, nil
}

// value is ψ − α/2‖V‖² + ⟨a, V⟩ for the given AV; it sets u and t.
func (n *newton) value(av []float64) float64 {
	c := n.c.RawRowView(0)
	for j, w := range n.metric {
		n.u[j] = av[j] + c[j]/(n.beta*w)
	}
	n.prox.Square(n.t, n.u, 1/n.beta)
	rho := n.problem.Gauge.Value(n.t)
	sum := 0.0
	for j, w := range n.metric {
		d := n.u[j] - n.t[j]
		sum += w * d * d
	}
	return 0.5*rho*rho + 0.5*n.beta*sum
}

// gradient sets y to βW(u − t) and grad to αV − a + Aᵀy.
func (n *newton) gradient() {
	y, g, v := n.y.RawRowView(0), n.grad.RawRowView(0), n.v.RawRowView(0)
	for j, w := range n.metric {
		y[j] = n.beta * w * (n.u[j] - n.t[j])
	}
	n.problem.A.ApplyT(n.grad, n.y)
	for j, x := range n.a {
		g[j] += n.problem.Alpha*v[j] - x
	}
}

// search halves the step along dv until ψ falls enough or, where the change of ψ drowns in rounding errors, its slope does. It
// moves v and av.
func (n *newton) search(value float64) (next float64, moved bool) {
	n.problem.A.Apply(n.y, n.dv)
	copy(n.du, n.y.RawRowView(0))
	v, dv, av := n.v.RawRowView(0), n.dv.RawRowView(0), n.av.RawRowView(0)
	alpha, vv, vd, dd := n.problem.Alpha, dot(v, v), dot(v, dv), dot(dv, dv)
	ad := dot(n.a, dv)
	slope := dot(n.grad.RawRowView(0), dv)
	noise := 1e-12 * (math.Abs(value) + alpha*vv + math.Abs(dot(n.a, v)))
	trial := n.y.RawRowView(0)
	for f := 1.0; f > 1e-10; f /= 2 {
		for j, x := range av {
			trial[j] = x + f*n.du[j]
		}
		next = n.value(trial)
		change := next - value + f*(alpha*vd-ad) + f*f*alpha/2*dd
		if change <= 1e-4*f*slope || (change <= noise && math.Abs(n.slope()+alpha*(vd+f*dd)-ad) <= 0.5*math.Abs(slope)) {
			copy(av, trial)
			for j, x := range dv {
				v[j] += f * x
			}
			return next, true
		}
	}
	return value, false
}

// slope is the derivative along du of what value gives.
func (n *newton) slope() float64 {
	sum := 0.0
	for j, w := range n.metric {
		sum += w * (n.u[j] - n.t[j]) * n.du[j]
	}
	return n.beta * sum
}

// direction sets dv to −(αI + AᵀSA)⁻¹ grad. It says no where that is too large a system.
func (n *newton) direction() bool {
	n.active = n.prox.Active(n.active[:0])
	count := len(n.active)
	n.dv.Scale(-1/n.problem.Alpha, n.grad)
	if count == 0 {
		return true
	}
	if min(count, n.dim) > finishOrder || count > finishNumbers/n.dim {
		return false
	}
	order := min(count, n.dim)
	need := int64(2 * (count*n.dim + order*order))
	if n.finishing.Acquire(n.ctx, need) != nil {
		return false
	}
	defer n.finishing.Release(need)
	rows := mat.NewDense(count, n.dim, nil)
	n.activeRows(rows)
	if count < n.dim {
		return n.directionByRows(rows)
	}
	return n.directionByColumns(rows)
}

// directionByColumns solves in D dimensions.
func (n *newton) directionByColumns(rows *mat.Dense) bool {
	sa := mat.NewDense(len(n.active), n.dim, nil)
	n.respond(sa, rows)
	h := mat.NewDense(n.dim, n.dim, nil)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, rows.RawMatrix(), sa.RawMatrix(), 0, h.RawMatrix())
	chol, err := factorSymmetric(h, n.problem.Alpha)
	if err != nil {
		return false
	}
	n.dv.Scale(-1, n.grad)
	solveRows(chol, n.dv.RawMatrix())
	return true
}

// directionByRows solves in as many dimensions as there are active rows: with K = A Aᵀ over these,
// (αI + AᵀSA)⁻¹ g = (g − Aᵀ(αI + SK)⁻¹ S A g)/α.
func (n *newton) directionByRows(rows *mat.Dense) bool {
	count := len(n.active)
	k, sk := mat.NewDense(count, count, nil), mat.NewDense(count, count, nil)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, rows.RawMatrix(), rows.RawMatrix(), 0, k.RawMatrix())
	n.respond(sk, k)
	for i := range count {
		sk.Set(i, i, sk.At(i, i)+n.problem.Alpha)
	}
	ag, sag := mat.NewDense(count, 1, nil), mat.NewDense(count, 1, nil)
	ag.Mul(rows, n.grad.T())
	n.respond(sag, ag)
	pivots := make([]int, count)
	if !lapack64.Getrf(sk.RawMatrix(), pivots) {
		return false
	}
	lapack64.Getrs(blas.NoTrans, sk.RawMatrix(), sag.RawMatrix(), pivots)
	// dv = −grad/α already.
	blas64.Gemm(blas.Trans, blas.NoTrans, 1/n.problem.Alpha, sag.RawMatrix(), rows.RawMatrix(), 1, n.dv.RawMatrix())
	return true
}

// respond sets dst to S·x over the active rows, S = βW ∂(u − t)/∂u.
func (n *newton) respond(dst, x *mat.Dense) {
	n.prox.Response(dst, x, n.active, 1/n.beta)
	for k, j := range n.active {
		f := n.beta * n.metric[j]
		row := dst.RawRowView(k)
		for i := range row {
			row[i] *= f
		}
	}
}

// A rowReader can hand out rows of A.
type rowReader interface {
	// Rows sets row k of dst (len(index)×D) to row index[k] of A.
	Rows(dst *mat.Dense, index []int)
}

// activeRows sets dst to the active rows of A, asking for them by unit vectors where the operator has no better way.
func (n *newton) activeRows(dst *mat.Dense) {
	if reader, ok := n.problem.A.(rowReader); ok {
		reader.Rows(dst, n.active)
		return
	}
	size := max(1, min(len(n.active), (4<<20)/n.r))
	unit := mat.NewDense(size, n.r, nil)
	for lo := 0; lo < len(n.active); lo += size {
		part := n.active[lo:min(lo+size, len(n.active))]
		for k, j := range part {
			unit.Set(k, j, 1)
		}
		n.problem.A.ApplyT(span(dst, lo, lo+len(part)), top(unit, len(part)))
		for k, j := range part {
			unit.Set(k, j, 0)
		}
	}
}
