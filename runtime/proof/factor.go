package proof

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

// A part is a component's factor as a statement's term has it: k_j(Tx, z), differentiated in the first argument along columns.
type part struct {
	component int
	along     []int
	moves     []move // of the component's columns
	key       string
}

// A move says that a coordinate of Tx is mul·x[from] + add. If x[from] stays, it is in the ball held.
type move struct {
	from     int
	mul, add float64
	stays    bool
	held     ball
}

// newPart returns a part, where held tells which columns stay, and at what. Parts of equal keys are equal.
func (f *Function) newPart(component int, along []int, moved map[int]move, held func(column int) (x float64, stays bool)) *part {
	p := &part{component: component, along: along}
	var key strings.Builder
	fmt.Fprint(&key, component, along)
	for _, c := range f.components[component].columns() {
		m, ok := moved[c]
		if !ok {
			m = move{from: c, mul: 1}
		}
		if x, stays := held(m.from); stays {
			m.stays, m.held = true, exactly(m.mul).times(exactly(x)).plus(exactly(m.add))
		}
		p.moves = append(p.moves, m)
		if ok || m.stays {
			fmt.Fprint(&key, " ", c, m)
		}
	}
	p.key = key.String()
	return p
}

// A seat is one argument of a component's factor: N, m and v there, differentiated along columns.
type seat struct {
	order int // derivatives along v
	v, n  ball
	masks []ball // nil means 0
}

// seat returns the argument whose columns have values x, differentiated along columns.
func (c *Component) seat(x []ball, along []int) seat {
	s := seat{n: exactly(1), masks: x}
	if c.Value >= 0 {
		s.v, s.masks = x[0], x[1:]
	}
	for _, m := range s.masks {
		s.n = s.n.minus(m)
	}
	derived := false
	for _, a := range along {
		switch {
		case a == c.Value:
			s.order++
		case derived: // N and m are linear
			return seat{order: s.order}
		default:
			derived = true
			s.n, s.masks = exactly(-1), make([]ball, len(c.Masks))
			s.masks[slices.Index(c.Masks, a)] = exactly(1)
		}
	}
	if s.order > 0 {
		s.masks = nil
	}
	return s
}

// value returns the factor N N' κ + ⟨m, m'⟩ of two arguments.
func (c *Component) value(x, z *seat) ball {
	out := x.n.times(z.n)
	if c.Value >= 0 {
		if out.v == 0 && out.r == 0 {
			out = ball{}
		} else {
			out = out.times(c.Base.at(x.v, x.order, z.v.v, z.order))
		}
	}
	return out.plus(inner(x, z))
}

// inner returns ⟨m, m'⟩.
func inner(x, z *seat) ball {
	var sum ball
	if x.masks == nil || z.masks == nil {
		return sum
	}
	for i, m := range x.masks {
		sum = sum.plus(m.times(z.masks[i]))
	}
	return sum
}

// atomSeat returns the second argument of a component's factor at an atom. Derivatives along columns of others are left to them.
func (f *Function) atomSeat(component int, a *atom) seat {
	c := &f.components[component]
	var x []ball
	var along []int
	for _, col := range c.columns() {
		x = append(x, exactly(a.point[col]))
		for _, d := range a.along {
			if d == col {
				along = append(along, d)
			}
		}
	}
	return c.seat(x, along)
}

// seatAt returns the first argument of a part at x, which is asked for columns that do not stay.
func (f *Function) seatAt(p *part, x func(column int) ball) seat {
	at := make([]ball, len(p.moves))
	for i, m := range p.moves {
		switch {
		case m.stays:
			at[i] = m.held
		case m.mul == 0:
			at[i] = exactly(m.add)
		default:
			at[i] = exactly(m.mul).times(x(m.from)).plus(exactly(m.add))
		}
	}
	return f.components[p.component].seat(at, p.along)
}

// values returns the factor of a part that stays, with every atom.
func (f *Function) values(p *part) []ball {
	at := f.seatAt(p, nil)
	out := make([]ball, len(f.atoms))
	parallel.For(len(out), 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			z := f.atomSeat(p.component, &f.atoms[i])
			out[i] = f.components[p.component].value(&at, &z)
		}
	})
	return out
}

// A table has, for every atom, what parts of one side multiply to: their values at points, Bernstein coefficients on pieces.
type table struct {
	rows int
	coef []float64 // atoms × rows
	miss []float64 // atoms × pieces: bounds of the errors
	top  float64   // above all values and coefficients, with their errors
}

