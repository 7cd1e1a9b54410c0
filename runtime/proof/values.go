package proof

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// keptBalls bounds the factors that an evaluator keeps: 64 MB of them.
const keptBalls = 1 << 22

// An Evaluator encloses the function's values at many points. It keeps the factors of each component at the coordinates that it has
// met: those of a column with few values are computed once. Only one goroutine may use it at a time.
type Evaluator struct {
	of    *Function
	seats [][]seat // of each component, at each atom
	along [][]int  // the components that each atom differentiates
	kept  []map[string][]ball
	room  int
	// single and pair are the weights of all products where these are each component and each pair of them.
	pairwise     bool
	single, pair ball
	factors      [][]ball // of each component at the point at hand
}

// NewEvaluator returns an evaluator of a function.
func NewEvaluator(f *Function) *Evaluator {
	e := &Evaluator{of: f, room: keptBalls, along: make([][]int, len(f.atoms)), factors: make([][]ball, len(f.components))}
	for j := range f.components {
		seats := make([]seat, len(f.atoms))
		for i := range f.atoms {
			seats[i] = f.atomSeat(j, &f.atoms[i])
			if slices.ContainsFunc(f.components[j].columns(), func(c int) bool { return slices.Contains(f.atoms[i].along, c) }) {
				e.along[i] = append(e.along[i], j)
			}
		}
		e.seats, e.kept = append(e.seats, seats), append(e.kept, map[string][]ball{})
	}
	e.single, e.pair, e.pairwise = symmetric(f)
	return e
}

// symmetric returns the weights of single components and of pairs, and whether the products are all of them, each with one weight. Products
// of single components alone are symmetric, too.
func symmetric(f *Function) (single, pair ball, ok bool) {
	d := len(f.components)
	weights, count := [3]float64{}, [3]int{}
	seen := map[[2]int]bool{}
	for _, p := range f.products {
		n := len(p.Of)
		if n > 2 || count[n] > 0 && p.Weight != weights[n] {
			return ball{}, ball{}, false
		}
		key := [2]int{slices.Min(p.Of), slices.Max(p.Of)}
		if seen[key] {
			return ball{}, ball{}, false
		}
		seen[key] = true
		weights[n] = p.Weight
		count[n]++
	}
	whole := count[1] == d && (count[2] == 0 || count[2] == d*(d-1)/2)
	return exactly(weights[1]), exactly(weights[2]), whole
}

// Values sets low and high, a number a label, to bounds of the function's values at a point. They are infinite where numbers are too large. It
// fails if the point is not one of the function's columns.
func (e *Evaluator) Values(low, high, x []float64) error {
	f := e.of
	if len(x) != f.columns || !finite(x) {
		return fmt.Errorf("a point %v of %d columns", x, f.columns)
	}
	for j := range f.components {
		e.factors[j] = e.at(j, x)
	}
	sums := make([]ball, len(f.bias))
	for y, b := range f.bias {
		sums[y] = exactly(b)
	}
	for i := range f.atoms {
		a := &f.atoms[i]
		k := e.kernel(i).times(a.factor)
		for y, c := range f.coef[a.landmark] {
			sums[y] = sums[y].plus(k.times(exactly(c)))
		}
	}
	for y, s := range sums {
		low[y], high[y] = s.low(), s.high()
		if !(high[y]-low[y] < math.Inf(1)) {
			low[y], high[y] = math.Inf(-1), math.Inf(1)
		}
	}
	return nil
}

// at returns the factors of a component with every atom at a point.
func (e *Evaluator) at(j int, x []float64) []ball {
	c := &e.of.components[j]
	var key []byte
	var at []ball
	for _, col := range c.columns() {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x[col]))
		at = append(at, exactly(x[col]))
	}
	if known := e.kept[j][string(key)]; known != nil {
		return known
	}
	s := c.seat(at, nil)
	out := make([]ball, len(e.of.atoms))
	for i := range out {
		out[i] = c.value(&s, &e.seats[j][i])
	}
	if e.room -= len(out); e.room >= 0 {
		e.kept[j][string(key)] = out
	}
	return out
}

// kernel returns the kernel of the point at hand with an atom.
func (e *Evaluator) kernel(i int) (sum ball) {
	if e.pairwise {
		return e.pairs(i)
	}
	for _, p := range e.of.products {
		if slices.ContainsFunc(e.along[i], func(j int) bool { return !slices.Contains(p.Of, j) }) {
			continue
		}
		v := exactly(p.Weight)
		for _, j := range p.Of {
			v = v.times(e.factors[j][i])
		}
		sum = sum.plus(v)
	}
	return sum
}

// pairs returns the kernel a Σ_j k_j + b Σ_{j<l} k_j k_l of the point at hand with an atom. The second sum is taken as Σ_j k_j Σ_{l<j} k_l. An
// atom that differentiates components leaves the products that have all of them.
func (e *Evaluator) pairs(i int) ball {
	along := e.along[i]
	own, one, two := exactly(1), ball{}, ball{}
	for j, k := range e.factors {
		if slices.Contains(along, j) {
			own = own.times(k[i])
			continue
		}
		two = two.plus(one.times(k[i]))
		one = one.plus(k[i])
	}
	switch len(along) {
	case 0:
		return e.single.times(one).plus(e.pair.times(two))
	case 1:
		return own.times(e.single.plus(e.pair.times(one)))
	case 2:
		return own.times(e.pair)
	}
	return ball{}
}
