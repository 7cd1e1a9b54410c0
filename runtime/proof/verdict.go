package proof

import (
	"fmt"
	"math"
	"slices"

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

// coarse is how many lengths of the kernel the first pieces reach to either side of their centres.
const coarse = 0.8

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

// point returns the point of the region that a cell noted. Sides that do not matter are anywhere.
func (p *prover) point(t *star, c *cell) []float64 {
	x := p.anywhere()
	for j, k := range append(slices.Clone(t.centre), t.leafSides()...) {
		t.sides[k].set(x, c.where[j], c.at[j])
	}
	return x
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
