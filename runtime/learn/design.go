package learn

import (
	"context"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A Design holds the representations of n examples, shared by m labels or joint with them. It is immutable, except
// that it keeps the Gram matrix of its rows. It does not copy the numbers it is made of, which must not change.
type Design struct {
	n, m  int
	joint bool
	rows  rows

	gramGuard sync.Mutex
	// gram is the Gram matrix of the rows, once it was needed; see gramOf.
	gram []float64
	// one is the shared design that a joint one amounts to, once it was needed; see alike.
	one *Design
}

// Shared returns a design with one row of features for each example: x is n×d, and each of m labels has its own
// weights.
func Shared(x *mat.Dense, m int) (*Design, error) {
	raw := x.RawMatrix()
	data := raw.Data
	if raw.Stride != raw.Cols {
		data = mat.DenseCopyOf(x).RawMatrix().Data
	}
	d := &Design{n: raw.Rows, m: m, rows: rows{n: raw.Rows, dim: raw.Cols, x64: data, group: 1}}
	if m < 1 {
		return nil, fmt.Errorf("learn: a design with %d labels", m)
	}
	return d, nil
}

// Joint returns a design with one row of dim features for each example and label, labels fastest: row i·m + y begins
// at x[(i·m+y)·dim].
func Joint(x []float64, n, m, dim int) (*Design, error) {
	return newJoint(rows{n: n * m, dim: dim, x64: x, group: m}, len(x), n, m)
}

// Joint32 returns a joint design with rows in single precision. Sums are still taken in double.
func Joint32(x []float32, n, m, dim int) (*Design, error) {
	return newJoint(rows{n: n * m, dim: dim, x32: x, group: m}, len(x), n, m)
}

// newJoint checks the sizes of a joint design.
func newJoint(r rows, length, n, m int) (*Design, error) {
	if n < 1 || m < 1 || r.dim < 1 || length != n*m*r.dim {
		return nil, fmt.Errorf("learn: %d numbers for %d examples, %d labels and %d features", length, n, m, r.dim)
	}
	r.apart = r.fallsApart()
	return &Design{n: n, m: m, joint: true, rows: r}, nil
}

// alike returns the shared design that a joint one amounts to: every label has the same numbers, at features of its own. Weights W ∈ ℝ^D
// are then those of the labels one after the other. It returns nil for others.
func (d *Design) alike() *Design {
	d.gramGuard.Lock()
	defer d.gramGuard.Unlock()
	if d.one == nil && d.joint && d.rows.blocks.alike() {
		all := rows{n: d.n, dim: d.rows.blocks.Dim, group: 1, x64: d.rows.data[0]}
		if d.rows.examples != nil {
			all = all.subset(d.rows.examples)
		}
		d.one = &Design{n: d.n, m: d.m, rows: all}
	}
	return d.one
}

// Subset returns the design of some of the examples, in the order given, which may repeat. Joint rows are not copied.
func (d *Design) Subset(examples []int) *Design {
	s := &Design{n: len(examples), m: d.m, joint: d.joint}
	s.rows = d.rows.subset(examples)
	return s
}

// Sums returns Σ_i c_iy x_i for each label y of a shared design (m×d), where c is n×m.
func (d *Design) Sums(c *mat.Dense) *mat.Dense {
	out := mat.NewDense(d.m, d.rows.dim, nil)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, c.RawMatrix(), d.rows.block(0, d.n), 0, out.RawMatrix())
	return out
}

// signs returns the ±1 targets of one label on a shared design, or of all rows of a joint one.
func (d *Design) signs(t *Targets, label int) []float64 {
	if d.joint {
		out := make([]float64, d.n*d.m)
		for i := range d.n {
			for y := range d.m {
				out[i*d.m+y] = t.sign(i, y)
			}
		}
		return out
	}
	out := make([]float64, d.n)
	for i := range out {
		out[i] = t.sign(i, label)
	}
	return out
}

// weights returns those of the design's rows, from those of the examples; nil means ones.
func (d *Design) weights(t *Targets) []float64 {
	if t.Weight == nil || d.rows.n == d.n {
		return t.Weight
	}
	out := make([]float64, 0, d.rows.n)
	for _, w := range t.Weight {
		for range d.m {
			out = append(out, w)
		}
	}
	return out
}

// label returns the rows and ±1 targets for fitting label y alone. On a joint design these are all rows, unless
// labels share no features.
func (d *Design) label(t *Targets, y int) (own *Design, sign []float64) {
	if !d.rows.apart {
		sign = d.signs(t, y)
		return d, sign
	}
	own = &Design{n: d.n, m: 1, rows: d.rows.ofGroup(y)}
	sign = make([]float64, d.n)
	for i := range sign {
		sign[i] = t.sign(i, y)
	}
	return own, sign
}

// gramOf returns the Gram matrix of the design's rows, computed once.
func (d *Design) gramOf(ctx context.Context) ([]float64, error) {
	d.gramGuard.Lock()
	defer d.gramGuard.Unlock()
	var err error
	if d.gram == nil {
		d.gram, err = d.rows.gramMatrix(ctx)
	}
	return d.gram, err
}