// table returns the table of the product of parts, and keeps it.
func (f *Function) table(s *Side, parts []*part, kept *tables) *table {
	key := s.key + "|" + keyOf(parts)
	kept.mu.Lock()
	t := kept.known[key]
	kept.mu.Unlock()
	if t == nil {
		t = f.fill(s, parts)
		kept.mu.Lock()
		kept.known[key] = t
		kept.mu.Unlock()
	}
	return t
}

// fill computes a table.
func (f *Function) fill(s *Side, parts []*part) *table {
	n := len(f.atoms)
	t := &table{rows: s.Rows, coef: make([]float64, n*s.Rows), miss: make([]float64, n*len(s.Pieces))}
	seats := make([][]seat, len(parts)) // of each part, at each node of each piece
	sups := make([][]float64, len(parts))
	for k, p := range parts {
		sups[k] = f.components[p.component].Base.sups()
		for i := range s.Pieces {
			for row := range s.Pieces[i].Rows {
				tau := chebyshev().nodes[row]
				seats[k] = append(seats[k], f.seatAt(p, func(c int) ball { return s.coordinate(&s.Pieces[i], tau, c) }))
			}
		}
	}
	parallel.For(n, 32, func(lo, hi int) {
		at := make([]seat, len(parts))
		for i := lo; i < hi; i++ {
			for k, p := range parts {
				at[k] = f.atomSeat(p.component, &f.atoms[i])
			}
			f.row(t.coef[i*t.rows:][:t.rows], t.miss[i*len(s.Pieces):][:len(s.Pieces)], s, parts, seats, at, sups)
		}
	})
	t.top = up(largest(t.coef) + largest(t.miss))
	return t
}

// row fills in what a table has of one atom.
func (f *Function) row(coef, miss []float64, s *Side, parts []*part, seats [][]seat, at []seat, sups [][]float64) {
	for j := range s.Pieces {
		p := &s.Pieces[j]
		var values [Terms]ball
		for r := range p.Rows {
			v := exactly(1)
			for k := range parts {
				v = v.times(f.components[parts[k].component].value(&seats[k][p.Start+r], &at[k]))
			}
			values[r] = v
		}
		if p.Rows == 1 {
			coef[p.Start], miss[j] = values[0].v, values[0].r
			continue
		}
		miss[j] = chebyshev().coefficients(coef[p.Start:][:Terms], &values)
		var d [Terms + 1]float64
		for k, q := range parts {
			if own := f.bounds(q, s, p, &seats[k][p.Start], &at[k], sups[k]); k == 0 {
				d = own
			} else {
				d = leibniz(&d, &own)
			}
		}
		miss[j] = up(miss[j] + chebyshev().miss(d[:], p.halfside))
	}
}

// bounds returns bounds of the derivatives of a part's factor on a piece, where N and m are constant.
func (f *Function) bounds(q *part, s *Side, p *Piece, x, z *seat, sups []float64) (d [Terms + 1]float64) {
	c := &f.components[q.component]
	weight := x.n.times(z.n).abs()
	if c.Value < 0 {
		d[0] = weight
	} else {
		mul, add := q.moves[0].mul, q.moves[0].add
		if q.moves[0].stays {
			mul, add = 0, q.moves[0].held.abs()
		} else if q.moves[0].from != s.Columns[0] { // 0 on the interval
			mul = 0
		}
		// Without mul the factor is constant, and nothing depends on within.
		center, half := mul*p.center+add, math.Abs(mul)*p.halfside
		size := math.Abs(mul*p.center) + math.Abs(add) + half + math.Abs(z.v.v)
		within := math.Abs(center-z.v.v) <= half+size*0x1p-30
		c.Base.bounds(d[:], sups, mul, up(size), x.order, z.v.v, z.order, within)
		for k := range d {
			if d[k] > 0 {
				d[k] = up(d[k] * weight)
			}
		}
	}
	d[0] = up(d[0] + inner(x, z).abs())
	return d
}

// leibniz bounds the derivatives of a product by those of its factors.
func leibniz(a, b *[Terms + 1]float64) (out [Terms + 1]float64) {
	for n := range out {
		choose := 1.0
		for k := 0; k <= n; k++ {
			if a[k] > 0 && b[n-k] > 0 {
				out[n] = up(out[n] + up(choose*a[k]*b[n-k]))
			}
			choose *= float64(n-k) / float64(k+1)
		}
	}
	return out
}
