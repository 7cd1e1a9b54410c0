package polar

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/parallel"
)

// A row is one right-hand side in flight.
type row struct {
	id         int // its row in the result
	level      int // β = step(level)
	moved      int // iteration at which the level last changed
	iterations int
	newton     int
	cert       certificate
	accel      *anderson
	tried      int       // the iteration at which the finish was last tried
	restart    bool      // z is new, and does not belong to t and av
	residual   float64   // of the fixed point, relative
	trace      []float64 // the gaps at the times when they were looked at
	best       float64   // the gap when it last fell by a tenth
	bestAt     int       // and the iteration
	status     Status
	done       bool
}

// A block holds right-hand sides in flight, row i of every matrix belonging to rows[i].
type block struct {
	*Solver
	out   *Result
	rows  []*row
	a     *mat.Dense // n×D right-hand sides
	v     *mat.Dense // n×D
	z     *mat.Dense // n×r: the iterate t + c/(βW)
	t, av *mat.Dense // n×r
	y     *mat.Dense // n×r, scratch
	q, g  *mat.Dense // n×D, scratch
	it    int
}

func (s *Solver) solveBlock(ctx context.Context, a *mat.Dense) (*Result, error) {
	b, dim := a.Dims()
	out := newResult(b, dim)
	if s.settings.Multipliers && s.r > 0 {
		out.Multipliers = mat.NewDense(b, s.r, nil)
	}
	var rows []*row
	for i := range b {
		x := a.RawRowView(i)
		norm2 := dot(x, x) / s.problem.Alpha
		r := &row{id: i, residual: math.Inf(1), best: math.Inf(1)}
		r.cert = certificate{upper: norm2, iota: out.Iota.RawRowView(i)}
		if out.Multipliers != nil {
			r.cert.c = out.Multipliers.RawRowView(i)
		}
		switch {
		case norm2 == 0:
			out.Value[i] = math.Inf(1)
		case s.r == 0:
			r.cert.primal(s.problem.Alpha, x, x, 0)
			s.close(out, r)
		default:
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return out, ctx.Err()
	}
	return out, s.newBlock(out, a, rows).run(ctx)
}

func (s *Solver) newBlock(out *Result, a *mat.Dense, rows []*row) *block {
	n, _, dim := len(rows), s.r, s.dim
	bl := &block{
		Solver: s, out: out, rows: rows,
		a: mat.NewDense(n, dim, nil), v: mat.NewDense(n, dim, nil), q: mat.NewDense(n, dim, nil), g: mat.NewDense(n, dim, nil),
		z: mat.NewDense(n, s.r, nil), t: mat.NewDense(n, s.r, nil), av: mat.NewDense(n, s.r, nil), y: mat.NewDense(n, s.r, nil),
	}
	for i, r := range rows {
		copy(bl.a.RawRowView(i), a.RawRowView(r.id))
		r.accel = newAnderson(s.settings.Memory, s.r)
	}
	return bl
}

// close files what is known of a right-hand side.
func (s *Solver) close(out *Result, r *row) {
	out.Gap[r.id], out.Norm2[r.id], out.Value[r.id] = r.cert.gap(), r.cert.lower, 1/r.cert.lower
	out.Iterations[r.id], out.Newton[r.id], out.Status[r.id] = r.iterations, r.newton, r.status
}

// run iterates until every right-hand side has ended.
func (b *block) run(ctx context.Context) error {
	if err := b.start(ctx); err != nil {
		return err
	}
	for b.it = 1; len(b.rows) > 0; b.it++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.directions(ctx); err != nil {
			return err
		}
		if b.certifyNow() {
			if err := ctx.Err(); err != nil {
				return err
			}
			b.certify()
			if err := b.finish(ctx); err != nil {
				return err
			}
			b.compact()
		}
		b.advance()
	}
	return nil
}

// start sets z to twice the values at the closed form M₀⁻¹a, M₀ = αI + AᵀWA: the fixed point, were the gauge quadratic.
func (b *block) start(ctx context.Context) error {
	b.q.Copy(b.a)
	if err := b.solveLevels(ctx); err != nil {
		return err
	}
	b.problem.A.Apply(b.av, b.v)
	b.z.Scale(2, b.av)
	return nil
}

// directions does t = prox(z), V = (αI + βAᵀWA)⁻¹(a + βAᵀW(2t − z)), av = AV.
func (b *block) directions(ctx context.Context) error {
	parallel.For(len(b.rows), 1, func(lo, hi int) {
		p := b.lendProx()
		defer b.putProx(p)
		for i := lo; i < hi; i++ {
			beta := step(b.rows[i].level)
			z, t, y := b.z.RawRowView(i), b.t.RawRowView(i), b.y.RawRowView(i)
			p.Square(t, z, 1/beta)
			for j, w := range b.metric {
				y[j] = beta * w * (2*t[j] - z[j])
			}
		}
	})
	b.problem.A.ApplyT(b.q, b.y)
	b.q.Add(b.q, b.a)
	if err := b.solveLevels(ctx); err != nil {
		return err
	}
	b.problem.A.Apply(b.av, b.v)
	for _, r := range b.rows {
		r.iterations++
	}
	return nil
}

