package proof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// A Verdict is what is known of a statement.
type Verdict struct {
	Answer Answer
	// Margin is a proven lower bound of g on the region, unless the statement is refuted. If it is open, the margin is negative; −∞ means
	// that no bound is known.
	Margin float64
	// Cells is how many cells were looked at.
	Cells int
	// At is a point of the region with Low ≤ g(At) ≤ High. If the statement is refuted, High < 0. If it is open, it is the worst
	// point that was found; nil if none was looked for.
	At        []float64
	Low, High float64
	// Reason says why a statement is open.
	Reason string
	// Left are boxes that are left open, at most 16 of Open.
	Left []Box
	Open int
}

// An Answer is one of three.
type Answer int

// The answers.
const (
	Open    Answer = iota // neither is known
	Proved                // g ≥ 0 on the whole region
	Refuted               // g(At) < 0
)

func (a Answer) String() string { return [...]string{"open", "proved", "refuted"}[a] }

// A Box is the part of a region where some sides are within intervals or at points, all others anywhere. g is at least Bound on it.
type Box struct {
	Sides     []int
	Low, High []float64 // of the first column of each side; both are its value at a point
	Bound     float64
}

// Options bound the work.
type Options struct {
	Cells int // at most so many cells; 0 means 20,000
}

// A prover decides one statement.
type prover struct {
	model   *Function
	of      *statement.Statement
	options Options
	exp     *expansion
	verdict *Verdict
}

