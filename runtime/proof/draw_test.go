package proof_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// A problem is a random model with a statement about it.
type problem struct {
	model     proof.Model
	statement statement.Statement
	kind      string
	smooth    bool  // gaussian, periodic and linear components alone
	star      bool  // a statement about slopes, or about a step along one column
	kinked    []int // columns along which f has one derivative
	width     float64
	memo      *memo // of the statement's terms
}

// draw returns a random problem of one to four sides.
func draw(src *rand.Rand) *problem {
	p := &problem{smooth: true, width: math.Inf(1)}
	p.kind = []string{"gaussian", "gaussian", "pairwise", "pairwise", "additive"}[src.IntN(5)]
	sides := 1 + src.IntN(4)
	if p.kind == "gaussian" {
		sides = 1 + src.IntN(2)
	}
	for range sides {
		p.side(src)
	}
	p.kernel(src)
	labels := 1 + src.IntN(2)
	for range labels {
		p.model.Bias = append(p.model.Bias, src.NormFloat64())
	}
	for range 3 + src.IntN(25) {
		p.landmark(src, labels)
	}
	p.terms(src, labels)
	return p
}

// side adds a side: a number, perhaps with a mask, or a text.
func (p *problem) side(src *rand.Rand) {
	c := p.model.Columns
	number := proof.Component{Value: c, Base: proof.Base{Width: math.Exp(src.NormFloat64() / 2), Period: 1 + 3*src.Float64()}}
	low := 2 * src.NormFloat64()
	side := statement.Side{Columns: []int{c}, Low: low, High: low + 4*src.Float64()}
	number.Base.Kind = []proof.Kind{proof.Gaussian, proof.Gaussian, proof.Gaussian, proof.Matern52, proof.Matern32, proof.Periodic, proof.Linear}[src.IntN(7)]
	if p.kind == "gaussian" {
		number.Base.Kind = proof.Gaussian
	}
	if src.IntN(4) == 0 && p.kind != "gaussian" {
		number.Base.Slope = src.Float64()
	}
	what := src.IntN(10)
	if p.kind == "gaussian" {
		what %= 4
	}
	switch {
	case what < 6:
	case what == 6: // the number's gaps are a level
		number.Masks = []int{c + 1}
		side.Columns = []int{c, c + 1}
		side.Points = [][]float64{{src.NormFloat64(), 1}}
	case what == 7: // whole numbers alone
		side.Low, side.High = 1, 0
		side.Points = [][]float64{{-1.25}, {0.125}, {1.375}}
	case what == 8:
		side = statement.Side{Columns: []int{c, c + 1}, Low: 1, Points: [][]float64{{0, 0}, {1, 0}, {0, 1}}}
		number = proof.Component{Value: -1, Masks: []int{c, c + 1}}
	default:
		side.High = side.Low
	}
	if number.Value >= 0 && (number.Base.Kind == proof.Matern52 || number.Base.Kind == proof.Matern32) {
		p.smooth = false
	}
	if number.Value >= 0 && number.Base.Kind == proof.Matern32 {
		p.kinked = append(p.kinked, c)
	}
	if number.Value >= 0 && number.Base.Kind != proof.Linear {
		p.width = min(p.width, number.Base.Width)
		if number.Base.Kind == proof.Periodic {
			p.width = min(p.width, number.Base.Period/(2*math.Pi))
		}
	}
	p.model.Columns += len(side.Columns)
	p.model.Components = append(p.model.Components, number)
	p.statement.Region = append(p.statement.Region, side)
}

// kernel adds the products.
func (p *problem) kernel(src *rand.Rand) {
	d := len(p.model.Components)
	if p.kind == "gaussian" {
		all := make([]int, d)
		for j := range all {
			all[j] = j
		}
		p.model.Products = []proof.Product{{Weight: 1, Of: all}}
		return
	}
	for j := range d {
		p.model.Products = append(p.model.Products, proof.Product{Weight: 1 / float64(d), Of: []int{j}})
		for l := range j {
			if p.kind == "pairwise" && src.IntN(5) > 0 {
				p.model.Products = append(p.model.Products, proof.Product{Weight: 2 / float64(d*(d-1)), Of: []int{j, l}})
			}
		}
	}
}

