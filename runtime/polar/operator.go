package polar

import (
	"context"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// An Operator is A: it maps vectors of dimension D to the values of r functionals. Matrices are row-major with one
// right-hand side a row, so that many make one matrix product. Methods may be called from several goroutines.
type Operator interface {
	// Dims returns the number r of functionals and the dimension D.
	Dims() (r, dim int)
	// Apply sets dst (B×r) to V·Aᵀ, where v is B×D.
	Apply(dst, v *mat.Dense)
	// ApplyT sets dst (B×D) to C·A, where c is B×r.
	ApplyT(dst, c *mat.Dense)
	// Factor prepares solves with M = αI + Aᵀ diag(w) A, w ≥ 0 of length r, α > 0.
	Factor(ctx context.Context, alpha float64, w []float64) (Factor, error)
}

// A Factor solves systems with a positive definite matrix M.
type Factor interface {
	// Solve sets dst (B×D) to b·M⁻¹, row by row. dst may be b. Errors are those of ctx, after which dst has no
	// meaning.
	Solve(ctx context.Context, dst, b *mat.Dense) error
}

// A Structured operator knows what its factors cost. Others are taken for matrices without any zeros.
type Structured interface {
	// FactorShare returns about how many iterations' products a factor takes; 0 means those of a matrix without zeros.
	FactorShare() float64
}

// A SingleOperator also works in single precision, if that is faster. Iterations may use it; certificates never do.
type SingleOperator interface {
	Operator
	// Apply32 and ApplyT32 are Apply and ApplyT.
	Apply32(dst, v blas32.General)
	ApplyT32(dst, c blas32.General)
	// Factor32 factors in double precision and keeps what solves need in single.
	Factor32(ctx context.Context, alpha float64, w []float64) (Factor32, error)
}

// A Factor32 solves systems with a positive definite matrix M in single precision.
type Factor32 interface {
	// Solve32 does what Solve does, in single precision.
	Solve32(ctx context.Context, dst, b blas32.General) error
}

// An Approximation is an operator A′ that stands for another one, A, whose rows a_j it keeps to within known errors:
//
//	‖a_j − a′_j‖ ≤ e_j,   so  |⟨a_j − a′_j, V⟩| ≤ e_j‖V‖  and  ‖(A − A′)ᵀc‖ ≤ Σ_j e_j|c_j|.
//
// Certificates add these errors and hold for A.
type Approximation interface {
	Operator
	// Errors returns the e_j, one for each functional; nil means that the operator is exact.
	Errors() []float64
}

// Roots tell of an operator where M is the same matrix for every label and couples none.
type Roots interface {
	// Root returns the lower triangle L (d×d) with M = LLᵀ at every label, or nil where there is none.
	Root(ctx context.Context, alpha float64, w []float64) (*blas64.Triangular, error)
	// At sets row k of dst (len(index)×d) to what functional index[k] of the operator has at a label.
	At(dst blas64.General, index []int, label int)
}
