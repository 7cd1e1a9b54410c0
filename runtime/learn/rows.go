package learn

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

// rows is a matrix of n rows and dim columns, in double or single precision. Its rows belong to groups by turns: row
// i is of group i mod group. Rows of a subset are found through examples.
type rows struct {
	n, dim int
	group  int
	// Either x64 or x32 holds the numbers, row after row.
	x64 []float64
	x32 []float32
	// examples are those of a subset; nil means all.
	examples []int

	// apart says that groups share no feature: row i of group g is zero outside columns g·w … (g+1)·w−1, w =
	// dim/group.
	apart bool

	// blocks and data, the numbers of their shapes, take the place of x64 and x32.
	blocks *Blocks
	data   [][]float64
}

// support returns the columns where a row that is stored whole may be nonzero.
func (r *rows) support(i int) (lo, hi int) {
	if !r.apart {
		return 0, r.dim
	}
	w := r.dim / r.group
	return i % r.group * w, (i%r.group + 1) * w
}

// fallsApart reports whether groups share no feature.
func (r *rows) fallsApart() bool {
	if r.blocks != nil || r.group < 2 || r.dim%r.group != 0 {
		return false
	}
	w := r.dim / r.group
	for i := range r.n {
		// Every number is looked at once, when a joint design is made.
		at, lo := r.at(i), i%r.group*w
		if r.x64 != nil && !zeroBut(r.x64[at:at+r.dim], lo, lo+w) || r.x32 != nil && !zeroBut(r.x32[at:at+r.dim], lo, lo+w) {
			return false
		}
	}
	return true
}

// zeroBut reports whether x is zero outside x[lo] … x[hi−1].
func zeroBut[F float32 | float64](x []F, lo, hi int) bool {
	for _, part := range [][]F{x[:lo], x[hi:]} {
		for _, v := range part {
			if v != 0 {
				return false
			}
		}
	}
	return true
}

// ofGroup returns the rows of a group that shares no feature with others, at its own features.
func (r *rows) ofGroup(g int) rows {
	w := r.dim / r.group
	out := rows{n: r.n / r.group, dim: w, group: 1, x64: make([]float64, r.n/r.group*w)}
	for i := range out.n {
		to, at := out.x64[i*w:(i+1)*w], r.at(i*r.group+g)+g*w
		if r.x64 != nil {
			copy(to, r.x64[at:])
			continue
		}
		for k, v := range r.x32[at : at+w] {
			to[k] = float64(v)
		}
	}
	return out
}

// at returns where a row begins.
func (r *rows) at(i int) int {
	if r.examples != nil {
		i = r.examples[i/r.group]*r.group + i%r.group
	}
	return i * r.dim
}

// subset returns the rows of some examples. It copies shared rows in double precision, which matrix products then
// read as one block.
func (r *rows) subset(examples []int) rows {
	s := rows{n: len(examples) * r.group, dim: r.dim, group: r.group, apart: r.apart, x64: r.x64, x32: r.x32, blocks: r.blocks, data: r.data, examples: make([]int, len(examples))}
	for k, i := range examples {
		if r.examples != nil {
			i = r.examples[i]
		}
		s.examples[k] = i
	}
	// Joint rows take too much memory for copies.
	if r.group > 1 || r.x64 == nil {
		return s
	}
	s.x64 = make([]float64, s.n*s.dim)
	for k, i := range s.examples {
		copy(s.x64[k*s.dim:(k+1)*s.dim], r.x64[i*r.dim:])
	}
	s.examples = nil
	return s
}

// dot returns ⟨x_i, w⟩.
func (r *rows) dot(i int, w []float64) float64 {
	if r.blocks != nil {
		return r.dotBlocks(i, w)
	}
	at := r.at(i)
	lo, hi := r.support(i)
	if r.x64 != nil {
		return blas64.Dot(blas64.Vector{N: hi - lo, Inc: 1, Data: r.x64[at+lo:]}, blas64.Vector{N: hi - lo, Inc: 1, Data: w[lo:]})
	}
	return dotMixed(r.x32[at+lo:at+hi], w[lo:hi])
}

// add adds c x_i to w.
func (r *rows) add(i int, c float64, w []float64) { r.addPart(i, 0, r.dim, c, w) }

// addPart adds c x_i to w on columns lo … hi−1.
func (r *rows) addPart(i, lo, hi int, c float64, w []float64) {
	if r.blocks != nil {
		r.addBlocks(i, lo, hi, c, w)
		return
	}
	at := r.at(i)
	first, last := r.support(i)
	if lo, hi = max(lo, first), min(hi, last); lo >= hi {
		return
	}
	if r.x64 != nil {
		blas64.Axpy(c, blas64.Vector{N: hi - lo, Inc: 1, Data: r.x64[at+lo:]}, blas64.Vector{N: hi - lo, Inc: 1, Data: w[lo:]})
		return
	}
	addMixed(c, r.x32[at+lo:at+hi], w[lo:hi])
}

