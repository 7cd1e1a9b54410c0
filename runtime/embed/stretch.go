package embed

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/kernel"
)

// A Stretch is a term of a functional that moves along a straight path: with s from −1 to 1
//
//	c·f(x, y) or c·Df(x, y)[ẋ],   x = x₀ + s·Half,   y = y₀ + s·y₁.
type Stretch struct {
	Coef        float64
	Half        []float64 // half the path
	Tangent     []float64 // ẋ; nil: f itself
	Label, Turn float64   // ‖y₀‖ and ‖y₁‖; 1 and 0 where f is a function of x alone
}

// Widths returns how long a straight path of that half is in widths of the map's kernel; 0 where the kernel has none.
func Widths(m Map, half []float64) float64 {
	if spec := m.Kernel().Spec(); spec.Radial() {
		return 2 * floats.Norm(half, 2) / spec.Width
	}
	return 0
}

// Interpolation bounds how far the functional that terms sum up to is in feature space, anywhere on its path, from the polynomial of
// that degree through its values at Lobatto nodes. The bound is a proof up to rounding, +Inf where so low a degree has none. There is
// no proof for a laplacian kernel on landmarks, whose functions have kinks.
//
// A Nyström map is a projection in the kernel's space, where s ↦ k(x(s), ·) is analytic for a gaussian kernel, with the norm
// exp(ℓ²b²) at s = a + ib, ℓ being half the path's length in widths, and a polynomial for a linear and a polynomial one. Fourier
// features are waves of s, and their derivatives known.
func Interpolation(m Map, terms []Stretch, degree int) (bound float64, ok bool) {
	for i := range terms {
		if t := &terms[i]; t.moves() {
			one, ok := t.interpolation(m, degree)
			if !ok {
				return 0, false
			}
			bound += one
		}
	}
	return bound, true
}

// moves reports whether the term is no constant.
func (t *Stretch) moves() bool { return t.Coef != 0 && (floats.Norm(t.Half, 2) > 0 || t.Turn > 0) }

func (t *Stretch) interpolation(m Map, degree int) (bound float64, ok bool) {
	if f, ok := m.(*fourier); ok {
		return math.Abs(t.Coef) * f.interpolation(t, degree), true
	}
	spec := m.Kernel().Spec()
	switch spec.Kind {
	case kernel.Gaussian:
		return math.Abs(t.Coef) * t.gaussian(spec.Width, degree), true
	case kernel.Linear:
		return t.polynomial(1, degree), true
	case kernel.Polynomial:
		return t.polynomial(spec.Degree, degree), true
	case kernel.Laplacian:
	}
	return 0, false
}

// polynomial returns 0 where a polynomial of so low a degree is the function itself.
func (t *Stretch) polynomial(power, degree int) float64 {
	if floats.Norm(t.Half, 2) == 0 {
		power = 0
	} else if t.Tangent != nil {
		power--
	}
	if t.Turn > 0 {
		power++
	}
	if power <= degree {
		return 0
	}
	return math.Inf(1)
}

// meanPlaces is how many places of an ellipse stand for the mean over it. The squared norm is a series in cos 2(θ − π/2) without a
// negative coefficient, and so its mean over places with θ = π/2 among them is not below the true one.
const meanPlaces = 32

// gaussian returns the bound for the gaussian kernel. At s = a + ib the squares of the norms of k(x, ·) and its derivative along ẋ are
//
//	exp(2ℓ²b²),   exp(2ℓ²b²)(‖ẋ‖² + 4ℓ²b²⟨ẋ, e⟩²)/width²,   e the path's direction,
//
// and on an ellipse b = sinh η sin θ, ‖y‖ ≤ ‖y₀‖ + cosh η ‖y₁‖.
func (t *Stretch) gaussian(width float64, degree int) float64 {
	l, size, label := floats.Norm(t.Half, 2)/width, 1.0, t.Label+t.Turn
	if t.Tangent != nil {
		size = floats.Norm(t.Tangent, 2) / width
	}
	analytic := curve.Analytic(degree, func(eta float64) float64 {
		most := 2 * l * l * math.Sinh(eta) * math.Sinh(eta)
		sum := 0.0
		for k := range meanPlaces {
			sin := math.Sin(math.Pi * (0.5 + float64(k)/meanPlaces))
			value := math.Exp(-most * (1 - sin*sin))
			if t.Tangent != nil {
				value *= 1 + 2*most*sin*sin
			}
			sum += value
		}
		return most/2 + math.Log(sum/meanPlaces)/2 + math.Log(t.Label+t.Turn*math.Cosh(eta))
	})
	return size * min(analytic, trivial(degree)*label)
}

// trivial returns how far a function of norm 1 may be from the polynomial through its values.
func trivial(degree int) float64 { return 1 + curve.Lebesgue(degree+1) }

// interpolation returns the bound for waves cos(κs + β), κ = |⟨ω, Half⟩|, whose derivatives of order m are at most κ^m. Times a label they
// are at most (‖y₀‖ + ‖y₁‖)κ^m + mκ^{m−1}‖y₁‖.
func (f *fourier) interpolation(t *Stretch, degree int) float64 {
	count, _ := f.frequencies.Dims()
	label, sum := t.Label+t.Turn, 0.0
	for j := range count {
		omega := f.frequencies.RawRowView(j)
		waves := 2.0
		if j >= count-len(f.phases) {
			waves = 1
		}
		size := 1.0
		if t.Tangent != nil {
			size = math.Abs(floats.Dot(omega, t.Tangent))
		}
		kappa, order := math.Abs(floats.Dot(omega, t.Half)), float64(degree)+1
		top := order*math.Log(kappa) + math.Log(label+order*t.Turn/kappa)
		if kappa == 0 { // the label alone moves, at degree 1
			top = math.Inf(-1)
		}
		e := size * min(math.Exp(curve.Smooth(degree, top)), trivial(degree)*label)
		sum += waves * e * e
	}
	return math.Sqrt(2 * sum / float64(f.Dim()))
}
