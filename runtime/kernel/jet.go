package kernel

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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
// comment. It overwrites t, a and b; ab may be out.
func (j *jet) compose(out []float64, p profile, x, z int) {
	switch {
	case x == 1 && z == 0:
		p.derive(j.t, 1)
		floats.MulTo(out, j.t, j.a)
	case x == 1:
		floats.Mul(j.a, j.b)
		copy(j.b, j.t)
		p.derive(j.t, 1)
		p.derive(j.b, 2)
		for i := range out {
			out[i] = j.t[i]*j.ab[i] + j.b[i]*j.a[i]
		}
	default:
		j.twice(out, p, z)
	}
}

// twice does what compose does for x = 2.
func (j *jet) twice(out []float64, p profile, z int) {
	var kappa [2*MostOrder + 1][]float64
	for order := min(1+z, 2); order <= 2+z; order++ {
		kappa[order] = slices.Clone(j.t)
		p.derive(kappa[order], order)
	}
	for i, a := range j.a {
		switch aa := j.aa; z {
		case 0:
			out[i] = kappa[2][i]*a*a + kappa[1][i]*aa
		case 1:
			b, ab := j.b[i], j.ab[i]
			out[i] = kappa[3][i]*a*a*b + kappa[2][i]*(aa*b+2*ab*a)
		default:
			b, ab, bb := j.b[i], j.ab[i], j.bb[i]
			out[i] = kappa[4][i]*a*a*b*b + kappa[3][i]*(aa*b*b+bb*a*a+4*ab*a*b) + kappa[2][i]*(aa*bb+2*ab*ab)
		}
	}
}

// underived sets dst to k(x_i, z_j) if neither argument is derived, and reports whether that is so.
func underived(k Kernel, dst *mat.Dense, x, z Argument) bool {
	if x.Order != 0 || z.Order != 0 {
		return false
	}
	k.Matrix(dst, x.Points, z.Points)
	return true
}

// turned sets dst by way of its transpose if z is derived more often than x, and reports whether that is so. Kernels
// are symmetric, so formulas are needed only for x derived at least as often.
func turned(k Kernel, dst *mat.Dense, x, z Argument) bool {
	if x.Order >= z.Order {
		return false
	}
	n, _ := x.Points.Dims()
	m, _ := z.Points.Dims()
	if n > 0 && m > 0 {
		out := mat.NewDense(m, n, nil)
		k.Derived(out, z, x)
		dst.Copy(out.T())
	}
	return true
}
