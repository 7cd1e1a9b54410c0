package proof

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/statement"
)

// A Verdict says whether a statement holds.
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
	// Suspects returns points of the region where g may be negative, nil for none. g is enclosed at each, so that they need not be trusted. A
	// nil function leaves statements open that cells do not refute.
	Suspects func(ctx context.Context, q *Quest) ([][]float64, error)
}

// A Quest is a statement that is not decided yet.
type Quest struct {
	Function  *Function
	Statement *statement.Statement
	System    *System   // if all its sides meet, and no pairs have been looked at; else nil
	At        []float64 // the worst point known, nil for none
	Blind     bool      // nothing at all is known
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
func (p *prover) cut(fine float64) map[int]*Side {
	sides := map[int]*Side{}
	for _, e := range p.exp.elements {
		for _, k := range e.sides {
			if sides[k] == nil {
				sides[k] = p.cutSide(k, fine)
			}
		}
	}
	return sides
}

func (p *prover) cutSide(k int, fine float64) *Side {
	r := &p.of.Region[k]
	s := &Side{Columns: r.Columns}
	if r.Moves() && r.Low < r.High {
		s.cut(r.Low, r.High, max(1, int(min(1e5, math.Ceil((r.High-r.Low)/(2*fine*p.length(k)))))))
	} else if r.Moves() {
		point := make([]float64, len(r.Columns))
		point[0] = r.Low
		s.add(Piece{Low: r.Low, High: r.Low, Point: point})
	}
	for _, v := range r.Points {
		s.add(Piece{Low: v[0], High: v[0], Point: v})
	}
	s.key = fmt.Sprint(r.Columns, len(s.Pieces), r.Low, r.High, r.Points)
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
func (p *prover) point(t *Star, c *Cell) []float64 {
	x := p.of.Anywhere(p.model.columns)
	for j, k := range append(slices.Clone(t.Centre), t.leafSides()...) {
		t.Sides[k].Set(x, c.where[j], c.at[j])
	}
	return x
}

// suspect encloses g at suspects, and reports whether it is surely negative at one.
func (p *prover) suspect(ctx context.Context, s *System) (refuted bool, err error) {
	if p.options.Suspects == nil {
		return false, nil
	}
	v := p.verdict
	points, err := p.options.Suspects(ctx, &Quest{p.model, p.of, s, v.At, v.At == nil && v.Cells == 0})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(points, p.consider), nil
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
