package kernel

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/parallel"
)

// chunk is how many second points are looked at together: their numbers stay in the cache while all components pass.
const chunk = 256

// A valuer holds the numbers of a row of values, between one component and the next. It is made once for some rows, so that no number
// is allocated for an element of the matrix:
//
//	sums    Σ_j k_j          square   Σ_j k_j²          all   k_1, …, k_d, where pairs are listed
type valuer struct {
	to     [][]float64 // the values of one component, as univariate takes them
	r      []float64
	sums   []float64
	square []float64
	all    [][]float64 // the values of each component, where pairs are listed
}

// newValuer makes room for a chunk of so many points.
func (s *sum) newValuer(size int) *valuer {
	rows := 4
	if s.pairs != nil {
		rows += len(s.components)
	}
	room := cut(make([]float64, rows*size), size)
	return &valuer{to: room[:1:1], r: room[1], sums: room[2], square: room[3], all: room[4:]}
}

// cut cuts numbers into rows of one length.
func cut(numbers []float64, size int) [][]float64 {
	rows := make([][]float64, len(numbers)/size)
	for i := range rows {
		rows[i] = numbers[i*size : (i+1)*size : (i+1)*size]
	}
	return rows
}

// matrix sets dst (n×m) to k(x_i, z_j). Where x is z, it computes one half and copies it. All components are symmetric to the last bit,
// so that the bits are those of two equal sets.
func (s *sum) matrix(dst, x, z *mat.Dense) {
	n, _ := x.Dims()
	m, _ := z.Dims()
	points := At(z)
	t := s.table(&points)
	out := rowsOf(dst, 0, n)
	parallel.For(n, passRows, func(lo, hi int) {
		v := s.newValuer(min(chunk, m))
		for from := 0; from < m; from += chunk {
			for i := lo; i < hi; i++ {
				to := min(from+chunk, m)
				if x == z {
					to = min(to, i+1)
				}
				if from < to {
					s.values(row(out, i)[from:to], v, x.RawRowView(i), t, from)
				}
			}
		}
	})
	if x == z {
		parallel.For(n, passRows, func(lo, hi int) { mirror(out, lo, 0, hi-lo, hi) })
	}
}

// values sets dst to k at a row and the points of a table from the given one on. Each component passes over the chunk, and is forgotten
// where all pairs count.
func (s *sum) values(dst []float64, v *valuer, x []float64, t *table, from int) {
	clear(v.sums)
	clear(v.square)
	sums, square := v.sums[:len(dst)], v.square[:len(dst)]
	for j := range s.components {
		c, into := &s.components[j], v.to[0]
		if s.pairs != nil {
			into = v.all[j]
		} else if line, ok := c.line.(gaussianLine); ok && c.slope == 0 && len(c.marks) == 0 {
			// Most components are of this kind, and need no pass for each step.
			blas.AddGaussian(sums, square, t.points[c.at][from:][:len(dst)], x[c.at], line.exponent())
			continue
		}
		into = into[:len(dst)]
		c.value(into, v, x, t, j, from)
		for i, k := range into {
			sums[i] += k
			square[i] += float64(k * k) // rounded by itself, as in blas.AddGaussian
		}
	}
	switch {
	case s.every:
		// The difference of squares is of order d²; it loses the digits of d² rounding errors at most.
		for i := range dst {
			dst[i] = s.single*sums[i] + s.pair*0.5*(sums[i]*sums[i]-square[i])
		}
		return
	case s.pairs != nil:
		clear(square)
		for _, p := range s.pairs {
			one, other := v.all[p[0]], v.all[p[1]][:len(square)]
			for i := range square {
				square[i] += one[i] * other[i]
			}
		}
	default:
		clear(square)
	}
	for i := range dst {
		dst[i] = s.single*sums[i] + s.pair*square[i]
	}
}

// value sets k to k_j at a row and the points of a table from the given one on.
func (c *component) value(k []float64, v *valuer, x []float64, t *table, j, from int) {
	if c.at >= 0 {
		number, points := x[c.at], t.points[c.at][from:][:len(k)]
		switch line := c.line.(type) {
		case nil:
			clear(k)
		case gaussianLine: // their squares are of no use here
			clear(k)
			blas.AddGaussian(k, v.r[:len(k)], points, number, line.exponent())
		default:
			r := v.r[:len(k)]
			for i, z := range points {
				r[i] = number - z
			}
			own := v.to[0]
			v.to[0] = k
			line.fill(v.to, r)
			v.to[0] = own
		}
		if c.slope > 0 {
			for i, z := range points {
				k[i] += c.slope * (number * z)
			}
		}
	}
	if len(c.marks) == 0 {
		return
	}
	open, others := c.open(x, 1), t.open[j][from:][:len(k)]
	for i, o := range others {
		if c.at >= 0 {
			k[i] *= open * o
		} else {
			k[i] = open * o
		}
	}
	for _, m := range c.marks {
		// Rows have one mark at most, whatever the number of texts.
		if mark := x[m]; mark != 0 {
			for i, z := range t.points[m][from:][:len(k)] {
				k[i] += mark * z
			}
		}
	}
}

// open returns start less the sum of the marks of a row.
func (c *component) open(x []float64, start float64) float64 {
	for _, m := range c.marks {
		start -= x[m]
	}
	return start
}

// diag sets dst[i] to k(x_i, x_i). It is 1/d for each component of a number in its place, so at most 2 without linear parts.
func (s *sum) diag(dst []float64, x *mat.Dense) {
	own := make([]float64, len(s.components))
	for i := range dst {
		point := x.RawRowView(i)
		var sums, square, listed float64
		for j := range s.components {
			own[j] = s.components[j].same(point)
			sums += own[j]
			square += own[j] * own[j]
		}
		if s.every {
			listed = 0.5 * (sums*sums - square)
		}
		for _, p := range s.pairs {
			listed += own[p[0]] * own[p[1]]
		}
		dst[i] = s.single*sums + s.pair*listed
	}
}

// same returns k_j(x, x).
func (c *component) same(x []float64) float64 {
	k := 1.0
	if c.at >= 0 {
		if c.line == nil {
			k = 0
		}
		k += c.slope * (x[c.at] * x[c.at])
	}
	if len(c.marks) > 0 {
		open := c.open(x, 1)
		k *= open * open
		for _, m := range c.marks {
			k += x[m] * x[m]
		}
	}
	return k
}
