package polar

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"
)

// ErrNotQuadratic says that a gauge is not the root of a quadratic form, so that the embedding is not linear.
var ErrNotQuadratic = errors.New("polar: the gauge is not quadratic; only |·| under hypot is")

// Warp is the closed form for a quadratic gauge, ρ(t)² = Σ w_j t_j²: Solve maps right-hand sides a to ι = M⁻¹a,
// M = αI + AᵀWA, to rounding error, and ⟨φ(x), M⁻¹φ(x′)⟩ is the warped kernel, eq. (1) of the paper.
func Warp(ctx context.Context, p Problem) (Factor, error) {
	if p.Gauge == nil {
		return multiple(p.Alpha), nil
	}
	w, ok := p.Gauge.Quadratic()
	if !ok {
		return nil, ErrNotQuadratic
	}
	return p.A.Factor(ctx, p.Alpha, w)
}

// A multiple is the factor of αI.
type multiple float64

func (f multiple) Solve(ctx context.Context, dst, b *mat.Dense) error {
	dst.Scale(1/float64(f), b)
	return ctx.Err()
}
