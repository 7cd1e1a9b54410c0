package kernel

import (
	"math"
	"slices"
)

// A jet holds a row of the numbers t that κ is applied to. It also holds their derivatives at 0 as x moves by aẋ and
// z_j by bż_j; see the package. The derivatives by b are nil if z is not derived.
type jet struct {
	t, a, b, ab []float64
	// aa is of x alone, the same for the whole row.
	aa float64
	bb []float64
}

// compose sets out to the derivatives of κ(t) of these orders, x ≥ 1 and x ≥ z, by the chain rule of the package
// comment. ab may be out.
func (j *jet) compose(out []float64, p profile, x, z int) {
	var kappa [2*MostOrder + 1][]float64
	for order := (x + z + 1) / 2; order <= x+z; order++ {
		kappa[order] = slices.Clone(j.t)
		p.derive(kappa[order], order)
	}
	_, kinked := p.(laplacianProfile)
	for i, a := range j.a {
		if z == 0 {
			if out[i] = kappa[1][i] * a; x == 2 {
				out[i] = kappa[2][i]*a*a + kappa[1][i]*j.aa
			}
			continue
		}
		switch b, ab, aa, bb := j.b[i], j.ab[i], j.aa, j.bb[i]; {
		// D₁D₂k of the laplacian kernel is κ′t_ab plus finite terms, and κ′ is −∞ at 0.
		case x == 1 && kinked && j.t[i] == 0 && ab != 0:
			out[i] = math.Copysign(math.Inf(1), -ab)
		case x == 1:
			out[i] = kappa[1][i]*ab + kappa[2][i]*(a*b)
		case z == 1:
			out[i] = kappa[3][i]*a*a*b + kappa[2][i]*(aa*b+2*ab*a)
		default:
			out[i] = kappa[4][i]*a*a*b*b + kappa[3][i]*(aa*b*b+bb*a*a+4*ab*a*b) + kappa[2][i]*(aa*bb+2*ab*ab)
		}
	}
}
