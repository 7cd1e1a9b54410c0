package calculus

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
)

// A model evaluates an expression where every functional is a free number: f is any function at
// all. That is not a restriction, as the values of finitely many functionals that are independent can
// be any numbers. Where two functionals must agree they are one here; see elementNames.
//
// An index set has size elements, a literal set its own. Conditions are taken to hold, and data to
// be small numbers, which are shown with the functions.
type model struct {
	size     int
	elements *elementNames
	Order    []string       // the functionals as a reader sees them, in the order in which the expression has them first
	Index    map[string]int // where they are in order
	values   []float64      // of the functionals
	element  map[*tree.Axis]int
	data     []string // the numbers that data decide, as a reader sees them, and what they are taken to be
	givens   map[string]float64
	steps    int // of evaluation; beyond maxSteps, values are NaN
	// An expression meets its functionals in the same order whatever their values are. met holds
	// their indices, and passed counts those of the current evaluation.
	met    []int
	passed int
	// So it does its data.
	given       []float64
	passedGiven int
}

// restart begins an evaluation at a function that is given by the values of its functionals.
// Functionals are met in the same order every time, so that an evaluation looks none of them up.
func (m *model) restart(values []float64) {
	copy(m.values, values)
	m.passed, m.passedGiven = 0, 0
}

// NewModel returns a model that has met no functional, with two elements in each index set.
func NewModel() *model {
	return &model{size: 2, Index: map[string]int{}, element: map[*tree.Axis]int{}, givens: map[string]float64{}}
}

// ModelOf returns a model that has met the functionals of an expression and evaluates no other. Its
// elements have the names that a reader is shown.
func ModelOf(n *tree.Node, size int) *model {
	m := NewModel()
	m.size, m.elements = size, nameElements(n, size)
	m.Value(n)
	return m
}

// sizeOf returns how many elements an axis has. Two are enough to refute most claims, and small
// enough to be read. Sets that the spec lists have all their elements.
func (m *model) sizeOf(a *tree.Axis) int {
	if n, listed := a.Listed(); listed {
		return n
	}
	return m.size
}

// name returns a variable as the counterexample shows it: the element of a literal set, else with
// an index, x₁.
func (m *model) name(v *tree.Variable) string {
	i := m.element[v.Axis]
	switch v.Axis.Kind {
	case tree.MapAxis:
		return v.Axis.Maps[i].Text
	case tree.NamedAxis:
		return v.Axis.Names[i].Text
	case tree.ColumnAxis:
		if _, listed := v.Axis.Listed(); listed {
			return v.Axis.Columns[i].Text
		}
	}
	if v.Kind == tree.WeightVar {
		return v.Name + string('₁'+rune(i))
	}
	return m.elements.name(v, i)
}

// functional returns the value of a leaf at the function of the current evaluation.
func (m *model) functional(l *tree.Leaf) float64 {
	if m.passed == len(m.met) {
		m.met = append(m.met, m.meet(l))
	}
	m.passed++
	return m.values[m.met[m.passed-1]]
}

// datum returns a number that data decide: 1 for the first element, 2 for the second. Columns may
// hold any numbers, and two different ones show whether a factor matters.
func (m *model) datum(d *tree.Datum) float64 {
	if m.passedGiven == len(m.given) {
		m.given = append(m.given, m.meetDatum(d))
	}
	m.passedGiven++
	return m.given[m.passedGiven-1]
}

// meetDatum gives a number of the data a value, the same for the same name. A path's parameter gets
// one between its bounds, and a column of a declared type one that it may hold.
func (m *model) meetDatum(d *tree.Datum) float64 {
	name := d.Text(m.name)
	if _, known := m.givens[name]; !known {
		m.data = append(m.data, name)
		b, number := d.Known(), float64(1+m.element[d.Of.Axis])
		if m.givens[name] = max(b.Lo, min(b.Hi, number)); d.Of.Kind == tree.ParamVar {
			m.givens[name] = b.Lo + (b.Hi-b.Lo)*number/float64(1+m.sizeOf(d.Of.Axis))
		}
	}
	return m.givens[name]
}

