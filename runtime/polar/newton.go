package polar

import (
	"context"
	"errors"
	"math"

	"golang.org/x/sync/semaphore"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// finishBeta ends the growth of β. A large β converges in few rounds; one that is too large drowns u − t in rounding
// errors.
const finishBeta = 1e6

const (
	// finishFrom is the iteration from which the finish is tried, and again whenever their number has doubled.
	finishFrom = 100
	// finishSteps bounds the Newton steps of a try, and finishUsual is the number that it is expected to take.
	finishSteps = 60
	finishUsual = 15
	// minimizeSteps bounds those for the minimum of one β.
	minimizeSteps = 40
)

// Terms are a convex function F of the values t of functionals, seen through its proximal map
//
//	u ↦ t = argmin_t F(t) + (β/2) Σ W (t − u)².
//
// Active and Respond refer to the last point of Move.
type Terms interface {
	// Move sets t to the proximal point of u, and returns F(t).
	Move(t, u []float64, beta float64) float64
	// Active appends to dst the functionals, ascending, whose rows of ∂(u − t)/∂u are not 0.
	Active(dst []int) []int
	// Respond sets dst to ∂(u − t)/∂u·du. Row k of both belongs to functional rows[k]; rows must be what Active
	// returned.
	Respond(dst, du *mat.Dense, rows []int, beta float64)
}

// gaugeTerms are F = ½ρ².
type gaugeTerms struct {
	root *gauge.Node
	prox *gauge.Prox
}

// Move implements Terms.
func (g gaugeTerms) Move(t, u []float64, beta float64) float64 {
	g.prox.Square(t, u, 1/beta)
	rho := g.root.Value(t)
	return 0.5 * rho * rho
}

// Active implements Terms.
func (g gaugeTerms) Active(dst []int) []int { return g.prox.Active(dst) }

// Respond implements Terms.
func (g gaugeTerms) Respond(dst, du *mat.Dense, rows []int, beta float64) {
	g.prox.Response(dst, du, rows, 1/beta)
}

// borrow takes a proximal map for terms, and returns a function that hands it back and counts what it did.
func (n *newton) borrow() (back func()) {
	n.prox = n.solver.lendProx()
	n.terms, n.lent = gaugeTerms{n.solver.problem.Gauge, n.prox}, n.prox.Work()
	return func() {
		n.work = n.made()
		n.solver.putProx(n.prox)
		n.prox = nil
	}
}

// A Newton minimizes the ψ of [newton], with a = 0, for the F of its owner. Other packages solve their own problems
// by it.
type Newton struct{ inner newton }

// NewNewton prepares to minimize. The operator's functionals are those of the terms, and the metric is W.
// It ends where over, if it is not nil, reports so.
func NewNewton(a Operator, alpha float64, metric []float64, terms Terms, over func() bool) *Newton {
	s := &Solver{problem: Problem{A: a, Alpha: alpha}, metric: metric, finishing: semaphore.NewWeighted(finishTotal)}
	s.r, s.dim = a.Dims()
	n := &Newton{s.standing()}
	n.inner.a, n.inner.terms, n.inner.over = make([]float64, s.dim), terms, over
	return n
}

// Place sets V (length D) and the multipliers (length r) to go on from.
func (n *Newton) Place(v, multipliers []float64) {
	copy(n.inner.v.RawRowView(0), v)
	copy(n.inner.c.RawRowView(0), multipliers)
	n.inner.solver.problem.A.Apply(n.inner.av, n.inner.v)
}

// Minimize minimizes ψ of some β to within enough, to rounding error, or for at most so many steps. It then takes the
// multipliers that V gives. It reports false, and takes none, if the linear systems are too large.
func (n *Newton) Minimize(ctx context.Context, beta, enough float64, most int) (bool, error) {
	inner := &n.inner
	inner.ctx, inner.beta = ctx, beta
	ok, err := n.inner.minimize(enough, most)
	if !ok || err != nil {
		return false, err
	}
	n.inner.c, n.inner.y = n.inner.y, n.inner.c
	n.inner.solver.problem.A.Apply(n.inner.av, n.inner.v)
	return true, nil
}

// Steps returns how many steps were made so far.
func (n *Newton) Steps() int { return n.inner.steps }

// Work returns how many multiplications they took, without those of the terms.
func (n *Newton) Work() float64 { return n.inner.work }

// Stand copies V, AV and the multipliers to its arguments.
func (n *Newton) Stand(v, values, multipliers []float64) {
	copy(v, n.inner.v.RawRowView(0))
	copy(values, n.inner.av.RawRowView(0))
	copy(multipliers, n.inner.c.RawRowView(0))
}

// standing returns a newton at V = 0, c = 0.
func (s *Solver) standing() newton {
	row := func(n int) *mat.Dense { return mat.NewDense(1, n, nil) }
	return newton{
		solver: s, z: make([]float64, s.r),
		v: row(s.dim), grad: row(s.dim), dv: row(s.dim), q: row(s.dim), av: row(s.r), c: row(s.r), y: row(s.r),
		u: make([]float64, s.r), t: make([]float64, s.r), du: make([]float64, s.r),
	}
}

// A newton finishes one right-hand side by the method of multipliers (Rockafellar 1976; Li, Sun and Toh 2018). For a
// β that grows and the multipliers c at hand, Newton's method minimizes
//
//	ψ(V) = α/2 ‖V‖² − ⟨a, V⟩ + min_t F(t) + (β/2) Σ W (t − u)²,   u = AV + c/(βW),
//
// and c becomes βW(u − t). ψ is convex with a Lipschitz gradient αV − a + AᵀβW(u − t). Its generalized derivative αI
// + AᵀSA involves the active rows only. Of embeddings F is ½ρ².
type newton struct {
	solver   *Solver
	ctx      context.Context //nolint:containedctx // lives for one run
	task     *task
	z        []float64 // the task's iterate
	terms    Terms
	beta     float64
	a        []float64
	v, grad  *mat.Dense // 1×D
	dv, q    *mat.Dense // 1×D
	av, c, y *mat.Dense // 1×r: AV, the multipliers, those that V would give
	u, t, du []float64  // r
	active   []int
	steps    int         // made so far
	work     float64     // multiplications that they took, without those of the borrowed map
	most     float64     // of the task, at which it ends
	prox     *gauge.Prox // that is borrowed
	lent     float64     // multiplications that it took before
	over     func() bool // of owners without a task
}

// minimize minimizes ψ to within enough, to rounding error, or for at most so many steps. It leaves the new
// multipliers in y. It reports false if the linear systems are too large.
func (n *newton) minimize(enough float64, most int) (ok bool, err error) {
	norm, last := math.Sqrt(dot(n.a, n.a)), math.Inf(1)
	value := n.value(n.av.RawRowView(0))
	for range most {
		if err := n.ctx.Err(); err != nil {
			return false, err
		}
		if n.spent() || limits.Over(n.ctx) {
			break
		}
		n.gradient()
		g := n.grad.RawRowView(0)
		size := math.Sqrt(dot(g, g))
		// The second test finds rounding error: the gradient is tiny and no longer halves. The third follows from
		// strong convexity, ψ(V) − min ψ ≤ ‖∇ψ‖²/2α.
		if size <= 1e-14*norm || (size <= 1e-9*norm && size > 0.5*last) ||
			size*size <= 2*n.solver.problem.Alpha*enough {
			return true, nil
		}
		last = size
		if !n.direction() {
			return false, nil
		}
		n.steps++
		work := WorkOf(n.solver.r, n.solver.dim, len(n.active))
		n.work += work.Matrices + work.Vectors
		next, moved := n.search(value)
		if !moved { // rounding error in ψ: the point is as good as it gets
			n.value(n.av.RawRowView(0))
			n.gradient()
			return true, nil
		}
		value = next
	}
	n.gradient()
	return true, nil
}

// value returns ψ − α/2‖V‖² + ⟨a, V⟩ for the given AV, and sets u and t.
func (n *newton) value(av []float64) float64 {
	c := n.c.RawRowView(0)
	for j, w := range n.solver.metric {
		n.u[j] = av[j] + c[j]/(n.beta*w)
	}
	terms, sum := n.terms.Move(n.t, n.u, n.beta), 0.0
	for j, w := range n.solver.metric {
		d := n.u[j] - n.t[j]
		sum += w * d * d
	}
	return terms + 0.5*n.beta*sum
}

// gradient sets y to βW(u − t) and grad to αV − a + Aᵀy. By Danskin's theorem t counts as constant.
func (n *newton) gradient() {
	y, g, v := n.y.RawRowView(0), n.grad.RawRowView(0), n.v.RawRowView(0)
	for j, w := range n.solver.metric {
		y[j] = n.beta * w * (n.u[j] - n.t[j])
	}
	n.solver.problem.A.ApplyT(n.grad, n.y)
	for j, x := range n.a {
		g[j] += n.solver.problem.Alpha*v[j] - x
	}
}

// search halves the step along dv until ψ falls enough. If the change of ψ drowns in rounding errors, it is enough
// that its slope halves. It moves v and av.
func (n *newton) search(value float64) (next float64, moved bool) {
	n.solver.problem.A.Apply(n.y, n.dv)
	copy(n.du, n.y.RawRowView(0))
	v, dv, av := n.v.RawRowView(0), n.dv.RawRowView(0), n.av.RawRowView(0)
	alpha, vv, vd, dd := n.solver.problem.Alpha, dot(v, v), dot(v, dv), dot(dv, dv)
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

// slope returns the derivative along du of what value returns.
func (n *newton) slope() float64 {
	sum := 0.0
	for j, w := range n.solver.metric {
		sum += w * (n.u[j] - n.t[j]) * n.du[j]
	}
	return n.beta * sum
}

// direction sets dv to −(αI + AᵀSA)⁻¹ grad. It reports false if that system is too large.
func (n *newton) direction() bool {
	n.active = n.terms.Active(n.active[:0])
	n.dv.Scale(-1, n.grad)
	return n.solve(n.dv)
}

// solve replaces rows x by (αI + AᵀSA)⁻¹x. It reports false if that system is too large.
func (n *newton) solve(x *mat.Dense) bool {
	count, dim := len(n.active), n.solver.dim
	if count == 0 {
		x.Scale(1/n.solver.problem.Alpha, x)
		return true
	}
	order := min(count, dim)
	if order > finishOrder || count > finishNumbers/dim {
		return false
	}
	need := int64(2 * (count*dim + order*order))
	// Tasks finish on all processors at once; together they must not exceed the memory for their systems.
	if n.solver.finishing.Acquire(n.ctx, need) != nil {
		return false
	}
	defer n.solver.finishing.Release(need)
	rows := n.activeRows()
	if count < dim {
		return n.solveByRows(rows, x)
	}
	chol, err := n.byColumns(rows)
	if err == nil {
		solveRows(chol, x.RawMatrix())
	}
	return err == nil
}

// byColumns returns the Cholesky factor of αI + AᵀSA, given the active rows of A.
func (n *newton) byColumns(rows *mat.Dense) (blas64.Triangular, error) {
	sa := mat.NewDense(len(n.active), n.solver.dim, nil)
	n.respond(sa, rows)
	h := mat.NewDense(n.solver.dim, n.solver.dim, nil)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, rows.RawMatrix(), sa.RawMatrix(), 0, h.RawMatrix())
	return factorSymmetric(h, n.solver.problem.Alpha)
}

// solveByRows solves in as many dimensions as there are active rows. With K = A Aᵀ over these, (αI + AᵀSA)⁻¹ x =
// (x − Aᵀ(αI + SK)⁻¹ S A x)/α. SK is not symmetric, hence LU.
func (n *newton) solveByRows(rows, x *mat.Dense) bool {
	count, alpha := len(n.active), n.solver.problem.Alpha
	k, sk := mat.NewDense(count, count, nil), mat.NewDense(count, count, nil)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, rows.RawMatrix(), rows.RawMatrix(), 0, k.RawMatrix())
	n.respond(sk, k)
	for i := range count {
		sk.Set(i, i, sk.At(i, i)+alpha)
	}
	b, _ := x.Dims()
	ax, sax := mat.NewDense(count, b, nil), mat.NewDense(count, b, nil)
	ax.Mul(rows, x.T())
	n.respond(sax, ax)
	pivots := make([]int, count)
	if !lapack64.Getrf(sk.RawMatrix(), pivots) {
		return false
	}
	lapack64.Getrs(blas.NoTrans, sk.RawMatrix(), sax.RawMatrix(), pivots)
	x.Scale(1/alpha, x)
	blas64.Gemm(blas.Trans, blas.NoTrans, -1/alpha, sax.RawMatrix(), rows.RawMatrix(), 1, x.RawMatrix())
	return true
}

