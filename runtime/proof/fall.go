package proof

import (
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/statement"
)

// mostFalls is how many landmarks falls begin at, and mostBeside how many points one tries.
const (
	mostFalls  = 8
	mostBeside = 200
)

// falls reports whether g is surely negative at a point that wide falls from some landmarks come to.
func (p *prover) falls() bool {
	v := p.verdict
	at, low, high := v.At, v.Low, v.High
	for k := range min(mostFalls, len(p.model.atoms)) {
		if v.At = nil; p.consider(p.landmark(k)) || p.fall(true) {
			return true
		}
		if v.At == nil || at != nil && high <= v.High {
			v.At, v.Low, v.High = at, low, high
		}
		at, low, high = v.At, v.Low, v.High
	}
	return false
}

// fall reports whether g is surely negative at a point that it comes to from the worst known. It moves one side after another as long as that
// lowers g, to the kinks of Matérn factors beside it, which polynomials follow slowly. A wide fall also moves by smaller and smaller shares of
// intervals, and to other points.
func (p *prover) fall(wide bool) bool {
	if p.verdict.At == nil {
		return false
	}
	share := 0.0
	if wide {
		share = 0.5
	}
	for tried := 0; tried < mostBeside; {
		moved := false
		for i := range p.of.Region {
			for _, x := range p.beside(&p.of.Region[i], share) {
				before := p.verdict.High
				if tried++; p.consider(x) {
					return true
				}
				moved = moved || p.verdict.High < before
			}
		}
		if share /= 2; !moved && share < 1e-3 {
			return false
		}
	}
	return false
}

// beside returns the worst point known, moved on one side.
func (p *prover) beside(r *statement.Side, share float64) (out [][]float64) {
	c, at := r.Columns[0], p.verdict.At
	move := func(to ...float64) {
		x := slices.Clone(at)
		for j, column := range r.Columns {
			x[column] = 0
			if j < len(to) {
				x[column] = to[j]
			}
		}
		if !slices.Equal(x, at) {
			out = append(out, x)
		}
	}
	if r.Moves() && !slices.ContainsFunc(r.Columns[1:], func(c int) bool { return at[c] != 0 }) {
		for _, v := range p.kinksBeside(c, at[c]) {
			if r.Low <= v && v <= r.High {
				move(v)
			}
		}
	}
	if share > 0 {
		for _, v := range r.Points {
			move(v...)
		}
		if step := share * (r.High - r.Low); r.Moves() {
			move(min(max(at[c]-step, r.Low), r.High))
			move(max(min(at[c]+step, r.High), r.Low))
		}
	}
	return out
}

// kinksBeside returns the nearest kinks of g along a column to either side of x.
func (p *prover) kinksBeside(column int, x float64) (out []float64) {
	moves := []move{{from: column, mul: 1}}
	of := []int{column}
	for _, t := range p.of.Terms {
		for _, m := range t.Move {
			if m.From == column && m.Mul != 0 {
				moves, of = append(moves, move{column, m.Mul, m.Add, false, ball{}}), append(of, m.Column)
			}
		}
	}
	for k, m := range moves {
		if !slices.ContainsFunc(p.model.components, func(c Component) bool {
			return c.Value == of[k] && (c.Base.Kind == Matern32 || c.Base.Kind == Matern52)
		}) {
			continue
		}
		below, above := math.Inf(-1), math.Inf(1)
		for i := range p.model.atoms {
			switch v := (p.model.atoms[i].point[of[k]] - m.add) / m.mul; {
			case v < x:
				below = max(below, v)
			case v > x:
				above = min(above, v)
			}
		}
		out = append(out, below, above)
	}
	return out
}