// dotMixed returns a dot product summed in double precision, four partial sums side by side, so that no addition
// waits for the last.
func dotMixed(x []float32, w []float64) float64 {
	var a, b, c, d float64
	w = w[:len(x)]
	for len(x) >= 4 {
		a += float64(x[0]) * w[0]
		b += float64(x[1]) * w[1]
		c += float64(x[2]) * w[2]
		d += float64(x[3]) * w[3]
		x, w = x[4:], w[4:]
	}
	for k, v := range x {
		a += float64(v) * w[k]
	}
	return (a + b) + (c + d)
}

// addMixed adds c·x to w in double precision.
func addMixed(c float64, x []float32, w []float64) {
	w = w[:len(x)]
	for len(x) >= 4 {
		w[0] += c * float64(x[0])
		w[1] += c * float64(x[1])
		w[2] += c * float64(x[2])
		w[3] += c * float64(x[3])
		x, w = x[4:], w[4:]
	}
	for k, v := range x {
		w[k] += c * float64(v)
	}
}

// times sets out to X w.
func (r *rows) times(w, out []float64) {
	parallel.For(r.n, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			out[i] = r.dot(i, w)
		}
	})
}

// transposeTimes sets out to Xᵀ v. Processors share the columns, so that every sum keeps its order.
func (r *rows) transposeTimes(v, out []float64) {
	parallel.For(r.dim, 1024, func(lo, hi int) {
		clear(out[lo:hi])
		for i, c := range v {
			if c != 0 {
				r.addPart(i, lo, hi, c, out)
			}
		}
	})
}

// squares returns the squared lengths of the rows.
func (r *rows) squares() []float64 {
	out := make([]float64, r.n)
	parallel.For(r.n, 64, func(lo, hi int) {
		if r.blocks != nil {
			for i := lo; i < hi; i++ {
				r.parts(i, func(x []float64, _ int) { out[i] += sumSquares(x) })
			}
			return
		}
		row := make([]float64, r.dim)
		for i := lo; i < hi; i++ {
			r.copyRow(i, row)
			out[i] = r.dot(i, row)
		}
	})
	return out
}

// copyRow writes row i in full, in double precision.
func (r *rows) copyRow(i int, out []float64) {
	if r.blocks != nil {
		clear(out[:r.dim])
		r.parts(i, func(x []float64, column int) { copy(out[column:], x) })
		return
	}
	at := r.at(i)
	if r.x64 != nil {
		copy(out, r.x64[at:at+r.dim])
		return
	}
	for k, v := range r.x32[at : at+r.dim] {
		out[k] = float64(v)
	}
}

// block returns rows lo … hi−1 as a matrix in double precision, in the same memory if they are stored so.
func (r *rows) block(lo, hi int) blas64.General {
	if r.x64 != nil && r.examples == nil {
		return blas64.General{Rows: hi - lo, Cols: r.dim, Stride: r.dim, Data: r.x64[lo*r.dim : hi*r.dim]}
	}
	out := blas64.General{Rows: hi - lo, Cols: r.dim, Stride: r.dim, Data: make([]float64, (hi-lo)*r.dim)}
	for i := lo; i < hi; i++ {
		r.copyRow(i, out.Data[(i-lo)*r.dim:(i-lo+1)*r.dim])
	}
	return out
}

// gramMatrix returns X Xᵀ, a block of rows against a block of rows at a time, so that single-precision rows are
// converted in blocks.
func (r *rows) gramMatrix(ctx context.Context) ([]float64, error) {
	if r.blocks != nil {
		return r.gramBlocks(ctx)
	}
	// Blocks of rows bound the memory for conversion, and are large enough for fast products.
	const step = 512
	g := make([]float64, r.n*r.n)
	for lo := 0; lo < r.n; lo += step {
		a := r.block(lo, min(lo+step, r.n))
		for from := lo; from < r.n; from += step {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			b := a
			if from > lo {
				b = r.block(from, min(from+step, r.n))
			}
			c := blas64.General{Rows: a.Rows, Cols: b.Rows, Stride: r.n, Data: g[lo*r.n+from:]}
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, a, b, 0, c)
		}
	}
	// Only the upper half is computed; the ascent reads whole rows.
	for i := range r.n {
		for j := range i {
			g[i*r.n+j] = g[j*r.n+i]
		}
	}
	return g, nil
}

// sumSquares returns ‖w‖².
func sumSquares(w []float64) float64 {
	v := blas64.Vector{N: len(w), Inc: 1, Data: w}
	return blas64.Dot(v, v)
}
