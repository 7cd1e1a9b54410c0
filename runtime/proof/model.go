package proof

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// A Model is the function of stored numbers that statements are decided about,
//
//	f(x)_y = Bias_y + Σ_i Coef_i,y L_i k(·, z_i),   k(x, x') = Σ_g w_g Π_{j ∈ g} k_j(x, x').
//
// L_i is the value at z_i, or a derivative there. An additive kernel has products of one component, and a pairwise kernel also products
// of two. A full Gaussian kernel has one product of all columns.
type Model struct {
	Columns    int // p
	Bias       []float64
	Components []Component
	Products   []Product
	Landmarks  []Landmark
	Coef       [][]float64 // a row for each landmark, as long as Bias
}

// A Product is w·Π k_j over some components, no two of which have a column in common.
type Product struct {
	Weight float64
	Of     []int
}

// A Component is a factor that depends on few columns:
//
//	k_j(x, x') = N N' κ(v, v') + ⟨m, m'⟩,   N = 1 − Σ m,
//
// v being the column Value and m the columns Masks, which are 1 at gaps. Without masks it is κ. Without a number (Value < 0) κ is 1, and
// masks are the columns of categories: k_j is then 1 where categories are equal and 0 elsewhere.
type Component struct {
	Value int
	Masks []int
	Base  Base
}

// A Base is κ, a kernel in one variable. With t = v − v' it is Slope·v v' plus one of
//
//	Gaussian   exp(−t²/2s²)                             s = Width
//	Matern32   (1 + r) e^−r                             r = √3|t|/Width
//	Matern52   (1 + r + r²/3) e^−r                      r = √5|t|/Width
//	Periodic   exp(−2 sin²(πt/Period)/(ω Width)²)       ω = 2π/Period
//	Linear     v v'
type Base struct {
	Kind          Kind
	Width, Period float64
	Slope         float64
}

// A Kind tells bases apart.
type Kind int

// The kinds of bases.
const (
	Gaussian Kind = iota
	Matern32
	Matern52
	Periodic
	Linear
)

func (k Kind) String() string {
	names := [...]string{"gaussian", "matern32", "matern52", "periodic", "linear"}
	if k < 0 || int(k) >= len(names) {
		return fmt.Sprintf("kind %d", int(k))
	}
	return names[k]
}

// derivatives returns how many derivatives κ has in each argument.
func (k Kind) derivatives() int {
	if k == Matern32 {
		return 1
	}
	return 2
}

// A Landmark is L_i and z_i: the derivative of an order (0: the value) at a point along a tangent.
type Landmark struct {
	Point   []float64
	Order   int
	Tangent []float64 // nil for order 0
}

// A Function is a checked model, ready to decide statements. It may be used by several goroutines.
type Function struct {
	columns    int
	bias       []float64
	components []Component
	products   []Product
	atoms      []atom
	coef       [][]float64 // of each landmark
	tables     *tables
}

// An atom is a landmark's derivative along columns: a tangent t becomes Σ_c t_c ∂_c, twice Σ_cd t_c t_d ∂_c ∂_d.
type atom struct {
	landmark int
	point    []float64
	along    []int
	factor   ball
}

// New checks a model. The function keeps the model's slices.
func New(m *Model) (*Function, error) {
	if m.Columns < 1 || len(m.Bias) == 0 {
		return nil, fmt.Errorf("a model of %d columns and %d labels", m.Columns, len(m.Bias))
	}
	if c := slices.IndexFunc(m.Components, func(c Component) bool { return !c.sound(m.Columns) }); c >= 0 {
		return nil, fmt.Errorf("component %d: %s of width %v, period %v and slope %v over column %d and masks %v of %d columns", c,
			m.Components[c].Base.Kind, m.Components[c].Base.Width, m.Components[c].Base.Period, m.Components[c].Base.Slope, m.Components[c].Value, m.Components[c].Masks, m.Columns)
	}
	for g, p := range m.Products {
		if err := m.checkProduct(p); err != nil {
			return nil, fmt.Errorf("product %d: %w", g, err)
		}
	}
	f := &Function{columns: m.Columns, components: m.Components, products: m.Products, tables: &tables{known: map[string]*table{}}}
	for i := range m.Landmarks {
		if err := f.append(i, &m.Landmarks[i]); err != nil {
			return nil, fmt.Errorf("landmark %d: %w", i, err)
		}
	}
	if len(f.atoms) > mostAtoms {
		return nil, fmt.Errorf("%d landmarks and derivatives; %d are the most", len(f.atoms), mostAtoms)
	}
	return f.With(m.Coef, m.Bias)
}

// mostAtoms is how many terms the bounds of sums allow.
const mostAtoms = 1 << 20

