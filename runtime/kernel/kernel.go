// Package kernel holds positive definite kernels k(x, x′) on rows of features. It also holds the derivatives that turn
// first and second derivatives of f along a direction into elements of the space:
//
//	gaussian     exp(−‖x−x′‖²/2s²)
//	laplacian    exp(−‖x−x′‖/s)
//	linear       ⟨x, x′⟩
//	polynomial   (⟨x, x′⟩ + c)^q
//	matern32     (1 + r)e^(−r),         r = √3‖x−x′‖/s
//	matern52     (1 + r + r²/3)e^(−r),  r = √5‖x−x′‖/s
//
// Each is a function κ of one number, the squared distance or the inner product. So a matrix of kernel values is one
// matrix product and one pass over its result, and every derivative follows from the chain rule. With t(a, b) the number
// at x + aẋ and z + bż, and subscripts for its derivatives at 0,
//
//	D₁k = κ′t_a            D₁D₂k  = κ″t_a t_b + κ′t_ab
//	D₁²k = κ″t_a² + κ′t_aa  D₁²D₂k = κ‴t_a²t_b + κ″(t_aa t_b + 2t_ab t_a)
//	D₁²D₂²k = κ⁗t_a²t_b² + κ‴(t_aa t_b² + t_bb t_a² + 4t_ab t_a t_b) + κ″(t_aa t_bb + 2t_ab²)
//
// The squared distance has t_a = 2⟨x−z, ẋ⟩, t_b = −2⟨x−z, ż⟩, t_ab = −2⟨ẋ, ż⟩, t_aa = 2‖ẋ‖², t_bb = 2‖ż‖², the inner product
// t_a = ⟨ẋ, z⟩, t_b = ⟨x, ż⟩, t_ab = ⟨ẋ, ż⟩, t_aa = t_bb = 0.
//
// # Kernels of columns
//
// The kernels additive and pairwise are sums over components k_j, one for each of the d columns of the file, and over q pairs of them:
//
//	k = (1/d) Σ_j k_j + (1/q) Σ_{j<l} k_j k_l
//
// A component sees the prepared columns of one column of the file. These are a number, with the masks of its gaps, or the texts of a
// category. So a function of the space is a sum of curves f_j and of surfaces f_jl, which can be drawn, and bounded one by one. A slope
// along a column j meets the surfaces of j alone:
//
//	∂_j f(x) = f_j′(x_j) + Σ_{l≠j} ∂_j f_jl(x_j, x_l)
//
// [Function.Parts] says what a kernel consists of, and [Function.Part] returns one part as a kernel. Matrices of these kernels are no
// matrix products: they take an exponential for each component and pair of points.
package kernel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Function is a positive definite kernel k. Matrices hold one point a row. Destinations must have the right shape and
// share no memory with the arguments, or the methods panic. Beyond the destination they need memory for a block of
// its rows. The methods may be called from several goroutines, and give the same bits for any number of processors.
type Function struct {
	spec    setting.Kernel
	profile profile // nil where sum is not
	sum     *sum    // of additive and pairwise kernels
}

// Setting returns the kind of the kernel and its parameters.
func (k *Function) Setting() setting.Kernel { return k.spec }

// Differentiable reports whether f ↦ Df(x)[ẋ] and f ↦ D²f(x)[ẋ, ẋ] are bounded functionals. They are not for the
// laplacian kernel. If points coincide, its D₁D₂k is ±Inf, and other infinite derivatives are taken as 0.
func (k *Function) Differentiable() bool { return k.Derivatives() > 0 }

// Derivatives returns up to which order derivatives of f along a direction are bounded functionals, at most MostOrder. Beyond it
// terms that are infinite where points coincide are taken as 0, but for the laplacian kernel's D₁D₂k.
func (k *Function) Derivatives() int { return min(k.spec.Derivatives(), MostOrder) }

// MostOrder is how often an argument may be derived.
const MostOrder = 2

// An Argument is one of the two arguments of a kernel: points, and how often the kernel is derived there along which
// tangents.
type Argument struct {
	Points *mat.Dense
	// Along has one tangent for each point; it is ignored if Order is 0.
	Along *mat.Dense
	// Order is from 0 to MostOrder.
	Order int
}

// At returns points as an argument without derivatives.
func At(points *mat.Dense) Argument { return Argument{Points: points} }

// New makes a kernel. It fails if a parameter is missing or makes the kernel not positive definite.
func New(s setting.Kernel) (*Function, error) {
	k := &Function{spec: s}
	switch s.Kind {
	case setting.Gaussian, setting.Laplacian, setting.Matern32, setting.Matern52:
		if s.OfMedian {
			return nil, fmt.Errorf("kernel %s: the median distance is not known yet; Fixed takes it of the rows", s.Kind)
		}
		// Written so that a NaN fails.
		if !(s.Width > 0) || math.IsInf(s.Width, 0) {
			return nil, fmt.Errorf("kernel %s: width is %g; it must be a positive number", s.Kind, s.Width)
		}
		switch k.profile = newMatern(s.Kind, s.Width); s.Kind { //nolint:exhaustive // others are not radial
		case setting.Gaussian:
			k.profile = gaussianProfile{s.Width}
		case setting.Laplacian:
			k.profile = laplacianProfile{s.Width}
		}
		return k, nil
	case setting.Linear:
		k.profile = powerProfile{degree: 1}
		return k, nil
	case setting.Polynomial:
		if s.Degree < 1 {
			return nil, fmt.Errorf("kernel polynomial: degree is %d; it must be a whole number from 1 on", s.Degree)
		}
		if !(s.Offset >= 0) || math.IsInf(s.Offset, 0) {
			return nil, fmt.Errorf("kernel polynomial: offset is %g; with a negative offset it is not positive definite", s.Offset)
		}
		k.profile = powerProfile{degree: s.Degree, offset: s.Offset}
		return k, nil
	case setting.Additive, setting.Pairwise:
		var err error
		if k.sum, err = newSum(&s); err != nil {
			return nil, err
		}
		return k, nil
	case setting.Periodic, setting.Category:
	}
	return nil, fmt.Errorf("kernel %q is unknown; there are gaussian, laplacian, matern32, matern52, linear, polynomial, additive and pairwise", s.Kind)
}
