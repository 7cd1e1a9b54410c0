// Package embed holds feature maps φ(x) = T k(·, x) ∈ ℝᵈ, under which a function f of the kernel's space becomes a vector or,
// over labels, a matrix V ∈ ℝᵈˣᵐ: f(x, y) = φ(x)ᵀ V y. Derivatives of f are those of φ.
//
//	Nyström   φ(x) = L⁻¹ k(Z, x), K_ZZ = L Lᵀ: T is the orthogonal projection onto the span of the landmarks Z
//	Fourier   random frequencies of a radial kernel: ⟨φ(x), φ(x′)⟩ ≈ k(x, x′)
//	Hashing   signed hashes of the columns: the linear kernel in 2^bits dimensions
//
// A regularizer acts only on what T keeps of its functionals, and landmarks at the training rows keep little of a
// functional that lives at rotated or mixed points. So the points of the functionals are landmarks too, and Span says how
// much of every functional is lost.
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

// A Map is a feature map. Matrices hold one point a row; destinations have the right shape, or the methods panic. The methods
// may be called from several goroutines and give the same bits for any number of processors.
type Map interface {
	// Dim is d.
	Dim() int
	// Features sets row i of dst (n×d) to φ(x_i).
	Features(dst, x *mat.Dense)
	// Derivatives sets row i of dst (n×d) to Dφ(x_i)[ẋ_i] or D²φ(x_i)[ẋ_i, ẋ_i], as the order of x says.
	Derivatives(dst *mat.Dense, x kernel.Argument)
	// Kernel is k.
	Kernel() kernel.Kernel
	// State is the map as plain data.
	State() *State
}

// New makes the feature map of a kernel for training rows (n×p) and a block of functionals of them, which may be nil.
func New(ctx context.Context, k kernel.Kernel, s setting.Features, rows *mat.Dense, block *plugins.Block) (Map, error) {
	return ForLabels(ctx, k, s, 1, rows, block)
}

// ForLabels makes the feature map of a joint kernel over m labels: the more labels there are, the fewer landmarks All takes.
func ForLabels(ctx context.Context, k kernel.Kernel, s setting.Features, m int, rows *mat.Dense, block *plugins.Block) (Map, error) {
	if rows == nil || rows.IsEmpty() {
		return nil, errors.New("features: there are no training rows")
	}
	if !k.Differentiable() && block != nil && slices.ContainsFunc(block.Tangent, func(t int32) bool { order, _ := plugins.OrderOf(t); return order > 1 }) {
		return nil, fmt.Errorf("features: functions of the %s kernel have no second derivatives; take another kernel", k.Setting().Kind)
	}
	switch s.Kind {
	case setting.Nystrom, "":
		return newNystrom(ctx, k, s, m, NewPoints(rows, block))
	case setting.Exact:
		return newExact(ctx, k, s, NewPoints(rows, block))
	case setting.Fourier:
		_, p := rows.Dims()
		return newFourier(k, s, p)
	case setting.Hashing:
		_, p := rows.Dims()
		return newHashing(k, s, p)
	}
	return nil, fmt.Errorf("features %q are unknown; there are nystrom, exact, fourier and hashing", s.Kind)
}

// A State is a feature map as plain data, for model files.
type State struct {
	Kind      setting.FeatureKind
	Kernel    setting.Kernel
	Landmarks plugins.Matrix // Nyström: evaluations at these points …
	At, Along plugins.Matrix // … and derivatives at these points along these tangents …
	Twice     int            // … of which so many, the last, are second derivatives …
	Whiten    plugins.Matrix // … times this matrix, landmarks × d

	Frequencies plugins.Matrix // Fourier: one frequency a row
	Phases      []float64      // Fourier: of the features that have no sine beside the cosine

	Bits    int    // Hashing: d = 2^Bits
	Columns int    // Hashing: number of columns
	Seed    uint64 // Hashing
}

// FromState makes the map that the state was taken from.
func FromState(s *State) (Map, error) {
	k, err := kernel.New(s.Kernel)
	if err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	switch s.Kind {
	case setting.Nystrom:
		return nystromFromState(k, s)
	case setting.Fourier:
		return fourierFromState(k, s)
	case setting.Hashing:
		return newHashing(k, setting.Features{Bits: s.Bits, Seed: s.Seed}, s.Columns)
	}
	return nil, fmt.Errorf("features: state of unknown kind %q", s.Kind)
}

// stateOf is a copy-free view of a dense matrix as plain data; nil is the empty matrix.
func stateOf(m *mat.Dense) plugins.Matrix {
	if m == nil || m.IsEmpty() {
		return plugins.Matrix{}
	}
	r, c := m.Dims()
	raw := m.RawMatrix()
	if raw.Stride != c {
		raw = mat.DenseCopyOf(m).RawMatrix()
	}
	return plugins.Matrix{Rows: r, Cols: c, Data: raw.Data[:r*c]}
}

// denseOf is a copy-free view of plain data as a dense matrix, nil where it is empty.
func denseOf(m plugins.Matrix) (*mat.Dense, error) {
	if m.Rows < 0 || m.Cols < 0 || len(m.Data) != m.Rows*m.Cols {
		return nil, fmt.Errorf("features: a matrix %d×%d with %d numbers", m.Rows, m.Cols, len(m.Data))
	}
	if len(m.Data) == 0 {
		return nil, nil //nolint:nilnil // nil is the empty matrix
	}
	return mat.NewDense(m.Rows, m.Cols, m.Data), nil
}

// view is rows i … k−1 and columns j … l−1 of m, sharing memory.
func view(m *mat.Dense, i, k, j, l int) *mat.Dense {
	return m.Slice(i, k, j, l).(*mat.Dense) //nolint:forcetypeassert // so gonum documents it
}