// landmark adds a value or a derivative at a random point.
func (p *problem) landmark(src *rand.Rand, labels int) {
	l := proof.Landmark{Point: p.point(src)}
	for _, s := range p.statement.Region {
		if s.Moves() {
			l.Point[s.Columns[0]] += src.NormFloat64()
		}
	}
	if src.IntN(6) == 0 {
		l.Order = 1 + src.IntN(2)
		l.Tangent = make([]float64, p.model.Columns)
		for c := range l.Tangent {
			if src.IntN(2) == 0 && (l.Order == 1 || !slices.Contains(p.kinked, c)) {
				l.Tangent[c] = src.NormFloat64()
			}
		}
	}
	p.model.Landmarks = append(p.model.Landmarks, l)
	row := make([]float64, labels)
	for y := range row {
		row[y] = src.NormFloat64()
	}
	p.model.Coef = append(p.model.Coef, row)
}

// terms adds what the statement is about.
func (p *problem) terms(src *rand.Rand, labels int) {
	var numbers []int
	for j, c := range p.model.Components {
		if c.Value >= 0 && p.statement.Region[j].Moves() {
			numbers = append(numbers, c.Value)
		}
	}
	s := &p.statement
	s.Name = "random"
	other := src.IntN(labels)
	what := src.IntN(8)
	if len(numbers) == 0 {
		what = 7
	}
	one := func() int { return numbers[src.IntN(len(numbers))] }
	p.star = what < 6
	switch what {
	case 0, 1:
		s.Terms = []statement.Term{{Coef: 1, Derive: []int{one()}}}
	case 2:
		c := one()
		s.Terms = []statement.Term{{Coef: -1.5, Label: other, Derive: []int{c, c}}}
	case 3:
		s.Terms = []statement.Term{{Coef: 1, Derive: []int{one(), one()}}}
	case 4: // dominance
		s.Terms = []statement.Term{{Coef: 1, Derive: []int{one()}}, {Coef: -0.5, Derive: []int{one()}}}
	case 5: // a step along a column
		c := one()
		s.Terms = []statement.Term{{Coef: 1, Move: []statement.Move{{Column: c, From: c, Mul: 1, Add: 0.5}}}, {Coef: -1}}
	case 6: // columns swapped, against a constant place
		move := []statement.Move{{Column: numbers[0], From: one(), Mul: 0.5, Add: 0.1}}
		s.Terms = []statement.Term{{Coef: 1, Move: move}, {Coef: -1, Label: other, Move: []statement.Move{{Column: numbers[0], Add: 0.3}}}}
	default:
		s.Terms = []statement.Term{{Coef: 1}}
		if other > 0 {
			s.Terms = append(s.Terms, statement.Term{Coef: -1, Label: other})
		}
	}
}

// point returns a random point of the region.
func (p *problem) point(src *rand.Rand) []float64 {
	x := make([]float64, p.model.Columns)
	for i := range p.statement.Region {
		s := &p.statement.Region[i]
		k := src.IntN(len(s.Points) + 2)
		switch {
		case k < len(s.Points):
			for j, c := range s.Columns {
				x[c] = s.Points[k][j]
			}
		case s.Moves():
			x[s.Columns[0]] = s.Low + (s.High-s.Low)*src.Float64()
		default:
			for j, c := range s.Columns {
				x[c] = s.Points[0][j]
			}
		}
	}
	return x
}

// norm returns the norm of the function that a statement is about: of one label, or of the difference of two.
func (p *problem) norm() float64 {
	weight := make([]float64, len(p.model.Bias))
	for _, t := range p.statement.Terms {
		weight[t.Label] = 1
	}
	if y := p.statement.Terms[0].Label; len(p.statement.Terms) > 1 && p.statement.Terms[1].Label != y {
		weight[y] = -1
	}
	return norm(&p.model, weight)
}

