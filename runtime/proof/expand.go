package proof

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/sipc-ml/sipc/runtime/statement"
)

// An expansion is a statement's g as a sum of products,
//
//	g(x) = constant + Σ_e Σ_i weight_e,i Π_{s ∈ sides of e} (parts of e on s)(x_s, atom i),
//
// with a factor for each side that moves. What stays where it is has been multiplied into the weights.
type expansion struct {
	constant ball
	elements []*element
}

// An element is one of the sums. Its sides ascend.
type element struct {
	sides  []int
	parts  [][]*part // of each side
	weight []ball    // of each atom
}

// An expander expands a statement. Sides of one point stay where they are.
type expander struct {
	function *Function
	of       *statement.Statement
	sideOf   []int     // of each column, −1 for those that stay
	x        []float64 // where they stay
	fixed    map[string][]ball
	raw      map[string]*raw
	order    []string
}

// raw is an element before its weights: how often each label's coefficients count in it, and the parts that stay.
type raw struct {
	element
	product int
	stays   []*part
	counts  map[int]ball
}

// An undecided error says why a statement cannot be decided by this package.
type undecided string

func (u undecided) Error() string { return string(u) }

// expand returns the expansion of a statement. If at is not nil, all columns stay there.
func (f *Function) expand(s *statement.Statement, at []float64) (*expansion, error) {
	e := &expander{function: f, of: s, sideOf: make([]int, f.columns), x: slices.Clone(at), fixed: map[string][]ball{}, raw: map[string]*raw{}}
	e.place(at == nil)
	out := &expansion{constant: exactly(s.Constant)}
	for k := range s.Terms {
		t := &s.Terms[k]
		moved := map[int]move{}
		for _, m := range t.Move {
			moved[m.Column] = move{from: m.From, mul: m.Mul, add: m.Add}
		}
		for g := range f.products {
			if err := e.product(t, g, moved); err != nil {
				return nil, err
			}
		}
		if len(t.Derive) == 0 {
			out.constant = out.constant.plus(exactly(t.Coef).times(exactly(f.bias[t.Label])))
		}
	}
	e.collect(out)
	return out, nil
}

// place finds the side of each column, and the values of those that stay.
func (e *expander) place(moves bool) {
	if e.x == nil {
		e.x = make([]float64, e.function.columns)
	}
	for c := range e.sideOf {
		e.sideOf[c] = -1
	}
	for i := range e.of.Region {
		s := &e.of.Region[i]
		point, stays := standing(s)
		for j, c := range s.Columns {
			switch {
			case moves && stays:
				e.x[c] = point[j]
			case moves:
				e.sideOf[c] = i
			}
		}
	}
}

// held returns where a column stays, if it does.
func (e *expander) held(column int) (x float64, stays bool) { return e.x[column], e.sideOf[column] < 0 }

// standing returns the only point of a side, if it has one alone.
func standing(s *statement.Side) (point []float64, ok bool) {
	switch {
	case !s.Moves() && len(s.Points) == 1:
		return s.Points[0], true
	case s.Low == s.High && len(s.Points) == 0:
		point = make([]float64, len(s.Columns))
		point[0] = s.Low
		return point, true
	}
	return nil, false
}

// product adds what a term is of one product of the kernel.
func (e *expander) product(t *statement.Term, g int, moved map[int]move) error {
	r := &raw{product: g, counts: map[int]ball{}}
	bySide := map[int][]*part{}
	left := len(t.Derive)
	for _, j := range e.function.products[g].Of {
		var along []int
		for _, c := range e.function.components[j].columns() {
			for _, d := range t.Derive {
				if d == c {
					along = append(along, c)
				}
			}
		}
		left -= len(along)
		p := e.function.newPart(j, along, moved, e.held)
		side, err := e.sideOfPart(p)
		if err != nil {
			return err
		}
		if side < 0 {
			r.stays = append(r.stays, p)
		} else {
			bySide[side] = append(bySide[side], p)
		}
	}
	if left > 0 { // along a column that the product does not have
		return nil
	}
	r.sides = slices.Sorted(maps.Keys(bySide))
	var key strings.Builder
	fmt.Fprint(&key, g)
	for _, s := range r.sides {
		sort.Slice(bySide[s], func(i, j int) bool { return bySide[s][i].key < bySide[s][j].key })
		r.parts = append(r.parts, bySide[s])
		key.WriteString("|")
		key.WriteString(keyOf(bySide[s]))
	}
	key.WriteString("||")
	key.WriteString(keyOf(r.stays))
	if known := e.raw[key.String()]; known != nil {
		r = known
	} else {
		e.raw[key.String()] = r
		e.order = append(e.order, key.String())
	}
	r.counts[t.Label] = r.counts[t.Label].plus(exactly(t.Coef))
	return nil
}

func keyOf(parts []*part) string {
	var key strings.Builder
	for _, p := range parts {
		key.WriteString(p.key)
		key.WriteString("&")
	}
	return key.String()
}

