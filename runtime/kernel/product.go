package kernel

import (
	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// product is κ(⟨x, x′⟩).
type product struct {
	spec    setting.Kernel
	profile profile
}

// Setting returns the kind of the kernel and its parameters.
func (k *product) Setting() setting.Kernel { return k.spec }

// Differentiable reports true: powers of ⟨x, x′⟩ are smooth.
func (k *product) Differentiable() bool { return true }

// Matrix sets dst (n×m) to k(x_i, z_j). It applies κ to each part of the product while that is in the cache. If x is
// z, it computes one half and copies it.
func (k *product) Matrix(dst, x, z *mat.Dense) {
	if !shape(dst, At(x), At(z)) {
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

// Derived sets dst to derivatives of k(x_i, z_j): the products behind t and its derivatives, then the chain rule row
// by row.
func (k *product) Derived(dst *mat.Dense, x, z Argument) {
	if underived(k, dst, x, z) || turned(k, dst, x, z) || !shape(dst, x, z) {
		return
	}
	n, _ := x.Points.Dims()
	m, _ := z.Points.Dims()
	inner, first := scratch(n, m), scratch(n, m)
	var second, zd blas64.General
	if z.Order > 0 {
		second, zd = scratch(n, m), rowsOf(z.Along, 0, m)
	}
	zero := make([]float64, m)
	blocks(n, func(lo, hi int) {
		out, xb, xd, zb := rowsOf(dst, lo, hi), rowsOf(x.Points, lo, hi), rowsOf(x.Along, lo, hi), rowsOf(z.Points, 0, m)
		t, a, b := head(inner, hi-lo), head(first, hi-lo), second
		products(t, xb, zb, 1)
		products(a, xd, zb, 1)
		if z.Order > 0 {
			b = head(second, hi-lo)
			products(b, xb, zd, 1)
			// ⟨ẋ, ż⟩ may stand in the destination, since each element is read before it is overwritten.
			products(out, xd, zd, 1)
		}
		pass(hi-lo, func(i int) {
			j := &jet{t: row(t, i), a: row(a, i), ab: row(out, i), bb: zero}
			if z.Order > 0 {
				j.b = row(b, i)
			}
			j.compose(row(out, i), k.profile, x.Order, z.Order)
		})
	})
}

// Pairs sets dst[i] to k(x_i, z_i) or its derivatives.
func (k *product) Pairs(dst []float64, x, z Argument) {
	pairShape(dst, x, z)
	if x.Order < z.Order {
		x, z = z, x
	}
	pass(len(dst), func(i int) {
		xi, zi := x.Points.RawRowView(i), z.Points.RawRowView(i)
		j := &jet{t: []float64{floats.Dot(xi, zi)}, bb: []float64{0}}
		if x.Order == 0 {
			k.profile.value(j.t)
			dst[i] = j.t[0]
			return
		}
		xd := x.Along.RawRowView(i)
		j.a = []float64{floats.Dot(xd, zi)}
		if z.Order > 0 {
			zd := z.Along.RawRowView(i)
			j.b, j.ab = []float64{floats.Dot(xi, zd)}, []float64{floats.Dot(xd, zd)}
		}
		j.compose(dst[i:i+1], k.profile, x.Order, z.Order)
	})
}

// Diag sets dst[i] to k(x_i, x_i).
func (k *product) Diag(dst []float64, x *mat.Dense) {
	for i := range dst {
		dst[i] = floats.Dot(x.RawRowView(i), x.RawRowView(i))
	}
	k.profile.value(dst)
}
