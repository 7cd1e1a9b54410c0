package operator

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

const (
	// leastGroup is the least number of functionals of a group, and of different rows among theirs.
	leastGroup = 4 // functionals of a group, and different rows among theirs
	// mostGroup is the largest number of functionals of a group that is found.
	mostGroup = 64 // functionals of a group that is found
	// worthwhile is the largest share of the rows of a group that may remain.
	worthwhile = 0.75 // of the rows of a group, the most that may remain
	// batchRows bounds the rows that are compared at a time, as does batchBytes by their memory.
	batchRows  = 4096
	batchBytes = 256 << 20
)

// A rowGroup holds the rows that the functionals of a group have at some labels. All these labels have one list of
// rows.
type rowGroup struct {
	group Group
	// among is the number of labels of each of its functionals.
	among int
	// uses are the places of this group's labels among these.
	uses []int
	// rows has one row for each functional.
	rows []int32
	// values has, label by label, one number for each functional.
	values [][]float64
	// basis are the places in rows of those that remain; nil means that all do.
	basis []int
	// share is the part of the basis in every row, as the rows stand in Ψ.
	share blas64.General
	// square has the squared errors of the functionals.
	square []float64
}

// compress replaces rows of a group by combinations of a few of them. It computes rows for some groups at a time and
// keeps those of which combinations are made. They are not computed again, since features may differ in other
// company: an ill-conditioned kernel matrix magnifies rounding errors. The errors must bound the rows that are used.
func (s *source) compress(ctx context.Context, o Options) error {
	var first []int32
	var rowGroups []*rowGroup
	var err error
	if ended := parallel.Await(ctx, func() { first = s.firstUses(); rowGroups, err = s.rowGroups(first, o.Groups) }); ended != nil {
		return ended // nobody waits for the groups, nor for err
	}
	if err != nil {
		return err
	}
	most := max(mostGroup, min(batchRows, batchBytes/(8*s.features.Dim())))
	s.kept = make([][]float64, len(s.start)-1)
	place := make([]int32, len(s.start)-1) // 1 + place of a row among those at hand
	count := 0                             // rows that are kept
	for lo := 0; lo < len(rowGroups); {
		var rows []int32
		hi := lo
		// Groups of one curve go together, so that they are computed in one company.
		for ; hi < len(rowGroups) && (hi == lo || rowGroups[hi].group == rowGroups[hi-1].group || len(rows)+len(rowGroups[hi].rows) <= most); hi++ {
			for _, q := range rowGroups[hi].rows {
				if place[q] == 0 {
					rows = append(rows, q)
					place[q] = int32(len(rows))
				}
			}
		}
		psi, err := s.peek(ctx, rows)
		if err != nil {
			return err
		}
		part := rowGroups[lo:hi]
		parallel.For(len(part), 1, func(from, to int) {
			if ctx.Err() != nil {
				return
			}
			for _, b := range part[from:to] {
				// Errors of the labels of a functional add as squares, so each label gets its share of the tolerance.
				b.compress(psi, place, o.Tolerance/math.Sqrt(float64(b.among)))
			}
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		if count += s.keep(part, psi, place); o.checkMost(count, s.features.Dim()) != nil {
			return o.checkMost(count, s.features.Dim())
		}
		for _, q := range rows {
			place[q] = 0
		}
		lo = hi
	}
	return parallel.Await(ctx, func() {
		s.replace(first, rowGroups)
		s.kept = s.forgetUnused(s.kept)
	})
}

// peek returns some rows, computed or known already.
func (s *source) peek(ctx context.Context, rows []int32) (psi blas64.General, err error) {
	psi = newGeneral(len(rows), s.features.Dim())
	var missing []int32
	var dst [][]float64
	for i, q := range rows {
		if s.kept[q] != nil {
			copy(rowOf(psi, i), s.kept[q])
		} else {
			missing, dst = append(missing, q), append(dst, rowOf(psi, i))
		}
	}
	if err := s.evaluate(ctx, dst, missing); err != nil {
		return psi, err
	}
	return psi, finiteRows(psi)
}

// keep stores the rows of which combinations are made, and returns how many are new.
func (s *source) keep(rowGroups []*rowGroup, psi blas64.General, place []int32) (count int) {
	for _, b := range rowGroups {
		for _, at := range b.basis {
			if q := b.rows[at]; s.kept[q] == nil {
				s.kept[q] = slices.Clone(rowOf(psi, int(place[q])-1))
				count++
			}
		}
	}
	return count
}

// firstUses returns an index of uses by functional: those of i are first[i] … first[i+1]−1.
func (b *builder) firstUses() []int32 {
	first := make([]int32, b.block.Len()+1)
	for _, u := range b.uses {
		first[u.functional+1]++
	}
	for i := range b.block.Len() {
		first[i+1] += first[i]
	}
	return first
}

// rowGroups lists the rows that may be compressed, group by group. It cuts groups where labels change and at
// mostGroup functionals, since the cost of an orthogonalization grows with the square of their number.
func (b *builder) rowGroups(first []int32, groups []Group) ([]*rowGroup, error) {
	if groups == nil {
		groups = []Group{{0, b.block.Len()}}
	}
	var out []*rowGroup
	end := 0
	for _, g := range groups {
		if g.First < end || g.Count < 0 || g.First+g.Count > b.block.Len() {
			return nil, fmt.Errorf("operator: a group of functionals %d … %d of %d, after one that ends before %d", g.First, g.First+g.Count-1, b.block.Len(), end)
		}
		end = g.First + g.Count
		for lo := g.First; lo < end; {
			hi := lo + 1
			for hi < end && hi-lo < mostGroup && b.sameLabels(first, lo, hi) {
				hi++
			}
			out = append(out, b.rowGroupsOf(first, Group{lo, hi - lo})...)
			lo = hi
		}
	}
	return out, nil
}

// sameLabels reports whether two functionals have rows for the same labels.
func (b *builder) sameLabels(first []int32, i, j int) bool {
	return slices.EqualFunc(b.uses[first[i]:first[i+1]], b.uses[first[j]:first[j+1]], func(u, v use) bool { return u.label == v.label })
}

// rowGroupsOf lists the row groups of functionals with the same labels. Labels with the same rows share a group, and
// groups of few different rows are left out.
func (b *builder) rowGroupsOf(first []int32, g Group) []*rowGroup {
	var out []*rowGroup
	if g.Count < leastGroup {
		return nil
	}
	among := int(first[g.First+1] - first[g.First])
	for k := range among {
		rows, values := make([]int32, g.Count), make([]float64, g.Count)
		for i := range g.Count {
			u := b.uses[int(first[g.First+i])+k]
			rows[i], values[i] = u.row, u.value
		}
		at := slices.IndexFunc(out, func(o *rowGroup) bool { return slices.Equal(o.rows, rows) })
		if at < 0 {
			out = append(out, &rowGroup{group: g, among: among, rows: rows})
			at = len(out) - 1
		}
		out[at].uses, out[at].values = append(out[at].uses, k), append(out[at].values, values)
	}
	// So few rows leave nothing to combine.
	return slices.DeleteFunc(out, func(o *rowGroup) bool {
		rows := slices.Clone(o.rows)
		slices.Sort(rows)
		return len(slices.Compact(rows)) < leastGroup
	})
}

// compress finds an interpolative decomposition of the rows, weighted as they are used: rows ≈ share·(rows of the
// basis). Gram-Schmidt with pivots (Businger and Golub 1965) chooses the basis, down to tolerance times the largest
// row. If more than the share worthwhile of the rows would remain, or the bound fails, the group stays as it is.
func (b *rowGroup) compress(psi blas64.General, place []int32, tolerance float64) {
	n, d := len(b.rows), psi.Cols
	weight := make([]float64, n)
	rest := newGeneral(n, d) // what the basis leaves of the rows
	left := make([]float64, n)
	largest := 0.0
	for i, q := range b.rows {
		for _, values := range b.values {
			// A row counts as much as the functional and label that use it most.
			weight[i] = max(weight[i], math.Abs(values[i]))
		}
		floats.ScaleTo(rowOf(rest, i), weight[i], rowOf(psi, int(place[q])-1))
		left[i] = floats.Norm(rowOf(rest, i), 2)
		largest = max(largest, left[i])
	}
	// Half of the tolerance is left for the rounding errors that the bound adds.
	basis, triangle := pivots(rest, left, 0.5*tolerance*largest, int(worthwhile*float64(n)))
	if basis == nil {
		return
	}
	b.basis = basis
	b.share = shares(triangle, basis)
	for i := range n { // from weighted rows to rows as they stand in Ψ
		for k, at := range basis {
			b.share.Data[i*b.share.Stride+k] *= weight[at] / weight[i]
		}
	}
	if !b.bound(psi, place, weight, tolerance*largest) {
		b.basis = nil
	}
}

// pivots orthogonalizes rows against the largest remaining one, one after the other, until none is larger than
// enough. It returns no basis if that takes more than most rows. Row i was Σ_k triangle[i, k]·(k-th orthonormal row)
// plus what is left of it.
func pivots(rest blas64.General, left []float64, enough float64, most int) (basis []int, triangle blas64.General) {
	n := rest.Rows
	triangle = newGeneral(n, most)
	for {
		k := floats.MaxIdx(left)
		if left[k] <= enough {
			triangle.Cols = len(basis)
			return basis, triangle
		}
		if len(basis) == most {
			return nil, triangle
		}
		unit := append([]float64(nil), rowOf(rest, k)...)
		floats.Scale(1/left[k], unit)
		column := len(basis)
		basis = append(basis, k)
		for i := range n {
			row := rowOf(rest, i)
			// Once more, as rounding leaves some of the direction in a row that nearly lies in it ("twice is enough":
			// Kahan, in Parlett 1980).
			for range 2 {
				along := dot(unit, row)
				triangle.Data[i*triangle.Stride+column] += along
				floats.AddScaled(row, -along, unit)
			}
			left[i] = floats.Norm(row, 2)
		}
		// The pivot itself is represented exactly, whatever rounding has left of it.
		left[k] = 0
		clear(rowOf(rest, k))
	}
}

// dot returns the inner product.
func dot(x, y []float64) float64 {
	return blas64.Dot(blas64.Vector{N: len(x), Inc: 1, Data: x}, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

// shares solves share·(rows of the triangle in the basis) = triangle, from the last column to the first. Rows of the
// basis stand for themselves.
func shares(triangle blas64.General, basis []int) blas64.General {
	out := newGeneral(triangle.Rows, len(basis))
	for i := range out.Rows {
		row := rowOf(out, i)
		if at := slices.Index(basis, i); at >= 0 {
			row[at] = 1
			continue
		}
		copy(row, rowOf(triangle, i))
		// The triangle's rows in the basis form a lower triangular matrix, as a pivot has no part in later
		// directions.
		for k := len(basis) - 1; k >= 0; k-- {
			from := rowOf(triangle, basis[k])
			row[k] /= from[k]
			for j := range k {
				row[j] -= row[k] * from[j]
			}
		}
	}
	return out
}

// bound computes what the shares leave of every row, and sets square to bounds of the functionals' squared errors. It
// reports whether all are within allowed. The bounds include the rounding errors of this computation, and those of
// the products of the shares with the values.
func (b *rowGroup) bound(psi blas64.General, place []int32, weight []float64, allowed float64) bool {
	n, d := len(b.rows), psi.Cols
	b.square = make([]float64, n)
	gamma := float64(len(b.basis)+6) * unit
	difference := make([]float64, d)
	for i, q := range b.rows {
		if slices.Contains(b.basis, i) {
			continue
		}
		row := rowOf(psi, int(place[q])-1)
		copy(difference, row)
		size := floats.Norm(row, 2)
		for k, at := range b.basis {
			from := rowOf(psi, int(place[b.rows[at]])-1)
			share := b.share.Data[i*b.share.Stride+k]
			floats.AddScaled(difference, -share, from)
			// Rounding errors of a sum follow the magnitudes of its terms, which may exceed the sum by far.
			size += math.Abs(share) * floats.Norm(from, 2)
		}
		// gamma bounds the sum of the combination by magnitudes, and the last factor the norm.
		e := weight[i] * (floats.Norm(difference, 2) + gamma*size) * (1 + float64(d+32)*unit)
		if !(e <= allowed) {
			return false
		}
		for _, values := range b.values {
			// e is for the largest value of the row, so that others have their share of it.
			f := e * math.Abs(values[i]) / max(weight[i], math.SmallestNonzeroFloat64)
			b.square[i] += f * f
		}
	}
	return true
}

// replace puts the shares in the place of the uses of compressed rows, and sets the functionals' errors.
func (b *builder) replace(first []int32, rowGroups []*rowGroup) {
	of := make([]*rowGroup, len(b.uses))
	for _, d := range rowGroups {
		// Nothing was gained here.
		if d.basis == nil {
			continue
		}
		if b.errors == nil {
			b.errors = make([]float64, b.block.Len())
		}
		for i, e := range d.square {
			b.errors[d.group.First+i] += e
			for _, k := range d.uses {
				of[int(first[d.group.First+i])+k] = d
			}
		}
	}
	for i, e := range b.errors {
		// Upwards, for the rounding of the sum of squares and of the root.
		b.errors[i] = math.Sqrt(e) * (1 + 0x1p-48)
	}
	var uses []use
	for at, u := range b.uses {
		d := of[at]
		if d == nil {
			uses = append(uses, u)
			continue
		}
		i := int(u.functional) - d.group.First
		for k, from := range d.basis {
			uses = append(uses, use{u.functional, u.label, d.rows[from], u.value * d.share.Data[i*d.share.Stride+k]})
		}
	}
	b.uses = uses
}

// forgetUnused drops rows without uses and numbers the others anew. It returns the kept features under the new
// numbers.
func (b *builder) forgetUnused(kept [][]float64) [][]float64 {
	number := make([]int32, len(b.start)-1)
	for _, u := range b.uses {
		number[u.row] = 1
	}
	start, parts, left := []int32{0}, b.parts[:0], kept[:0]
	for q, used := range number {
		if used == 0 {
			continue
		}
		number[q] = int32(len(start) - 1)
		parts = append(parts, b.parts[b.start[q]:b.start[q+1]]...)
		start, left = append(start, int32(len(parts))), append(left, kept[q])
	}
	b.start, b.parts, b.known = start, parts, nil
	for k := range b.uses {
		b.uses[k].row = number[b.uses[k].row]
	}
	return left
}
