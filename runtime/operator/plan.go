package operator

import "context"

// A plan holds what the factors M = αI + AᵀWA of one w share.
type plan interface {
	factor(ctx context.Context, alpha float64) (solver[float64], error)
	factor32(ctx context.Context, alpha float64) (solver[float32], error)
}

// A solver sets dst (B×D) to b times the inverse of a matrix, row by row. dst may be b.
type solver[T number] interface {
	solve(ctx context.Context, dst, b matrix[T]) error
}

// narrowed solves single-precision systems in double precision.
type narrowed struct{ wide solver[float64] }

// solve converts, solves in double precision and rounds the result.
func (f narrowed) solve(ctx context.Context, dst, b matrix[float32]) error {
	x := convert[float64](b)
	if err := f.wide.solve(ctx, x, x); err != nil {
		return err
	}
	convertTo(dst, x)
	return nil
}

// scaled returns the factor of a multiple of the identity.
func scaled[T number](f float64) solver[T] { return multiple[T]{nil, T(f)} }

// multiple solves with a multiple of another matrix; nil means the identity.
type multiple[T number] struct {
	of    solver[T]
	scale T
}

// solve solves with the other matrix and multiplies by scale.
func (f multiple[T]) solve(ctx context.Context, dst, b matrix[T]) error {
	if f.of != nil {
		if err := f.of.solve(ctx, dst, b); err != nil {
			return err
		}
		b = dst
	}
	for i := range dst.Rows {
		to := dst.row(i)
		for j, v := range b.row(i) {
			to[j] = f.scale * v
		}
	}
	return ctx.Err()
}
