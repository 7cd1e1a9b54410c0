package proof

import (
	"context"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

// A star is a system whose sides outside a centre do not meet: no block has two of them. Those are its leaves. Where the centre is held,
// leaves are minimized one by one.
type star struct {
	*system
	centre []int
	leaves []leaf
	cols   int
}

// A leaf is a side outside the centre, with its first column in the array of a cell.
type leaf struct {
	*side
	index, start int
}

// newStar returns the star of a system about a centre.
func newStar(s *system, centre []int) *star {
	t := &star{system: s, centre: centre, cols: 1}
	var leaves []int
	for _, b := range s.blocks {
		for _, k := range b.sides {
			if !slices.Contains(centre, k) && !slices.Contains(leaves, k) {
				leaves = append(leaves, k)
			}
		}
	}
	slices.Sort(leaves)
	for _, k := range leaves {
		t.leaves = append(t.leaves, leaf{s.sides[k], k, t.cols})
		t.cols += s.sides[k].rows
	}
	return t
}

// A cell is a box of the centre: on each of its sides a piece, or a dyadic part of it. Its array has a row for each product of Bernstein
// polynomials of the centre's sides. Column 0 is what depends on the centre alone, and a leaf's columns are its coefficients.
type cell struct {
	boxes []box
	rows  []int // of each side of the centre
	data  []float64
	depth int

	low   float64   // g without errors is at least low on the cell
	high  float64   // and it is high at a corner
	at    []float64 // where: a reference coordinate of each side of the centre, then of each leaf
	where []int     // the pieces of that
	bends []float64 // how far low rows bend along each side of the centre
}

// A box is the part [from, from + width] of a piece, whose ends are 0 and 1.
type box struct {
	piece       int
	from, width float64
}

// cells returns the cells of whole pieces, one for each combination.
func (t *star) cells() []*cell {
	all := []*cell{{low: math.Inf(-1)}}
	for _, k := range t.centre {
		var next []*cell
		for _, c := range all {
			for i, p := range t.sides[k].pieces {
				next = append(next, &cell{low: math.Inf(-1), boxes: append(slices.Clone(c.boxes), box{i, 0, 1}), rows: append(slices.Clone(c.rows), p.rows)})
			}
		}
		all = next
	}
	return all
}

// extent returns how many cells of whole pieces there are, and how many numbers the largest has.
func (t *star) extent() (many, size float64) {
	many, size = 1, float64(t.cols)
	for _, k := range t.centre {
		s, most := t.sides[k], 1
		for _, p := range s.pieces {
			most = max(most, p.rows)
		}
		many *= float64(len(s.pieces))
		size *= float64(most)
	}
	return many, size
}

// load fills the array of a cell of whole pieces.
func (t *star) load(c *cell) {
	many := 1
	for _, r := range c.rows {
		many *= r
	}
	c.data = make([]float64, many*t.cols)
	for r := range many {
		c.data[r*t.cols] = t.constant
	}
	for _, b := range t.blocks {
		t.spread(c, b, many)
	}
}

// spread adds a block to the array of a cell.
func (t *star) spread(c *cell, b *block, many int) {
	strides := make([]int, len(t.centre))
	start, column, wide, step := 0, 0, 1, 0
	stride := 1
	for i := len(b.sides) - 1; i >= 0; i-- {
		k := b.sides[i]
		if j := slices.Index(t.centre, k); j >= 0 {
			strides[j] = stride
			start += stride * t.sides[k].pieces[c.boxes[j].piece].start
		} else {
			l := slices.IndexFunc(t.leaves, func(l leaf) bool { return l.index == k })
			column, wide, step = t.leaves[l].start, t.sides[k].rows, stride
		}
		stride *= t.sides[k].rows
	}
	for r := range many {
		at, rest := start, r
		for j := len(c.rows) - 1; j >= 0; j-- {
			at += rest % c.rows[j] * strides[j]
			rest /= c.rows[j]
		}
		row := c.data[r*t.cols+column:][:wide]
		for i := range row {
			row[i] += b.data[at+i*step]
		}
	}
}

// evaluate sets low and high of a cell. Bernstein polynomials are non-negative and sum to 1. So g on the cell is at least the least over
// rows of: column 0 plus the minimum of every leaf's polynomial. Rows that are surely at least enough are left as they are; in the others
// minima are exact up to tol.
func (t *star) evaluate(c *cell, enough, tol float64) {
	many := len(c.data) / t.cols
	lows := make([]float64, many)
	c.low, c.high = math.Inf(1), math.Inf(1)
	var room scratch
	at, where := make([]float64, len(t.leaves)), make([]int, len(t.leaves))
	for r := range many {
		row := c.data[r*t.cols:][:t.cols]
		lows[r] = t.crude(row)
		if !(lows[r] >= enough) {
			low, high := row[0], row[0]
			for i, l := range t.leaves {
				m := l.lowest(row[l.start:][:l.rows], tol, &room)
				low, high = low+m.low, high+m.high
				at[i], where[i] = m.at, m.piece
			}
			lows[r] = low
			if high < c.high && c.corner(r) {
				c.high = high
				c.note(r, at, where)
			}
		}
		c.low = min(c.low, lows[r])
	}
	c.bends = c.bend(lows)
}

// crude returns column 0 plus the least coefficient of each leaf.
func (t *star) crude(row []float64) float64 {
	sum := row[0]
	for _, l := range t.leaves {
		sum += slices.Min(row[l.start:][:l.rows])
	}
	return sum
}

// corner reports whether row r is the value at a corner of the cell.
func (c *cell) corner(r int) bool {
	for j := len(c.rows) - 1; j >= 0; j-- {
		if i := r % c.rows[j]; i != 0 && i != c.rows[j]-1 {
			return false
		}
		r /= c.rows[j]
	}
	return true
}

// note keeps the place of corner r and of leaves.
func (c *cell) note(r int, at []float64, where []int) {
	c.at = append(make([]float64, len(c.boxes)), at...)
	c.where = append(make([]int, len(c.boxes)), where...)
	for j := len(c.rows) - 1; j >= 0; j-- {
		b := c.boxes[j]
		c.where[j], c.at[j] = b.piece, b.from
		if r%c.rows[j] != 0 {
			c.at[j] += b.width
		}
		r /= c.rows[j]
	}
}

// bend returns the largest second difference of numbers, one a row, along each side of the centre, and more for wide sides.
func (c *cell) bend(x []float64) []float64 {
	out := make([]float64, len(c.rows))
	extent := slices.Max(x) - slices.Min(x)
	stride := 1
	for j := len(c.rows) - 1; j >= 0; j-- {
		if c.rows[j] > 1 {
			for r := range x {
				if i := r / stride % c.rows[j]; i > 0 && i < c.rows[j]-1 {
					out[j] = max(out[j], math.Abs(x[r-stride]-2*x[r]+x[r+stride]))
				}
			}
			out[j] += 1e-3*extent*c.boxes[j].width + least
		}
		stride *= c.rows[j]
	}
	return out
}

// halve returns both halves of a cell along the side on which it bends most, nil where it is one point.
func (t *star) halve(c *cell) []*cell {
	axis := -1
	for j, b := range c.bends {
		if b > 0 && (axis < 0 || b > c.bends[axis]) {
			axis = j
		}
	}
	if axis < 0 {
		return nil
	}
	inner := t.cols
	for _, r := range c.rows[axis+1:] {
		inner *= r
	}
	left, right := slices.Clone(c.data), make([]float64, len(c.data))
	for start := 0; start < len(left); start += inner * terms {
		casteljau(left[start:][:inner*terms], right[start:][:inner*terms], inner)
	}
	return []*cell{c.child(axis, 0, left), c.child(axis, 1, right)}
}

func (c *cell) child(axis, half int, data []float64) *cell {
	boxes := slices.Clone(c.boxes)
	b := &boxes[axis]
	b.width /= 2
	b.from += float64(half) * b.width
	return &cell{boxes: boxes, rows: c.rows, data: data, depth: c.depth + 1, low: c.low}
}

// casteljau halves Bernstein polynomials: left has their coefficients, each of many numbers, and gets those on [0, ½]; right those on [½, 1].
// All numbers are means of two others. So each rounding is at most u max |coefficient|, and errors do not grow: degree·u·max in all.
func casteljau(left, right []float64, many int) {
	last := degree * many
	copy(right[last:], left[last:])
	for level := 1; level <= degree; level++ {
		for i := degree; i >= level; i-- {
			a, b := left[(i-1)*many:][:many], left[i*many:][:many]
			for k, v := range a {
				b[k] = (v + b[k]) / 2
			}
		}
		copy(right[(degree-level)*many:][:many], left[last:])
	}
}

// A minimum of a leaf's polynomials: at least low, and high at a reference coordinate of a piece.
type minimum struct {
	low, high float64
	piece     int
	at        float64
}

// deepest is how often cells, and a leaf's pieces, are halved at most.
const deepest = 60

// scratch is room for the parts of pieces that lowest has yet to look at.
type scratch struct {
	parts []part1
}

// A part1 is a polynomial on a dyadic part of a piece.
type part1 struct {
	box
	depth int
	coef  [terms]float64
}

// lowest returns the minimum of a leaf's polynomials and values. Parts whose coefficients are all above high − tol are done; others are halved.
func (s *side) lowest(coef []float64, tol float64, room *scratch) minimum {
	m := minimum{high: math.Inf(1)}
	room.parts = room.parts[:0]
	for i := range s.pieces {
		p := &s.pieces[i]
		m.see(coef[p.start], i, 0)
		m.see(coef[p.start+p.rows-1], i, float64(min(p.rows-1, 1)))
	}
	m.low = m.high
	for i := range s.pieces {
		p := &s.pieces[i]
		if p.rows == 1 {
			continue
		}
		b := coef[p.start:][:terms]
		if least := slices.Min(b); least >= m.high-tol {
			m.low = min(m.low, least)
			continue
		}
		room.parts = append(room.parts, part1{box: box{i, 0, 1}})
		copy(room.parts[len(room.parts)-1].coef[:], b)
	}
	for n := len(room.parts); n > 0; n = len(room.parts) {
		p := &room.parts[n-1]
		if least := slices.Min(p.coef[:]); least >= m.high-tol || p.depth == deepest || math.IsNaN(least) {
			m.low = min(m.low, least)
			room.parts = room.parts[:n-1]
			continue
		}
		right := part1{box: box{p.piece, p.from + p.width/2, p.width / 2}, depth: p.depth + 1}
		p.width /= 2
		p.depth++
		casteljau(p.coef[:], right.coef[:], 1)
		m.see(right.coef[0], p.piece, right.from)
		room.parts = append(room.parts, right)
	}
	m.low = min(m.low, m.high)
	return m
}

// see takes in a value.
func (m *minimum) see(v float64, piece int, at float64) {
	if v < m.high {
		m.high, m.piece, m.at = v, piece, at
	}
}

// leafSides returns the indices of the leaves.
func (t *star) leafSides() []int {
	var out []int
	for _, l := range t.leaves {
		out = append(out, l.index)
	}
	return out
}

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

// minimum returns a lower bound of a star, within about tol of its minimum. Its roundings are not in it. After most cells were
// looked at it is what is known then.
func (t *star) minimum(ctx context.Context, tol float64, looked *int, most int) (float64, error) {
	low, high := math.Inf(1), math.Inf(1)
	for stack := t.cells(); len(stack) > 0; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		*looked++
		if c.data == nil {
			t.load(c)
		}
		t.evaluate(c, math.Inf(1), tol/4)
		high = min(high, c.high)
		if c.low >= high-tol || c.depth >= deepest || *looked > most {
			low, c.data = min(low, c.low), nil
			continue
		}
		stack = append(stack, t.split([]*cell{c})...)
	}
	return low, nil
}