// meet returns the index of a functional, a new one where it has none. Derivatives along two
// columns are one functional in either order: D²f is symmetric for the kernels that have it.
// Transformations are compared with their amounts, as double() of a set and double(x) are one.
func (m *model) meet(l *tree.Leaf) int {
	plain := *l
	plain.Node, plain.Own = nil, false // the own label goes without saying
	if plain.Again.Kind != tree.NoDeriv && plain.Again.Text > plain.Deriv.Text {
		plain.Deriv, plain.Again = plain.Again, plain.Deriv
	}
	name := func(v *tree.Variable) string {
		if v == l.Point && l.Node != nil {
			return m.name(v) + " at " + m.name(l.Node.Vars[0]) // on a path
		}
		return m.name(v)
	}
	shown := plain.Text(name)
	plain.Maps = tree.Each(l.Maps, func(t *tree.Mapping) *tree.Mapping {
		if t.Bound != nil {
			t = t.Bound.Axis.Maps[m.element[t.Bound.Axis]]
		}
		return &tree.Mapping{Text: t.Identity()}
	})
	key := plain.Text(name)
	i, ok := m.Index[key]
	if !ok {
		i = len(m.Order)
		m.Index[key] = i
		m.Order, m.values = append(m.Order, shown), append(m.values, 0)
	}
	return i
}

// Value returns the expression's value at the current function, and NaN once too many steps were
// taken.
func (m *model) Value(n *tree.Node) float64 {
	if m.steps++; m.steps > maxSteps {
		return math.NaN()
	}
	switch n.Op {
	case tree.OpConst:
		return n.Num
	case tree.OpLeaf:
		return m.functional(n.Leaf)
	case tree.OpDatum:
		return m.datum(n.Datum)
	}
	if n.By != nil {
		return m.Value(n.By) * m.Value(n.Kids[0])
	}
	return n.Combined(m.parts(n))
}

// parts returns the values of a node's parts, or of its one part over the index set. Conditions are
// taken to hold: which elements they leave is for the data to say.
func (m *model) parts(n *tree.Node) []float64 {
	if n.Quant == nil {
		return tree.Each(n.Kids, m.Value)
	}
	var v []float64
	m.over(n.Quant.Axes, func() { v = append(v, m.Value(n.Kids[0])) })
	return v
}

// over runs f for each element of a product of axes, the last fastest. It stops when the budget of
// steps is spent.
func (m *model) over(axes []*tree.Axis, f func()) {
	if m.steps > maxSteps {
		return
	}
	if len(axes) == 0 {
		f()
		return
	}
	for i := range m.sizeOf(axes[0]) {
		m.element[axes[0]] = i
		m.over(axes[1:], f)
	}
}

// At evaluates the expression at a function given by the values of its functionals.
func (m *model) At(n *tree.Node, values []float64) float64 {
	m.restart(values)
	return m.Value(n)
}

// maxSteps bounds the work on one model, searches the pairs of functions that are tried, and
// maxFunctionals the functionals of a model that is searched.
const (
	maxSteps       = 2_000_000
	searches       = 4000
	maxFunctionals = 12
)

// NoneFound says that the search for a counterexample ended without one.
const NoneFound = "no two functions were found between which it fails; the calculus does not prove it convex all the same"

// finite reports whether all values are finite. Values that are not refute nothing.
func finite(v ...float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) })
}

// violation shows two functions f₁ and f₂ where the value halfway between them exceeds the mean of
// their values. It draws even numbers from −4 to 4 with a fixed seed, so that the mean is whole,
// too. It prefers small ones and those that agree, as they are read most easily. The same refusal
// shows the same functions everywhere. It is nil where none were found, and where elements of two
// sets would bear one name.
func violation(n *tree.Node) []string { return violationOf(n, func(v float64) float64 { return v }) }

// squareViolation returns violation of the square, which is what R makes of an invariance. Where e
// changes its sign, e² may fail to be convex though e is.
func squareViolation(n *tree.Node) []string {
	lines := violationOf(n, func(v float64) float64 { return v * v })
	for i := range lines {
		lines[i] = strings.Replace(lines[i], "; value ", "; square ", 1)
	}
	return lines
}

// violationOf searches a counterexample to the convexity of a function of the expression's value.
// top(k) needs more than k elements to be anything but a sum.
func violationOf(n *tree.Node, of func(float64) float64) []string {
	size := 2
	if n.Op == tree.OpTop && n.Quant != nil {
		size = min(n.K, 3) + 1 // of fewer than k parts, all are the largest
	}
	m := ModelOf(n, size)
	return m.violation(func(values []float64) float64 { return of(m.At(n, values)) })
}

