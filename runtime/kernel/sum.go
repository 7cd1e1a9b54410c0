package kernel

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// A sum is the kernel c₁ Σ_j k_j + c₂ Σ_{j<l} k_j k_l over components. Over all pairs
//
//	Σ_{j<l} k_j k_l = ((Σ_j k_j)² − Σ_j k_j²)/2
//
// so that a value costs no more than its components. Derivatives of products follow by Leibniz's rule from the jets of the
// components: with D of order (p, q) in the two arguments,
//
//	D(k_j k_l) = Σ_{a≤p, b≤q} (p over a)(q over b) D^(a,b)k_j · D^(p−a,q−b)k_l
//
// The sum over all pairs is taken of the jet of Σ_j k_j and of those of k_j in the same way. The space of the kernel is that of the
// functions
//
//	f = Σ_j f_j + Σ_{j<l} f_jl,   ‖f‖² = min Σ_j ‖f_j‖²/c₁ + Σ_{j<l} ‖f_jl‖²/c₂
//
// with norms of the spaces of k_j and k_j k_l.
type sum struct {
	columns    int // of a row
	components []component
	single     float64  // c₁
	pair       float64  // c₂
	every      bool     // all pairs count
	pairs      [][2]int // those that count, where not all do
}

// A component is k_j. It is κ(v − v′) + w·v·v′ of its number v, a category, or of marks m beside a number
//
//	(1 − Σm)(1 − Σm′)(κ(v − v′) + w·v·v′) + ⟨m, m′⟩
//
// Marks are 0 or 1 in data, at most one of them 1. Between these values all is a polynomial in them, so derivatives along them exist.
type component struct {
	at    int   // the column of its number; −1 for a category
	marks []int // the columns of masks, or of a category
	line  univariate
	slope float64 // w of w·v·v′
}

// Parts make up an additive or pairwise kernel: k = Single·Σ_j k_j + Pair·Σ_{j<l} k_j k_l.
type Parts struct {
	Single, Pair float64
	Components   []setting.Component
	Pairs        [][2]int // j < l, ascending; of Additive none
}

// Parts returns what an additive or pairwise kernel consists of, and nil for any other. It lists all pairs.
func (k *Function) Parts() *Parts {
	if k.sum == nil {
		return nil
	}
	p := &Parts{Single: k.sum.single, Pair: k.sum.pair, Components: k.spec.Components, Pairs: k.sum.pairs}
	if k.sum.every {
		for j := range p.Components {
			for l := j + 1; l < len(p.Components); l++ {
				p.Pairs = append(p.Pairs, [2]int{j, l})
			}
		}
	}
	return p
}

// Columns returns how many columns rows have under an additive or pairwise kernel; 0 stands for any number.
func (k *Function) Columns() int {
	if k.sum == nil {
		return 0
	}
	return k.sum.columns
}

// Part returns a part of an additive or pairwise kernel, with its weight: Single·k_j of one component, Pair·k_j·k_l of two. With it in
// place of k, a function Σ_i a_i k(·, z_i) becomes its part f_j or f_jl, with all derivatives. Setting stays that of the whole.
func (k *Function) Part(components ...int) *Function {
	part := &Function{spec: k.spec, sum: &sum{columns: k.sum.columns}}
	for _, j := range components {
		part.sum.components = append(part.sum.components, k.sum.components[j])
	}
	if len(components) == 1 {
		part.sum.single = k.sum.single
	} else {
		part.sum.pair, part.sum.pairs = k.sum.pair, [][2]int{{0, 1}}
	}
	return part
}

// newSum returns the kernel of the components of s. It fails if they are none, or make no kernel.
func newSum(s *setting.Kernel) (*sum, error) {
	if len(s.Components) == 0 {
		return nil, fmt.Errorf("kernel %s: its columns are not known yet; Fixed takes them of the rows", s.Kind)
	}
	out := &sum{single: 1 / float64(len(s.Components))}
	seen := map[int]bool{}
	for i := range s.Components {
		c := &s.Components[i]
		if err := checkComponent(c, seen); err != nil {
			return nil, fmt.Errorf("kernel %s: component %q: %w", s.Kind, c.Name, err)
		}
		made := component{at: -1, marks: c.Columns, line: newUnivariate(&c.Base), slope: c.Linear}
		if c.Kind == setting.Linear {
			made.slope++
		}
		if c.Kind != setting.Category {
			made.at, made.marks = c.Columns[0], c.Columns[1:]
		}
		out.components = append(out.components, made)
	}
	for j := range len(seen) {
		if !seen[j] {
			return nil, fmt.Errorf("kernel %s: no component has column %d of %d", s.Kind, j, len(seen))
		}
	}
	out.columns = len(seen)
	err := out.join(s)
	return out, err
}

