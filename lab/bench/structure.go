package bench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/operator"
)

// structured finds the structure of a plain matrix (r×D) and represents the matrix to the last bit. Columns fall into labels
// of equal size, and rows touch only some labels. What rows have at a label is often a multiple of what others have. It counts
// as a multiple only where it is exactly one, and where more than an eighth of the rows can be spared.
func structured(ctx context.Context, a *mat.Dense) (*operator.Operator, error) {
	r, dim := a.Dims()
	for i := range r {
		for j, v := range a.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("functional %d of %d×%d has %v at place %d", i, r, dim, v, j)
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
	if len(found.rows) == 0 { // all zero: one point that no functional names
		found.rows = append(found.rows, make([]float64, d))
	}
	points := mat.NewDense(len(found.rows), d, nil)
	for q, row := range found.rows {
		points.SetRow(q, row)
	}
	return operator.Build(ctx, found.block(r, dim/d), points, coordinates{dim: d}, dim/d)
}

// coordinates is the feature map φ(x) = x of functionals that evaluate and never derive.
type coordinates struct {
	embed.Map // nil, as no other method is called

	dim int
}

// Dim returns the number of columns.
func (c coordinates) Dim() int { return c.dim }

// Features copies x.
func (coordinates) Features(dst, x *mat.Dense) { dst.Copy(x) }

const (
	leastBlock   = 4       // columns of a label
	sampleNumber = 1 << 24 // numbers that are looked at for one size of the labels
	sampleRuns   = 8
	sampleLeast  = 64
	fewColumns   = 16 // what a row costs in a product beside its numbers, and …
	entryCost    = 6  // … what an entry of S costs, in multiplications
)

// blockSize returns the size of labels with which products cost least, judged by a sample of rows where there are many. It drops
// sizes with which a few rows cost more than whole ones: untouched labels and multiples, which spare work, show within a row.
func blockSize(a *mat.Dense) int {
	r, dim := a.Dims()
	few := sampleOf(r, sampleLeast)
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
	rows := sampleOf(r, max(sampleLeast, sampleNumber/dim))
	best, least := dim, math.Inf(1)
	for _, d := range sizes { // of two that cost the same, the larger one
		if cost := costOf(a, rows, d); cost < least {
			best, least = d, cost
		}
	}
	return best
}

// costOf returns what products with so many of the rows cost where labels have d columns.
func costOf(a *mat.Dense, rows []int, d int) float64 {
	found := newDiscovery(d)
	for _, i := range rows {
		found.add(a.RawRowView(i))
	}
	return float64(found.columns()*(d+fewColumns) + len(found.uses)*entryCost)
}

// sampleOf returns at most so many of r rows, in runs spread evenly.
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

// A use of a row by a functional and a label.
type use struct {
	column

	functional int32
	value      float64
}

// A column is a row at a label.
type column struct{ label, row int32 }

func compareColumns(s, t column) int {
	return cmp.Or(cmp.Compare(s.label, t.label), cmp.Compare(s.row, t.row))
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
		u := use{functional: f.functional, column: column{label: int32(c), row: -1}, value: 1}
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
	return 8*f.columns() > 7*len(f.uses)
}

// columns counts the distinct pairs of a label and a row.
func (f *discovery) columns() int {
	list := make([]column, len(f.uses))
	for k, u := range f.uses {
		list[k] = u.column
	}
	slices.SortFunc(list, compareColumns)
	return len(slices.Compact(list))
}

// block writes functional i as the sum of what it uses: value · f(row, label).
func (f *discovery) block(functionals, labels int) *plugins.Block {
	b := &plugins.Block{}
	for c := range labels {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{int32(c)}, Value: []float64{1}})
	}
	k := 0
	for i := range functionals {
		for ; k < len(f.uses) && int(f.uses[k].functional) == i; k++ {
			b.Term(f.uses[k].value, f.uses[k].row, plugins.Evaluation, f.uses[k].label)
		}
		b.End()
	}
	return b
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

// directionHash returns nearly always the same for blocks that are multiples of each other up to rounding.
func directionHash(block []float64, lead int) uint64 {
	hash := uint64(lead)
	inverse := 1 / block[lead]
	for k := lead; k < min(len(block), lead+16); k++ { // multipleOf looks at the others
		hash = (hash ^ uint64(math.Float32bits(float32(block[k]*inverse)))) * 0x9e3779b97f4a7c15
		hash ^= hash >> 29
	}
	return hash
}

// multipleOf returns the number that row must be multiplied by to give block, if there is one: the products must not even round.
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
