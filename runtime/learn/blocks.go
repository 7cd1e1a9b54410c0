package learn

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Blocks is a joint design most of whose numbers are zero. Row i·m + y is nonzero only at the labels Support[y].
// There it has row i of Rows[Shape[y]], d numbers for each of these labels.
type Blocks struct {
	// Support lists labels for each of m labels, ascending.
	Support [][]int32
	// Shape is the index into Rows of each label; labels with the same numbers share one.
	Shape []int
	// Rows are n×(d·labels of the support), one matrix per shape.
	Rows []*mat.Dense
	// Dim is d.
	Dim int
}

// Joint returns the design, without copying the numbers. It fails if sizes do not fit together.
func (b *Blocks) Joint() (*Design, error) {
	m := len(b.Support)
	if m < 1 || len(b.Shape) != m || b.Dim < 1 || len(b.Rows) == 0 {
		return nil, fmt.Errorf("learn: blocks of %d labels, %d shapes and %d features", m, len(b.Shape), b.Dim)
	}
	n, _ := b.Rows[0].Dims()
	data := make([][]float64, len(b.Rows))
	for s, x := range b.Rows {
		raw := x.RawMatrix()
		if raw.Rows != n || raw.Stride != raw.Cols {
			return nil, fmt.Errorf("learn: blocks of %d rows where there are %d", raw.Rows, n)
		}
		data[s] = raw.Data
	}
	for y, s := range b.Shape {
		if s < 0 || s >= len(data) || len(data[s]) != n*b.Dim*len(b.Support[y]) {
			return nil, fmt.Errorf("learn: label %d has blocks of other labels", y)
		}
	}
	r := rows{n: n * m, dim: m * b.Dim, group: m, blocks: b, data: data}
	return &Design{n: n, m: m, joint: true, rows: r}, nil
}

// alike reports whether every label has the same numbers, at its own features alone.
func (b *Blocks) alike() bool {
	if b == nil || len(b.Rows) != 1 {
		return false
	}
	for y, s := range b.Support {
		if len(s) != 1 || int(s[0]) != y {
			return false
		}
	}
	return true
}

// parts calls visit with each run of nonzero numbers of a row, and the column at which it begins.
func (r *rows) parts(i int, visit func(x []float64, column int)) {
	y, example := i%r.group, i/r.group
	if r.examples != nil {
		example = r.examples[example]
	}
	d, support := r.blocks.Dim, r.blocks.Support[y]
	x := r.data[r.blocks.Shape[y]][example*d*len(support):]
	for k, c := range support {
		visit(x[k*d:(k+1)*d], int(c)*d)
	}
}

// dotBlocks returns ⟨x_i, w⟩.
func (r *rows) dotBlocks(i int, w []float64) (sum float64) {
	r.parts(i, func(x []float64, column int) {
		sum += blas64.Dot(vectorOf(x), vectorOf(w[column:column+len(x)]))
	})
	return sum
}

// addBlocks adds c x_i to w on columns lo … hi−1; w begins at the first of all columns.
func (r *rows) addBlocks(i, lo, hi int, c float64, w []float64) {
	r.parts(i, func(x []float64, column int) {
		from, to := max(lo, column), min(hi, column+len(x))
		if from < to {
			blas64.Axpy(c, vectorOf(x[from-column:to-column]), vectorOf(w[from:to]))
		}
	})
}

// vectorOf returns x for blas64, in the same memory.
func vectorOf(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// A pair is the blocks of two labels' rows at one label: a block of a shape and one of another.
type pair struct{ shape, block, otherShape, otherBlock int }

// gramBlocks returns XXᵀ. Labels with the same pair of blocks share its product, so that the work grows with the
// number of shapes.
func (r *rows) gramBlocks(ctx context.Context) ([]float64, error) {
	m, n := r.group, r.n/r.group
	g := make([]float64, r.n*r.n)
	known := map[pair][]float64{}
	for y := range m {
		for z := range y + 1 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for _, p := range r.meet(y, z) {
				h := known[p]
				if h == nil {
					h = r.product(p, n)
					known[p] = h
				}
				for i := range n {
					row := g[(i*m+y)*r.n+z:]
					for j, v := range h[i*n : (i+1)*n] {
						// Row (i, y) and column (j, z), labels fastest.
						row[j*m] += v
					}
				}
			}
		}
	}
	// One half of each pair of labels is there so far.
	for a := range r.n {
		for b := range r.n {
			if a%m < b%m {
				g[a*r.n+b] = g[b*r.n+a]
			}
		}
	}
	return g, nil
}

// meet returns the pairs of blocks of two labels that stand at the same label.
func (r *rows) meet(y, z int) (out []pair) {
	a, b := r.blocks.Support[y], r.blocks.Support[z]
	for k, l := 0, 0; k < len(a) && l < len(b); {
		switch {
		case a[k] < b[l]:
			k++
		case a[k] > b[l]:
			l++
		default:
			out = append(out, pair{r.blocks.Shape[y], k, r.blocks.Shape[z], l})
			k, l = k+1, l+1
		}
	}
	return out
}

// product returns the inner products of two blocks, n×n.
func (r *rows) product(p pair, n int) []float64 {
	out := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, r.column(p.shape, p.block, n), r.column(p.otherShape, p.otherBlock, n), 0, out)
	return out.Data
}

// column returns one block of all examples. It copies only if the examples are a subset.
func (r *rows) column(shape, block, n int) blas64.General {
	d := r.blocks.Dim
	_, width := r.blocks.Rows[shape].Dims()
	x := r.data[shape]
	if r.examples == nil {
		return blas64.General{Rows: n, Cols: d, Stride: width, Data: x[block*d:]}
	}
	out := newGeneral(n, d)
	for k, i := range r.examples {
		copy(out.Data[k*d:(k+1)*d], x[i*width+block*d:])
	}
	return out
}
