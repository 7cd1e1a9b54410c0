package anova

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/parallel"
)

// A Function is f(x)_y = Bias_y + Σ_i Coef_iy L_i k(x, z_i) of an additive or pairwise kernel. Marks are the landmarks in the order of
// the rows of Coef: L_i is a value or a derivative.
type Function struct {
	Kernel *kernel.Function
	Marks  []kernel.Argument
	Coef   *mat.Dense // landmarks × m
	Bias   []float64  // m
}

// A Decomposition is f as the sum of a constant, curves and surfaces. Its methods may be called from several goroutines.
type Decomposition struct {
	Constant []float64 // m
	// Pairs are the components of each surface.
	Pairs [][2]int

	f        *Function
	parts    *kernel.Parts
	factors  []*kernel.Function // k_j
	means    [][][]float64      // of each component, order and landmark
	orders   int                // of derivatives of landmarks, 0 among them
	partners [][]int            // of each component those that it has a pair with
}

// binomials are those of Leibniz's rule.
var binomials = [kernel.MostOrder + 1][kernel.MostOrder + 1]float64{{1}, {1, 1}, {1, 2, 1}}

// chunk is how many rows are looked at together.
const chunk = 64

// New takes a function apart, with means over rows (n×p). Weights count rows, and nil means ones. It returns an error for other kernels,
// and ctx's when ctx ends.
func New(ctx context.Context, f *Function, rows *mat.Dense, weight []float64) (*Decomposition, error) {
	parts := f.Kernel.Parts()
	n, _ := rows.Dims()
	marks, highest := 0, 0
	for _, m := range f.Marks {
		k, _ := m.Points.Dims()
		marks, highest = marks+k, max(highest, m.Order)
	}
	coefs, labels := f.Coef.Dims()
	switch {
	case parts == nil:
		return nil, errors.New("the function is no sum over columns: its kernel is neither additive nor pairwise")
	case coefs != marks || labels != len(f.Bias):
		return nil, fmt.Errorf("%d×%d coefficients and %d biases of %d landmarks", coefs, labels, len(f.Bias), marks)
	case weight != nil && len(weight) != n:
		return nil, fmt.Errorf("%d weights of %d rows", len(weight), n)
	}
	d := &Decomposition{f: f, parts: parts, Pairs: parts.Pairs, orders: highest + 1, partners: make([][]int, len(parts.Components))}
	for j := range parts.Components {
		d.factors = append(d.factors, f.Kernel.Part(j))
	}
	for _, p := range parts.Pairs {
		d.partners[p[0]], d.partners[p[1]] = append(d.partners[p[0]], p[1]), append(d.partners[p[1]], p[0])
	}
	if err := d.center(ctx, rows, weight); err != nil {
		return nil, err
	}
	d.constant()
	return d, nil
}

// center sets the means of all factors over rows.
func (d *Decomposition) center(ctx context.Context, rows *mat.Dense, weight []float64) error {
	n, p := rows.Dims()
	total := float64(n)
	if weight != nil {
		total = 0
		for _, w := range weight {
			total += w
		}
	}
	for j := range d.factors {
		mean := make([][]float64, d.orders)
		for lo := 0; lo < n; lo += chunk {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+chunk, n)
			of := d.raw(j, rows.Slice(lo, hi, 0, p).(*mat.Dense)) //nolint:forcetypeassert // a slice of a Dense is one
			for q, table := range of {
				for i := range hi - lo {
					w := 1.0
					if weight != nil {
						w = weight[lo+i]
					}
					mean[q] = addScaled(mean[q], w/total, table.RawRowView(i))
				}
			}
		}
		d.means = append(d.means, mean)
	}
	return nil
}

// addScaled adds a multiple of v to the numbers of to. Nil stands for zeros.
func addScaled(to []float64, by float64, v []float64) []float64 {
	if to == nil {
		to = make([]float64, len(v))
	}
	for i, t := range v {
		to[i] += by * t
	}
	return to
}

// raw returns D^q k_j(x, z_i) at points x, for every order q that landmarks have: points × landmarks. Numbers beyond a landmark's own
// order are 0.
func (d *Decomposition) raw(j int, x *mat.Dense) []*mat.Dense {
	n, _ := x.Dims()
	marks, _ := d.f.Coef.Dims()
	out := make([]*mat.Dense, d.orders)
	for q := range out {
		out[q] = mat.NewDense(n, marks, nil)
	}
	first := 0
	for _, m := range d.f.Marks {
		size, _ := m.Points.Dims()
		for q := range m.Order + 1 {
			part := mat.NewDense(n, size, nil)
			d.factors[j].Derived(part, kernel.At(x), kernel.Argument{Points: m.Points, Along: m.Along, Order: q})
			part.Scale(1/d.parts.Single, part)
			out[q].Slice(0, n, first, first+size).(*mat.Dense).Copy(part) //nolint:forcetypeassert // a slice of a Dense is one
		}
		first += size
	}
	return out
}

