package kernel

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

// jetSize is how many derivatives a jet has in each argument, order 0 among them.
const jetSize = MostOrder + 1

// binomials are those of Leibniz's rule.
var binomials = [jetSize][jetSize]float64{{1}, {1, 1}, {1, 2, 1}}

// A lineJet holds the derivatives of a function of two points, at a row and a chunk of second points. [p][q] is that of order p in the
// first point and of order q in the second. Orders are at most first and second; all higher derivatives are 0.
type lineJet struct {
	of            [jetSize][jetSize][]float64
	first, second int
}

// A deriver holds the jets of a row between one component and the next. With S the jet of Σ_j k_j, and D of the orders asked for,
//
//	D Σ_{j<l} k_j k_l = (D(S²) − Σ_j D(k_j²))/2
//
// needs the jet of one component at a time. A list of pairs needs those of all.
type deriver struct {
	kappa [][]float64 // the derivatives of a univariate
	r     []float64
	sums  lineJet
	last  []float64 // Σ_j D(k_j²), or Σ D(k_j k_l) over the pairs listed
	all   []lineJet // of each component where pairs are listed, else one
}

// newDeriver makes room for a chunk of so many points.
func (s *sum) newDeriver(size, first, second int) *deriver {
	jets := 1
	if s.pairs != nil {
		jets = len(s.components)
	}
	orders := (first + 1) * (second + 1)
	room := cut(make([]float64, (first+second+3+orders*(jets+1))*size), size)
	d := &deriver{kappa: room[: first+second+1 : first+second+1], r: room[first+second+1], last: room[first+second+2], all: make([]lineJet, jets)}
	room = room[first+second+3:]
	for i := range jets + 1 {
		j := &d.sums
		if i > 0 {
			j = &d.all[i-1]
		}
		j.first, j.second = first, second
		for o, numbers := range room[:orders] {
			j.of[o/(second+1)][o%(second+1)] = numbers
		}
		room = room[orders:]
	}
	return d
}

// derive sets dst (n×m) to k(x_i, z_j), derived in both arguments as often as they ask for.
func (s *sum) derive(dst *mat.Dense, x, z Argument) {
	n, p := x.Points.Dims()
	m, _ := z.Points.Dims()
	t := s.table(&z)
	parallel.For(n, passRows, func(lo, hi int) {
		d, still := s.newDeriver(min(chunk, m), x.Order, z.Order), make([]float64, p)
		for from := 0; from < m; from += chunk {
			for i := lo; i < hi; i++ {
				along := still
				if x.Order > 0 {
					along = x.Along.RawRowView(i)
				}
				s.deriveRow(dst.RawRowView(i)[from:min(from+chunk, m)], d, x.Points.RawRowView(i), along, t, from)
			}
		}
	})
}

// deriveRow sets dst to the derivatives of k at a row and the points of a table from the given one on.
func (s *sum) deriveRow(dst []float64, d *deriver, x, along []float64, t *table, from int) {
	size, top := len(dst), &d.sums
	for p := range top.first + 1 {
		for q := range top.second + 1 {
			clear(top.of[p][q])
		}
	}
	last := d.last[:size]
	clear(last)
	for j := range s.components {
		own := &d.all[0]
		if s.pairs != nil {
			own = &d.all[j]
		}
		s.components[j].jet(own, d, x, along, t, j, from, size)
		for p := range own.first + 1 {
			for q := range own.second + 1 {
				add(top.of[p][q][:size], own.of[p][q])
			}
		}
		if s.every {
			leibniz(last, own, own, top.first, top.second)
		}
	}
	for _, p := range s.pairs {
		leibniz(last, &d.all[p[0]], &d.all[p[1]], top.first, top.second)
	}
	singles := top.of[top.first][top.second][:size]
	if !s.every {
		for i := range dst {
			dst[i] = s.single*singles[i] + s.pair*last[i]
		}
		return
	}
	clear(dst)
	leibniz(dst, top, top, top.first, top.second)
	for i := range dst {
		dst[i] = s.single*singles[i] + s.pair*0.5*(dst[i]-last[i])
	}
}

// add adds v to the numbers of to.
func add(to, v []float64) {
	for i, t := range v[:len(to)] {
		to[i] += t
	}
}

// leibniz adds the derivative of these orders of a product to dst. Where a factor's jet ends early, its higher derivatives are 0. Where a
// tangent moves only one of two components, few of the terms are left: a slope of their product is
//
//	D₁(k_j k_l) = (D₁k_j) k_l
func leibniz(dst []float64, a, b *lineJet, first, second int) {
	for p := max(0, first-b.first); p <= min(first, a.first); p++ {
		for q := max(0, second-b.second); q <= min(second, a.second); q++ {
			c := binomials[first][p] * binomials[second][q]
			one, other := a.of[p][q][:len(dst)], b.of[first-p][second-q][:len(dst)]
			for i := range dst {
				dst[i] += c * (one[i] * other[i])
			}
		}
	}
}

