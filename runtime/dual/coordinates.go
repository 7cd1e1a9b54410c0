package dual

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

const (
	// Coordinates are joint, of all coefficients, up to mostJoint of these and mostNumbers numbers. Otherwise all
	// labels have the same coordinates, from the mean over fewLabels of them.
	mostJoint   = 1500
	mostNumbers = 32 << 20
	fewLabels   = 4
)

const (
	// A ridge is added to the kernel's diagonal, as a share of its mean, so that it can be factored. The least that
	// does is taken.
	leastRidge = 1e-11
	mostRidge  = 1e-4
)

// Coordinates are numbers w = R Lᵀ C of coefficients. LLᵀ = K is the kernel ΦHΦᵀ at some place, H = dι/da there, and
// RᵀR = I + LᵀDL with D the curvatures of the losses. The Hessian of F there is K + KDK, and the identity in these
// coordinates.
type coordinates struct {
	// columns of coefficients have the same coordinates: 1 if they are joint, or one for each label.
	columns int
	// l and r are upper triangles: Lᵀ and R.
	l, r blas64.Triangular
}

// newCoordinates makes the coordinates at the scores of a place, given its kernel. It fails if kernel or curvatures
// leave the range of floating point.
func (w *work) newCoordinates(scores []float64, kernel *mat.Dense) (*coordinates, error) {
	c := &coordinates{columns: w.solver.m}
	if w.solver.joint {
		c.columns = 1
	}
	var ok bool
	if c.l, ok = factored(kernel); !ok {
		return nil, errors.New("dual: the kernel of the rows is not finite, or far from positive definite, in floating point")
	}
	if c.r, ok = cholesky(w.bent(c.l, w.curvatures(scores))); !ok {
		return nil, errors.New("dual: the losses' curvatures leave the range of floating point; is C far too large, or lambda far too small")
	}
	return c, w.ctx.Err()
}

// factored returns Lᵀ of a kernel plus a small ridge.
func factored(kernel *mat.Dense) (out blas64.Triangular, ok bool) {
	mean := mat.Trace(kernel) / float64(kernel.RawMatrix().Rows)
	for share := leastRidge; share <= mostRidge && !ok; share *= 10 {
		m := mat.DenseCopyOf(kernel)
		for i := range m.RawMatrix().Rows {
			m.Set(i, i, m.At(i, i)+share*mean+math.SmallestNonzeroFloat64)
		}
		out, ok = cholesky(m)
	}
	return out, ok
}

// cholesky returns the upper Cholesky factor, in the memory of m.
func cholesky(m *mat.Dense) (blas64.Triangular, bool) {
	raw := m.RawMatrix()
	return lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: raw.Rows, Stride: raw.Stride, Data: raw.Data})
}

// kernel returns ΦHΦᵀ for an H: of all pairs of row and label, or of rows.
func (w *work) kernel(differentiate func(ctx context.Context, dst, da *mat.Dense) error) (*mat.Dense, error) {
	labels := w.someLabels()
	n := len(w.rows)
	order := n
	if w.solver.joint {
		order *= w.solver.m
	}
	out := mat.NewDense(order, order, nil)
	da, dv := mat.NewDense(n*len(labels), w.solver.m*w.solver.d, nil), mat.NewDense(n*len(labels), w.solver.m*w.solver.d, nil)
	for k, y := range labels {
		for i := range n {
			copy(da.RawRowView(k*n + i)[y*w.solver.d:(y+1)*w.solver.d], w.features.RawRowView(i))
		}
	}
	if err := differentiate(w.ctx, dv, da); err != nil {
		return nil, err
	}
	block := mat.NewDense(n, n, nil)
	raw, phi := dv.RawMatrix(), w.features.RawMatrix()
	for k, y := range labels {
		for z := range w.solver.m {
			if !w.solver.joint && z != y {
				continue
			}
			part := blas64.General{Rows: n, Cols: w.solver.d, Stride: raw.Stride, Data: raw.Data[k*n*raw.Stride+z*w.solver.d:]}
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, part, phi, 0, block.RawMatrix())
			w.addBlock(out, block, y, z, 1/float64(len(labels)))
		}
	}
	return out, nil
}

// addBlock puts the kernel between two labels in its place, or adds a share of it to the mean.
func (w *work) addBlock(out, block *mat.Dense, y, z int, share float64) {
	n, _ := block.Dims()
	for i := range n {
		for j, k := range block.RawRowView(i) {
			if w.solver.joint {
				out.Set(i*w.solver.m+y, j*w.solver.m+z, k)
			} else {
				out.Set(i, j, out.At(i, j)+share*k)
			}
		}
	}
}

// someLabels returns all labels, or a few that are spread evenly.
func (w *work) someLabels() []int {
	count := w.solver.m
	if !w.solver.joint {
		count = min(w.solver.m, fewLabels)
	}
	out := make([]int, count)
	for k := range out {
		out[k] = k * w.solver.m / count
	}
	return out
}

// bent returns I + LᵀDL.
func (w *work) bent(l blas64.Triangular, curvatures []float64) *mat.Dense {
	weighted, root := mat.NewDense(l.N, l.N, nil), mat.NewDense(l.N, l.N, nil)
	// Column i of the upper Lᵀ is row i of L.
	for i := range l.N {
		d := 0.0
		if w.solver.joint {
			d = curvatures[i]
		} else {
			for y := range w.solver.m {
				d += curvatures[i*w.solver.m+y] / float64(w.solver.m)
			}
		}
		for k := range i + 1 {
			v := l.Data[k*l.Stride+i]
			root.Set(k, i, v)
			weighted.Set(k, i, d*v)
		}
	}
	out := mat.NewDense(l.N, l.N, nil)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, weighted.RawMatrix(), root.RawMatrix(), 0, out.RawMatrix())
	for k := range l.N {
		out.Set(k, k, out.At(k, k)+1)
	}
	return out
}

// columnsOf returns coefficients, or coordinates, as a matrix with a column for each label that has the same
// coordinates.
func (c *coordinates) columnsOf(x []float64) blas64.General {
	return blas64.General{Rows: c.l.N, Cols: c.columns, Stride: c.columns, Data: x}
}

// move sets dst, coefficients, to base plus the step w of coordinates: L⁻ᵀR⁻¹w.
func (c *coordinates) move(dst, base, w []float64) {
	copy(dst, w)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, c.r, c.columnsOf(dst))
	blas64.Trsm(blas.Left, blas.NoTrans, 1, c.l, c.columnsOf(dst))
	for i, v := range base {
		dst[i] += v
	}
}

// pull sets dst to the gradient in coordinates, given that in coefficients: R⁻ᵀL⁻¹.
func (c *coordinates) pull(dst, gradient []float64) {
	copy(dst, gradient)
	blas64.Trsm(blas.Left, blas.Trans, 1, c.l, c.columnsOf(dst))
	blas64.Trsm(blas.Left, blas.Trans, 1, c.r, c.columnsOf(dst))
}

// times returns K = LLᵀ times coefficients.
func (c *coordinates) times(x []float64) []float64 {
	out := append([]float64(nil), x...)
	blas64.Trmm(blas.Left, blas.NoTrans, 1, c.l, c.columnsOf(out))
	blas64.Trmm(blas.Left, blas.Trans, 1, c.l, c.columnsOf(out))
	return out
}
