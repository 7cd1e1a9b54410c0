package polar

import (
	"context"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// An arithmetic does in one precision what iterations consist of.
type arithmetic[T precision] interface {
	apply(dst, v matrix[T])
	applyT(dst, c matrix[T])
	// solve sets dst to b times the inverse of the matrix of a level. dst may be b.
	solve(ctx context.Context, level int, dst, b matrix[T]) error
	// prox sets t to argmin ½ρ(t)²τ + ½‖t − u‖².
	prox(p *gauge.Prox, t, u []T, tau float64)
	dot(x, y []T) float64
	axpy(alpha float64, x, y []T) // y += αx
}

// A double does arithmetic in float64.
type double struct{ solver *Solver }

// apply sets dst to V·Aᵀ.
func (d double) apply(dst, v matrix[float64]) { d.solver.problem.A.Apply(dense(dst), dense(v)) }

// applyT sets dst to C·A.
func (d double) applyT(dst, c matrix[float64]) { d.solver.problem.A.ApplyT(dense(dst), dense(c)) }

// solve sets dst to b times the inverse of a level's matrix.
func (d double) solve(ctx context.Context, level int, dst, b matrix[float64]) error {
	f, err := d.solver.factor(ctx, level)
	if err != nil {
		return err
	}
	return f.Solve(ctx, dense(dst), dense(b))
}

// prox sets t to the proximal point of u.
func (double) prox(p *gauge.Prox, t, u []float64, tau float64) { p.Square(t, u, tau) }

// dot returns the inner product.
func (double) dot(x, y []float64) float64 { return dot(x, y) }

// axpy adds αx to y.
func (double) axpy(alpha float64, x, y []float64) {
	blas64.Axpy(alpha, blas64.Vector{N: len(x), Inc: 1, Data: x}, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

// A single does arithmetic in float32.
type single struct {
	solver *Solver
	a      SingleOperator
}

// apply sets dst to V·Aᵀ.
func (s single) apply(dst, v matrix[float32]) { s.a.Apply32(general(dst), general(v)) }

// applyT sets dst to C·A.
func (s single) applyT(dst, c matrix[float32]) { s.a.ApplyT32(general(dst), general(c)) }

// solve sets dst to b times the inverse of a level's matrix.
func (s single) solve(ctx context.Context, level int, dst, b matrix[float32]) error {
	f, err := s.solver.factor32(ctx, s.a, level)
	if err != nil {
		return err
	}
	return f.Solve32(ctx, general(dst), general(b))
}

// prox sets t to the proximal point of u.
func (single) prox(p *gauge.Prox, t, u []float32, tau float64) { p.Square32(t, u, tau) }

// dot returns the inner product, summed in double precision. The order of its terms does not depend on where x and y lie in
// memory, as it does in blas32.
func (single) dot(x, y []float32) float64 {
	var sums [4]float64
	n := len(x) &^ 3
	for j := 0; j < n; j += 4 {
		u, v := x[j:j+4:j+4], y[j:j+4:j+4]
		for k := range 4 {
			sums[k] += float64(u[k]) * float64(v[k])
		}
	}
	for j := n; j < len(x); j++ {
		sums[0] += float64(x[j]) * float64(y[j])
	}
	return (sums[0] + sums[1]) + (sums[2] + sums[3])
}

// axpy adds αx to y.
func (single) axpy(alpha float64, x, y []float32) {
	blas32.Axpy(float32(alpha), blas32.Vector{N: len(x), Inc: 1, Data: x}, blas32.Vector{N: len(y), Inc: 1, Data: y})
}