// jet sets its result to the jet of k_j at a row, along a tangent, and at some points of a table.
func (c *component) jet(to *lineJet, d *deriver, x, along []float64, t *table, j, from, size int) {
	// A component that no tangent moves has no derivatives, so that a slope along one column costs little more than a value.
	to.first, to.second = 0, 0
	if c.moved(along) {
		to.first = d.sums.first
	}
	if t.moves[j] {
		to.second = d.sums.second
	}
	for p := range to.first + 1 {
		for q := range to.second + 1 {
			clear(to.of[p][q])
		}
	}
	if c.at >= 0 {
		c.lineJet(to, d, x[c.at], along[c.at], t, from, size)
		if c.slope > 0 {
			to.addProduct(c.slope, x[c.at], along[c.at], t.line(c.at, from, size))
		}
	}
	if len(c.marks) == 0 {
		return
	}
	open := moving{at: t.open[j][from:][:size]}
	if t.closes != nil {
		open.along = t.closes[j][from:][:size]
	}
	own, closing := c.open(x, 1), c.open(along, 0)
	if c.at >= 0 {
		to.multiply(own, closing, open, size)
	} else {
		to.addProduct(1, own, closing, open)
	}
	for _, m := range c.marks {
		if x[m] != 0 || along[m] != 0 {
			to.addProduct(1, x[m], along[m], t.line(m, from, size))
		}
	}
}

// moved reports whether a tangent moves the component.
func (c *component) moved(along []float64) bool {
	if c.at >= 0 && along[c.at] != 0 {
		return true
	}
	for _, m := range c.marks {
		if along[m] != 0 {
			return true
		}
	}
	return false
}

// A moving number has a value and a tangent at each of some points; nil stands for tangents of 0.
type moving struct{ at, along []float64 }

// line returns a column of a table at so many points from the given one on.
func (t *table) line(column, from, size int) moving {
	m := moving{at: t.points[column][from:][:size]}
	if t.along != nil {
		m.along = t.along[column][from:][:size]
	}
	return m
}

// lineJet sets its result to the jet of the univariate: (ẋ)^p(−ż)^q κ^(p+q)(x − z).
func (c *component) lineJet(to *lineJet, d *deriver, x, along float64, t *table, from, size int) {
	if c.line == nil {
		return
	}
	z, r := t.line(c.at, from, size), d.r[:size]
	for i, v := range z.at {
		r[i] = x - v
	}
	kappa := d.kappa[:to.first+to.second+1]
	for m := range kappa {
		kappa[m] = kappa[m][:size]
	}
	c.line.fill(kappa, r)
	power := 1.0
	for p := range to.first + 1 {
		for q := range to.second + 1 {
			out := to.of[p][q][:size]
			for i, v := range kappa[p+q] {
				switch v *= power; q {
				case 1:
					v *= -z.along[i]
				case 2:
					v *= z.along[i] * z.along[i]
				}
				out[i] = v
			}
		}
		power *= along
	}
	for m := range kappa {
		kappa[m] = kappa[m][:cap(kappa[m])]
	}
}

// addProduct adds the jet of weight·x·z, where x moves along a tangent and z along its own. It has no derivatives beyond the first in each:
//
//	[0][0] += wxz,   [1][0] += wẋz,   [0][1] += wxż,   [1][1] += wẋż
func (j *lineJet) addProduct(weight, x, along float64, z moving) {
	factors := [...]float64{x, along}
	for p, factor := range factors[:min(j.first, 1)+1] {
		for q := range min(j.second, 1) + 1 {
			other := z.at
			if q == 1 {
				other = z.along
			}
			out := j.of[p][q][:len(other)]
			for i, v := range other {
				out[i] += weight * (factor * v)
			}
		}
	}
}

// multiply multiplies the jet by that of x·z, where x moves along a tangent and z along its own. By Leibniz's rule, as x·z has no second
// derivative in either,
//
//	[p][q] ← xz[p][q] + pẋz[p−1][q] + qxż[p][q−1] + pqẋż[p−1][q−1]
func (j *lineJet) multiply(x, along float64, z moving, size int) {
	for p := j.first; p >= 0; p-- {
		for q := j.second; q >= 0; q-- { // the highest first, as it needs the lower ones as they were
			out := j.of[p][q][:size]
			for i := range out {
				v := x * z.at[i] * out[i]
				if p > 0 {
					v += float64(p) * along * z.at[i] * j.of[p-1][q][i]
				}
				if q > 0 {
					v += float64(q) * x * z.along[i] * j.of[p][q-1][i]
				}
				if p > 0 && q > 0 {
					v += float64(p*q) * along * z.along[i] * j.of[p-1][q-1][i]
				}
				out[i] = v
			}
		}
	}
}
