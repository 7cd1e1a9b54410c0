package blas

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// leafOfConquest is the order of the tridiagonal matrices that are not divided.
const leafOfConquest = 32

// conquest is the eigendecomposition of a tridiagonal matrix by divide and conquer (Cuppen 1981). Vectors are rows,
// so that they are contiguous.
type conquest struct {
	n    int
	d, e []float64
	// z is n × n: the vectors of the parts so far.
	z     []float64
	spare []float64
}

// conquer returns the eigenvectors of the tridiagonal matrix of d and e, a vector a row. It writes the eigenvalues,
// ascending, to w.
func conquer(d, e, w []float64) (z []float64, ok bool) {
	n := len(d)
	c := &conquest{n: n, d: w[:n], e: e, z: make([]float64, n*n), spare: make([]float64, n*n)}
	copy(c.d, d)
	ok = c.solve(0, n)
	return c.z, ok
}

// solve decomposes rows lo … hi−1. It tears the matrix in two,
//
//	T = diag(T₁, T₂) + |e| u uᵀ,  u = (0, …, 1, ±1, …, 0),
//
// and merges the decompositions of the parts.
func (c *conquest) solve(lo, hi int) bool {
	if hi-lo <= leafOfConquest {
		return c.leaf(lo, hi)
	}
	mid := (lo + hi) / 2
	e := c.e[mid-1]
	// u uᵀ adds |e| to both diagonal elements at the tear.
	c.d[mid-1] -= math.Abs(e)
	c.d[mid] -= math.Abs(e)
	if !c.solve(lo, mid) || !c.solve(mid, hi) {
		return false
	}
	c.merge(lo, mid, hi, e)
	return true
}

// leaf decomposes a small part by implicit QR.
func (c *conquest) leaf(lo, hi int) bool {
	n := hi - lo
	var z [leafOfConquest * leafOfConquest]float64
	var e, work [2 * leafOfConquest]float64
	copy(e[:], c.e[lo:hi-1])
	if !(gonum.Implementation{}).Dsteqr(lapack.EVTridiag, n, c.d[lo:hi], e[:max(n-1, 1)], z[:], n, work[:]) {
		return false
	}
	for i := range n {
		for j := range n {
			// LAPACK's vectors are columns.
			c.z[(lo+i)*c.n+lo+j] = z[j*n+i]
		}
	}
	return true
}

// support says in which of two parts a vector has elements that are not zero.
type support uint8

const (
	inFirst support = iota
	inBoth
	inSecond
)

// merging is the problem D + ρ z zᵀ of two parts, whose eigenvectors turn those of the parts into those of the whole.
type merging struct {
	*conquest
	lo, mid, hi int
	rho         float64
	// z is by row of the part.
	z       []float64
	support []support
	// order has rows lo … hi−1 by ascending d.
	order []int
	// kept are rows that the rank-one term changes, given those that it does not.
	kept, given []int
}

// merge joins the decompositions of rows lo … mid−1 and mid … hi−1, which e had coupled.
func (c *conquest) merge(lo, mid, hi int, e float64) {
	// Nothing was torn: the parts only need sorting.
	if e == 0 {
		c.arrange(lo, hi, nil, nil)
		return
	}
	n := hi - lo
	m := &merging{conquest: c, lo: lo, mid: mid, hi: hi, rho: 2 * math.Abs(e), z: make([]float64, n), support: make([]support, n), order: make([]int, n)}
	for i := range n {
		m.order[i] = i
		if lo+i < mid {
			// z = Qᵀu/√2 has the last elements of the first part's vectors and the first ones of the second's, and ρ
			// = 2|e| makes up for √2.
			m.z[i] = c.z[(lo+i)*c.n+mid-1] / math.Sqrt2
			continue
		}
		m.z[i], m.support[i] = math.Copysign(1, e)*c.z[(lo+i)*c.n+mid]/math.Sqrt2, inSecond
	}
	d := c.d[lo:hi]
	slices.SortStableFunc(m.order, func(i, j int) int { return cmp.Compare(d[i], d[j]) })
	m.deflate()
	roots, vectors := m.secular()
	m.multiply(vectors)
	getBack(vectors)
	c.arrange(lo, hi, m.kept, roots)
}

// getBack frees a buffer; nil means that there is none.
func getBack(b *buffer[float64]) {
	if b != nil {
		b.free()
	}
}

