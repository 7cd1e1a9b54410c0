package embed

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/kernel"
)

// Points are the places that a block names: training rows by index, and the block's own points by complement.
type Points struct {
	Rows *mat.Dense
	// Block is never nil.
	Block *plugins.Block
}

// NewPoints joins training rows and the points of a block, which may be nil.
func NewPoints(rows *mat.Dense, block *plugins.Block) *Points {
	if block == nil {
		block = &plugins.Block{}
	}
	return &Points{Rows: rows, Block: block}
}

// At returns a view of the point with this id, as in plugins.Block.Point: ids from 0 are rows, ^id is a point of the
// block.
func (p *Points) At(id int32) []float64 {
	if id >= 0 {
		return p.Rows.RawRowView(int(id))
	}
	return p.Block.Points.Row(int(^id))
}

// Gather returns a matrix of the points with these ids; nil if there are no ids.
func (p *Points) Gather(ids []int32) *mat.Dense {
	if len(ids) == 0 {
		return nil
	}
	_, cols := p.Rows.Dims()
	out := mat.NewDense(len(ids), cols, nil)
	for i, id := range ids {
		out.SetRow(i, p.At(id))
	}
	return out
}

// some returns a matrix of the points with these ids. Where they follow each other it is a view, and else a copy.
func (p *Points) some(ids []int32) *mat.Dense {
	first, sign := ids[0], int32(1)
	if first < 0 {
		sign = -1
	}
	// Ids of the block's own points, which are complements, descend where these follow each other.
	for k, id := range ids {
		if id != first+sign*int32(k) {
			return p.Gather(ids)
		}
	}
	if first >= 0 {
		_, cols := p.Rows.Dims()
		return view(p.Rows, int(first), int(first)+len(ids), 0, cols)
	}
	all := &p.Block.Points
	return mat.NewDense(len(ids), all.Cols, all.Data[int(^first)*all.Cols:(int(^first)+len(ids))*all.Cols])
}

// Argument returns what some atoms evaluate, as an argument of a kernel. All atoms must have one order.
func (p *Points) Argument(atoms []Atom) kernel.Argument {
	ids := make([]int32, len(atoms))
	for i, a := range atoms {
		ids[i] = a.Point
	}
	out := kernel.At(p.Gather(ids))
	// Evaluations need no tangents.
	if len(atoms) == 0 || atoms[0].Order() == 0 {
		return out
	}
	out.Order, out.Along = atoms[0].Order(), mat.NewDense(len(atoms), p.Block.Tangents.Cols, nil)
	for i, a := range atoms {
		_, row := plugins.OrderOf(a.Tangent)
		out.Along.SetRow(i, p.Block.Tangents.Row(int(row)))
	}
	return out
}

// Features returns the features of atoms, or their derivatives, one a row. Atoms of one order are computed together.
func (p *Points) Features(m Functions, atoms []Atom) *mat.Dense {
	d := m.Dim()
	out := mat.NewDense(len(atoms), d, nil)
	// Without derivatives nothing has to be put back in order.
	if len(atoms) > 0 && !slices.ContainsFunc(atoms, func(a Atom) bool { return a.Order() > 0 }) {
		m.Features(out, p.Argument(atoms).Points)
		return out
	}
	for order := range kernel.MostOrder + 1 {
		var places []int
		var own []Atom
		for i, a := range atoms {
			if a.Order() == order {
				places, own = append(places, i), append(own, a)
			}
		}
		if len(own) == 0 {
			continue
		}
		x, phi := p.Argument(own), mat.NewDense(len(own), d, nil)
		if order == 0 {
			m.Features(phi, x.Points)
		} else {
			m.Derivatives(phi, x)
		}
		// Back to the order of the atoms.
		for k, i := range places {
			out.SetRow(i, phi.RawRowView(k))
		}
	}
	return out
}

// A Canon gives equal points, and equal tangents, one name.
type Canon struct {
	// rows, points and tangents have for each the first id of an equal one.
	rows, points, tangents []int32
}

// Canon finds out which rows, points and tangents are equal, number for number.
func (p *Points) Canon() *Canon {
	n, _ := p.Rows.Dims()
	index := newRowIndex(n + p.Block.Points.Rows)
	c := &Canon{rows: make([]int32, n), points: make([]int32, p.Block.Points.Rows), tangents: make([]int32, p.Block.Tangents.Rows)}
	for i := range c.rows {
		c.rows[i] = index.find(int32(i), p.At)
	}
	for i := range c.points {
		// Rows come first, so a point equal to a row is named by the row.
		c.points[i] = index.find(^int32(i), p.At)
	}
	index = newRowIndex(len(c.tangents))
	for i := range c.tangents {
		c.tangents[i] = index.find(int32(i), func(id int32) []float64 { return p.Block.Tangents.Row(int(id)) })
	}
	return c
}