// join sets the pairs that count, with their weight. A list must ascend, so that no pair counts twice and equal kernels have equal
// files.
func (s *sum) join(k *setting.Kernel) error {
	d := len(s.components)
	switch {
	case k.Kind == setting.Additive && k.Pairs != nil:
		return errors.New("kernel additive: it has pairs")
	case k.Kind == setting.Additive:
	case k.Pairs == nil:
		s.every = d > 1
		s.pair = 1 / math.Max(1, float64(d)*float64(d-1)/2)
	case len(k.Pairs) == 0:
		return errors.New("kernel pairwise: its list of pairs is empty")
	default:
		for i, p := range k.Pairs {
			if p[0] < 0 || p[0] >= p[1] || p[1] >= d || i > 0 && slices.Compare(k.Pairs[i-1][:], p[:]) >= 0 {
				return fmt.Errorf("kernel pairwise: pair %d, %v of %d components, is out of range or out of order", i, p, d)
			}
		}
		s.pairs, s.pair = k.Pairs, 1/math.Max(1, float64(len(k.Pairs)))
	}
	return nil
}

// checkComponent refuses numbers that make no kernel, and columns that another component has. It adds its own to seen. Components may come
// from a stranger's file: no index is used before it is known to be in range.
func checkComponent(c *setting.Component, seen map[int]bool) error {
	if len(c.Columns) == 0 {
		return errors.New("it has no columns")
	}
	for _, j := range c.Columns {
		if j < 0 || seen[j] {
			return fmt.Errorf("column %d is negative, or another component's", j)
		}
		seen[j] = true
	}
	return checkBase(&c.Base)
}

// checkBase refuses numbers that make no kernel of a component.
func checkBase(c *setting.Base) error {
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	switch c.Kind {
	case setting.Gaussian, setting.Matern32, setting.Matern52, setting.Periodic:
		if !positive(c.Width) || c.OfMedian {
			return fmt.Errorf("width is %g; it must be a positive number", c.Width)
		}
		if c.Kind == setting.Periodic && !positive(c.Period) {
			return fmt.Errorf("period is %g; it must be a positive number", c.Period)
		}
	case setting.Linear, setting.Category:
	case setting.Laplacian, setting.Polynomial, setting.Additive, setting.Pairwise:
		return fmt.Errorf("%q is no kernel of a single column", c.Kind)
	default:
		return fmt.Errorf("kernel %q is unknown", c.Kind)
	}
	if !(c.Linear >= 0) || math.IsInf(c.Linear, 0) || c.Kind == setting.Category && c.Linear != 0 {
		return fmt.Errorf("the linear part has the weight %g; it must not be negative", c.Linear)
	}
	return nil
}

// A table holds the points of one argument by columns, with what the components need of them. It is made once for a matrix, and its
// columns are read in runs, so that loops over points touch numbers that follow each other.
type table struct {
	points [][]float64 // of each column, at all points
	along  [][]float64 // tangents; nil where nothing is derived
	open   [][]float64 // of each component 1 − Σ of its marks; nil where it has none
	closes [][]float64 // the derivatives of open along the tangents
	moves  []bool      // of each component, whether any tangent moves it
}

// table returns the table of an argument.
func (s *sum) table(a *Argument) *table {
	t := &table{points: transposed(a.Points), open: make([][]float64, len(s.components)), moves: make([]bool, len(s.components))}
	if a.Order > 0 {
		t.along, t.closes = transposed(a.Along), make([][]float64, len(s.components))
	}
	for j := range s.components {
		c := &s.components[j]
		if len(c.marks) > 0 {
			t.open[j] = opened(t.points, c.marks, 1)
		}
		if a.Order == 0 {
			continue
		}
		if len(c.marks) > 0 {
			t.closes[j] = opened(t.along, c.marks, 0)
		}
		t.moves[j] = c.at >= 0 && moves(t.along[c.at]) || slices.ContainsFunc(c.marks, func(m int) bool { return moves(t.along[m]) })
	}
	return t
}

// transposed returns the columns of m.
func transposed(m *mat.Dense) [][]float64 {
	n, p := m.Dims()
	all, out := make([]float64, n*p), make([][]float64, p)
	for c := range out {
		out[c] = all[c*n : (c+1)*n]
	}
	for i := range n {
		for c, v := range m.RawRowView(i) {
			out[c][i] = v
		}
	}
	return out
}

// opened returns start less the sum of some columns.
func opened(columns [][]float64, marks []int, start float64) []float64 {
	out := make([]float64, len(columns[marks[0]]))
	for i := range out {
		out[i] = start
	}
	for _, m := range marks {
		for i, v := range columns[m] {
			out[i] -= v
		}
	}
	return out
}

// moves reports whether some number is not 0.
func moves(v []float64) bool {
	return slices.ContainsFunc(v, func(t float64) bool { return t != 0 })
}
