// Package kernel holds positive definite kernels k(x, x′) on rows of features, and the derivatives that turn directional
// derivatives of f into elements of the space:
//
//	gaussian     exp(−‖x−x′‖²/2s²)
//	laplacian    exp(−‖x−x′‖/s)
//	linear       ⟨x, x′⟩
//	polynomial   (⟨x, x′⟩ + c)^q
//
// Each is a function κ of one number, the squared distance or the inner product, so that a matrix of kernel values is one
// matrix product and one pass over its result, and every derivative follows from κ′ and κ″:
//
//	κ(‖x−z‖²):  D₁k[ẋ] = 2κ′⟨x−z, ẋ⟩,   D₁D₂k[ẋ, ż] = −2κ′⟨ẋ, ż⟩ − 4κ″⟨x−z, ẋ⟩⟨x−z, ż⟩
//	κ(⟨x, z⟩):  D₁k[ẋ] = κ′⟨ẋ, z⟩,      D₁D₂k[ẋ, ż] = κ′⟨ẋ, ż⟩ + κ″⟨ẋ, z⟩⟨x, ż⟩
package kernel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Kernel is a positive definite kernel. Matrices hold one point a row; destinations must have the right shape and share no
// memory with the arguments, or the methods panic. Memory beyond the destination is bounded by a block of its rows. The methods may
// be called from several goroutines, and give the same bits for any number of processors.
type Kernel interface {
	// Matrix sets dst (n×m) to k(x_i, z_j).
	Matrix(dst, x, z *mat.Dense)
	// Directional sets dst (n×m) to D₁k(x_i, z_j)[ẋ_i].
	Directional(dst, x, xdot, z *mat.Dense)
	// Mixed sets dst (n×m) to D₁D₂k(x_i, z_j)[ẋ_i, ż_j].
	Mixed(dst, x, xdot, z, zdot *mat.Dense)
	// Pairs sets dst[i] to k(x_i, z_i), differentiated along ẋ_i in the first argument unless xdot is nil, and along ż_i in
	// the second unless zdot is nil. Differences are formed before they are squared, so it is exact to rounding.
	Pairs(dst []float64, x, xdot, z, zdot *mat.Dense)
	// Diag sets dst[i] to k(x_i, x_i).
	Diag(dst []float64, x *mat.Dense)
	// Differentiable reports whether f ↦ Df(x)[ẋ] is a bounded functional. It is not for the laplacian kernel: there
	// Directional is 0 and Mixed is ±Inf where the points coincide.
	Differentiable() bool
	// Spec says which kernel it is.
	Spec() Spec
}

// A Kind is a family of kernels.
type Kind string

// The kinds.
const (
	Gaussian   Kind = "gaussian"
	Laplacian  Kind = "laplacian"
	Linear     Kind = "linear"
	Polynomial Kind = "polynomial"
)

// A Spec is a kernel as plain data.
type Spec struct {
	Kind   Kind
	Width  float64 // s > 0, of Gaussian and Laplacian, in the units of the features
	Degree int     // q ≥ 1, of Polynomial
	Offset float64 // c ≥ 0, of Polynomial
}

// String is the kernel as the language writes it.
func (s Spec) String() string {
	switch s.Kind {
	case Gaussian, Laplacian:
		return fmt.Sprintf("%s(width = %.6g)", s.Kind, s.Width)
	case Polynomial:
		return fmt.Sprintf("polynomial(degree = %d, offset = %.6g)", s.Degree, s.Offset)
	}
	return string(s.Kind)
}

// Radial reports whether k depends on x − x′ alone.
func (s Spec) Radial() bool { return s.Kind == Gaussian || s.Kind == Laplacian }

// New makes the kernel, or says what is wrong with its parameters.
func New(s Spec) (Kernel, error) {
	switch s.Kind {
	case Gaussian, Laplacian:
		if !(s.Width > 0) || math.IsInf(s.Width, 0) {
			return nil, fmt.Errorf("kernel %s: width is %g; it must be a positive number", s.Kind, s.Width)
		}
		if s.Kind == Gaussian {
			return &radial{spec: s, profile: gaussianProfile{s.Width}, smooth: true}, nil
		}
		return &radial{spec: s, profile: laplacianProfile{s.Width}}, nil
	case Linear:
		return &product{spec: s, profile: powerProfile{degree: 1}}, nil
	case Polynomial:
		if s.Degree < 1 {
			return nil, fmt.Errorf("kernel polynomial: degree is %d; it must be a whole number from 1 on", s.Degree)
		}
		if !(s.Offset >= 0) || math.IsInf(s.Offset, 0) {
			return nil, fmt.Errorf("kernel polynomial: offset is %g; with a negative offset it is not positive definite", s.Offset)
		}
		return &product{spec: s, profile: powerProfile{degree: s.Degree, offset: s.Offset}}, nil
	}
	return nil, fmt.Errorf("kernel %q is unknown; there are gaussian, laplacian, linear and polynomial", s.Kind)
}
