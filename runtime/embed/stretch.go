package embed

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Stretch is a term of a functional that moves along a straight path. With s from −1 to 1 it is one of
//
//	c(s)·f(x, y),  c(s)·Df(x, y)[ẋ],  c(s)·D²f(x, y)[ẋ, ẋ],   c = Σ Coef[m] T_m,   x = x₀ + s·Half,   y = y₀ + s·y₁.
type Stretch struct {
	// Coef are the factor's coefficients by Chebyshev polynomials; a constant factor has one.
	Coef []float64
	// Half is half the path.
	Half []float64
	// Order is how often f is derived along Tangent, ẋ.
	Order   int
	Tangent []float64
	// Label and Turn are ‖y₀‖ and ‖y₁‖; 1 and 0 if f is a function of x alone.
	Label, Turn float64
}

// Widths returns the length of a straight path with this half, in widths of the map's kernel; 0 if the kernel has no
// width. Of a kernel of columns it is that in the column where it is longest.
func Widths(m Map, half []float64) float64 {
	spec := m.Kernel().Setting()
	if spec.Radial() {
		return 2 * floats.Norm(half, 2) / spec.Width
	}
	most := 0.0
	for i := range spec.Components {
		if c := &spec.Components[i]; c.Width > 0 && c.Kind != setting.Linear {
			most = max(most, 2*math.Abs(half[c.Columns[0]])/c.Width)
		}
	}
	return most
}

// Interpolation bounds the error of interpolation in feature space. A functional is the sum of terms, and the
// polynomial goes through its values at degree + 1 Lobatto nodes. The bound holds anywhere on the path and is a proof
// up to rounding; it is +Inf if there is none for so low a degree. ok is false for landmarks of a laplacian or Matérn
// kernel, whose functions have kinks in some derivative, and of kernels of columns.
//
// A Nyström map is a projection in the kernel's space, so the error may be taken there. For a gaussian kernel s ↦
// k(x(s), ·) is analytic with the norm exp(ℓ²b²) at s = a + ib, where ℓ is half the path's length in widths. For
// linear and polynomial kernels it is a polynomial. Fourier features are waves of s, whose derivatives are known.
func Interpolation(m Map, terms []Stretch, degree int) (bound float64, ok bool) {
	for i := range terms {
		// Errors of terms add, by the triangle inequality.
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

// moves reports whether the term may be no polynomial of that degree. Its point moves, or the factor of f has a
// higher degree.
func (t *Stretch) moves(degree int) bool {
	if t.size(0) == 0 {
		return false
	}
	own := len(t.Coef) - 1
	// A moving label multiplies by a polynomial of degree 1.
	if t.Turn > 0 {
		own++
	}
	return floats.Norm(t.Half, 2) > 0 || own > degree
}

// size bounds the factor |c(s)| on Bernstein's ellipse s = cosh(η + iθ), where |T_m| ≤ cosh mη. At η = 0 the ellipse
// is the path.
func (t *Stretch) size(eta float64) float64 {
	sum := 0.0
	for m, c := range t.Coef {
		sum += math.Abs(c) * math.Cosh(float64(m)*eta)
	}
	return sum
}

// interpolation returns the bound for one term, and whether there is a proof.
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

// polynomial returns 0 if a polynomial of that degree is the function itself, and +Inf otherwise.
func (t *Stretch) polynomial(power, degree int) float64 {
	// Each derivative lowers the degree, and at a fixed point nothing depends on s.
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

// meanPlaces is how many places of an ellipse stand for the mean over it. The squared norm is a series in cos 2(θ −
// π/2) without a negative coefficient. So its mean over places with θ = π/2 among them is not below the true one.
const meanPlaces = 32

// gaussian returns the bound for the gaussian kernel. Let ẋ have the length of u widths, and v = 4ℓ²b²cos² with the
// cosine between ẋ and the path. At s = a + ib the squared norms of k(x, ·) and of its derivatives along ẋ are
//
//	exp(2ℓ²b²),   exp(2ℓ²b²)u²(1 + v),   exp(2ℓ²b²)u⁴(3 + 6v + v²).
//
// On an ellipse b = sinh η sin θ, ‖y‖ ≤ ‖y₀‖ + cosh η ‖y₁‖ and |c| ≤ Σ |c_m| cosh mη.
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
			// The factor exp(most) stands outside the sum, so that nothing overflows.
			value := math.Exp(-most * (1 - sin*sin))
			switch v := 2 * most * sin * sin; t.Order {
			case 1:
				value *= 1 + v
			// A third of 3 + 6v + v², whose factor √3 size has already.
			case 2:
				value *= 1 + 2*v + v*v/3
			}
			sum += value
		}
		return most/2 + math.Log(sum/meanPlaces)/2 + math.Log(t.Label+t.Turn*math.Cosh(eta)) + math.Log(t.size(eta))
	})
	// Paths of many widths make the first infinite; the second always holds.
	return size * min(analytic, trivial(degree)*label*t.size(0))
}

// trivial returns how far a function of norm 1 may be from the polynomial through its values.
func trivial(degree int) float64 { return 1 + curve.Lebesgue(degree+1) }

// interpolation returns the bound for waves cos(κs + β), κ = |⟨ω, Half⟩|, whose derivatives of order m are at most
// κ^m. Times a label these are at most (‖y₀‖ + ‖y₁‖)κ^m + mκ^{m−1}‖y₁‖; times a factor, Leibniz's rule applies.
func (f *fourier) interpolation(t *Stretch, degree int) float64 {
	count, _ := f.frequencies.Dims()
	label, sum := t.Label+t.Turn, 0.0
	for j := range count {
		omega := f.frequencies.RawRowView(j)
		// Cosine and sine each have an error of at most e.
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

// steepest returns the logarithm of a bound of the order-th derivative of c(s)·cos(κs + β)·y(s). By Leibniz's rule
// this is the sum over j of (order over j) times |c|⁽ʲ⁾ ≤ Σ |c_m| T_m⁽ʲ⁾(1), times the derivative of order − j of the
// rest.
func (t *Stretch) steepest(order, kappa, label float64) float64 {
	sum, binomial := 0.0, 1.0 // in multiples of κ^order
	for j := 0.0; j < float64(len(t.Coef)) && j <= order; j++ {
		if factor := t.derivative(int(j)); factor > 0 {
			rest := order - j
			// A term whose point stands still is a polynomial.
			if kappa == 0 {
				return math.Log(t.still(order, label))
			}
			sum += binomial * factor * math.Pow(kappa, -j) * (label + rest*t.Turn/kappa)
		}
		binomial *= (order - j) / (j + 1)
	}
	return order*math.Log(kappa) + math.Log(sum)
}

// still bounds the order-th derivative of c(s)·y(s).
func (t *Stretch) still(order, label float64) float64 {
	return t.derivative(int(order))*label + order*t.derivative(int(order)-1)*t.Turn
}

// derivative bounds the factor's derivative of order j on the path. T_m⁽ʲ⁾ is largest at 1, where it is Π (m² −
// k²)/(2k + 1) over k < j.
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