// each calls a function for every landmark with its order, in the order of coefficients.
func (f *Function) each(call func(i, order int)) {
	i := 0
	for _, m := range f.Marks {
		size, _ := m.Points.Dims()
		for range size {
			call(i, m.Order)
			i++
		}
	}
}

// constant sets f_0.
func (d *Decomposition) constant() {
	d.Constant = slices.Clone(d.f.Bias)
	d.f.each(func(i, order int) {
		sum := 0.0
		for j := range d.means {
			sum += d.parts.Single * d.means[j][order][i]
		}
		for _, p := range d.Pairs {
			for q := range order + 1 {
				sum += d.parts.Pair * binomials[order][q] * d.means[p[0]][q][i] * d.means[p[1]][order-q][i]
			}
		}
		for y := range d.Constant {
			d.Constant[y] += d.f.Coef.At(i, y) * sum
		}
	})
}

// A Table has what a component is at points: D^q k̃_j for every order q and landmark.
type Table struct {
	component int
	of        []*mat.Dense // points × landmarks
}

// Table returns the table of a component at points, of which it looks at the columns of the component alone.
func (d *Decomposition) Table(j int, x *mat.Dense) *Table {
	t := &Table{component: j, of: d.raw(j, x)}
	n, _ := x.Dims()
	for q, mean := range d.means[j] {
		for i := range n {
			addScaled(t.of[q].RawRowView(i), -1, mean)
		}
	}
	return t
}

// Curve returns f_j at the points of a table: points × m.
func (d *Decomposition) Curve(t *Table) *mat.Dense {
	n, marks := t.of[0].Dims()
	out := mat.NewDense(n, len(d.Constant), nil)
	for q := range d.orders {
		by := mat.NewDense(marks, len(d.Constant), nil)
		d.f.each(func(i, order int) {
			if q > order {
				return
			}
			w := 0.0
			if q == order {
				w = d.parts.Single
			}
			for _, l := range d.partners[t.component] {
				w += d.parts.Pair * binomials[order][q] * d.means[l][order-q][i]
			}
			for y := range d.Constant {
				by.Set(i, y, w*d.f.Coef.At(i, y))
			}
		})
		var part mat.Dense
		part.Mul(t.of[q], by)
		out.Add(out, &part)
	}
	return out
}

// Surface returns label y of f_jl at all points of the tables of j and l: points of j × points of l.
func (d *Decomposition) Surface(a, b *Table, y int) *mat.Dense {
	n, marks := a.of[0].Dims()
	m, _ := b.of[0].Dims()
	out := mat.NewDense(n, m, nil)
	for q := range d.orders {
		for r := range d.orders - q { // the orders q and r of j and l
			left, found := mat.NewDense(n, marks, nil), false
			d.f.each(func(i, order int) {
				if order != q+r {
					return
				}
				found = true
				c := d.parts.Pair * binomials[order][q] * d.f.Coef.At(i, y)
				for k := range n {
					left.Set(k, i, c*a.of[q].At(k, i))
				}
			})
			if found {
				var part mat.Dense
				part.Mul(left, b.of[r].T())
				out.Add(out, &part)
			}
		}
	}
	return out
}

// Values returns all parts at rows: rows × parts·m, labels fastest, curves first and then surfaces in the order of Pairs. It returns ctx's error
// when ctx ends.
func (d *Decomposition) Values(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	n, p := x.Dims()
	m, curves := len(d.Constant), len(d.factors)
	out := mat.NewDense(n, (curves+len(d.Pairs))*m, nil)
	parallel.For(n, chunk, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		part := x.Slice(lo, hi, 0, p).(*mat.Dense) //nolint:forcetypeassert // a slice of a Dense is one
		tables := make([]*Table, curves)
		for j := range tables {
			tables[j] = d.Table(j, part)
			values := d.Curve(tables[j])
			for i := range hi - lo {
				copy(out.RawRowView(lo + i)[j*m:(j+1)*m], values.RawRowView(i))
			}
		}
		for k, pair := range d.Pairs {
			at := (curves + k) * m
			for i := range hi - lo {
				d.along(out.RawRowView(lo + i)[at:at+m], tables[pair[0]], tables[pair[1]], i)
			}
		}
	})
	return out, ctx.Err()
}

// along sets dst to f_jl, all labels, at row i of the tables of j and l.
func (d *Decomposition) along(dst []float64, a, b *Table, i int) {
	first := 0
	for _, mark := range d.f.Marks {
		size, _ := mark.Points.Dims()
		for q := range mark.Order + 1 {
			c := d.parts.Pair * binomials[mark.Order][q]
			one, other := a.of[q].RawRowView(i)[first:first+size], b.of[mark.Order-q].RawRowView(i)[first:first+size]
			for k, v := range one {
				v *= c * other[k]
				for y, coef := range d.f.Coef.RawRowView(first + k) {
					dst[y] += v * coef
				}
			}
		}
		first += size
	}
}
