package worst

import (
	"context"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// A Point is a point of a region and the value of g there, to ordinary accuracy.
type Point struct {
	X     []float64
	Value float64
}

// Search returns local minima of g below a threshold, at most so many, the lowest first. It proves nothing. Where sides meet in a star it
// looks at a grid of the centre, with the minima of all leaves. It refines what is lower than its neighbours. Elsewhere, and where
// the grid would be vast, it descends side by side from some landmarks. A statement that has no polynomials has no points.
func Search(ctx context.Context, f *proof.Function, s *statement.Statement, below float64, most int) ([]Point, error) {
	system, err := f.System(s)
	if system == nil || err != nil {
		return nil, err
	}
	points, err := (&search{f, s, system}).run(ctx, below)
	sort.SliceStable(points, func(i, j int) bool { return points[i].Value < points[j].Value })
	return points[:min(len(points), most)], err
}

// A search looks for minima of a statement by its polynomials.
type search struct {
	function  *proof.Function
	statement *statement.Statement
	*proof.System
}

const (
	// Looks from a centre of three sides are many, and each is a product over all their polynomials. So descents come first there.
	mostCentre = 3
	// A star of more numbers in all cells is not looked at.
	mostLooked = 1e8
	// Values by looks miss those between them by less than this share of their range.
	clearShare = 0.2
)

// run returns the points that Search does, in any order.
func (s *search) run(ctx context.Context, below float64) ([]Point, error) {
	centre, ok := s.Cover()
	if !ok {
		return s.descents(ctx, below)
	}
	l := &lookout{Star: proof.NewStar(s.System, centre), below: below}
	if many, size := l.Extent(); len(centre) == mostCentre || many*size > mostLooked {
		points, err := s.descents(ctx, below)
		if len(points) > 0 || err != nil || many*size > mostLooked {
			return points, err
		}
	}
	l.grid()
	for {
		if err := l.look(ctx); err != nil {
			return nil, err
		}
		points := l.minima(s)
		if len(points) > 0 || l.exactly || l.clear() || ctx.Err() != nil {
			return points, ctx.Err()
		}
		l.exactly = true // estimates may have missed what lies between looks
	}
}

// clear reports whether all values are so far above the threshold that what lies between looks hardly matters.
func (l *lookout) clear() bool {
	least, most := slices.Min(l.values), slices.Max(l.values)
	return least-clearShare*(most-least) > l.below
}

// point returns the point of the region where sides are at places of pieces, others anywhere.
func (s *search) point(at map[int]spot) []float64 {
	x := s.statement.Anywhere(s.function.Columns())
	for side, m := range at {
		s.Sides[side].Set(x, m.piece, m.at)
	}
	return x
}

// A lookout looks at a star from a grid of its centre.
type lookout struct {
	*proof.Star
	below  float64
	axes   [][]spot // of each side of the centre
	values []float64
	// exactly says that leaves are minimized, and not estimated.
	exactly bool
}

// A spot is a reference coordinate of a piece.
type spot struct {
	piece int
	at    float64
	alone bool // a point, which has no neighbours
}

// steps returns how many steps of the grid a piece has. They are fewer for more sides of the centre.
func (l *lookout) steps() int { return [...]int{1, 12, 6, 3}[len(l.Centre)] }

// grid makes the axes: both ends of each piece and places between.
func (l *lookout) grid() {
	steps := l.steps()
	for _, k := range l.Centre {
		var axis []spot
		for i, p := range l.Sides[k].Pieces {
			if p.Rows == 1 {
				axis = append(axis, spot{piece: i, alone: true})
				continue
			}
			from := 1
			if i == 0 {
				from = 0
			}
			for j := from; j <= steps; j++ {
				axis = append(axis, spot{piece: i, at: float64(j) / float64(steps)})
			}
		}
		l.axes = append(l.axes, axis)
	}
}

// spots returns the place of a number of the grid.
func (l *lookout) spots(i int) []spot {
	out := make([]spot, len(l.axes))
	for j := len(l.axes) - 1; j >= 0; j-- {
		out[j] = l.axes[j][i%len(l.axes[j])]
		i /= len(l.axes[j])
	}
	return out
}

// look computes the values on the grid.
func (l *lookout) look(ctx context.Context) error {
	many := 1
	for _, a := range l.axes {
		many *= len(a)
	}
	l.values = make([]float64, many)
	byCell := map[int][]int{}
	for i := range l.values {
		k := l.cellOf(l.spots(i))
		byCell[k] = append(byCell[k], i)
	}
	all := l.Cells()
	parallel.For(len(all), 1, func(lo, hi int) {
		for k, c := range all[lo:hi] {
			if ctx.Err() != nil {
				return
			}
			l.Load(c)
			for _, i := range byCell[lo+k] {
				l.values[i] = estimate(l, c, l.spots(i))
			}
			c.Data = nil
		}
	})
	return ctx.Err()
}

// cellOf returns which cell of whole pieces a place is in.
func (l *lookout) cellOf(at []spot) int {
	k := 0
	for j, s := range at {
		k = k*len(l.Sides[l.Centre[j]].Pieces) + s.piece
	}
	return k
}

// above returns the row of a star above a place of the centre: column 0, and the coefficients of all leaves.
func above(l *proof.Star, c *proof.Cell, at []spot) []float64 {
	weights := []float64{1}
	for j, s := range at {
		var next []float64
		for _, v := range weights {
			for _, w := range proof.Bernstein(s.at, c.Rows[j]) {
				next = append(next, v*w)
			}
		}
		weights = next
	}
	row := make([]float64, l.Columns)
	for r, w := range weights {
		if w != 0 {
			for i, v := range c.Data[r*l.Columns:][:l.Columns] {
				row[i] += w * v
			}
		}
	}
	return row
}

// value returns the least value above a place of the centre, and the places of the leaves.
func (l *lookout) value(c *proof.Cell, at []spot) (value float64, leaves []proof.Minimum) {
	row := above(l.Star, c, at)
	var room proof.Scratch
	value = row[0]
	for _, f := range l.Leaves {
		m := f.Lowest(row[f.Start:][:f.Rows], 1e-9*l.Size, &room)
		value += m.High
		leaves = append(leaves, m)
	}
	return value, leaves
}

// estimate returns about what value does, by looks at leaves instead of halving.
func estimate(l *lookout, c *proof.Cell, at []spot) float64 {
	if l.exactly {
		v, _ := l.value(c, at)
		return v
	}
	row := above(l.Star, c, at)
	sum := row[0]
	for _, f := range l.Leaves {
		sum += about(f.Side, row[f.Start:][:f.Rows])
	}
	return sum
}

// looks is how often a piece of a leaf is looked at.
const looks = 9

// lookAt has the Bernstein polynomials at the looks, from one end of a piece to the other.
var lookAt = sync.OnceValue(func() (out [looks][]float64) {
	for i := range out {
		out[i] = proof.Bernstein(float64(i)/(looks-1), proof.Terms)
	}
	return out
})

// about returns nearly the minimum of a leaf's polynomials and values: the least of looks, and of parabolas through three.
func about(s *proof.Side, coef []float64) float64 {
	least := math.Inf(1)
	at := lookAt()
	for i := range s.Pieces {
		p := &s.Pieces[i]
		if p.Rows == 1 {
			least = min(least, coef[p.Start])
			continue
		}
		var v [looks]float64
		own := coef[p.Start:][:proof.Terms]
		for k := range v {
			for b, w := range at[k] {
				v[k] += w * own[b]
			}
			least = min(least, v[k])
		}
		for k := 1; k < looks-1; k++ {
			if v[k] <= v[k-1] && v[k] <= v[k+1] {
				if bend := v[k-1] - 2*v[k] + v[k+1]; bend > 0 {
					rise := v[k+1] - v[k-1]
					least = min(least, v[k]-rise*rise/(8*bend))
				}
			}
		}
	}
	return least
}

// minima returns the local minima of the grid below the threshold, refined.
func (l *lookout) minima(of *search) []Point {
	all := l.Cells()
	var out []Point
	for i, v := range l.values {
		if rise, lowest := l.lowest(i); !lowest || !(v-rise < l.below) {
			continue
		}
		at := l.spots(i)
		c := all[l.cellOf(at)]
		if c.Data == nil {
			l.Load(c)
		}
		for j := range at {
			l.refine(c, at, j)
		}
		value, leaves := l.value(c, at)
		if !(value < l.below) {
			continue
		}
		places := map[int]spot{}
		for j, k := range l.Centre {
			places[k] = at[j]
		}
		for j, m := range leaves {
			places[l.Leaves[j].Index] = spot{piece: m.Piece, at: m.At}
		}
		out = append(out, Point{of.point(places), value})
	}
	return out
}

// lowest reports whether no neighbour of a number of the grid is lower, and by how much the highest of them is above it. Between places that are
// so far apart values may be lower by as much again.
func (l *lookout) lowest(i int) (rise float64, lowest bool) {
	stride := 1
	for j := len(l.axes) - 1; j >= 0; j-- {
		axis := l.axes[j]
		k := i / stride % len(axis)
		for _, d := range []int{-1, 1} {
			if n := k + d; n >= 0 && n < len(axis) && !axis[k].alone && !axis[n].alone {
				v := l.values[i+d*stride]
				if v < l.values[i] || v == l.values[i] && d < 0 {
					return 0, false
				}
				rise = max(rise, v-l.values[i])
			}
		}
		stride *= len(axis)
	}
	return rise, true
}

// refine moves a place along one side, within its piece and its neighbours on the grid, by three steps of a parabola.
func (l *lookout) refine(c *proof.Cell, at []spot, j int) {
	if at[j].alone {
		return
	}
	h := 1 / float64(l.steps())
	middle := estimate(l, c, at)
	probe := func(t float64) float64 {
		moved := slices.Clone(at)
		moved[j].at = t
		return estimate(l, c, moved)
	}
	for range 3 {
		lo, hi := max(at[j].at-h, 0), min(at[j].at+h, 1)
		mid := min(max(at[j].at, lo+h/16), hi-h/16)
		a, b := probe(lo), probe(hi)
		m := probe(mid)
		for _, t := range []float64{lo, hi, mid, vertex(lo, mid, hi, a, m, b)} {
			if v := probe(t); v < middle {
				middle, at[j].at = v, t
			}
		}
		h /= 4
	}
}

// vertex returns the lowest place of the parabola through three values, or the middle where it has none between the ends.
func vertex(x0, x1, x2, a, b, c float64) float64 {
	d, e := (b-a)/(x1-x0), (c-b)/(x2-x1)
	if curve := (e - d) / (x2 - x0); curve > 0 {
		if t := (x0+x1)/2 - d/(2*curve); t > x0 && t < x2 {
			return t
		}
	}
	return x1
}
