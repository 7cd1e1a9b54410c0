package kernel

import (
	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// Matrix sets dst (n×m) to k(x_i, z_j).
func (k *Function) Matrix(dst, x, z *mat.Dense) {
	if !k.shape(dst, At(x), At(z)) {
		return
	}
	if k.sum != nil {
		k.sum.matrix(dst, x, z)
		return
	}
	n, p := x.Dims()
	f := k.frame(z, z)
	if x == z {
		k.values(rowsOf(dst, 0, n), f.z, f.norms, f, true)
		return
	}
	high := n
	var room blas64.General
	var norms []float64
	if k.spec.Radial() {
		high = min(n, max(blockRows, movedNumbers/max(p, 1)))
	}
	if _, m := dst.Dims(); f.distances && m > fewColumns {
		norms = make([]float64, high)
	}
	if f.origin != nil {
		room = general(high, p)
	}
	for lo := 0; lo < n; lo += high {
		hi := min(lo+high, n)
		xb := f.see(room, x, lo, hi)
		if norms != nil {
			rowDots(norms, xb, xb)
		}
		k.values(rowsOf(dst, lo, hi), xb, norms, f, false)
	}
}

// fewColumns is up to how many second points the norms of the first are computed beside the products, which have just read these points.
const fewColumns = 96

// values sets out to κ(t) for points x that the frame has seen, of the given squared norms. Nil has it compute them. It computes t and κ part
// by part, while the products are in the cache. If symmetric is set, x is z, and it computes one half and copies it.
func (k *Function) values(out, x blas64.General, norms []float64, f *frame, symmetric bool) {
	blas.GemmThen(gonum.Trans, f.factor(), x, f.z, out, symmetric, func(i, j, rows, cols int) {
		for r := i; r < i+rows; r++ {
			to := j + cols
			if symmetric {
				to = min(to, r+1)
			}
			if to > j {
				d := row(out, r)[j:to]
				switch {
				case !f.distances:
				case norms == nil:
					f.finish(d, row(x, r), floats.Dot(row(x, r), row(x, r)), j)
				default:
					f.finish(d, row(x, r), norms[r], j)
				}
				k.profile.value(d)
			}
		}
		if symmetric {
			mirror(out, i, j, rows, cols)
		}
	})
}

// Derived sets dst (n×m) to k(x_i, z_j), derived in both arguments as often as they ask for.
func (k *Function) Derived(dst *mat.Dense, x, z Argument) {
	if !k.shape(dst, x, z) {
		return
	}
	switch {
	case x.Order == 0 && z.Order == 0:
		k.Matrix(dst, x.Points, z.Points)
	case k.sum != nil:
		k.sum.derive(dst, x, z)
	case x.Order < z.Order:
		// Kernels are symmetric, so formulas are needed only for x derived at least as often. The origin stays with z, so that the numbers of a row
		// do not depend on the rows beside it.
		n, m := dst.Dims()
		out := mat.NewDense(m, n, nil)
		k.derive(out, z, x, z.Points)
		dst.Copy(out.T())
	default:
		k.derive(dst, x, z, z.Points)
	}
}

// derive does what Derived does for x derived at least as often as z, and at all. It computes the products behind t and
// its derivatives, then the chain rule row by row. The origin of distances is the mean of points.
func (k *Function) derive(dst *mat.Dense, x, z Argument, points *mat.Dense) {
	n, p := x.Points.Dims()
	m, _ := z.Points.Dims()
	f := k.frame(z.Points, points)
	room, numbers, first := scratch(n, p), scratch(n, m), scratch(n, m)
	var second, zd blas64.General
	zat, zz := make([]float64, m), make([]float64, m) // ⟨z_j, ż_j⟩ and 2‖ż_j‖², of distances
	if z.Order > 0 {
		second, zd = scratch(n, m), rowsOf(z.Along, 0, m)
		if k.spec.Radial() {
			rowDots(zat, f.z, zd)
			rowDots(zz, zd, zd)
			scale(zz, 2)
		}
	}
	blocks(n, func(lo, hi int) {
		xb, out, xd := f.see(room, x.Points, lo, hi), rowsOf(dst, lo, hi), rowsOf(x.Along, lo, hi)
		t, a, b := head(numbers, hi-lo), head(first, hi-lo), second
		products(t, xb, f.z, f.factor())
		products(a, xd, f.z, 1)
		if z.Order > 0 {
			b = head(second, hi-lo)
			products(b, xb, zd, 1)
			// ⟨ẋ, ż⟩ may stand in the destination, since each element is read before it is overwritten.
			products(out, xd, zd, 1)
		}
		pass(hi-lo, func(i int) {
			j := &jet{t: row(t, i), a: row(a, i), ab: row(out, i), bb: zz}
			if z.Order > 0 {
				j.b = row(b, i)
			}
			if k.spec.Radial() {
				f.turn(j, row(xb, i), row(xd, i), zat)
			}
			j.compose(row(out, i), k.profile, x.Order, z.Order)
		})
	})
}

// Diag sets dst[i] to k(x_i, x_i).
func (k *Function) Diag(dst []float64, x *mat.Dense) {
	if k.sum != nil {
		k.sum.diag(dst, x)
		return
	}
	for i := range dst {
		if dst[i] = 0; !k.spec.Radial() {
			dst[i] = floats.Dot(x.RawRowView(i), x.RawRowView(i))
		}
	}
	k.profile.value(dst)
}
