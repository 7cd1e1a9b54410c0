package curve

import "math"

// Lebesgue bounds the Lebesgue constant of n Lobatto nodes. A polynomial whose values at the nodes are below ε is
// below Lebesgue(n)·ε everywhere.
func Lebesgue(n int) float64 { return 1 + 2/math.Pi*math.Log(float64(n)) }

// Analytic bounds how far a function h: [−1, 1] → H into a Hilbert space is from the polynomial of that degree
// through its values at the Lobatto nodes. h must be analytic everywhere. On Bernstein's ellipse s = cosh(η + iθ) it
// has coefficients h = Σ c_m T_m with
//
//	‖c_0‖² + Σ ‖c_m‖² (e^{2mη} + e^{−2mη})/4 = mean over θ of ‖h(s)‖² ≤ A(η)².
//
// Interpolation makes another T of each T_m, m > n. So by the inequality of Cauchy and Schwarz
//
//	‖h − p‖ ≤ 2 Σ_{m>n} ‖c_m‖ ≤ 4 A(η) e^{−nη}/(e^{2η} − 1)^{1/2}   for every η > 0
//
// (Trefethen 2013, theorem 8.2, has the maximum over the ellipse instead of the mean). logA is log A(η). Any η gives
// a bound, so the search for the best one need not be exact.
func Analytic(degree int, logA func(eta float64) float64) float64 {
	at := func(t float64) float64 {
		eta := math.Exp(t)
		return logA(eta) - float64(degree)*eta - math.Log(math.Expm1(2*eta))/2
	}
	lo, hi := math.Log(leastEta), math.Log(mostEta)
	for range etaSteps {
		third := (hi - lo) / 3
		if at(lo+third) < at(hi-third) {
			hi -= third
		} else {
			lo += third
		}
	}
	return 4 * math.Exp(at((lo+hi)/2))
}

// Analytic searches η between these, by thirds.
const (
	leastEta = 1e-6
	mostEta  = 6
	etaSteps = 32
)

// Smooth returns the bound for a function whose derivative of order degree + 1 is at most top. Nodes s_k have |Π (s −
// s_k)| ≤ 2^{1−n}, so that
//
//	‖h − p‖ ≤ 2^{1−n} top/(n+1)!.
//
// It takes the logarithm of top, and returns that of the bound.
func Smooth(degree int, logTop float64) float64 {
	factorial, _ := math.Lgamma(float64(degree) + 2)
	return logTop - float64(degree-1)*math.Ln2 - factorial
}