// violation shows where a value is not convex in those of the functionals: f₁ and f₂ with e(½f₁ +
// ½f₂) > ½e(f₁) + ½e(f₂). It evaluates only pairs that would be easier to read than the best so
// far. A pair agrees in about half of its values, so that a reader sees which of them matter.
func (m *model) violation(value func([]float64) float64) []string {
	q := len(m.Order)
	if q == 0 || q > maxFunctionals || m.elements.unclear {
		return nil
	}
	rng := rand.New(rand.NewPCG(1, uint64(q)))
	var best [2][]float64
	bestCost := math.Inf(1)
	u, v, mid := make([]float64, q), make([]float64, q), make([]float64, q)
	for range searches {
		cost := 0.0
		for i := range q {
			u[i], v[i] = float64(2*(rng.IntN(5)-2)), float64(2*(rng.IntN(5)-2))
			if rng.IntN(2) == 0 {
				v[i] = u[i]
			}
			mid[i] = (u[i] + v[i]) / 2
			cost += math.Abs(u[i]) + math.Abs(v[i])
		}
		if cost >= bestCost {
			continue
		}
		a, b, c := value(u), value(v), value(mid)
		if finite(a, b, c) && c > (a+b)/2+1e-9 {
			bestCost = cost
			best = [2][]float64{slices.Clone(u), slices.Clone(v)}
		}
	}
	if math.IsInf(bestCost, 1) {
		return nil
	}
	for i := range mid {
		mid[i] = (best[0][i] + best[1][i]) / 2
	}
	a, b, c := value(best[0]), value(best[1]), value(mid)
	return []string{
		"f₁:      " + m.show(best[0]) + "; value " + tree.Decimal(a),
		"f₂:      " + m.show(best[1]) + "; value " + tree.Decimal(b),
		"halfway: " + m.show(mid) + "; value " + tree.Decimal(c) + " > " + tree.Decimal((a+b)/2) + ", the mean of the two",
	}
}

// inhomogeneity shows a function f at which the value of 2f is not twice that of f: a constant
// stands beside f. It is nil where none was met.
func inhomogeneity(n *tree.Node) []string {
	m := ModelOf(n, 2)
	twice := func(u []float64) []float64 { return tree.Each(u, func(v float64) float64 { return 2 * v }) }
	u := m.simplest(func(u []float64) bool {
		one, two := m.At(n, u), m.At(n, twice(u))
		return finite(one, two) && math.Abs(two-2*one) >= 1e-9
	})
	if u == nil {
		return nil
	}
	one := m.At(n, u)
	return []string{
		"f:  " + m.show(u) + "; value " + tree.Decimal(one),
		"2f: " + m.show(twice(u)) + "; value " + tree.Decimal(m.At(n, twice(u))) + ", not 2 · " + tree.Signed(one),
	}
}

// negativity shows a function at which the value is negative. It is nil where none was met.
func negativity(n *tree.Node) []string {
	m := ModelOf(n, 2)
	u := m.simplest(func(u []float64) bool { return m.At(n, u) < -1e-9 })
	if u == nil {
		return nil
	}
	return []string{"f: " + m.show(u) + "; value " + tree.Decimal(m.At(n, u))}
}

// simplest returns the function with the smallest values of those that the search meets at which
// something holds. It tries zero first. Nil means that it met none.
func (m *model) simplest(holds func([]float64) bool) []float64 {
	if m.elements.unclear {
		return nil
	}
	u := make([]float64, len(m.Order))
	rng := rand.New(rand.NewPCG(2, uint64(len(u))))
	var best []float64
	bestCost := math.Inf(1)
	for range searches {
		if cost := tree.PNorm(u, 1, false); cost < bestCost && holds(u) {
			best, bestCost = slices.Clone(u), cost
		}
		for i := range u {
			u[i] = float64(rng.IntN(5) - 2)
		}
	}
	return best
}

// show writes a function by the values of its functionals, and the numbers of the data that belong
// to it.
func (m *model) show(values []float64) string {
	parts := make([]string, 0, len(values)+len(m.data))
	for i, key := range m.Order {
		parts = append(parts, key+" = "+tree.Decimal(values[i]))
	}
	for _, name := range m.data {
		parts = append(parts, name+" = "+tree.Decimal(m.givens[name]))
	}
	return strings.Join(parts, ", ")
}
