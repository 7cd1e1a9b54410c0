package proof

import (
	"context"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

// A Star is a system whose sides outside a centre do not meet: no block has two of them. Those are its leaves. Where the centre is held,
// leaves are minimized one by one.
type Star struct {
	*System
	Centre  []int
	Leaves  []Leaf
	Columns int
}

// A Leaf is a side outside the centre, with its first column in the array of a cell.
type Leaf struct {
	*Side
	Index, Start int
}

// NewStar returns the star of a system about a centre.
func NewStar(s *System, centre []int) *Star {
	t := &Star{System: s, Centre: centre, Columns: 1}
	var leaves []int
	for _, b := range s.Blocks {
		for _, k := range b.Sides {
			if !slices.Contains(centre, k) && !slices.Contains(leaves, k) {
				leaves = append(leaves, k)
			}
		}
	}
	slices.Sort(leaves)
	for _, k := range leaves {
		t.Leaves = append(t.Leaves, Leaf{s.Sides[k], k, t.Columns})
		t.Columns += s.Sides[k].Rows
	}
	return t
}

// A Cell is a box of the centre: on each of its sides a piece, or a dyadic part of it. Its array has a row for each product of Bernstein
// polynomials of the centre's sides. Column 0 depends on the centre alone, and a leaf's columns are its coefficients.
type Cell struct {
	boxes []box
	Rows  []int // of each side of the centre
	Data  []float64
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

// Cells returns the cells of whole pieces, one for each combination.
func (t *Star) Cells() []*Cell {
	all := []*Cell{{low: math.Inf(-1)}}
	for _, k := range t.Centre {
		var next []*Cell
		for _, c := range all {
			for i, p := range t.Sides[k].Pieces {
				next = append(next, &Cell{low: math.Inf(-1), boxes: append(slices.Clone(c.boxes), box{i, 0, 1}), Rows: append(slices.Clone(c.Rows), p.Rows)})
			}
		}
		all = next
	}
	return all
}

// Extent returns how many cells of whole pieces there are, and how many numbers the largest has.
func (t *Star) Extent() (many, size float64) {
	many, size = 1, float64(t.Columns)
	for _, k := range t.Centre {
		s, most := t.Sides[k], 1
		for _, p := range s.Pieces {
			most = max(most, p.Rows)
		}
		many *= float64(len(s.Pieces))
		size *= float64(most)
	}
	return many, size
}

// Load fills the array of a cell of whole pieces.
func (t *Star) Load(c *Cell) {
	many := 1
	for _, r := range c.Rows {
		many *= r
	}
	c.Data = make([]float64, many*t.Columns)
	for r := range many {
		c.Data[r*t.Columns] = t.Constant
	}
	for _, b := range t.Blocks {
		t.spread(c, b, many)
	}
}

// spread adds a block to the array of a cell.
func (t *Star) spread(c *Cell, b *Block, many int) {
	strides := make([]int, len(t.Centre))
	start, column, wide, step := 0, 0, 1, 0
	stride := 1
	for i := len(b.Sides) - 1; i >= 0; i-- {
		k := b.Sides[i]
		if j := slices.Index(t.Centre, k); j >= 0 {
			strides[j] = stride
			start += stride * t.Sides[k].Pieces[c.boxes[j].piece].Start
		} else {
			l := slices.IndexFunc(t.Leaves, func(l Leaf) bool { return l.Index == k })
			column, wide, step = t.Leaves[l].Start, t.Sides[k].Rows, stride
		}
		stride *= t.Sides[k].Rows
	}
	for r := range many {
		at, rest := start, r
		for j := len(c.Rows) - 1; j >= 0; j-- {
			at += rest % c.Rows[j] * strides[j]
			rest /= c.Rows[j]
		}
		row := c.Data[r*t.Columns+column:][:wide]
		for i := range row {
			row[i] += b.Data[at+i*step]
		}
	}
}

// evaluate sets low and high of a cell. Bernstein polynomials are non-negative and sum to 1. So g on the cell is at least the least over
// rows of: column 0 plus the minimum of every leaf's polynomial. Rows that are surely at least enough are left as they are; in the others
// minima are exact up to tol.
func (t *Star) evaluate(c *Cell, enough, tol float64) {
	many := len(c.Data) / t.Columns
	lows := make([]float64, many)
	c.low, c.high = math.Inf(1), math.Inf(1)
	var room Scratch
	at, where := make([]float64, len(t.Leaves)), make([]int, len(t.Leaves))
	for r := range many {
		row := c.Data[r*t.Columns:][:t.Columns]
		lows[r] = t.crude(row)
		if !(lows[r] >= enough) {
			low, high := row[0], row[0]
			for i, l := range t.Leaves {
				m := l.Lowest(row[l.Start:][:l.Rows], tol, &room)
				low, high = low+m.Low, high+m.High
				at[i], where[i] = m.At, m.Piece
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
func (t *Star) crude(row []float64) float64 {
	sum := row[0]
	for _, l := range t.Leaves {
		sum += slices.Min(row[l.Start:][:l.Rows])
	}
	return sum
}

// corner reports whether row r is the value at a corner of the cell.
func (c *Cell) corner(r int) bool {
	for j := len(c.Rows) - 1; j >= 0; j-- {
		if i := r % c.Rows[j]; i != 0 && i != c.Rows[j]-1 {
			return false
		}
		r /= c.Rows[j]
	}
	return true
}

// note keeps the place of corner r and of leaves.
func (c *Cell) note(r int, at []float64, where []int) {
	c.at = append(make([]float64, len(c.boxes)), at...)
	c.where = append(make([]int, len(c.boxes)), where...)
	for j := len(c.Rows) - 1; j >= 0; j-- {
		b := c.boxes[j]
		c.where[j], c.at[j] = b.piece, b.from
		if r%c.Rows[j] != 0 {
			c.at[j] += b.width
		}
		r /= c.Rows[j]
	}
}

// bend returns the largest second difference of numbers, one a row, along each side of the centre, and more for wide sides.
func (c *Cell) bend(x []float64) []float64 {
	out := make([]float64, len(c.Rows))
	extent := slices.Max(x) - slices.Min(x)
	stride := 1
	for j := len(c.Rows) - 1; j >= 0; j-- {
		if c.Rows[j] > 1 {
			for r := range x {
				if i := r / stride % c.Rows[j]; i > 0 && i < c.Rows[j]-1 {
					out[j] = max(out[j], math.Abs(x[r-stride]-2*x[r]+x[r+stride]))
				}
			}
			out[j] += 1e-3*extent*c.boxes[j].width + least
		}
		stride *= c.Rows[j]
	}
	return out
}

// halve returns both halves of a cell along the side on which it bends most, nil where it is one point.
func (t *Star) halve(c *Cell) []*Cell {
	axis := -1
	for j, b := range c.bends {
		if b > 0 && (axis < 0 || b > c.bends[axis]) {
			axis = j
		}
	}
	if axis < 0 {
		return nil
	}
	inner := t.Columns
	for _, r := range c.Rows[axis+1:] {
		inner *= r
	}
	left, right := slices.Clone(c.Data), make([]float64, len(c.Data))
	for start := 0; start < len(left); start += inner * Terms {
		casteljau(left[start:][:inner*Terms], right[start:][:inner*Terms], inner)
	}
	return []*Cell{c.child(axis, 0, left), c.child(axis, 1, right)}
}

func (c *Cell) child(axis, half int, data []float64) *Cell {
	boxes := slices.Clone(c.boxes)
	b := &boxes[axis]
	b.width /= 2
	b.from += float64(half) * b.width
	return &Cell{boxes: boxes, Rows: c.Rows, Data: data, depth: c.depth + 1, low: c.low}
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

// A Minimum of a leaf's polynomials: at least low, and high at a reference coordinate of a piece.
type Minimum struct {
	Low, High float64
	Piece     int
	At        float64
}

// deepest is how often cells, and a leaf's pieces, are halved at most.
const deepest = 60

// Scratch is room for the parts of pieces that lowest has yet to look at.
type Scratch struct {
	parts []part1
}

// A part1 is a polynomial on a dyadic part of a piece.
type part1 struct {
	box
	depth int
	coef  [Terms]float64
}

// Lowest returns the minimum of a leaf's polynomials and values. Parts whose coefficients are all above high − tol are done; others are halved.
func (s *Side) Lowest(coef []float64, tol float64, room *Scratch) Minimum {
	m := Minimum{High: math.Inf(1)}
	room.parts = room.parts[:0]
	for i := range s.Pieces {
		p := &s.Pieces[i]
		m.see(coef[p.Start], i, 0)
		m.see(coef[p.Start+p.Rows-1], i, float64(min(p.Rows-1, 1)))
	}
	m.Low = m.High
	for i := range s.Pieces {
		p := &s.Pieces[i]
		if p.Rows == 1 {
			continue
		}
		b := coef[p.Start:][:Terms]
		if least := slices.Min(b); least >= m.High-tol {
			m.Low = min(m.Low, least)
			continue
		}
		room.parts = append(room.parts, part1{box: box{i, 0, 1}})
		copy(room.parts[len(room.parts)-1].coef[:], b)
	}
	for n := len(room.parts); n > 0; n = len(room.parts) {
		p := &room.parts[n-1]
		if least := slices.Min(p.coef[:]); least >= m.High-tol || p.depth == deepest || math.IsNaN(least) {
			m.Low = min(m.Low, least)
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
	m.Low = min(m.Low, m.High)
	return m
}

// see takes in a value.
func (m *Minimum) see(v float64, piece int, at float64) {
	if v < m.High {
		m.High, m.Piece, m.At = v, piece, at
	}
}

// leafSides returns the indices of the leaves.
func (t *Star) leafSides() []int {
	var out []int
	for _, l := range t.Leaves {
		out = append(out, l.Index)
	}
	return out
}

// evaluateAll evaluates cells on all processors.
func (t *Star) evaluateAll(ctx context.Context, batch []*Cell, enough float64) error {
	parallel.For(len(batch), 1, func(lo, hi int) {
		for _, c := range batch[lo:hi] {
			if ctx.Err() != nil {
				return
			}
			if c.Data == nil {
				t.Load(c)
			}
			// Leaves are minimized to an eighth of what the cell's parent lacked.
			t.evaluate(c, enough, max((enough-c.low)/8, enough/4)/float64(len(t.Leaves)+1))
		}
	})
	return ctx.Err()
}

// split returns the halves of cells. A cell whose centre is a point stays as it is, with its depth, for a smaller tolerance.
func (t *Star) split(next []*Cell) []*Cell {
	halves := make([][]*Cell, len(next))
	parallel.For(len(next), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			c := next[i]
			if halves[i] = t.halve(c); halves[i] == nil {
				c.depth++
				halves[i] = []*Cell{c}
			} else {
				c.Data = nil
			}
		}
	})
	return slices.Concat(halves...)
}

// minimum returns a lower bound of a star, within about tol of its minimum. Its roundings are not in it. After most cells were
// looked at it is the bound known by then.
func (t *Star) minimum(ctx context.Context, tol float64, looked *int, most int) (float64, error) {
	low, high := math.Inf(1), math.Inf(1)
	for stack := t.Cells(); len(stack) > 0; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		*looked++
		if c.Data == nil {
			t.Load(c)
		}
		t.evaluate(c, math.Inf(1), tol/4)
		high = min(high, c.high)
		if c.low >= high-tol || c.depth >= deepest || *looked > most {
			low, c.Data = min(low, c.low), nil
			continue
		}
		stack = append(stack, t.split([]*Cell{c})...)
	}
	return low, nil
}
