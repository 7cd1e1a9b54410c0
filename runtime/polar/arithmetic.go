package polar

import (
	"context"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// An arithmetic does in one precision what iterations are made of.
type arithmetic[T precision] interface {
	apply(dst, v batch[T])
	applyT(dst, c batch[T])
	// solve sets dst to b times the inverse of the matrix of a level. dst may be b.
	solve(ctx context.Context, level int, dst, b batch[T]) error
	// prox sets t to argmin ½ρ(t)²τ + ½‖t − u‖².
	prox(p *gauge.Prox, t, u []T, tau float64)
	dot(x, y []T) float64
	axpy(alpha float64, x, y []T) // y += αx
}

// Double is arithmetic in float64.
type double struct{ solver *Solver }

func (d double) apply(dst, v batch[float64])  { d.solver.problem.A.Apply(dense(dst), dense(v)) }
func (d double) applyT(dst, c batch[float64]) { d.solver.problem.A.ApplyT(dense(dst), dense(c)) }

func (d double) solve(ctx context.Context, level int, dst, b batch[float64]) error {
	f, err := d.solver.factor(ctx, level)
	if err != nil {
		return err
	}
	return f.Solve(ctx, dense(dst), dense(b))
}

func (double) prox(p *gauge.Prox, t, u []float64, tau float64) { p.Square(t, u, tau) }
func (double) dot(x, y []float64) float64                      { return dot(x, y) }

func (double) axpy(alpha float64, x, y []float64) {
	blas64.Axpy(alpha, blas64.Vector{N: len(x), Inc: 1, Data: x}, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

// Single is arithmetic in float32.
type single struct {
	solver *Solver
	a      SingleOperator
}

func (s single) apply(dst, v batch[float32])  { s.a.Apply32(general(dst), general(v)) }
func (s single) applyT(dst, c batch[float32]) { s.a.ApplyT32(general(dst), general(c)) }

func (s single) solve(ctx context.Context, level int, dst, b batch[float32]) error {
	f, err := s.solver.factor32(ctx, s.a, level)
	if err != nil {
		return err
	}
	return f.Solve32(ctx, general(dst), general(b))
}

func (single) prox(p *gauge.Prox, t, u []float32, tau float64) { p.Square32(t, u, tau) }

func (single) dot(x, y []float32) float64 {
	return float64(blas32.Dot(blas32.Vector{N: len(x), Inc: 1, Data: x}, blas32.Vector{N: len(y), Inc: 1, Data: y}))
}

func (single) axpy(alpha float64, x, y []float32) {
	blas32.Axpy(float32(alpha), blas32.Vector{N: len(x), Inc: 1, Data: x}, blas32.Vector{N: len(y), Inc: 1, Data: y})
}
