package kernel

import (
	"math"

	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// cancelled is the share of ‖x‖² + ‖z‖² below which ‖x−z‖² is computed from the differences. Above it the products
// lose at most seven of sixteen digits.
const cancelled = 1e-7

// radial is κ(‖x − x′‖²).
type radial struct {
	spec    setting.Kernel
	profile profile
	// smooth says that κ has derivatives at 0, so that those of the kernel are finite where points coincide.
	smooth bool
}

// Setting returns the kind of the kernel and its parameters.
func (k *radial) Setting() setting.Kernel { return k.spec }

// Differentiable reports whether κ is smooth at 0.
func (k *radial) Differentiable() bool { return k.smooth }

// A frame holds the second points of a matrix with the origin moved to their mean. That leaves all differences as
// they are. It keeps norms small, and with them cancellation.
type frame struct {
	origin []float64
	z      blas64.General // m×p
	norms  []float64      // ‖z_j‖²
}

// newFrame moves the points z.
func newFrame(z *mat.Dense) *frame {
	m, p := z.Dims()
	f := &frame{
		origin: make([]float64, p),
		z:      blas64.General{Rows: m, Cols: p, Stride: p, Data: make([]float64, m*p)},
		norms:  make([]float64, m),
	}
	for i := range m {
		floats.Add(f.origin, z.RawRowView(i))
	}
	// The mean minimizes the sum of squared norms.
	floats.Scale(1/float64(m), f.origin)
	f.move(f.z, z, 0)
	rowDots(f.norms, f.z, f.z)
	return f
}

// move sets dst to the rows of x from lo on, seen from the frame's origin.
func (f *frame) move(dst blas64.General, x *mat.Dense, lo int) {
	pass(dst.Rows, func(i int) { floats.SubTo(row(dst, i), x.RawRowView(lo+i), f.origin) })
}

// distances sets dst to ‖x_i − z_j‖² for the moved points x, as ‖x‖² − 2⟨x, z⟩ + ‖z‖² by one matrix product.
func (f *frame) distances(dst, x blas64.General) {
	products(dst, x, f.z, -2)
	pass(x.Rows, func(i int) {
		xi := row(x, i)
		f.finish(row(dst, i), xi, floats.Dot(xi, xi), 0)
	})
}

// finish turns d, −2⟨x, z_j⟩ for j = from, from+1, …, into ‖x − z_j‖². Distances that cancel are computed anew.
func (f *frame) finish(d, x []float64, norm float64, from int) {
	norms := f.norms[from:][:len(d)]
	for j, nz := range norms {
		v := d[j] + (norm + nz)
		if v <= cancelled*(norm+nz) {
			v = squaredDistance(x, row(f.z, from+j))
		}
		d[j] = v
	}
}

// squaredDistance returns ‖a − b‖² from the differences.
func squaredDistance(a, b []float64) float64 {
	var sum float64
	for i, v := range a {
		d := v - b[i]
		sum += d * d
	}
	return sum
}

// Matrix sets dst (n×m) to k(x_i, z_j).
func (k *radial) Matrix(dst, x, z *mat.Dense) {
	if !shape(dst, At(x), At(z)) {
		return
	}
	n, p := x.Dims()
	f := newFrame(z)
	if x == z {
		k.values(rowsOf(dst, 0, n), f.z, f.norms, f, true)
		return
	}
	high := min(n, max(blockRows, movedNumbers/max(p, 1)))
	moved := blas64.General{Rows: high, Cols: p, Stride: p, Data: make([]float64, high*p)}
	norms := make([]float64, high)
	for lo := 0; lo < n; lo += high {
		hi := min(lo+high, n)
		xb := head(moved, hi-lo)
		f.move(xb, x, lo)
		rowDots(norms[:hi-lo], xb, xb)
		k.values(rowsOf(dst, lo, hi), xb, norms, f, false)
	}
}

// values sets out to κ(‖x_i − z_j‖²) for moved points x of the given squared norms. It computes distances and κ part
// by part, while the products are in the cache. If symmetric is set, x is z, and it computes one half and copies it.
func (k *radial) values(out, x blas64.General, norms []float64, f *frame, symmetric bool) {
	blas.GemmThen(gonum.Trans, -2, x, f.z, out, symmetric, func(i, j, rows, cols int) {
		for r := i; r < i+rows; r++ {
			to := j + cols
			if symmetric {
				to = min(to, r+1)
			}
			if to > j {
				d := row(out, r)[j:to]
				f.finish(d, row(x, r), norms[r], j)
				k.profile.value(d)
			}
		}
		if symmetric {
			mirror(out, i, j, rows, cols)
		}
	})
}

// Derived sets dst to derivatives of k(x_i, z_j): the products behind t and its derivatives, then the chain rule row
// by row.
func (k *radial) Derived(dst *mat.Dense, x, z Argument) {
	if underived(k, dst, x, z) || turned(k, dst, x, z) || !shape(dst, x, z) {
		return
	}
	n, p := x.Points.Dims()
	f := newFrame(z.Points)
	m := f.z.Rows
	moved, distances, first := scratch(n, p), scratch(n, m), scratch(n, m)
	var second, zd blas64.General
	var zat, zz []float64 // ⟨z_j, ż_j⟩ and 2‖ż_j‖²
	if z.Order > 0 {
		second, zd, zat, zz = scratch(n, m), rowsOf(z.Along, 0, m), make([]float64, m), make([]float64, m)
		rowDots(zat, f.z, zd)
		rowDots(zz, zd, zd)
		scale(zz, 2)
	}
	blocks(n, func(lo, hi int) {
		xb, out, xd := head(moved, hi-lo), rowsOf(dst, lo, hi), rowsOf(x.Along, lo, hi)
		t, a, b := head(distances, hi-lo), head(first, hi-lo), second
		f.move(xb, x.Points, lo)
		f.distances(t, xb)
		products(a, xd, f.z, 1)
		if z.Order > 0 {
			b = head(second, hi-lo)
			products(b, xb, zd, 1)
			products(out, xd, zd, 1)
		}
		pass(hi-lo, func(i int) {
			xi, xdi := row(xb, i), row(xd, i)
			j := &jet{t: row(t, i), a: row(a, i), ab: row(out, i), aa: 2 * floats.Dot(xdi, xdi), bb: zz}
			f.towards(j.a, j.t, xi, xdi)
			if z.Order > 0 {
				j.b = row(b, i)
				floats.Sub(j.b, zat) // ⟨x − z_j, ż_j⟩
			}
			k.jet(row(out, i), j, x.Order, z.Order)
		})
	})
}

// jet sets out to a row of derivatives. j has half of t_a and minus half of t_b and t_ab, as products give them.
func (k *radial) jet(out []float64, j *jet, x, z int) {
	scale(j.a, 2)
	if z > 0 {
		scale(j.b, -2)
		scale(j.ab, -2)
	}
	// D₁D₂k of the laplacian kernel is κ′t_ab plus finite terms, and κ′ is −∞ at 0.
	var infinite []int
	if !k.smooth && x == 1 && z == 1 {
		for i, v := range j.t {
			if v == 0 && j.ab[i] != 0 {
				infinite = append(infinite, i)
			}
		}
	}
	signs := make([]float64, len(infinite))
	for i, at := range infinite {
		signs[i] = -j.ab[at]
	}
	j.compose(out, k.profile, x, z)
	for i, at := range infinite {
		out[at] = math.Copysign(math.Inf(1), signs[i])
	}
}

// towards turns the products ⟨z_j, ẋ⟩ in a into ⟨x − z_j, ẋ⟩, given the squared distances d. It forms differences
// first if the points are so near that the products cancel.
func (f *frame) towards(a, d, x, xdot []float64) {
	at := floats.Dot(x, xdot)
	norm := floats.Dot(x, x)
	for j := range a {
		if d[j] <= cancelled*(norm+f.norms[j]) {
			a[j] = alongDifference(x, row(f.z, j), xdot)
			continue
		}
		a[j] = at - a[j]
	}
}

// alongDifference returns ⟨x − z, v⟩.
func alongDifference(x, z, v []float64) float64 {
	var sum float64
	for i, t := range v {
		sum += (x[i] - z[i]) * t
	}
	return sum
}

// Pairs sets dst[i] to k(x_i, z_i) or its derivatives.
func (k *radial) Pairs(dst []float64, x, z Argument) {
	pairShape(dst, x, z)
	if x.Order < z.Order {
		x, z = z, x
	}
	pass(len(dst), func(i int) {
		xi, zi := x.Points.RawRowView(i), z.Points.RawRowView(i)
		j := &jet{t: []float64{squaredDistance(xi, zi)}}
		if x.Order == 0 {
			k.profile.value(j.t)
			dst[i] = j.t[0]
			return
		}
		xd := x.Along.RawRowView(i)
		j.a, j.aa = []float64{alongDifference(xi, zi, xd)}, 2*floats.Dot(xd, xd)
		if z.Order > 0 {
			zd := z.Along.RawRowView(i)
			j.b, j.bb, j.ab = []float64{alongDifference(xi, zi, zd)}, []float64{2 * floats.Dot(zd, zd)}, []float64{floats.Dot(xd, zd)}
		}
		k.jet(dst[i:i+1], j, x.Order, z.Order)
	})
}

// Diag sets dst[i] to k(x_i, x_i) = κ(0).
func (k *radial) Diag(dst []float64, _ *mat.Dense) {
	for i := range dst {
		dst[i] = 0
	}
	k.profile.value(dst)
}
