package polar

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

const (
	// batchBytes is the memory that a batch may take, mostBatch the largest number of its tasks.
	batchBytes = 512 << 20
	mostBatch  = 256
)

// openChunks is how many chunks of right-hand sides are read before the first is done. New tasks keep batches full
// while the last ones of a chunk still iterate.
const openChunks = 3

// A pipeline takes right-hand sides from their source through batches to where results go. No task's result depends
// on the other tasks of its batch.
type pipeline struct {
	solver *Solver
	source *source

	// size is the number of tasks of a batch, and of right-hand sides of a chunk.
	size   int
	chunks []*chunk
	// waiting are tasks that are read but have not begun.
	waiting []*task
	single  *batch[float32]
	double  *batch[float64]
	// handed are on their way from the batch in single precision to that in double.
	handed []handed
	ctx    context.Context //nolint:containedctx // of the run
	failed error           // of tasks that no way embeds
}

// A handed task has left the batch in single precision with its iterate; nil means that the iterate was not finite.
type handed struct {
	task *task
	z    []float64
}

// run works until the source is spent and all results are handed back.
func (p *pipeline) run(ctx context.Context) error {
	p.ctx = ctx
	p.prepare()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.fill(ctx); err != nil {
			return err
		}
		if err := p.iterate(ctx); err != nil {
			return err
		}
		if err := p.flush(); err != nil {
			return err
		}
		if len(p.chunks) == 0 && p.source.spent() {
			return nil
		}
	}
}

// precise returns the operator for single precision, and reports whether iterations should use it.
func (s *Solver) precise() (SingleOperator, bool) {
	a, ok := s.problem.A.(SingleOperator)
	return a, ok && !s.settings.Double
}

// prepare allocates the first batch.
func (p *pipeline) prepare() {
	a, ok := p.solver.precise()
	switch {
	case p.solver.r == 0:
	case ok:
		p.single = newBatch(p.solver, arithmetic[float32](single{p.solver, a}), p.size)
		p.single.bound, p.single.floor = p.solver.boundSingle(p.single), singleFloor
		if v := p.solver.byValues(); v != nil {
			p.single.own, p.single.solve = newMatrix[float32](p.size, p.solver.r), v.solve
		}
	default:
		p.needDouble()
	}
}

// needDouble allocates the batch in double precision on its first call.
func (p *pipeline) needDouble() {
	if p.double == nil {
		p.double = newBatch(p.solver, arithmetic[float64](double{p.solver}), p.size)
		p.double.bound = p.solver.boundDouble(p.double)
	}
}

// fill reads chunks and begins tasks while there is room for a good number of them. Beginning a few at a time would
// waste the products that admit them.
func (p *pipeline) fill(ctx context.Context) error {
	room := p.size
	switch {
	case p.single != nil:
		room = p.single.room()
	case p.double != nil:
		room = p.double.room()
	}
	for room > 0 && len(p.waiting) < room && len(p.chunks) < openChunks {
		if more, err := p.readChunk(ctx); err != nil {
			return err
		} else if !more {
			break
		}
	}
	n := min(len(p.waiting), room)
	if n == 0 || (n < p.size/8 && room < p.size) {
		return nil
	}
	begin := p.waiting[:n]
	p.waiting = p.waiting[n:]
	if p.single != nil {
		return p.single.admit(ctx, begin)
	}
	return p.double.admit(ctx, begin)
}

// readChunk reads a chunk and makes its tasks. It reports false if there is no chunk to read now.
func (p *pipeline) readChunk(ctx context.Context) (more bool, err error) {
	lo, a, err := p.source.take(ctx, p.size, len(p.chunks) == 0)
	if err != nil || a == nil {
		return false, err
	}
	count, dim := a.Dims()
	c := &chunk{lo: lo, part: p.solver.NewResult(count, dim)}
	p.chunks = append(p.chunks, c)
	for i := range count {
		p.begin(c, i, a.RawRowView(i))
	}
	return true, nil
}

// begin makes a task of a right-hand side, or solves it at once if nothing needs iterating.
func (p *pipeline) begin(c *chunk, i int, a []float64) {
	t := &task{chunk: c, at: i, a: a, residual: math.Inf(1), watch: newWatch()}
	if norm2 := dot(a, a); norm2 < leastNorm2 || norm2 > mostNorm2 {
		t.rescale()
	}
	t.cert = certificate{upper: p.solver.measured.norm2(t.a), iota: c.part.Iota.RawRowView(i)}
	if c.part.Multipliers != nil {
		t.cert.c = c.part.Multipliers.RawRowView(i)
	}
	switch {
	case !slices.ContainsFunc(a, func(x float64) bool { return x != 0 }):
		c.part.Value[i], c.part.Status[i] = math.Inf(1), Infeasible
	case t.cert.upper < leastNormal || math.IsInf(t.cert.upper, 0): // beyond what rounding errors are bounded for
		t.status = OutOfRange
		t.file()
	case p.solver.r == 0:
		t.cert.primal(p.solver.measured, t.a, t.a, nil)
		t.file()
	default:
		c.open++
		p.waiting = append(p.waiting, t)
	}
}

const (
	// Beyond these values of ‖a‖², its square leaves the range of floating point.
	leastNorm2 = 1e-100
	mostNorm2  = 1e100
)

// rescale brings the largest element of a between 1/2 and 1. The embedding of a multiple is the multiple of the
// embedding, and powers of two do not round.
func (t *task) rescale() {
	most := 0.0
	for _, x := range t.a {
		most = max(most, math.Abs(x))
	}
	_, t.exponent = math.Frexp(most)
	a := make([]float64, len(t.a))
	for j, x := range t.a {
		a[j] = math.Ldexp(x, -t.exponent)
	}
	t.a = a
}

