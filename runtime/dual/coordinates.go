package dual

import (
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
	if c.r, ok = cholesky(w.data.bent(c.l, w.env.curvatures(scores))); !ok {
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

// bent returns I + LᵀDL.
func (d *sample) bent(l blas64.Triangular, curvatures []float64) *mat.Dense {
	weighted, root := mat.NewDense(l.N, l.N, nil), mat.NewDense(l.N, l.N, nil)
	// Column i of the upper Lᵀ is row i of L.
	for i := range l.N {
		c := 0.0
		if d.solver.joint {
			c = curvatures[i]
		} else {
			for y := range d.solver.m {
				c += curvatures[i*d.solver.m+y] / float64(d.solver.m)
			}
		}
		for k := range i + 1 {
			v := l.Data[k*l.Stride+i]
			root.Set(k, i, v)
			weighted.Set(k, i, c*v)
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
