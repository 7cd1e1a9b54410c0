package kernel

import (
	"math"

	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// cancelled is the share of ‖x‖² + ‖z‖² below which ‖x−z‖² is computed from the differences: above it the products
// lose at most seven of sixteen digits.
const cancelled = 1e-7

// radial is κ(‖x − x′‖²).
type radial struct {
	spec    Spec
	profile profile
	smooth  bool
}

func (k *radial) Spec() Spec           { return k.spec }
func (k *radial) Differentiable() bool { return k.smooth }

// A frame holds the second points of a matrix with the origin moved to their mean, which leaves all differences alone
// and keeps norms, and so cancellation, small.
type frame struct {
	origin []float64
	z      blas64.General // m×p
	norms  []float64      // ‖z_j‖²
}

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
	floats.Scale(1/float64(m), f.origin)
	f.move(f.z, z, 0)
	rowDots(f.norms, f.z, f.z)
	return f
}

// move sets dst to the rows of x from lo on, seen from the frame's origin.
func (f *frame) move(dst blas64.General, x *mat.Dense, lo int) {
	pass(dst.Rows, func(i int) { floats.SubTo(row(dst, i), x.RawRowView(lo+i), f.origin) })
}

// distances sets dst to ‖x_i − z_j‖² for the moved points x.
func (f *frame) distances(dst, x blas64.General) {
	products(dst, x, f.z, -2)
	pass(x.Rows, func(i int) {
		xi := row(x, i)
		f.finish(row(dst, i), xi, floats.Dot(xi, xi), 0)
	})
}

// finish turns d, −2⟨x, z_j⟩ for j = from, from+1, …, into ‖x − z_j‖².
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

func squaredDistance(a, b []float64) float64 {
	var sum float64
	for i, v := range a {
		d := v - b[i]
		sum += d * d
	}
	return sum
}

func (k *radial) Matrix(dst, x, z *mat.Dense) {
	if !shape(dst, x, nil, z, nil) {
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

// values sets out to κ(‖x_i − z_j‖²) for moved points x of the given squared norms. Distances and κ are computed piece by
// piece, while the products are in the cache. If symmetric is set, x is z, and one half is computed and copied.
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

func (k *radial) Directional(dst, x, xdot, z *mat.Dense) {
	if !shape(dst, x, xdot, z, nil) {
		return
	}
	n, p := x.Dims()
	f := newFrame(z)
	m := f.z.Rows
	moved, along := scratch(n, p), scratch(n, m)
	blocks(n, func(lo, hi int) {
		xb, ab, out := head(moved, hi-lo), head(along, hi-lo), rowsOf(dst, lo, hi)
		f.move(xb, x, lo)
		f.distances(out, xb)
		products(ab, rowsOf(xdot, lo, hi), f.z, 1)
		pass(hi-lo, func(i int) {
			o, a, xi, ti := row(out, i), row(ab, i), row(xb, i), xdot.RawRowView(lo+i)
			f.towards(a, o, xi, ti)
			k.profile.slope(o)
			for j := range o {
				o[j] *= 2 * a[j]
			}
		})
	})
}

// towards turns the products ⟨z_j, ẋ⟩ in a into ⟨x − z_j, ẋ⟩, given the squared distances d.
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

// alongDifference is ⟨x − z, v⟩.
func alongDifference(x, z, v []float64) float64 {
	var sum float64
	for i, t := range v {
		sum += (x[i] - z[i]) * t
	}
	return sum
}

func (k *radial) Mixed(dst, x, xdot, z, zdot *mat.Dense) {
	if !shape(dst, x, xdot, z, zdot) {
		return
	}
	n, p := x.Dims()
	f := newFrame(z)
	m := f.z.Rows
	zd := rowsOf(zdot, 0, m)
	zat := make([]float64, m) // ⟨z_j, ż_j⟩
	rowDots(zat, f.z, zd)
	moved, first, second, slope := scratch(n, p), scratch(n, m), scratch(n, m), scratch(n, m)
	blocks(n, func(lo, hi int) {
		xb, out, xd := head(moved, hi-lo), rowsOf(dst, lo, hi), rowsOf(xdot, lo, hi)
		a, b, s := head(first, hi-lo), head(second, hi-lo), head(slope, hi-lo)
		f.move(xb, x, lo)
		f.distances(s, xb)
		products(a, xd, f.z, 1)
		products(b, xb, zd, 1)
		products(out, xd, zd, 1)
		pass(hi-lo, func(i int) {
			ai, bi, si := row(a, i), row(b, i), row(s, i)
			f.towards(ai, si, row(xb, i), row(xd, i))
			for j := range bi {
				bi[j] -= zat[j] // ⟨x − z_j, ż_j⟩
			}
			k.mixedRow(row(out, i), si, ai, bi)
		})
	})
}

// mixedRow turns the products ⟨ẋ, ż_j⟩ in out into D₁D₂k, given ‖δ‖² in d, ⟨δ, ẋ⟩ in a and ⟨δ, ż⟩ in b, δ = x − z_j. It
// overwrites d, a and b.
func (k *radial) mixedRow(out, d, a, b []float64) {
	for j := range a {
		a[j] *= b[j]
		if !k.smooth && d[j] == 0 && out[j] != 0 {
			out[j] = math.Inf(sign(out[j]))
		}
	}
	copy(b, d)
	k.profile.slope(d)
	k.profile.curve(b)
	for j := range out {
		if math.IsInf(out[j], 0) {
			continue
		}
		out[j] = -2*d[j]*out[j] - 4*b[j]*a[j]
	}
}

func sign(v float64) int {
	if v < 0 {
		return -1
	}
	return 1
}

func (k *radial) Pairs(dst []float64, x, xdot, z, zdot *mat.Dense) {
	pairShape(dst, x, xdot, z, zdot)
	pass(len(dst), func(i int) {
		xi, zi := x.RawRowView(i), z.RawRowView(i)
		d := []float64{squaredDistance(xi, zi)}
		switch {
		case xdot == nil && zdot == nil:
			k.profile.value(d)
			dst[i] = d[0]
		case zdot == nil:
			k.profile.slope(d)
			dst[i] = 2 * d[0] * alongDifference(xi, zi, xdot.RawRowView(i))
		case xdot == nil:
			k.profile.slope(d)
			dst[i] = -2 * d[0] * alongDifference(xi, zi, zdot.RawRowView(i))
		default:
			xd, zd := xdot.RawRowView(i), zdot.RawRowView(i)
			out := []float64{floats.Dot(xd, zd)}
			k.mixedRow(out, d, []float64{alongDifference(xi, zi, xd)}, []float64{alongDifference(xi, zi, zd)})
			dst[i] = out[0]
		}
	})
}

func (k *radial) Diag(dst []float64, _ *mat.Dense) {
	for i := range dst {
		dst[i] = 0
	}
	k.profile.value(dst)
}