// deflate finds the rows that the rank-one term leaves alone. These have a small z, or their d is so close to another
// that a rotation makes their z zero. Both change T by less than the tolerance (Dongarra and Sorensen 1987).
func (m *merging) deflate() {
	d, n := m.d[m.lo:m.hi], m.hi-m.lo
	most := 0.0
	for i := range n {
		most = max(most, math.Abs(d[i]), math.Abs(m.z[i]))
	}
	const eps = 0x1p-53
	tolerance := 8 * eps * most
	// last is the kept row of the largest d so far, which the next row may still deflate.
	last := -1
	for _, i := range m.order {
		if m.rho*math.Abs(m.z[i]) <= tolerance {
			m.given = append(m.given, i)
			continue
		}
		if last >= 0 {
			s, c := m.z[last], m.z[i]
			size := math.Hypot(s, c)
			s, c = -s/size, c/size
			if math.Abs((d[i]-d[last])*c*s) <= tolerance {
				m.rotate(last, i, c, s, size)
				m.given = append(m.given, last)
				last = i
				continue
			}
			m.kept = append(m.kept, last)
		}
		last = i
	}
	if last >= 0 {
		m.kept = append(m.kept, last)
	}
}

// rotate turns two rows so that the z of the first is zero.
func (m *merging) rotate(p, q int, c, s, size float64) {
	m.z[p], m.z[q] = 0, size
	if m.support[p] != m.support[q] {
		m.support[p], m.support[q] = inBoth, inBoth
	}
	d := m.d[m.lo:m.hi]
	d[p], d[q] = d[p]*c*c+d[q]*s*s, d[p]*s*s+d[q]*c*c
	x, y := m.row(p), m.row(q)
	for j, v := range x {
		x[j], y[j] = c*v+s*y[j], c*y[j]-s*v
	}
}

// row returns the vector of row i of the part, on the columns of the part.
func (m *merging) row(i int) []float64 { return m.conquest.z[(m.lo+i)*m.n+m.lo:][:m.hi-m.lo] }

// multiply replaces the kept vectors by their combinations; vectors holds the coefficients, a vector a row. Vectors
// of one part are zero in the other, so each half takes part in two products of half the size.
func (m *merging) multiply(vectors *buffer[float64]) {
	k := len(m.kept)
	if k == 0 {
		return
	}
	group := make([]int, 0, k) // positions in kept, by support
	var ends [3]int
	for s := inFirst; s <= inSecond; s++ {
		for p, i := range m.kept {
			if m.support[i] == s {
				group = append(group, p)
			}
		}
		ends[s] = len(group)
	}
	coefficients, old := getBuffer[float64](k*k), getBuffer[float64](k*max(m.mid-m.lo, m.hi-m.mid))
	defer coefficients.free()
	defer old.free()
	for r := range k {
		from, to := vectors.data[r*k:][:k], coefficients.data[r*k:][:k]
		for q, p := range group {
			to[q] = from[p]
		}
	}
	level3 := blas64.Implementation()
	half := func(first, last, from, to int) {
		wide := to - from
		for q := first; q < last; q++ {
			copy(old.data[(q-first)*wide:][:wide], m.conquest.z[(m.lo+m.kept[group[q]])*m.n+from:])
		}
		out := m.spare[m.lo*m.n+from:]
		level3.Dgemm(blas.NoTrans, blas.NoTrans, k, wide, last-first, 1, coefficients.data[first:], k, old.data, max(wide, 1), 0, out, m.n)
	}
	// Vectors of the first part and of both have elements in the first half's columns, those of both and of the
	// second in the others.
	half(0, ends[inBoth], m.lo, m.mid)
	half(ends[inFirst], k, m.mid, m.hi)
	for r, i := range m.kept {
		copy(m.row(i), m.spare[(m.lo+r)*m.n+m.lo:][:m.hi-m.lo])
	}
}

// arrange sorts the vectors of rows lo … hi−1 by their eigenvalues, which are roots for the kept rows.
func (c *conquest) arrange(lo, hi int, kept []int, roots []float64) {
	d, n := c.d[lo:hi], hi-lo
	for r, i := range kept {
		d[i] = roots[r]
	}
	order, sorted := make([]int, n), make([]float64, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(d[i], d[j]) })
	for to, from := range order {
		sorted[to] = d[from]
		copy(c.spare[(lo+to)*c.n+lo:][:n], c.z[(lo+from)*c.n+lo:][:n])
	}
	copy(d, sorted)
	for i := lo; i < hi; i++ {
		copy(c.z[i*c.n+lo:][:n], c.spare[i*c.n+lo:][:n])
	}
}
