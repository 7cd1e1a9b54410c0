package dual

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/risk"
)

// A sample holds the rows that count: their features Φ and their losses. Numbers of rows and labels stand one row after
// another, labels fastest.
type sample struct {
	solver   *Solver
	loss     risk.Loss
	rows     []int
	features *mat.Dense // of the rows
	part     []float64  // of all rows
}

// newSample returns the rows that count.
func (s *Solver) newSample(loss risk.Loss, rows []int) *sample {
	d := &sample{solver: s, loss: loss, rows: rows, features: mat.NewDense(max(1, len(rows)), s.d, nil), part: make([]float64, s.n)}
	for k, i := range rows {
		d.features.SetRow(k, s.problem.Features.RawRowView(i))
	}
	return d
}

// byLabel returns numbers in m·d dimensions as a matrix with a label a row.
func (d *sample) byLabel(x []float64) blas64.General {
	return blas64.General{Rows: d.solver.m, Cols: d.solver.d, Stride: d.solver.d, Data: x}
}

// byRow returns numbers of rows and labels as a matrix.
func (d *sample) byRow(x []float64) blas64.General {
	return blas64.General{Rows: len(x) / d.solver.m, Cols: d.solver.m, Stride: d.solver.m, Data: x}
}

// combine returns Φᵀx, in m·d dimensions.
func (d *sample) combine(x []float64) []float64 {
	out := make([]float64, d.solver.m*d.solver.d)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, d.byRow(x), d.features.RawMatrix(), 0, d.byLabel(out))
	return out
}

// evaluate returns Φv at the rows.
func (d *sample) evaluate(v []float64) []float64 {
	out := make([]float64, len(d.rows)*d.solver.m)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, d.features.RawMatrix(), d.byLabel(v), 0, d.byRow(out))
	return out
}

// sum returns the sum over the rows of what body returns for the k-th, added in order.
func (d *sample) sum(body func(k int) float64) float64 {
	part := d.part[:len(d.rows)]
	parallel.For(len(part), rowsAtOnce, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			part[k] = body(k)
		}
	})
	return floats.Sum(part)
}

// row returns the k-th row's part of numbers of rows and labels.
func (d *sample) row(x []float64, k int) []float64 { return x[k*d.solver.m : (k+1)*d.solver.m] }

// total returns the loss at scores, without an envelope.
func (d *sample) total(scores []float64) float64 {
	return d.sum(func(k int) float64 { return d.loss.Value(d.rows[k], d.row(scores, k)) })
}

// kernel returns ΦHΦᵀ for an H: of all pairs of row and label, or of rows.
func (d *sample) kernel(ctx context.Context, differentiate func(ctx context.Context, dst, da *mat.Dense) error) (*mat.Dense, error) {
	labels := d.someLabels()
	n := len(d.rows)
	order := n
	if d.solver.joint {
		order *= d.solver.m
	}
	out := mat.NewDense(order, order, nil)
	da, dv := mat.NewDense(n*len(labels), d.solver.m*d.solver.d, nil), mat.NewDense(n*len(labels), d.solver.m*d.solver.d, nil)
	for k, y := range labels {
		for i := range n {
			copy(da.RawRowView(k*n + i)[y*d.solver.d:(y+1)*d.solver.d], d.features.RawRowView(i))
		}
	}
	if err := differentiate(ctx, dv, da); err != nil {
		return nil, err
	}
	block := mat.NewDense(n, n, nil)
	raw, phi := dv.RawMatrix(), d.features.RawMatrix()
	for k, y := range labels {
		for z := range d.solver.m {
			if !d.solver.joint && z != y {
				continue
			}
			part := blas64.General{Rows: n, Cols: d.solver.d, Stride: raw.Stride, Data: raw.Data[k*n*raw.Stride+z*d.solver.d:]}
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, part, phi, 0, block.RawMatrix())
			d.addBlock(out, block, y, z, 1/float64(len(labels)))
		}
	}
	return out, nil
}

// addBlock puts the kernel between two labels in its place, or adds a share of it to the mean.
func (d *sample) addBlock(out, block *mat.Dense, y, z int, share float64) {
	n, _ := block.Dims()
	for i := range n {
		for j, k := range block.RawRowView(i) {
			if d.solver.joint {
				out.Set(i*d.solver.m+y, j*d.solver.m+z, k)
			} else {
				out.Set(i, j, out.At(i, j)+share*k)
			}
		}
	}
}

// someLabels returns all labels, or a few that are spread evenly.
func (d *sample) someLabels() []int {
	count := d.solver.m
	if !d.solver.joint {
		count = min(d.solver.m, fewLabels)
	}
	out := make([]int, count)
	for k := range out {
		out[k] = k * d.solver.m / count
	}
	return out
}

// spread returns the mean of a kernel's diagonal less that of all its entries within a label. A constant feature does
// not change it.
func (d *sample) spread(kernel *mat.Dense) float64 {
	n := len(d.rows)
	labels := 1
	if d.solver.joint {
		labels = d.solver.m
	}
	sum := 0.0
	for i := range n * labels {
		for j, k := range kernel.RawRowView(i) {
			if j%labels == i%labels {
				sum += k
			}
		}
	}
	return (mat.Trace(kernel) - sum/float64(n)) / float64(n*labels)
}