// file writes the result of a right-hand side into its chunk.
func (t *task) file() {
	out, i := t.chunk.part, t.at
	if t.exponent != 0 {
		for _, row := range [][]float64{t.cert.iota, t.cert.c} {
			for j, x := range row {
				row[j] = math.Ldexp(x, t.exponent)
			}
		}
	}
	lower := math.Ldexp(t.cert.lower, 2*t.exponent)
	out.Gap[i], out.Norm2[i], out.Value[i] = t.cert.gap(), lower, up(1/lower)
	// Iterates that were cut off are not fixed points to go to, so that neither more iterations nor floating point are to
	// blame alone.
	if t.cut > 0 && (t.status == IterationLimit || t.status == Precision) {
		t.status = SearchLimit
	}
	if math.IsNaN(out.Gap[i]) {
		t.status = Contradiction
	}
	// Of an embedding that is not converged something must be known, for its numbers to count.
	if known := t.status == Converged || t.status != Contradiction && t.cert.lower > 0; known && !inRange(out.Iota.RawRowView(i), lower, out.Value[i]) {
		t.status = OutOfRange
		if !inRange(out.Iota.RawRowView(i), 1, 1) { // it attains no bound
			out.Gap[i] = math.Inf(1)
		}
	}
	out.Iterations[i], out.Newton[i], out.Work[i], out.Status[i] = t.iterations, t.newton, t.work, t.status
}

// iterate makes one iteration of each batch. The batch in double precision waits until it is half full or the other
// is empty.
func (p *pipeline) iterate(ctx context.Context) error {
	busy := p.single != nil && len(p.single.tasks) > 0
	if busy {
		if err := p.single.step(ctx); err != nil {
			return err
		}
		p.single.compact(p.leave)
		if p.failed != nil {
			return p.failed
		}
	}
	if err := p.takeHanded(ctx); err != nil {
		return err
	}
	if p.double == nil || len(p.double.tasks) == 0 || (busy && len(p.double.tasks) < p.size/2) {
		return nil
	}
	if err := p.double.step(ctx); err != nil {
		return err
	}
	p.double.compact(func(_ int, t *task) { p.close(t) })
	return p.failed
}

// close files a task's result.
func (p *pipeline) close(t *task) {
	if !(t.cert.lower > 0) {
		p.failed = errors.Join(p.failed, p.rescue(t))
	}
	if t.status == TimeLimit {
		limits.Over(p.ctx) // which notes that work was left
	}
	t.file()
	t.chunk.open--
}

// rescue handles a task without any lower bound. It takes the embedding M₀⁻¹a of the norm with means for maxima, or
// else a itself as V. If neither gives a bound, it returns an error.
func (p *pipeline) rescue(t *task) error {
	v, values := mat.NewDense(1, p.solver.dim, nil), mat.NewDense(1, p.solver.r, nil)
	if f, err := p.solver.factor(p.ctx, 0); err == nil && f.Solve(p.ctx, v, mat.NewDense(1, p.solver.dim, t.a)) == nil {
		p.solver.problem.A.Apply(values, v)
		t.cert.primal(p.solver.measured, t.a, v.RawRowView(0), values.RawRowView(0))
	}
	if t.cert.lower > 0 {
		return nil
	}
	p.solver.problem.A.Apply(values, mat.NewDense(1, p.solver.dim, t.a))
	t.cert.primal(p.solver.measured, t.a, t.a, values.RawRowView(0))
	if !(t.cert.lower > 0) {
		return fmt.Errorf("polar: right-hand side %d cannot be embedded in floating point: its values or those of the functionals are too large or too small",
			t.chunk.lo+t.at)
	}
	return nil
}

// leave closes a task of the batch in single precision, or hands it on.
func (p *pipeline) leave(i int, t *task) {
	if t.done {
		p.close(t)
		return
	}
	t.leaves = false
	if t.descent != nil {
		p.single.settle(i)
	}
	z := make([]float64, p.solver.r)
	convert(z, p.single.z.row(i))
	if size := dot(z, z); math.IsNaN(size) || math.IsInf(size, 0) {
		z = nil
	}
	p.handed = append(p.handed, handed{t, z})
}

// takeHanded moves tasks that were handed on into the batch in double precision. Those that have left the range of
// single precision begin anew.
func (p *pipeline) takeHanded(ctx context.Context) error {
	if len(p.handed) == 0 {
		return nil
	}
	p.needDouble()
	n := min(len(p.handed), p.double.room())
	for _, h := range p.handed[:n] {
		if h.z == nil {
			h.task.restart()
			if err := p.double.admit(ctx, []*task{h.task}); err != nil {
				return err
			}
			continue
		}
		h.task.watch.next, h.task.precise = h.task.iterations+soonest, h.task.iterations
		p.double.take(h.task, h.z)
	}
	p.handed = p.handed[n:]
	return nil
}

// flush hands back the chunks that are done, in order.
func (p *pipeline) flush() error {
	for len(p.chunks) > 0 && p.chunks[0].open == 0 {
		c := p.chunks[0]
		p.chunks = p.chunks[1:]
		if err := p.source.put(c); err != nil {
			return err
		}
	}
	return nil
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

// putProx takes a proximal map back.
func (s *Solver) putProx(p *gauge.Prox) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proxes = append(s.proxes, p)
}
