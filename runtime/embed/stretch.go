package embed

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Stretch is a term of a functional that moves along a straight path: with s from −1 to 1
//
//	c(s)·f(x, y), c(s)·Df(x, y)[ẋ] or c(s)·D²f(x, y)[ẋ, ẋ],   c = Σ Coef[m] T_m,   x = x₀ + s·Half,   y = y₀ + s·y₁.
type Stretch struct {
	Coef        []float64 // by Chebyshev polynomials: one where the factor is constant
	Half        []float64 // half the path
	Order       int       // how often f is derived, along
	Tangent     []float64 // ẋ
	Label, Turn float64   // ‖y₀‖ and ‖y₁‖; 1 and 0 where f is a function of x alone
}

// Widths returns how long a straight path of that half is in widths of the map's kernel; 0 where the kernel has none.
func Widths(m Map, half []float64) float64 {
	if spec := m.Kernel().Setting(); spec.Radial() {
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
		if t := &terms[i]; t.moves(degree) {
			one, ok := t.interpolation(m, degree)
			if !ok {
				return 0, false
			}
			bound += one
		}
	}
	return bound, true
}

// moves reports whether the term is no polynomial of that degree for any kernel: its point moves, or what multiplies f there is of a higher one.
func (t *Stretch) moves(degree int) bool {
	if t.size(0) == 0 {
		return false
	}
	own := len(t.Coef) - 1
	if t.Turn > 0 {
		own++
	}
	return floats.Norm(t.Half, 2) > 0 || own > degree
}

// size bounds the factor |c(s)| on Bernstein's ellipse s = cosh(η + iθ), where |T_m| ≤ cosh mη; at η = 0 on the path.
func (t *Stretch) size(eta float64) float64 {
	sum := 0.0
	for m, c := range t.Coef {
		sum += math.Abs(c) * math.Cosh(float64(m)*eta)
	}
	return sum
}

func (t *Stretch) interpolation(m Map, degree int) (bound float64, ok bool) {
	if f, ok := m.(*fourier); ok {
		return f.interpolation(t, degree), true
	}
	spec := m.Kernel().Setting()
	switch spec.Kind {
	case setting.Gaussian:
		return t.gaussian(spec.Width, degree), true
	case setting.Linear:
		return t.polynomial(1, degree), true
	case setting.Polynomial:
		return t.polynomial(spec.Degree, degree), true
	case setting.Laplacian:
	}
	return 0, false
}

// polynomial returns 0 where a polynomial of so low a degree is the function itself.
func (t *Stretch) polynomial(power, degree int) float64 {
	if power = max(0, power-t.Order); floats.Norm(t.Half, 2) == 0 {
		power = 0
	}
	if t.Turn > 0 {
		power++
	}
	power += len(t.Coef) - 1
	if power <= degree {
		return 0
	}
	return math.Inf(1)
}

// meanPlaces is how many places of an ellipse stand for the mean over it. The squared norm is a series in cos 2(θ − π/2) without a
// negative coefficient, and so its mean over places with θ = π/2 among them is not below the true one.
const meanPlaces = 32

// gaussian returns the bound for the gaussian kernel. At s = a + ib the squares of the norms of k(x, ·) and its derivatives along ẋ, of
// u widths, are with v = 4ℓ²b²cos², the cosine that of ẋ and the path's direction,
//
//	exp(2ℓ²b²),   exp(2ℓ²b²)u²(1 + v),   exp(2ℓ²b²)u⁴(3 + 6v + v²),
//
// and on an ellipse b = sinh η sin θ, ‖y‖ ≤ ‖y₀‖ + cosh η ‖y₁‖, |c| ≤ Σ |c_m| cosh mη.
func (t *Stretch) gaussian(width float64, degree int) float64 {
	l, size, label := floats.Norm(t.Half, 2)/width, 1.0, t.Label+t.Turn
	if t.Order > 0 {
		size = math.Pow(floats.Norm(t.Tangent, 2)/width, float64(t.Order)) * []float64{1, 1, math.Sqrt(3)}[t.Order]
	}
	analytic := curve.Analytic(degree, func(eta float64) float64 {
		most := 2 * l * l * math.Sinh(eta) * math.Sinh(eta)
		sum := 0.0
		for k := range meanPlaces {
			sin := math.Sin(math.Pi * (0.5 + float64(k)/meanPlaces))
			value := math.Exp(-most * (1 - sin*sin))
			switch v := 2 * most * sin * sin; t.Order {
			case 1:
				value *= 1 + v
			case 2:
				value *= 1 + 2*v + v*v/3
			}
			sum += value
		}
		return most/2 + math.Log(sum/meanPlaces)/2 + math.Log(t.Label+t.Turn*math.Cosh(eta)) + math.Log(t.size(eta))
	})
	return size * min(analytic, trivial(degree)*label*t.size(0))
}

// trivial returns how far a function of norm 1 may be from the polynomial through its values.
func trivial(degree int) float64 { return 1 + curve.Lebesgue(degree+1) }

// interpolation returns the bound for waves cos(κs + β), κ = |⟨ω, Half⟩|, whose derivatives of order m are at most κ^m. Times a label they
// are at most (‖y₀‖ + ‖y₁‖)κ^m + mκ^{m−1}‖y₁‖; times a factor, by the rule of Leibniz.
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
		if t.Order > 0 {
			size = math.Pow(math.Abs(floats.Dot(omega, t.Tangent)), float64(t.Order))
		}
		kappa, order := math.Abs(floats.Dot(omega, t.Half)), float64(degree)+1
		top := t.steepest(order, kappa, label)
		e := size * min(math.Exp(curve.Smooth(degree, top)), trivial(degree)*label*t.size(0))
		sum += waves * e * e
	}
	return math.Sqrt(2 * sum / float64(f.Dim()))
}

// steepest returns the logarithm of a bound of the derivative of that order of c(s)·cos(κs + β)·y(s): the sum over j of (order over j) times
// |c|⁽ʲ⁾ ≤ Σ |c_m| T_m⁽ʲ⁾(1) times that of order − j of the rest.
func (t *Stretch) steepest(order, kappa, label float64) float64 {
	sum, binomial := 0.0, 1.0 // in multiples of κ^order
	for j := 0.0; j < float64(len(t.Coef)) && j <= order; j++ {
		if factor := t.derivative(int(j)); factor > 0 {
			rest := order - j
			if kappa == 0 { // what does not move is a polynomial
				return math.Log(t.still(order, label))
			}
			sum += binomial * factor * math.Pow(kappa, -j) * (label + rest*t.Turn/kappa)
		}
		binomial *= (order - j) / (j + 1)
	}
	return order*math.Log(kappa) + math.Log(sum)
}

// still bounds the derivative of that order of c(s)·y(s).
func (t *Stretch) still(order, label float64) float64 {
	return t.derivative(int(order))*label + order*t.derivative(int(order)-1)*t.Turn
}

// derivative bounds the factor's derivative of order j on the path: T_m⁽ʲ⁾ is largest at 1, where it is Π (m² − k²)/(2k + 1) over k < j.
func (t *Stretch) derivative(j int) float64 {
	sum := 0.0
	for m := j; m < len(t.Coef); m++ {
		most := 1.0
		for k := range j {
			most *= float64(m*m-k*k) / float64(2*k+1)
		}
		sum += math.Abs(t.Coef[m]) * most
	}
	return sum
}