// With returns the same function with other coefficients and biases. Both share the tables of factors, which do not depend on them.
func (f *Function) With(coef [][]float64, bias []float64) (*Function, error) {
	g := *f
	g.coef, g.bias = coef, bias
	many := 0
	for _, a := range f.atoms {
		many = max(many, a.landmark+1)
	}
	if len(bias) == 0 || !finite(bias) {
		return nil, fmt.Errorf("biases %v", bias)
	}
	if len(coef) < many {
		return nil, fmt.Errorf("%d rows of coefficients for %d landmarks", len(coef), many)
	}
	for i, row := range coef {
		if len(row) != len(bias) || !finite(row) {
			return nil, fmt.Errorf("coefficients %v of landmark %d for %d labels", row, i, len(bias))
		}
	}
	return &g, nil
}

// append adds the atoms of a landmark.
func (f *Function) append(i int, l *Landmark) error {
	if len(l.Point) != f.columns || !finite(l.Point) || l.Order < 0 || l.Order > 2 {
		return fmt.Errorf("point %v of %d columns, order %d", l.Point, f.columns, l.Order)
	}
	if l.Order > 0 && (len(l.Tangent) != f.columns || !finite(l.Tangent)) {
		return fmt.Errorf("tangent %v of %d columns", l.Tangent, f.columns)
	}
	if l.Order == 0 {
		f.atoms = append(f.atoms, atom{landmark: i, point: l.Point, factor: exactly(1)})
		return nil
	}
	for c, t := range l.Tangent {
		if t == 0 {
			continue
		}
		if l.Order == 1 {
			f.atoms = append(f.atoms, atom{i, l.Point, []int{c}, exactly(t)})
			continue
		}
		f.atoms = append(f.atoms, atom{i, l.Point, []int{c, c}, exactly(t).times(exactly(t))})
		for d, s := range l.Tangent[:c] {
			if s != 0 {
				f.atoms = append(f.atoms, atom{i, l.Point, []int{d, c}, exactly(2 * t).times(exactly(s))})
			}
		}
	}
	return f.checkSmooth(l)
}

// checkSmooth reports bases that have no derivative of a landmark's order.
func (f *Function) checkSmooth(l *Landmark) error {
	for j, c := range f.components {
		if c.Value >= 0 && l.Tangent[c.Value] != 0 && l.Order > c.Base.Kind.derivatives() {
			return fmt.Errorf("component %d is %s, which has no derivative of order %d", j, c.Base.Kind, l.Order)
		}
	}
	return nil
}

// Columns returns how many columns the function has.
func (f *Function) Columns() int { return f.columns }

// Points returns the points of the landmarks, once for each derivative along columns. They are the function's own.
func (f *Function) Points() [][]float64 {
	out := make([][]float64, len(f.atoms))
	for i := range out {
		out[i] = f.atoms[i].point
	}
	return out
}

// Kinked reports whether the function has kinks at the landmarks' values of a column.
func (f *Function) Kinked(column int) bool {
	return slices.ContainsFunc(f.components, func(c Component) bool {
		return c.Value == column && (c.Base.Kind == Matern32 || c.Base.Kind == Matern52)
	})
}

// sound reports whether a component has columns of its own that exist, and a base with positive finite settings.
func (c *Component) sound(p int) bool {
	seen := slices.Clone(c.Masks)
	if c.Value >= 0 {
		seen = append(seen, c.Value)
	}
	slices.Sort(seen)
	if len(seen) == 0 || seen[0] < 0 || seen[len(seen)-1] >= p || len(slices.Compact(slices.Clone(seen))) < len(seen) {
		return false
	}
	b := c.Base
	plausible := func(v float64) bool { return v > 1e-100 && v < 1e100 }
	return c.Value < 0 || b.Kind >= Gaussian && b.Kind <= Linear && finite([]float64{b.Slope}) &&
		(b.Kind == Linear || plausible(b.Width)) && (b.Kind != Periodic || plausible(b.Period) && b.Width > b.Period/1000)
}

func (m *Model) checkProduct(p Product) error {
	if len(p.Of) == 0 || !finite([]float64{p.Weight}) {
		return fmt.Errorf("weight %v of %d components", p.Weight, len(p.Of))
	}
	var seen []int
	for _, j := range p.Of {
		if j < 0 || j >= len(m.Components) {
			return fmt.Errorf("component %d of %d", j, len(m.Components))
		}
		seen = append(seen, m.Components[j].columns()...)
	}
	many := len(seen)
	slices.Sort(seen)
	if len(slices.Compact(seen)) < many {
		return errors.New("two of its components have a column in common")
	}
	return nil
}

// columns returns the columns that a component depends on.
func (c *Component) columns() []int {
	if c.Value < 0 {
		return c.Masks
	}
	return append([]int{c.Value}, c.Masks...)
}

// finite reports whether all numbers are finite, and so small that no product of a few overflows.
func finite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return !(v > -1e60 && v < 1e60) })
}

// tables keeps the tables of factors that statements have asked for.
type tables struct {
	mu    sync.Mutex
	known map[string]*table
}
