package kernel

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// cancelled is the share of ‖x‖² + ‖z‖² below which ‖x−z‖² is computed from the differences. Above it the products
// lose at most seven of sixteen digits.
const cancelled = 1e-7

// Points of so many columns stay where they are, unless that makes the sum of squared norms farLonger times as large. A copy of them all costs
// more than it spares then.
const (
	wideColumns = 256
	farLonger   = 4
)

// A frame holds the second points of a matrix. For distances it has moved the origin to a mean. That leaves all
// differences as they are. It keeps norms small, and with them cancellation.
type frame struct {
	distances bool
	origin    []float64      // nil where it stays, as it does for inner products
	z         blas64.General // m×p
	norms     []float64      // ‖z_j‖², of distances
}

// newFrame moves the points z to the mean of points, z or others.
func newFrame(z, points *mat.Dense) *frame {
	m, p := z.Dims()
	n, _ := points.Dims()
	f := &frame{distances: true, norms: make([]float64, m)}
	mean, squares := make([]float64, p), 0.0
	for i := range n {
		x := points.RawRowView(i)
		floats.Add(mean, x)
		squares += floats.Dot(x, x)
	}
	// The mean minimizes the sum of squared norms.
	floats.Scale(1/float64(n), mean)
	if least := squares - float64(n)*floats.Dot(mean, mean); p < wideColumns || !(squares <= farLonger*least) {
		f.origin = mean
	}
	f.z = f.see(general(m, p), z, 0, m)
	rowDots(f.norms, f.z, f.z)
	return f
}

// frame returns the frame of the points z for the kernel's number t, with its origin among points.
func (k *Function) frame(z, points *mat.Dense) *frame {
	if k.spec.Radial() {
		return newFrame(z, points)
	}
	m, _ := z.Dims()
	return &frame{z: rowsOf(z, 0, m)}
}

// factor returns that of the inner products in t: −2 of squared distances.
func (f *frame) factor() float64 {
	if f.distances {
		return -2
	}
	return 1
}

// see returns rows lo … hi−1 of x, seen from the frame's origin, in the memory of room if they have to be moved.
func (f *frame) see(room blas64.General, x *mat.Dense, lo, hi int) blas64.General {
	if f.origin == nil {
		return rowsOf(x, lo, hi)
	}
	room = head(room, hi-lo)
	pass(room.Rows, func(i int) { floats.SubTo(row(room, i), x.RawRowView(lo+i), f.origin) })
	return room
}

// finish turns d, the products with z_j for j = from, from+1, …, into t. They are ⟨x, z_j⟩, which is t, or −2⟨x, z_j⟩.
// Distances that cancel are computed anew.
func (f *frame) finish(d, x []float64, norm float64, from int) {
	if !f.distances {
		return
	}
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

// turn makes the products in j derivatives of the squared distance: ⟨x, z_j⟩ of t, ⟨ẋ, z_j⟩ of a, ⟨x, ż_j⟩ of b and
// ⟨ẋ, ż_j⟩ of ab. zat has ⟨z_j, ż_j⟩.
func (f *frame) turn(j *jet, x, xdot, zat []float64) {
	norm, at := floats.Dot(x, x), floats.Dot(x, xdot)
	f.finish(j.t, x, norm, 0)
	for i, d := range j.t {
		a := at - j.a[i]
		// Points so near that the products cancel.
		if d <= cancelled*(norm+f.norms[i]) {
			a = alongDifference(x, row(f.z, i), xdot)
		}
		j.a[i] = 2 * a
	}
	j.aa = 2 * floats.Dot(xdot, xdot)
	if j.b != nil {
		floats.Sub(j.b, zat)
		scale(j.b, -2)
		scale(j.ab, -2)
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
