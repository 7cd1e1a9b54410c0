package polar

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

// A listed operator writes its rows out, which are sums of others.
type listed interface {
	rowReader
	// StoredRows returns of how many. A product with one vector takes at most D multiplications for each.
	StoredRows() int
}

// values let iterations in single precision take one product with a matrix of the order of A's rows, in place of
// three with A, Aᵀ and M⁻¹. With u = 2t − z, G = AAᵀ and K = (αI + βGW)⁻¹,
//
//	AV = u + p,   p = K(Aa − αu),   V = (a − βAᵀWp)/α,
//
// so that V is needed only where a gap is bounded. Rounding errors of V grow with ‖W^½A‖²/α, for it is a difference.
type values struct {
	solver *Solver
	gram   *mat.Dense             // W^½GW^½
	root   []float64              // √W
	levels map[int]blas32.General // Kᵀ
}

const (
	// mostValues bounds the order of K.
	mostValues = 4096
	// mostStretch bounds the trace of AᵀWA over α and the gap. Two and more times as much takes more iterations.
	mostStretch = 1e6
)

// newValues returns what iterations by values need; nil where they would cost more than they save, or round too much.
func newValues(s *Solver) *values {
	a, ok := s.problem.A.(listed)
	if !ok || s.r > min(s.dim, mostValues) || s.r*s.r > 2*a.StoredRows()*s.dim {
		return nil
	}
	v := &values{solver: s, gram: mat.NewDense(s.r, s.r, nil), root: make([]float64, s.r), levels: map[int]blas32.General{}}
	least, rows, index := math.Inf(1), mat.NewDense(s.r, s.dim, nil), make([]int, s.r)
	for j, w := range s.metric {
		index[j], v.root[j], least = j, math.Sqrt(w), min(least, w)
	}
	a.Rows(rows, index)
	for j, x := range v.root {
		blas64.Scal(x, blas64.Vector{N: s.dim, Inc: 1, Data: rows.RawRowView(j)})
	}
	if size := mat.Norm(rows, 2); !(least > 0) || !(size*size <= mostStretch*s.problem.Alpha*s.settings.Gap) {
		return nil
	}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, rows.RawMatrix(), rows.RawMatrix(), 0, v.gram.RawMatrix())
	return v
}

// solve sets dst to b times Kᵀ of a level.
func (v *values) solve(ctx context.Context, level int, dst, b matrix[float32]) error {
	k, err := v.transposed(ctx, level)
	if err != nil {
		return err
	}
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, general(b), k, 0, general(dst))
	return ctx.Err()
}

// transposed returns Kᵀ at a level, W^½(αI + βW^½GW^½)⁻¹W^−½, made on the first call. It is inverted in double
// precision.
func (v *values) transposed(ctx context.Context, level int) (blas32.General, error) {
	s := v.solver
	s.factoring.Lock()
	defer s.factoring.Unlock()
	if k, ok := v.levels[level]; ok {
		return k, nil
	}
	var n mat.Dense
	n.Scale(step(level), v.gram)
	var failed error
	err := parallel.Await(ctx, func() {
		var chol blas64.Triangular
		if chol, failed = factorSymmetric(&n, s.problem.Alpha); failed == nil {
			lapack64.Potri(chol)
		}
	})
	if err != nil {
		return blas32.General{}, err // failed is still being written
	}
	if failed != nil {
		return blas32.General{}, failed
	}
	k := blas32.General{Rows: s.r, Cols: s.r, Stride: s.r, Data: make([]float32, s.r*s.r)}
	for i := range s.r {
		for j := range s.r {
			// The upper triangle holds the inverse.
			k.Data[i*s.r+j] = float32(v.root[i] / v.root[j] * n.At(min(i, j), max(i, j)))
		}
	}
	v.levels[level] = k
	return k, nil
}

// place sets V of some tasks that iterate by values.
func (v *values) place(f *batch[float32], part []int) {
	s := v.solver
	c, q := f.c.matrix(len(part), s.r), f.b.matrix(len(part), s.dim)
	s.each(part, func(k, i int) {
		beta, z, t, y := float32(step(f.tasks[i].level)), f.z.row(i), f.t.row(i), f.y.row(i)
		for j, w := range f.metric {
			c.row(k)[j] = beta * w * (y[j] - 2*t[j] + z[j])
		}
	})
	f.arith.applyT(q, c)
	s.each(part, func(k, i int) {
		v, a := f.v.row(i), f.a.row(i)
		for j, x := range q.row(k) {
			v[j] = (a[j] - x) / float32(s.problem.Alpha)
		}
	})
}
