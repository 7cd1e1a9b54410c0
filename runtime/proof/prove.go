package proof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/statement"
)

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
		_, err = p.suspect(ctx, nil)
	}
	if err != nil {
		return nil, err
	}
	return p.verdict, nil
}

// prove fills in the verdict. It returns an undecided error with the reason if the statement stays open.
func (p *prover) prove(ctx context.Context) error {
	if p.of.Constant >= 0 && p.model.flat(p.of) {
		p.verdict.Answer, p.verdict.Margin = Proved, p.of.Constant
		return nil
	}
	var err error
	if p.exp, err = p.model.expand(p.of, nil); err != nil {
		return err
	}
	if c := p.exp.constant; len(p.exp.elements) == 0 && c.v >= c.r { // nothing depends on x, and rounding outward might fall below 0
		p.verdict.Answer, p.verdict.Margin = Proved, math.Max(c.low(), 0)
		return nil
	}
	before := math.Inf(1)
	kept := p.model.tables
	for fine := coarse; ; fine /= 2 {
		s, err := p.model.build(p.exp, p.cut(fine), kept)
		if err != nil {
			return err
		}
		again, err := p.decide(ctx, s)
		if err == nil || !again || s.Miss > before*3/4 || fine < 1e-3 {
			return err
		}
		before = s.Miss
		kept = &tables{known: map[string]*table{}} // few statements need finer tables
	}
}

// flat reports whether all terms of a statement are derivatives of functions whose coefficients are 0, so that g is its constant. Rounding
// errors of a general proof would leave it open whether that 0 is at least 0.
func (f *Function) flat(s *statement.Statement) bool {
	return !slices.ContainsFunc(s.Terms, func(t statement.Term) bool {
		return len(t.Derive) == 0 || slices.ContainsFunc(f.coef, func(of []float64) bool { return of[t.Label] != 0 })
	})
}

// decide tries to decide the statement by one system. again says that a finer one may do better.
func (p *prover) decide(ctx context.Context, s *System) (again bool, err error) {
	if !(s.Size < 1e200) || !(s.Miss < 1e200) {
		return false, undecided("its numbers are too large")
	}
	centre, ok := s.Cover()
	if !ok {
		return false, p.decidePairs(ctx, s)
	}
	t := NewStar(s, centre)
	miss := up(s.Miss + s.roundings(len(t.Leaves)))
	// A finer system may need fewer cells, so that no system may take more than a quarter of what there is.
	most := min(p.options.Cells, p.verdict.Cells+max(p.options.Cells/4, 32))
	many, size := t.Extent()
	if !(many <= float64(most)) || size > mostNumbers/4 {
		return false, undecided(fmt.Sprintf("%d cells were not enough: at least %.0f are needed, of %.0f numbers each", most, many, size))
	}
	batchSize := int(min(max(batchNumbers/size, 1), 32))
	done := &outcome{least: math.Inf(1)}
	for stack := t.Cells(); len(stack) > 0; {
		batch := stack[max(0, len(stack)-batchSize):]
		if p.verdict.Cells += len(batch); p.verdict.Cells > most {
			return most < p.options.Cells, p.open(t, append(done.stuck, stack...), miss, fmt.Sprintf("%d cells were not enough", most))
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

// An outcome has the least bound of the cells that are proved, and the cells that no halving helps.
type outcome struct {
	least float64
	stuck []*Cell
}

// sort takes in a batch of evaluated cells. It returns those to halve, the lowest last, and the one with the lowest value.
func (o *outcome) sort(batch []*Cell, miss float64) (next []*Cell, worst *Cell) {
	for _, c := range batch {
		if c.low >= miss {
			o.least, c.Data = min(o.least, c.low), nil // the stack's array may hold the cell for long
			continue
		}
		if worst == nil || c.high < worst.high {
			worst = c
		}
		if c.high < miss || c.depth >= deepest {
			c.Data = nil
			o.stuck = append(o.stuck, c)
			continue
		}
		next = append(next, c)
	}
	slices.SortStableFunc(next, func(a, b *Cell) int { return cmp.Compare(b.low, a.low) })
	return next, worst
}

// batchNumbers is about how many numbers of cells are looked at together. Batches do not depend on the number of processors, so that verdicts
// do not.
const batchNumbers = 1 << 20

// refutes reports whether g is surely negative at the place that a cell noted.
func (p *prover) refutes(t *Star, c *Cell) bool { return p.consider(p.point(t, c)) }

// open notes the cells that are left, and returns why.
func (p *prover) open(t *Star, left []*Cell, miss float64, reason string) error {
	slices.SortStableFunc(left, func(a, b *Cell) int { return cmp.Compare(a.low, b.low) })
	p.verdict.Left, p.verdict.Open = nil, len(left)
	p.verdict.Margin = math.Nextafter(left[0].low-miss, math.Inf(-1))
	for _, c := range left[:min(len(left), 16)] {
		b := Box{Sides: t.Centre, Bound: math.Nextafter(c.low-miss, math.Inf(-1))}
		for j, k := range t.Centre {
			q := &t.Sides[k].Pieces[c.boxes[j].piece]
			b.Low = append(b.Low, q.Low+(q.High-q.Low)*c.boxes[j].from)
			b.High = append(b.High, q.Low+(q.High-q.Low)*(c.boxes[j].from+c.boxes[j].width))
		}
		p.verdict.Left = append(p.verdict.Left, b)
	}
	return undecided(reason)
}
