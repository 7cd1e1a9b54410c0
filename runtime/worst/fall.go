package worst

import (
	"context"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// Suspects returns points where g may be negative, for a statement that the verifier has not decided. Where all sides meet, they are ends of
// descents. Otherwise there is one at most, the worst that falls come to. It is [proof.Options.Suspects].
func Suspects(ctx context.Context, q *proof.Quest) (out [][]float64, err error) {
	if q.System != nil {
		points, err := (&search{q.Function, q.Statement, q.System}).descents(ctx, q.System.Miss)
		for _, p := range points {
			out = append(out, p.X)
		}
		return out, err
	}
	f := &falling{Quest: q, points: q.Function.Points(), at: q.At, high: math.Inf(1)}
	if f.at != nil {
		_, f.high, err = q.Function.Enclose(q.Statement, f.at)
	}
	if err != nil {
		return nil, err
	}
	if found := q.At == nil && f.sample() || q.Blind && f.falls() || f.fall(false); !found && f.at == nil {
		return nil, ctx.Err()
	}
	return [][]float64{f.at}, ctx.Err()
}

// A falling looks for a negative value by enclosures alone. It keeps the worst point that it has seen, nil before the first.
type falling struct {
	*proof.Quest
	points [][]float64
	at     []float64
	high   float64
}

// sees takes in a point, and reports whether g is surely negative there.
func (f *falling) sees(x []float64) bool {
	lo, hi, err := f.Function.Enclose(f.Statement, x)
	if err != nil || !(hi-lo < math.Inf(1)) {
		return false
	}
	if f.at == nil || hi < f.high {
		f.at, f.high = x, hi
	}
	return hi < 0
}

// sample reports whether g is surely negative at one of some landmarks, moved into the region.
func (f *falling) sample() bool {
	for k := range min(starts, len(f.points)) {
		if f.sees(f.landmark(k)) {
			return true
		}
	}
	return false
}

// landmark returns one of the landmarks, moved into the region.
func (f *falling) landmark(k int) []float64 {
	z := f.points[k*7919%len(f.points)]
	x := f.Statement.Anywhere(f.Function.Columns())
	for i := range f.Statement.Region {
		r := &f.Statement.Region[i]
		if r.Moves() {
			x[r.Columns[0]] = min(max(z[r.Columns[0]], r.Low), r.High)
		}
		for _, v := range r.Points {
			if matches(v, z, r.Columns) {
				for j, c := range r.Columns {
					x[c] = v[j]
				}
			}
		}
	}
	return x
}

// mostFalls is how many landmarks falls begin at, and mostBeside how many points one tries.
const (
	mostFalls  = 8
	mostBeside = 200
)

// falls reports whether g is surely negative at a point that wide falls from some landmarks come to.
func (f *falling) falls() bool {
	at, high := f.at, f.high
	for k := range min(mostFalls, len(f.points)) {
		if f.at = nil; f.sees(f.landmark(k)) || f.fall(true) {
			return true
		}
		if f.at == nil || at != nil && high <= f.high {
			f.at, f.high = at, high
		}
		at, high = f.at, f.high
	}
	return false
}

// fall reports whether g is surely negative at a point that it comes to from the worst known. It moves one side after another as long as that
// lowers g, to the kinks of Matérn factors beside it, which polynomials follow slowly. A wide fall also moves by smaller and smaller shares of
// intervals, and to other points.
func (f *falling) fall(wide bool) bool {
	if f.at == nil {
		return false
	}
	share := 0.0
	if wide {
		share = 0.5
	}
	for tried := 0; tried < mostBeside; {
		moved := false
		for i := range f.Statement.Region {
			for _, x := range f.beside(&f.Statement.Region[i], share) {
				before := f.high
				if tried++; f.sees(x) {
					return true
				}
				moved = moved || f.high < before
			}
		}
		if share /= 2; !moved && share < 1e-3 {
			return false
		}
	}
	return false
}

// beside returns the worst point known, moved on one side.
func (f *falling) beside(r *statement.Side, share float64) (out [][]float64) {
	c, at := r.Columns[0], f.at
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
		for _, v := range f.kinksBeside(c, at[c]) {
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
func (f *falling) kinksBeside(column int, x float64) (out []float64) {
	moves := []statement.Move{{Column: column, From: column, Mul: 1}}
	for _, t := range f.Statement.Terms {
		for _, m := range t.Move {
			if m.From == column && m.Mul != 0 {
				moves = append(moves, m)
			}
		}
	}
	for _, m := range moves {
		if !f.Function.Kinked(m.Column) {
			continue
		}
		below, above := math.Inf(-1), math.Inf(1)
		for _, z := range f.points {
			switch v := (z[m.Column] - m.Add) / m.Mul; {
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