// sideOfPart returns the side that a part's coordinates depend on, −1 for none.
func (e *expander) sideOfPart(p *part) (int, error) {
	c := &e.function.components[p.component]
	order := 0
	for _, a := range p.along {
		if a == c.Value {
			order++
		}
	}
	if order > c.Base.Kind.derivatives() {
		return 0, undecided(fmt.Sprintf("the kernel of column %d is %s, which has no derivative of order %d", c.Value, c.Base.Kind, order))
	}
	side := -1
	for i, m := range p.moves {
		s := e.sideOf[m.from]
		if m.mul == 0 || s < 0 {
			continue
		}
		if side >= 0 && s != side {
			return 0, undecided(fmt.Sprintf("columns of two sides, %d and %d, move into one component of the kernel", side, s))
		}
		side = s
		if r := &e.of.Region[s]; r.Moves() && m.from == r.Columns[0] && (i > 0 || c.Value < 0) {
			return 0, undecided(fmt.Sprintf("column %d moves through an interval, but is a level of a text or a gap for the kernel", m.from))
		}
	}
	return side, nil
}

// collect computes the weights and joins elements of equal parts.
func (e *expander) collect(out *expansion) {
	joined := map[string]*element{}
	for _, key := range e.order {
		r := e.raw[key]
		maps.DeleteFunc(r.counts, func(_ int, c ball) bool { return c.v == 0 && c.r == 0 })
		if len(r.counts) == 0 {
			continue
		}
		weight := e.weights(r)
		if !slices.ContainsFunc(weight, func(w ball) bool { return w != ball{} }) {
			continue
		}
		if len(r.sides) == 0 {
			for _, w := range weight {
				out.constant = out.constant.plus(w)
			}
			continue
		}
		var same strings.Builder
		for i, s := range r.sides {
			fmt.Fprint(&same, s, ":", keyOf(r.parts[i]))
		}
		if known := joined[same.String()]; known != nil {
			for i, w := range weight {
				known.weight[i] = known.weight[i].plus(w)
			}
			continue
		}
		r.weight = weight
		joined[same.String()] = &r.element
		out.elements = append(out.elements, &r.element)
	}
}

// weights returns, for every atom, its coefficient in an element times what stays.
func (e *expander) weights(r *raw) []ball {
	out := make([]ball, len(e.function.atoms))
	var stays [][]ball
	for _, p := range r.stays {
		v := e.fixed[p.key]
		if v == nil {
			v = e.function.values(p)
			e.fixed[p.key] = v
		}
		stays = append(stays, v)
	}
	product := &e.function.products[r.product]
	has := make([]bool, e.function.columns)
	for _, j := range product.Of {
		for _, c := range e.function.components[j].columns() {
			has[c] = true
		}
	}
	labels := slices.Sorted(maps.Keys(r.counts))
	for i := range out {
		a := &e.function.atoms[i]
		if slices.ContainsFunc(a.along, func(c int) bool { return !has[c] }) {
			continue
		}
		var w ball
		for _, y := range labels {
			w = w.plus(r.counts[y].times(exactly(e.function.coef[a.landmark][y])))
		}
		w = w.times(a.factor).times(exactly(product.Weight))
		for _, v := range stays {
			w = w.times(v[i])
		}
		out[i] = w
	}
	return out
}

// Enclose returns numbers lo ≤ g(x) ≤ hi, for g of a statement and the exact x.
func (f *Function) Enclose(s *statement.Statement, x []float64) (lo, hi float64, err error) {
	if err := f.check(s); err != nil {
		return 0, 0, err
	}
	if len(x) != f.columns || !finite(x) {
		return 0, 0, fmt.Errorf("a point %v of %d columns", x, f.columns)
	}
	e, err := f.expand(s, x)
	if err != nil {
		return 0, 0, err
	}
	return e.constant.low(), e.constant.high(), nil
}

// A NumberError is a statement with a number that proofs do not reckon with.
type NumberError struct{ Statement string }

// Error names the statement, and says how to get on.
func (e *NumberError) Error() string {
	return fmt.Sprintf("%s: a number beyond 10⁶⁰, which proofs do not reckon with; write a smaller one", e.Statement)
}

// check validates a statement for the function. A number that is too large is a *NumberError.
func (f *Function) check(s *statement.Statement) error {
	if err := s.Validate(f.columns, len(f.bias)); err != nil {
		return err
	}
	numbers := []float64{s.Constant}
	for _, t := range s.Terms {
		numbers = append(numbers, t.Coef)
		for _, m := range t.Move {
			numbers = append(numbers, m.Mul, m.Add)
		}
	}
	for _, r := range s.Region {
		if r.Moves() {
			numbers = append(numbers, r.Low, r.High)
		}
		for _, p := range r.Points {
			numbers = append(numbers, p...)
		}
	}
	if !finite(numbers) {
		return &NumberError{Statement: s.Name}
	}
	return nil
}
