package kernel

import (
	"fmt"

	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// product is κ(⟨x, x′⟩).
type product struct {
	spec    Spec
	profile profile
}

func (k *product) Spec() Spec           { return k.spec }
func (k *product) Differentiable() bool { return true }

func (k *product) Matrix(dst, x, z *mat.Dense) {
	if !shape(dst, x, nil, z, nil) {
		return
	}
	n, _ := x.Dims()
	m, _ := z.Dims()
	out, symmetric := rowsOf(dst, 0, n), x == z
	blas.GemmThen(gonum.Trans, 1, rowsOf(x, 0, n), rowsOf(z, 0, m), out, symmetric, func(i, j, rows, cols int) {
		for r := i; r < i+rows; r++ {
			to := j + cols
			if symmetric {
				to = min(to, r+1)
			}
			if to > j {
				k.profile.value(row(out, r)[j:to])
			}
		}
		if symmetric {
			mirror(out, i, j, rows, cols)
		}
	})
}

func (k *product) Directional(dst, x, xdot, z *mat.Dense) {
	if !shape(dst, x, xdot, z, nil) {
		return
	}
	n, _ := x.Dims()
	m, _ := z.Dims()
	along := scratch(n, m)
	blocks(n, func(lo, hi int) {
		out, a, zb := rowsOf(dst, lo, hi), head(along, hi-lo), rowsOf(z, 0, m)
		products(out, rowsOf(x, lo, hi), zb, 1)
		products(a, rowsOf(xdot, lo, hi), zb, 1)
		pass(hi-lo, func(i int) {
			o := row(out, i)
			k.profile.slope(o)
			floats.Mul(o, row(a, i))
		})
	})
}

func (k *product) Mixed(dst, x, xdot, z, zdot *mat.Dense) {
	if !shape(dst, x, xdot, z, zdot) {
		return
	}
	n, _ := x.Dims()
	m, _ := z.Dims()
	first, second, inner := scratch(n, m), scratch(n, m), scratch(n, m)
	blocks(n, func(lo, hi int) {
		out, xb, xd := rowsOf(dst, lo, hi), rowsOf(x, lo, hi), rowsOf(xdot, lo, hi)
		zb, zd := rowsOf(z, 0, m), rowsOf(zdot, 0, m)
		a, b, u := head(first, hi-lo), head(second, hi-lo), head(inner, hi-lo)
		products(out, xd, zd, 1)
		products(a, xd, zb, 1)
		products(b, xb, zd, 1)
		products(u, xb, zb, 1)
		pass(hi-lo, func(i int) { k.mixedRow(row(out, i), row(u, i), row(a, i), row(b, i)) })
	})
}

// mixedRow turns the products ⟨ẋ, ż_j⟩ in out into D₁D₂k, given ⟨x, z⟩ in u, ⟨ẋ, z⟩ in a and ⟨x, ż⟩ in b. It overwrites
// them.
func (k *product) mixedRow(out, u, a, b []float64) {
	floats.Mul(a, b)
	copy(b, u)
	k.profile.slope(u)
	k.profile.curve(b)
	for j := range out {
		out[j] = u[j]*out[j] + b[j]*a[j]
	}
}

func (k *product) Pairs(dst []float64, x, xdot, z, zdot *mat.Dense) {
	pairShape(dst, x, xdot, z, zdot)
	pass(len(dst), func(i int) {
		xi, zi := x.RawRowView(i), z.RawRowView(i)
		u := []float64{floats.Dot(xi, zi)}
		switch {
		case xdot == nil && zdot == nil:
			k.profile.value(u)
			dst[i] = u[0]
		case zdot == nil:
			k.profile.slope(u)
			dst[i] = u[0] * floats.Dot(xdot.RawRowView(i), zi)
		case xdot == nil:
			k.profile.slope(u)
			dst[i] = u[0] * floats.Dot(xi, zdot.RawRowView(i))
		default:
			xd, zd := xdot.RawRowView(i), zdot.RawRowView(i)
			out := []float64{floats.Dot(xd, zd)}
			k.mixedRow(out, u, []float64{floats.Dot(xd, zi)}, []float64{floats.Dot(xi, zd)})
			dst[i] = out[0]
		}
	})
}

func (k *product) Diag(dst []float64, x *mat.Dense) {
	for i := range dst {
		dst[i] = floats.Dot(x.RawRowView(i), x.RawRowView(i))
	}
	k.profile.value(dst)
}

// pairShape panics unless x, z and their tangents have one row for each element of dst and as many columns.
func pairShape(dst []float64, x, xdot, z, zdot *mat.Dense) {
	n, p := x.Dims()
	if m, q := z.Dims(); n != len(dst) || m != n || p != q {
		panic(fmt.Sprintf("kernel: %d pairs of points %d×%d and %d×%d", len(dst), n, p, m, q)) //nolint:forbidigo // wrong shapes are the caller's mistake, as everywhere in gonum
	}
	tangentShape(x, xdot)
	tangentShape(z, zdot)
}
