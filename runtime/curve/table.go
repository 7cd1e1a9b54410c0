package curve

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

const (
	// leastFine is the least number of intervals between fine angles, finePerNode their number per interval between
	// nodes.
	leastFine   = 60
	finePerNode = 5
)

// A Table bounds the largest values of polynomials that are given at N nodes. It is immutable.
//
// One matrix product takes the values at the nodes to those at M + 1 fine angles, h = π/M apart, and to the
// coefficients c_m. With K₂ = Σ m²|c_m| ≥ max |q″| nothing between two fine angles exceeds the larger of their values
// by more than h²K₂/8. If that may be more than the largest fine value, the cubic through values and slopes at both
// ends takes its place. From it q is nowhere farther than h⁴K₄/384, K₄ = Σ m⁴|c_m| ≥ max |q⁗|; with 60 fine angles
// that is 2·10⁻⁸K₄. Rounding errors are not counted here.
type Table struct {
	nodes, fine int
	// matrix is N × (M+1+N): values at the fine angles, then coefficients.
	matrix blas64.General
	// sine is m·sin(mθ_j), row j holding m = 0 … n.
	sine []float64
}

// NewTable returns the table for n ≥ 2 nodes.
func NewTable(n int) *Table { return newTable(n, max(leastFine, finePerNode*(n-1))) }

// newTable returns the table with so many fine intervals.
func newTable(n, fine int) *Table {
	t := &Table{nodes: n, fine: fine, matrix: general(n, fine+1+n), sine: make([]float64, (fine+1)*n)}
	waves := general(fine+1, n) // cos(mθ_j)
	cosines, sines := around(fine), make([]float64, 2*fine)
	for j := range sines {
		sines[j] = math.Sin(math.Pi * float64(j) / float64(fine))
	}
	for j := range fine + 1 {
		for m := range n {
			at := j * m % (2 * fine)
			waves.Data[j*n+m], t.sine[j*n+m] = cosines[at], float64(m)*sines[at]
		}
	}
	values := t.matrix
	values.Cols = fine + 1
	coefficients := coefficientsOf(n)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, coefficients, waves, 0, values)
	for k := range n {
		copy(t.matrix.Data[k*t.matrix.Stride+fine+1:], coefficients.Data[k*n:(k+1)*n])
	}
	return t
}

// half returns 1/2 at the ends of 0 … n, else 1.
func half(k, n int) float64 {
	if k == 0 || k == n {
		return 0.5
	}
	return 1
}

// Nodes returns N.
func (t *Table) Nodes() int { return t.nodes }

// Size returns how many numbers Sup needs as scratch for so many curves.
func (t *Table) Size(curves int) int { return curves * t.matrix.Cols }

// Sup sets dst[i] to a bound from above of max |p_i(λ)| over the whole interval, or of max [p_i(λ)]₊ if oneSided. Row
// i of values (len(dst)×N) holds p_i at the nodes. scratch has Size(len(dst)) numbers.
func (t *Table) Sup(dst []float64, values blas64.General, oneSided bool, scratch []float64) {
	cols := t.matrix.Cols
	out := blas64.General{Rows: len(dst), Cols: cols, Stride: cols, Data: scratch[:t.Size(len(dst))]}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, values, t.matrix, 0, out)
	for i := range dst {
		row := out.Data[i*cols : (i+1)*cols]
		q, c := row[:t.fine+1], row[t.fine+1:]
		if !oneSided {
			dst[i] = t.peak(q, c, largest(q), true)
			continue
		}
		dst[i] = t.peak(q, c, max(0, slices.Max(q)), false)
	}
}

// largest returns the largest absolute value.
func largest(q []float64) float64 {
	top := 0.0
	for _, v := range q {
		if v = math.Abs(v); v > top {
			top = v
		}
	}
	return top
}

// derivatives returns the bounds of the second and the fourth derivative in θ.
func derivatives(c []float64) (k2, k4 float64) {
	for m, x := range c {
		square := float64(m * m)
		x = square * math.Abs(x)
		k2 += x
		k4 += square * x
	}
	return k2, k4
}

// peak bounds q from above, or |q| if both signs count. It returns at least floor, the largest fine value.
func (t *Table) peak(q, c []float64, floor float64, both bool) float64 {
	k2, k4 := derivatives(c)
	h := math.Pi / float64(t.fine)
	best, near := floor, floor-h*h/8*k2
	rest := h * h * h * h / 384 * k4
	next := 0 // the first interval that was not looked at
	for j, v := range q {
		if v <= near && (!both || v >= -near) {
			continue
		}
		for i := max(j-1, next); i <= j && i < t.fine; i++ {
			v0, v1 := q[i], q[i+1]
			d0, d1 := h*t.slope(c, i), h*t.slope(c, i+1)
			if v0 > near || v1 > near {
				best = max(best, rest+cubicTop(v0, v1, d0, d1))
			}
			if both && (v0 < -near || v1 < -near) {
				best = max(best, rest+cubicTop(-v0, -v1, -d0, -d1))
			}
			next = i + 1
		}
	}
	return best
}

// slope returns q′ at a fine angle.
func (t *Table) slope(c []float64, j int) float64 {
	sum := 0.0
	for m, s := range t.sine[j*t.nodes : (j+1)*t.nodes] {
		sum -= c[m] * s
	}
	return sum
}

// cubicTop returns the largest value on [0, 1] of the cubic with values v0, v1 and slopes d0, d1 at the ends.
func cubicTop(v0, v1, d0, d1 float64) float64 {
	top := max(v0, v1)
	rise := v1 - v0
	a, b := 3*rise-2*d0-d1, d0+d1-2*rise // v0 + d0 s + a s² + b s³
	at := func(s float64) {
		if s > 0 && s < 1 {
			top = max(top, v0+s*(d0+s*(a+s*b)))
		}
	}
	root := a*a - 3*b*d0
	if root < 0 {
		return top
	}
	// The roots of d0 + 2a s + 3b s², without cancellation.
	w := -(a + math.Copysign(math.Sqrt(root), a))
	if w != 0 {
		at(d0 / w)
	}
	if b != 0 {
		at(w / (3 * b))
	}
	return top
}
