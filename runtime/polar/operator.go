package polar

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// An Operator is A: vectors of dimension D in, values of r functionals out. Batches are row-major with one right-hand
// side a row, so that they are matrix products. Methods may be called from several goroutines.
type Operator interface {
	// Dims are the number r of functionals and the dimension D.
	Dims() (r, dim int)
	// Apply sets dst (B×r) to V·Aᵀ, V being B×D.
	Apply(dst, v *mat.Dense)
	// ApplyT sets dst (B×D) to C·A, C being B×r.
	ApplyT(dst, c *mat.Dense)
	// Factor prepares solves with M = αI + Aᵀ diag(w) A, w ≥ 0 of length r, α > 0.
	Factor(ctx context.Context, alpha float64, w []float64) (Factor, error)
}

// A Factor solves systems with a positive definite matrix M.
type Factor interface {
	// Solve sets dst (B×D) to B·M⁻¹, row by row. dst may be b.
	Solve(dst, b *mat.Dense)
}