// Prove decides a statement. It fails if the statement does not suit the function's columns and labels, or ctx ends.
func (f *Function) Prove(ctx context.Context, s *statement.Statement, o Options) (*Verdict, error) {
	if err := f.check(s); err != nil {
		return nil, err
	}
	if o.Cells <= 0 {
		o.Cells = 20000
	}
	p := &prover{model: f, of: s, options: o, verdict: &Verdict{Margin: math.Inf(-1)}}
	err := p.prove(ctx)
	if reason := undecided(""); errors.As(err, &reason) {
		p.verdict.Reason = string(reason)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return p.verdict, nil
}

// prove fills in the verdict. It returns an undecided error with the reason if the statement stays open.
func (p *prover) prove(ctx context.Context) error {
	var err error
	if p.exp, err = p.model.expand(p.of, nil); err != nil {
		return err
	}
	before := math.Inf(1)
	for fine := 0.8; ; fine /= 2 {
		s, err := p.model.build(p.exp, p.cut(fine))
		if err != nil {
			return err
		}
		again, err := p.decide(ctx, s)
		if err == nil || !again || s.miss > before/2 || fine < 1e-3 {
			return err
		}
		before = s.miss
	}
}

// cut returns the sides that elements have. Pieces of intervals reach at most fine lengths of the kernel to either side of their centres.
func (p *prover) cut(fine float64) map[int]*side {
	sides := map[int]*side{}
	for _, e := range p.exp.elements {
		for _, k := range e.sides {
			if sides[k] == nil {
				sides[k] = p.cutSide(k, fine)
			}
		}
	}
	return sides
}

func (p *prover) cutSide(k int, fine float64) *side {
	r := &p.of.Region[k]
	s := &side{columns: r.Columns}
	if r.Moves() && r.Low < r.High {
		s.cut(r.Low, r.High, max(1, int(min(1e5, math.Ceil((r.High-r.Low)/(2*fine*p.length(k)))))))
	} else if r.Moves() {
		point := make([]float64, len(r.Columns))
		point[0] = r.Low
		s.add(piece{low: r.Low, high: r.Low, point: point})
	}
	for _, v := range r.Points {
		s.add(piece{low: v[0], high: v[0], point: v})
	}
	s.key = fmt.Sprint(r.Columns, len(s.pieces), r.Low, r.High, r.Points)
	return s
}

// length returns the least length of the parts that depend on a side's first column.
func (p *prover) length(side int) float64 {
	least := math.Inf(1)
	for _, e := range p.exp.elements {
		for i, s := range e.sides {
			if s != side {
				continue
			}
			for _, q := range e.parts[i] {
				if c := &p.model.components[q.component]; c.Value >= 0 && q.moves[0].from == p.of.Region[side].Columns[0] && q.moves[0].mul != 0 {
					least = min(least, c.Base.length()/math.Abs(q.moves[0].mul))
				}
			}
		}
	}
	return least
}

// decide tries to decide the statement by one system. again says that a finer one may do better.
func (p *prover) decide(ctx context.Context, s *system) (again bool, err error) {
	if !(s.size < 1e200) || !(s.miss < 1e200) {
		return false, undecided("its numbers are too large")
	}
	centre, ok := s.cover()
	if !ok {
		return false, undecided(fmt.Sprintf("all of its %d sides meet in pairs; only sums of minima bound it", len(s.sides)))
	}
	t := newStar(s, centre)
	// What arithmetic on coefficients adds: degree roundings each time that a cell or leaf is halved, one for each block and leaf.
	miss := up(s.miss + float64((2*deepest+1)*terms+len(s.blocks)+len(t.leaves)+8)*unit*s.size)
	done := &outcome{least: math.Inf(1)}
	for stack := t.cells(); len(stack) > 0; {
		batch := stack[max(0, len(stack)-batchSize):]
		if p.verdict.Cells += len(batch); p.verdict.Cells > p.options.Cells {
			return false, p.open(t, append(done.stuck, stack...), miss, fmt.Sprintf("%d cells were not enough", p.options.Cells))
		}
		if err := t.evaluateAll(ctx, batch, miss); err != nil {
			return false, err
		}
		next, worst := done.sort(batch, miss)
		if worst != nil && worst.high < miss && p.refutes(t, worst) {
			return false, nil
		}
		stack = append(stack[:len(stack)-len(batch)], t.split(next)...)
	}
	if len(done.stuck) > 0 {
		return true, p.open(t, done.stuck, miss, "g comes nearer to 0 than arithmetic and interpolation can tell")
	}
	p.verdict.Answer, p.verdict.Left, p.verdict.Open, p.verdict.Reason = Proved, nil, 0, ""
	p.verdict.Margin = max(math.Nextafter(done.least-miss, math.Inf(-1)), 0)
	return false, nil
}

// An outcome is what is known of cells: the least bound of those that are proved, and those that no halving helps.
type outcome struct {
	least float64
	stuck []*cell
}

// sort takes in a batch of evaluated cells. It returns those to halve, the lowest last, and the one with the lowest value.
func (o *outcome) sort(batch []*cell, miss float64) (next []*cell, worst *cell) {
	for _, c := range batch {
		if c.low >= miss {
			o.least = min(o.least, c.low)
			continue
		}
		if worst == nil || c.high < worst.high {
			worst = c
		}
		if c.high < miss || c.depth >= deepest {
			c.data = nil
			o.stuck = append(o.stuck, c)
			continue
		}
		next = append(next, c)
	}
	slices.SortStableFunc(next, func(a, b *cell) int { return cmp.Compare(b.low, a.low) })
	return next, worst
}

// batchSize is how many cells are looked at together. It does not depend on the number of processors, so that verdicts do not.
const batchSize = 32

// evaluateAll evaluates cells on all processors.
func (t *star) evaluateAll(ctx context.Context, batch []*cell, enough float64) error {
	parallel.For(len(batch), 1, func(lo, hi int) {
		for _, c := range batch[lo:hi] {
			if ctx.Err() != nil {
				return
			}
			if c.data == nil {
				t.load(c)
			}
			// Leaves are minimized to an eighth of what the cell's parent lacked.
			t.evaluate(c, enough, max((enough-c.low)/8, enough/4)/float64(len(t.leaves)+1))
		}
	})
	return ctx.Err()
}

// split returns the halves of cells. A cell whose centre is a point stays as it is, with its depth, for a smaller tolerance.
func (t *star) split(next []*cell) []*cell {
	halves := make([][]*cell, len(next))
	parallel.For(len(next), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			c := next[i]
			if halves[i] = t.halve(c); halves[i] == nil {
				c.depth++
				halves[i] = []*cell{c}
			} else {
				c.data = nil
			}
		}
	})
	return slices.Concat(halves...)
}

