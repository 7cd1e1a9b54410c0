// Package embed holds feature maps φ(x) = T k(·, x) ∈ ℝᵈ. They turn a function f of the kernel's space into a vector
// or, over labels, into a matrix V ∈ ℝᵈˣᵐ: f(x, y) = φ(x)ᵀ V y. Derivatives of f follow from those of φ.
//
//	Nyström   φ(x) = L⁻¹ k(Z, x), K_ZZ = L Lᵀ: T is the orthogonal projection onto the span of the landmarks Z
//	Fourier   random frequencies of a radial kernel: ⟨φ(x), φ(x′)⟩ ≈ k(x, x′)
//	Hashing   signed hashes of the columns: the linear kernel in 2^bits dimensions
//
// A regularizer acts only on the part of its functionals that T keeps. Landmarks at the training rows keep little of
// a functional that lives at rotated or mixed points. So the points of the functionals are landmarks too, and Span
// says how much of every functional is lost.
//
// By the representer theorem the solution lies in the span of training rows and functionals.
// With every one of these as a landmark the map is exact; otherwise the solution is the best one in the span of the
// landmarks.
//
// A maximum over an interval is taken at nodes. [Interpolation] bounds how far a functional may be from the
// polynomial through its values there.
package embed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// New makes the feature map of a kernel for training rows (n×p) and a block of functionals on them, which may be nil.
// It fails if the features do not suit the kernel or the block.
func New(ctx context.Context, k *kernel.Function, s setting.Features, rows *mat.Dense, block *plugins.Block) (Map, error) {
	return ForLabels(ctx, k, s, Labels{Count: 1, Coupled: 1}, rows, block)
}

// ForLabels makes the feature map of a joint kernel over labels, as New does for one. V has d numbers a label, so All
// takes fewer landmarks if many labels are coupled.
func ForLabels(ctx context.Context, k *kernel.Function, s setting.Features, m Labels, rows *mat.Dense, block *plugins.Block) (Map, error) {
	if rows == nil || rows.IsEmpty() {
		return nil, errors.New("features: there are no training rows")
	}
	// First derivatives under the laplacian kernel are only unbounded, which Span reports. Second ones do not exist.
	if block != nil && k.Derivatives() < kernel.MostOrder && slices.ContainsFunc(block.Tangent, func(t int32) bool { order, _ := plugins.OrderOf(t); return order > 1 }) {
		return nil, fmt.Errorf("features: functions of the %s kernel have no second derivatives; take another kernel", k.Setting().Kind)
	}
	switch s.Kind {
	case setting.Nystrom, "":
		return newNystrom(ctx, k, s, m, NewPoints(rows, block))
	case setting.Exact:
		return newExact(ctx, k, NewPoints(rows, block))
	case setting.Fourier:
		_, p := rows.Dims()
		return newFourier(k, s, p)
	case setting.Hashing:
		_, p := rows.Dims()
		return newHashing(k, s, p)
	}
	return nil, fmt.Errorf("features %q are unknown; there are nystrom, exact, fourier and hashing", s.Kind)
}

// FromState makes the map that the state was taken from. It fails if the state is damaged.
func FromState(s *State) (Map, error) {
	k, err := kernel.New(s.Kernel)
	if err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	switch s.Kind {
	case setting.Nystrom:
		if err := s.suits(k); err != nil {
			return nil, err
		}
		return nystromFromState(k, s)
	case setting.Fourier:
		return fourierFromState(k, s)
	case setting.Hashing:
		return newHashing(k, setting.Features{Bits: s.Bits, Seed: s.Seed}, s.Columns)
	}
	return nil, fmt.Errorf("features: state of unknown kind %q", s.Kind)
}