// Point returns the first id of an equal point.
func (c *Canon) Point(id int32) int32 {
	if id >= 0 {
		return c.rows[id]
	}
	return c.points[^id]
}

// Tangent returns the id of the first equal tangent, derived as often. plugins.Evaluation stays as it is.
func (c *Canon) Tangent(id int32) int32 {
	switch order, row := plugins.OrderOf(id); order {
	case 0:
		return id
	case 1:
		return c.tangents[row]
	default:
		return plugins.Twice(c.tangents[row])
	}
}

// An Atom is f at a point, or its first or second derivative there along a tangent, as in the terms of
// plugins.Block.
type Atom struct{ Point, Tangent int32 }

// Order returns how often the atom derives.
func (a Atom) Order() int {
	order, _ := plugins.OrderOf(a.Tangent)
	return order
}

// atoms lists the distinct rows, then the other distinct points, then the distinct derivatives. Each list is in the
// order in which the data and the block's terms name them.
func (p *Points) atoms(canon *Canon) (values []int32, rows int, derivatives []Atom) {
	n, _ := p.Rows.Dims()
	for i := range n {
		if canon.rows[i] == int32(i) {
			values = append(values, int32(i))
		}
	}
	rows = len(values)
	seen := make([]bool, p.Block.Points.Rows)
	derived := make(map[Atom]bool)
	for k, id := range p.Block.Point {
		id = canon.Point(id)
		if id < 0 && !seen[^id] {
			seen[^id] = true
			values = append(values, id)
		}
		if a := (Atom{id, canon.Tangent(p.Block.Tangent[k])}); a.Tangent != plugins.Evaluation && !derived[a] {
			derived[a] = true
			derivatives = append(derivatives, a)
		}
	}
	return values, rows, derivatives
}

// derivatives returns the listed derivatives as arguments, first order before second.
func (p *Points) derivatives(list []Atom) []kernel.Argument {
	var out []kernel.Argument
	for order := 1; order <= kernel.MostOrder; order++ {
		own := slices.DeleteFunc(slices.Clone(list), func(a Atom) bool { return a.Order() != order })
		if len(own) > 0 {
			out = append(out, p.Argument(own))
		}
	}
	return out
}

// A rowIndex finds the first of equal rows. It is a table with open addressing, as a map takes ten times the memory of so many rows.
type rowIndex struct {
	ids  []int32
	tags []uint32 // of each id a part of its row's hash, odd; 0 where there is none
}

// newRowIndex returns an empty index for at most so many rows.
func newRowIndex(size int) *rowIndex {
	room := 1 << bits.Len(uint(size+size/3)) //nolint:gosec // not negative
	return &rowIndex{make([]int32, room), make([]uint32, room)}
}

// find returns the first id whose row equals that of id, and remembers id if there is no earlier one.
func (x *rowIndex) find(id int32, at func(int32) []float64) int32 {
	row := at(id)
	h := hashRow(row)
	tag, last := uint32(h>>32)|1, uint64(len(x.ids)-1) //nolint:gosec // a part of the bits
	k := h & last
	for ; x.tags[k] != 0; k = (k + 1) & last {
		if x.tags[k] == tag && slices.Equal(at(x.ids[k]), row) {
			return x.ids[k]
		}
	}
	x.ids[k], x.tags[k] = id, tag
	return id
}

// hashRow returns the same hash for rows that compare equal, 0 and −0 among them. It has four hashes of every fourth number, as a step waits for the one before.
func hashRow(row []float64) uint64 {
	var h [4]uint64
	for ; len(row) >= len(h); row = row[len(h):] {
		h[0], h[1], h[2], h[3] = hashed(h[0], row[0]), hashed(h[1], row[1]), hashed(h[2], row[2]), hashed(h[3], row[3])
	}
	for i, v := range row {
		h[i] = hashed(h[i], v)
	}
	out := uint64(14695981039346656037)
	for _, part := range h {
		out = (out ^ part) * 1099511628211
	}
	// Numbers of few digits differ in their high bits alone, and the place in a table is that of the low ones.
	out = (out ^ out>>33) * 0xff51afd7ed558ccd
	return out ^ out>>33
}

// hashed returns a hash with one more number. It adds 0, as −0 has other bits than 0.
func hashed(h uint64, v float64) uint64 {
	h = (h ^ math.Float64bits(v+0)) * 1099511628211
	return h ^ h>>29
}