// respond sets dst to S·x over the active rows, S = βW ∂(u − t)/∂u.
func (n *newton) respond(dst, x *mat.Dense) {
	n.terms.Respond(dst, x, n.active, n.beta)
	for k, j := range n.active {
		f := n.beta * n.solver.metric[j]
		row := dst.RawRowView(k)
		for i := range row {
			row[i] *= f
		}
	}
}

// A rowReader is an operator that can write out rows of A.
type rowReader interface {
	// Rows sets row k of dst (len(index)×D) to row index[k] of A.
	Rows(dst *mat.Dense, index []int)
}

// activeRows returns the active rows of A. If the operator cannot write out rows, it multiplies unit vectors.
func (n *newton) activeRows() *mat.Dense {
	dst := mat.NewDense(len(n.active), n.solver.dim, nil)
	if reader, ok := n.solver.problem.A.(rowReader); ok {
		reader.Rows(dst, n.active)
		return dst
	}
	size := max(1, min(len(n.active), (4<<20)/n.solver.r))
	unit := mat.NewDense(size, n.solver.r, nil)
	for lo := 0; lo < len(n.active); lo += size {
		part := n.active[lo:min(lo+size, len(n.active))]
		for k, j := range part {
			unit.Set(k, j, 1)
		}
		n.solver.problem.A.ApplyT(span(dst, lo, lo+len(part)), top(unit, len(part)))
		for k, j := range part {
			unit.Set(k, j, 0)
		}
	}
	return dst
}

