package risk

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// A cutting is an operator with further rows below it.
type cutting struct {
	base   polar.Operator
	rows   *mat.Dense
	factor func(ctx context.Context, alpha float64, w []float64) (polar.Factor, error)
}

// Dims implements polar.Operator.
func (c *cutting) Dims() (functionals, dim int) {
	functionals, dim = c.base.Dims()
	k, _ := c.rows.Dims()
	return functionals + k, dim
}

// Apply implements polar.Operator.
func (c *cutting) Apply(dst, v *mat.Dense) {
	b, _ := v.Dims()
	r, _ := c.base.Dims()
	k, _ := c.rows.Dims()
	above, below := mat.NewDense(b, r, nil), mat.NewDense(b, k, nil)
	c.base.Apply(above, v)
	below.Mul(v, c.rows.T())
	for i := range b {
		to := dst.RawRowView(i)
		copy(to, above.RawRowView(i))
		copy(to[r:], below.RawRowView(i))
	}
}

// ApplyT implements polar.Operator.
func (c *cutting) ApplyT(dst, q *mat.Dense) {
	b, _ := q.Dims()
	r, _ := c.base.Dims()
	k, _ := c.rows.Dims()
	above, below := mat.NewDense(b, r, nil), mat.NewDense(b, k, nil)
	for i := range b {
		from := q.RawRowView(i)
		copy(above.RawRowView(i), from[:r])
		copy(below.RawRowView(i), from[r:])
	}
	c.base.ApplyT(dst, above)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, below.RawMatrix(), c.rows.RawMatrix(), 1, dst.RawMatrix())
}

// Rows sets row k of dst to row index[k] of the operator, for ascending numbers.
func (c *cutting) Rows(dst *mat.Dense, index []int) {
	r, dim := c.base.Dims()
	above, _ := slices.BinarySearch(index, r)
	for k, i := range index[above:] {
		copy(dst.RawRowView(above+k), c.rows.RawRowView(i-r))
	}
	if above == 0 {
		return
	}
	part := dst.Slice(0, above, 0, dim).(*mat.Dense) //nolint:forcetypeassert // a slice of a Dense is one
	if base, reads := c.base.(interface {
		Rows(dst *mat.Dense, index []int)
	}); reads {
		base.Rows(part, index[:above])
		return
	}
	units := mat.NewDense(above, r, nil)
	for k, i := range index[:above] {
		units.Set(k, i, 1)
	}
	c.base.ApplyT(part, units)
}

// Rounding implements polar.Rounded.
func (c *cutting) Rounding() (sizes []float64, apply, applyT int) {
	sizes, apply, applyT = polar.Rounding(c.base)
	k, dim := c.rows.Dims()
	sizes = append(make([]float64, 0, len(sizes)+k), sizes...)
	for i := range k {
		sizes = append(sizes, blas64.Nrm2(blas64.Vector{N: dim, Inc: 1, Data: c.rows.RawRowView(i)}))
	}
	return sizes, max(apply, dim), applyT + k
}

// Errors implements polar.Approximation. Cuts are exact.
func (c *cutting) Errors() []float64 {
	a, ok := c.base.(polar.Approximation)
	if !ok || a.Errors() == nil {
		return nil
	}
	k, _ := c.rows.Dims()
	return append(append([]float64(nil), a.Errors()...), make([]float64, k)...)
}

// Factor implements polar.Operator by Woodbury's identity. With M that of the operator alone and H = BM⁻¹,
//
//	(M + BᵀWB)⁻¹ = M⁻¹ − Hᵀ(W⁻¹ + HBᵀ)⁻¹H.
func (c *cutting) Factor(ctx context.Context, alpha float64, w []float64) (polar.Factor, error) {
	r, dim := c.base.Dims()
	base, err := c.factor(ctx, alpha, w[:r])
	if err != nil {
		return nil, err
	}
	k, _ := c.rows.Dims()
	f := &cutFactor{base: base, rows: c.rows, lifted: mat.NewDense(k, dim, nil)}
	if err := base.Solve(ctx, f.lifted, c.rows); err != nil {
		return nil, err
	}
	s := mat.NewDense(k, k, nil)
	s.Mul(f.lifted, c.rows.T())
	for i := range k {
		s.Set(i, i, s.At(i, i)+1/w[r+i])
	}
	f.chol, err = definiteFactor(s)
	return f, err
}

const (
	// Cuts that are nearly the same make a matrix that rounding leaves indefinite. firstAdded of its trace is added to the diagonal then,
	// and addMore times as much until it is definite, mostAdded times at most. The steps are a little shorter then; bounds stay exact.
	firstAdded = 1e-15
	addMore    = 100
	mostAdded  = 6
)

// definiteFactor returns the factor of a matrix that is positive definite but for rounding.
func definiteFactor(s *mat.Dense) (blas64.Triangular, error) {
	k, _ := s.Dims()
	added := 0.0
	for range mostAdded + 1 {
		raw := mat.DenseCopyOf(s).RawMatrix()
		for i := range k {
			raw.Data[i*raw.Stride+i] += added
		}
		chol, ok := lapack64.Potrf(blas64.Symmetric{N: k, Stride: raw.Stride, Data: raw.Data, Uplo: blas.Upper})
		if ok {
			return chol, nil
		}
		added = max(addMore*added, firstAdded*mat.Trace(s))
	}
	return blas64.Triangular{}, fmt.Errorf("risk: the linear system of %d cuts cannot be solved in floating point", k)
}

// A cutFactor solves with Woodbury's identity.
type cutFactor struct {
	base         polar.Factor
	rows, lifted *mat.Dense
	chol         blas64.Triangular
}

// Solve implements polar.Factor.
func (f *cutFactor) Solve(ctx context.Context, dst, b *mat.Dense) error {
	if err := f.base.Solve(ctx, dst, b); err != nil {
		return err
	}
	n, _ := b.Dims()
	k, _ := f.rows.Dims()
	s := mat.NewDense(k, n, nil)
	s.Mul(f.rows, dst.T())
	lapack64.Potrs(f.chol, s.RawMatrix())
	blas64.Gemm(blas.Trans, blas.NoTrans, -1, s.RawMatrix(), f.lifted.RawMatrix(), 1, dst.RawMatrix())
	return nil
}