// solveLevels sets v to q times the inverse of each row's matrix.
func (b *block) solveLevels(ctx context.Context) error {
	for _, level := range b.levelsInUse() {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := b.factor(ctx, level)
		if err != nil {
			return err
		}
		var members []int
		for i, r := range b.rows {
			if r.level == level {
				members = append(members, i)
			}
		}
		if len(members) == len(b.rows) {
			f.Solve(b.v, b.q)
			return nil
		}
		part := top(b.g, len(members))
		for k, i := range members {
			copy(part.RawRowView(k), b.q.RawRowView(i))
		}
		f.Solve(part, part)
		for k, i := range members {
			copy(b.v.RawRowView(i), part.RawRowView(k))
		}
	}
	return nil
}

func (b *block) levelsInUse() []int {
	var used [2*maxLevel + 1]bool
	for _, r := range b.rows {
		used[r.level+maxLevel] = true
	}
	var levels []int
	for k, u := range used {
		if u {
			levels = append(levels, k-maxLevel)
		}
	}
	return levels
}

// advance moves every z to its next iterate, and every step size to where it belongs.
func (b *block) advance() {
	parallel.For(len(b.rows), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			b.advanceRow(i)
		}
	})
}

func (b *block) advanceRow(i int) {
	r, w := b.rows[i], b.metric
	if r.restart {
		r.restart = false
		return
	}
	z, t, f := b.z.RawRowView(i), b.t.RawRowView(i), b.av.RawRowView(i)
	var norm, tt, cc float64
	for j, x := range t {
		d := f[j] - x
		f[j] = d
		norm += w[j] * d * d
		tt += w[j] * x * x
		cc += w[j] * (z[j] - x) * (z[j] - x)
	}
	r.residual = math.Sqrt(norm / (tt + cc))
	if want := b.levelFor(r, math.Sqrt(cc/tt)); want != r.level {
		// t and c stay as they are; z = t + c/(βW).
		ratio := step(r.level) / step(want)
		for j, x := range t {
			z[j] = x + ratio*(z[j]-x)
		}
		r.level, r.moved = want, b.it
		r.accel.reset()
		return
	}
	r.accel.step(z, f, w, math.Sqrt(norm))
}

// lendProx lends a proximal map to a goroutine.
func (s *Solver) lendProx() *gauge.Prox {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.proxes); n > 0 {
		p := s.proxes[n-1]
		s.proxes = s.proxes[:n-1]
		return p
	}
	return gauge.NewProx(s.scaled)
}

func (s *Solver) putProx(p *gauge.Prox) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proxes = append(s.proxes, p)
}

// certifyNow says whether this iteration looks at the gaps: often at first, then every fifth time.
func (b *block) certifyNow() bool { return b.it <= 2 || b.it%5 == 0 }

// certify bounds every row by c = βW(z − t), by V, and by (a − Aᵀc)/α.
func (b *block) certify() {
	b.multipliers()
	b.problem.A.ApplyT(b.q, b.y)
	b.each(func(i int, r *row) {
		a, v := b.a.RawRowView(i), b.v.RawRowView(i)
		r.cert.primal(b.problem.Alpha, a, v, b.problem.Gauge.Value(b.av.RawRowView(i)))
		c, q := b.y.RawRowView(i), b.q.RawRowView(i)
		f := r.cert.dual(b.problem.Alpha, a, c, q, b.problem.Gauge.Polar(c))
		for j, x := range a {
			q[j] = (x - f*q[j]) / b.problem.Alpha
		}
	})
	b.problem.A.Apply(b.y, b.q)
	b.each(func(i int, r *row) {
		rho := b.problem.Gauge.Value(b.y.RawRowView(i))
		r.cert.primal(b.problem.Alpha, b.a.RawRowView(i), b.q.RawRowView(i), rho)
		r.done = r.cert.gap() <= b.settings.Gap
		r.trace = append(r.trace, r.cert.gap())
		switch {
		case r.done:
		case r.exhausted():
			r.done, r.status = true, Precision
		case r.iterations >= b.settings.MaxIterations:
			r.done, r.status = true, IterationLimit
		}
	})
}

// exhausted says that more iterations would only move rounding errors.
func (r *row) exhausted() bool {
	if gap := r.cert.gap(); gap < 0.9*r.best {
		r.best, r.bestAt = gap, r.iterations
	}
	return r.residual < 1e-15 || (r.best < 1e-9 && r.iterations-r.bestAt > 100)
}

// multipliers sets y to c = βW(z − t).
func (b *block) multipliers() {
	b.each(func(i int, r *row) {
		beta := step(r.level)
		z, t, c := b.z.RawRowView(i), b.t.RawRowView(i), b.y.RawRowView(i)
		for j, w := range b.metric {
			c[j] = beta * w * (z[j] - t[j])
		}
	})
}

func (b *block) each(body func(i int, r *row)) {
	parallel.For(len(b.rows), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			body(i, b.rows[i])
		}
	})
}

// compact files the rows that have ended and moves the others up.
func (b *block) compact() {
	n := 0
	for i, r := range b.rows {
		if r.done {
			r.accel = nil
			b.close(b.out, r)
			continue
		}
		if n < i {
			for _, m := range []*mat.Dense{b.a, b.v, b.z, b.t, b.av} {
				copy(m.RawRowView(n), m.RawRowView(i))
			}
		}
		b.rows[n] = r
		n++
	}
	if n == len(b.rows) {
		return
	}
	b.rows = b.rows[:n]
	if n == 0 {
		return
	}
	for _, m := range []**mat.Dense{&b.a, &b.v, &b.z, &b.t, &b.av, &b.y, &b.q, &b.g} {
		*m = top(*m, n)
	}
}