// lengthscale returns the smallest lengthscale of the numbers, 1 where nothing has one.
func (p *problem) lengthscale() float64 {
	if math.IsInf(p.width, 1) {
		return 1
	}
	return p.width
}

// vague reports whether a statement asks for a second derivative that the kernel does not have.
func (p *problem) vague() bool {
	d := p.statement.Terms[0].Derive
	return len(d) == 2 && d[0] == d[1] && slices.Contains(p.kinked, d[0])
}

// plain reports whether at most two sides move, or a statement is a star: all sides that meet have one in common, or two that dominance compares.
func (p *problem) plain() bool {
	moving := 0
	for i := range p.statement.Region {
		if s := &p.statement.Region[i]; len(s.Points) > 1 || s.Moves() && (s.Low < s.High || len(s.Points) > 0) {
			moving++
		}
	}
	return moving <= 2 || p.kind == "additive" || p.star
}

// value returns g in ordinary arithmetic.
func (p *problem) value(x []float64) float64 {
	if p.memo == nil {
		p.memo = &memo{&p.model, &p.statement, map[place][]jet[float64]{}}
	}
	return p.memo.value(x)
}

// minimum returns the lowest value that a grid with local descent finds.
func (p *problem) minimum(src *rand.Rand, many, descents int) (x []float64, least float64) {
	type spot struct {
		x []float64
		v float64
	}
	var spots []spot
	for _, x := range p.grid(many) {
		spots = append(spots, spot{x, p.value(x)})
	}
	for range 50 {
		x := p.point(src)
		spots = append(spots, spot{x, p.value(x)})
	}
	slices.SortFunc(spots, func(a, b spot) int {
		if a.v < b.v {
			return -1
		}
		return 1
	})
	best := spots[0]
	for _, s := range spots[:min(descents, len(spots))] {
		s.x, s.v = p.descend(s.x, s.v)
		if s.v < best.v {
			best = s
		}
	}
	return best.x, best.v
}

// grid returns about many points of the region.
func (p *problem) grid(many int) [][]float64 {
	moving := 0
	for _, s := range p.statement.Region {
		if s.Moves() && s.Low < s.High {
			moving++
		}
	}
	steps := max(3, int(math.Pow(float64(many), 1/float64(max(moving, 1)))))
	all := [][]float64{make([]float64, p.model.Columns)}
	for _, s := range p.statement.Region {
		values := slices.Clone(s.Points)
		for k := range steps + 1 {
			if s.Moves() && (k == 0 || s.Low < s.High) {
				v := make([]float64, len(s.Columns))
				v[0] = min(s.Low+(s.High-s.Low)*float64(k)/float64(steps), s.High)
				values = append(values, v)
			}
		}
		var next [][]float64
		for _, x := range all {
			for _, v := range values {
				y := slices.Clone(x)
				for j, c := range s.Columns {
					y[c] = v[j]
				}
				next = append(next, y)
			}
		}
		all = next
	}
	return all
}

// descend moves numbers one by one as long as g falls.
func (p *problem) descend(x []float64, v float64) (_ []float64, _ float64) {
	x = slices.Clone(x)
	for h, rounds := 0.1, 0; h > 1e-4 && rounds < 40; rounds++ {
		moved := false
		for _, s := range p.statement.Region {
			if c := s.Columns[0]; s.Moves() && x[c] >= s.Low && x[c] <= s.High && (len(s.Columns) == 1 || x[s.Columns[1]] == 0) {
				for _, step := range []float64{-h, h} {
					was := x[c]
					x[c] = min(max(was+step, s.Low), s.High)
					if w := p.value(x); w < v {
						v, moved = w, true
					} else {
						x[c] = was
					}
				}
			}
		}
		if !moved {
			h /= 3
		}
	}
	return x, v
}