// run makes rounds of the method of multipliers as long as the gap falls.
func (n *newton) run() error {
	defer func() { n.task.newton, n.task.work = n.steps, n.task.work+n.work }()
	defer n.borrow()()
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
		if (gap > 0.5*before && n.beta >= finishBeta) || n.steps-from > finishSteps || n.spent() || limits.Over(n.ctx) {
			break
		}
		// While a round gains a factor of 30, a larger β is not worth its worse conditioning.
		slow = gap > before/30
		before = gap
	}
	n.resume()
	return nil
}

// spent reports whether the owner has had the work that is allowed.
func (n *newton) spent() bool {
	if n.task == nil {
		return n.over != nil && n.over()
	}
	return n.task.work+n.made() > n.most
}

// made returns how many multiplications were made so far.
func (n *newton) made() float64 {
	if n.prox == nil {
		return n.work
	}
	return n.work + n.prox.Work() - n.lent
}

// resume lets the alternating directions go on from here: z = AV + c/(βW).
func (n *newton) resume() {
	beta := step(n.task.level)
	av, c := n.av.RawRowView(0), n.c.RawRowView(0)
	for j, w := range n.solver.metric {
		n.z[j] = av[j] + c[j]/(beta*w)
	}
	n.task.fresh = true
}

// certify bounds the gap by V and c. It computes AV afresh, since the steps have left their rounding errors in it.
func (n *newton) certify() {
	n.solver.problem.A.Apply(n.av, n.v)
	v, c, q := n.v.RawRowView(0), n.c.RawRowView(0), n.q.RawRowView(0)
	n.task.cert.primal(n.solver.measured, n.a, v, n.av.RawRowView(0))
	n.solver.problem.A.ApplyT(n.q, n.c)
	n.task.cert.dual(n.solver.measured, n.a, c, q)
}

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
		if !lastTry && (t.done || t.descent != nil || t.iterations < max(finishFrom, 2*t.tried) || !s.finishPays(f, i)) {
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
	f.point(n.v.RawRowView(0), n.c.RawRowView(0), i)
	return &n
}