// cover returns the cheapest centre of at most three sides such that no block has two sides outside it.
func (s *system) cover() (best []int, ok bool) {
	var all []int
	for k := range s.sides {
		all = append(all, k)
	}
	slices.Sort(all)
	least := math.Inf(1)
	var try func(from int, centre []int, cells float64)
	try = func(from int, centre []int, cells float64) {
		if cells < least && s.covers(centre) {
			best, least, ok = slices.Clone(centre), cells, true
		}
		if len(centre) == 3 {
			return
		}
		for i := from; i < len(all); i++ {
			k := s.sides[all[i]]
			more := float64(len(k.pieces))
			if k.rows > len(k.pieces) {
				more = float64(k.rows) * 4
			}
			try(i+1, append(centre, all[i]), cells*more)
		}
	}
	try(0, nil, 1)
	return best, ok
}

// covers reports whether no block has two sides outside a centre.
func (s *system) covers(centre []int) bool {
	for _, b := range s.blocks {
		outside := 0
		for _, k := range b.sides {
			if !slices.Contains(centre, k) {
				outside++
			}
		}
		if outside > 1 {
			return false
		}
	}
	return true
}

// refutes reports whether g is surely negative at the place that a cell noted.
func (p *prover) refutes(t *star, c *cell) bool { return p.consider(p.point(t, c)) }

// point returns the point of the region that a cell noted. Sides that do not matter are anywhere.
func (p *prover) point(t *star, c *cell) []float64 {
	x := p.anywhere()
	for j, k := range append(slices.Clone(t.centre), t.leafSides()...) {
		t.sides[k].set(x, c.where[j], c.at[j])
	}
	return x
}

// set sets the columns of a side to those at a reference coordinate of a piece.
func (s *side) set(x []float64, where int, at float64) {
	q := &s.pieces[where]
	if q.point != nil {
		for i, col := range s.columns {
			x[col] = q.point[i]
		}
		return
	}
	for _, col := range s.columns {
		x[col] = 0
	}
	x[s.columns[0]] = min(max(q.center+q.halfside*(2*at-1), q.low), q.high)
}

func (t *star) leafSides() []int {
	var out []int
	for _, l := range t.leaves {
		out = append(out, l.index)
	}
	return out
}

// anywhere returns a point of the region.
func (p *prover) anywhere() []float64 {
	x := make([]float64, p.model.columns)
	for i := range p.of.Region {
		r := &p.of.Region[i]
		if r.Moves() {
			x[r.Columns[0]] = r.Low
			continue
		}
		for j, c := range r.Columns {
			x[c] = r.Points[0][j]
		}
	}
	return x
}

// consider encloses g at a point, keeps it if it is the worst, and reports whether g is surely negative there. The statement is then refuted.
func (p *prover) consider(x []float64) bool {
	lo, hi, err := p.model.Enclose(p.of, x)
	if err != nil || !(hi-lo < math.Inf(1)) {
		return false
	}
	v := p.verdict
	if v.At == nil || hi < v.High {
		v.At, v.Low, v.High = x, lo, hi
	}
	if hi >= 0 {
		return false
	}
	v.Answer, v.Margin, v.Left, v.Open, v.Reason = Refuted, math.Inf(-1), nil, 0, ""
	return true
}

// open notes the cells that are left, and returns why.
func (p *prover) open(t *star, left []*cell, miss float64, reason string) error {
	slices.SortStableFunc(left, func(a, b *cell) int { return cmp.Compare(a.low, b.low) })
	p.verdict.Left, p.verdict.Open = nil, len(left)
	p.verdict.Margin = math.Nextafter(left[0].low-miss, math.Inf(-1))
	for _, c := range left[:min(len(left), 16)] {
		b := Box{Sides: t.centre, Bound: math.Nextafter(c.low-miss, math.Inf(-1))}
		for j, k := range t.centre {
			q := &t.sides[k].pieces[c.boxes[j].piece]
			b.Low = append(b.Low, q.low+(q.high-q.low)*c.boxes[j].from)
			b.High = append(b.High, q.low+(q.high-q.low)*(c.boxes[j].from+c.boxes[j].width))
		}
		p.verdict.Left = append(p.verdict.Left, b)
	}
	return undecided(reason)
}
