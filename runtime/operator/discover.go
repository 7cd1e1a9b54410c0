package operator

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// FromDense finds the structure of a plain matrix (r×D) and represents it to the last bit: columns fall into labels of equal
// size of which rows touch only some, and what rows have there are often multiples of each other. They are taken as multiples
// only where they are exactly so, and where that spares more than an eighth of them. A matrix without structure is kept as it is and must not change afterwards.
func FromDense(a *mat.Dense) (*Operator, error) {
	r, dim := a.Dims()
	for i := range r {
		for j, v := range a.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("operator: functional %d of %d×%d has %v at place %d", i, r, dim, v, j)
			}
		}
	}
	d := blockSize(a)
	found := newDiscovery(d)
	for i := range r {
		found.add(a.RawRowView(i))
	}
	if found.plain() {
		found.separate(a)
	}
	q := len(found.rows)
	out, order := layUses(r, dim/d, d, q, found.uses)
	if raw := a.RawMatrix(); d == dim && q == r && raw.Stride == dim {
		out.psi, out.psi.Data = raw, raw.Data[:r*dim] // the order is theirs, as all serve the one label
		return out, nil
	}
	out.psi = newGeneral(q, d)
	for to, from := range order {
		copy(rowOf(out.psi, to), found.rows[from])
	}
	return out, nil
}

const (
	leastBlock   = 4       // columns of a label
	sampleNumber = 1 << 24 // numbers that are looked at for one size of the labels
	sampleRuns   = 8
	fewRows      = 64
	fewColumns   = 16 // what a row costs in a product beside its numbers, and …
	entryCost    = 6  // … what an entry of S costs, in multiplications
)

// blockSize is the size of labels with which products cost least, judged by a sample of rows where there are many. Sizes with
// which a few rows cost more than whole ones do are not looked at further: what spares work, untouched labels and multiples,
// shows within a row.
func blockSize(a *mat.Dense) int {
	r, dim := a.Dims()
	few := sampleOf(r, fewRows)
	whole := costOf(a, few, dim)
	sizes := []int{dim}
	for d := dim - 1; d >= min(leastBlock, dim); d-- {
		if dim%d == 0 && costOf(a, few, d) < whole {
			sizes = append(sizes, d)
		}
	}
	if len(sizes) == 1 {
		return dim
	}
	rows := sampleOf(r, max(fewRows, sampleNumber/dim))
	best, least := dim, math.Inf(1)
	for _, d := range sizes { // of two that cost the same, the larger one
		if cost := costOf(a, rows, d); cost < least {
			best, least = d, cost
		}
	}
	return best
}

// costOf is what products with so many of the rows cost where labels have d columns.
func costOf(a *mat.Dense, rows []int, d int) float64 {
	found := newDiscovery(d)
	for _, i := range rows {
		found.add(a.RawRowView(i))
	}
	columns := len(distinct(found.columns(), compareColumns))
	return float64(columns*(d+fewColumns) + len(found.uses)*entryCost)
}

// sampleOf is at most so many of r rows, in runs spread evenly.
func sampleOf(r, most int) []int {
	var rows []int
	if r <= most {
		for i := range r {
			rows = append(rows, i)
		}
		return rows
	}
	for k := range sampleRuns {
		for i := range most / sampleRuns {
			rows = append(rows, k*r/sampleRuns+i)
		}
	}
	return rows
}

// A discovery collects the blocks of rows, those that are multiples of one another once.
type discovery struct {
	size       int
	functional int32
	rows       [][]float64
	uses       []use
	known      map[uint64][]int32 // rows by hash
}

func newDiscovery(size int) *discovery {
	return &discovery{size: size, known: make(map[uint64][]int32)}
}

// add takes a row of the matrix.
func (f *discovery) add(row []float64) {
	for c := 0; c*f.size < len(row); c++ {
		block := row[c*f.size : (c+1)*f.size]
		lead := slices.IndexFunc(block, func(v float64) bool { return v != 0 })
		if lead < 0 {
			continue
		}
		u := use{functional: f.functional, label: int32(c), row: -1, value: 1}
		hash := directionHash(block, lead)
		for _, q := range f.known[hash] {
			if times, ok := multipleOf(block, f.rows[q], lead); ok {
				u.row, u.value = q, times
				break
			}
		}
		if u.row < 0 {
			u.row = int32(len(f.rows))
			f.known[hash] = append(f.known[hash], u.row)
			f.rows = append(f.rows, block)
		}
		f.uses = append(f.uses, u)
	}
	f.functional++
}

// plain reports whether so few blocks are multiples of others that it is better to leave all of them in their order.
func (f *discovery) plain() bool {
	return 8*len(distinct(f.columns(), compareColumns)) > 7*len(f.uses)
}

// columns are the uses' labels and rows.
func (f *discovery) columns() []column {
	out := make([]column, len(f.uses))
	for k, u := range f.uses {
		out[k] = column{u.label, u.row}
	}
	return out
}

// separate gives every use a row of its own.
func (f *discovery) separate(a *mat.Dense) {
	f.rows = f.rows[:0]
	for k := range f.uses {
		u := &f.uses[k]
		u.row, u.value = int32(len(f.rows)), 1
		f.rows = append(f.rows, a.RawRowView(int(u.functional))[int(u.label)*f.size:(int(u.label)+1)*f.size])
	}
}

// directionHash is the same for blocks that are multiples of each other but for rounding, nearly always.
func directionHash(block []float64, lead int) uint64 {
	hash := uint64(lead)
	inverse := 1 / block[lead]
	for k := lead; k < min(len(block), lead+16); k++ { // multipleOf looks at the others
		hash = (hash ^ uint64(math.Float32bits(float32(block[k]*inverse)))) * 0x9e3779b97f4a7c15
		hash ^= hash >> 29
	}
	return hash
}

// multipleOf is the number that row must be multiplied by to give block, if there is one: the products must not even round.
func multipleOf(block, row []float64, lead int) (times float64, ok bool) {
	times = block[lead] / row[lead]
	if math.IsInf(times, 0) || math.IsNaN(times) {
		return 0, false
	}
	for k, v := range block {
		if math.FMA(times, row[k], -v) != 0 {
			return 0, false
		}
	}
	return times, true
}
