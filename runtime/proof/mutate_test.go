package proof_test

import (
	"context"
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/statement"
	"github.com/sipc-ml/sipc/runtime/worst"
)

var mutants = flag.Int("mutants", 300, "spoilt models and statements to decide")

// Whatever numbers a file holds, a verdict is true of the function of these numbers, or there is none. Numbers are NaN, infinite, huge, tiny or
// of another sign. Shapes are wrong, and columns, kinds and components exchanged. 800 bits judge, as numbers may be far apart.
func TestSpoiltModelsAreNotProvedWrongly(t *testing.T) {
	judge := digits(800).arithmetic()
	counts := map[string]int{}
	for seed := range *mutants {
		src := rand.New(rand.NewPCG(uint64(seed), 23))
		p := draw(src)
		_, least := p.minimum(src, 40, 1)
		p.statement.Constant = 0.1*src.NormFloat64()*p.norm() - least
		s := &spoiler{src, p}
		for range 1 + src.IntN(3) {
			s.spoil()
		}
		f, err := proof.New(&p.model)
		if err != nil {
			counts["models refused"]++
			continue
		}
		if seed%2 == 0 && p.statement.Validate(p.model.Columns, len(p.model.Bias)) == nil {
			s.centre()
		}
		v, err := f.Prove(context.Background(), &p.statement, proof.Options{Suspects: worst.Suspects, Cells: 500})
		if err != nil {
			counts["statements refused"]++
			continue
		}
		counts[v.Answer.String()]++
		for _, x := range s.suspects() {
			low, high, err := f.Enclose(&p.statement, x)
			if err != nil {
				continue // the place or the kernel's derivatives do not exist
			}
			g := evaluate(judge, &p.model, &p.statement, x)
			above := func(v float64) bool {
				return math.IsInf(v, -1) || !math.IsInf(v, 1) && g.Cmp(new(big.Float).SetFloat64(v)) >= 0
			}
			below := func(v float64) bool {
				return math.IsInf(v, 1) || !math.IsInf(v, -1) && g.Cmp(new(big.Float).SetFloat64(v)) <= 0
			}
			if low <= high && (!above(low) || !below(high)) {
				t.Errorf("seed %d: g is %.20g at %v, and enclosed by %v and %v", seed, g, x, low, high)
			}
			if v.Answer == proof.Proved && !above(v.Margin) {
				t.Errorf("seed %d: proved with margin %v, but g is %.20g at %v", seed, v.Margin, g, x)
			}
		}
		if v.Answer == proof.Refuted {
			if g := evaluate(judge, &p.model, &p.statement, v.At); g.Sign() >= 0 || !(&statement.Statement{Region: p.statement.Region}).Holds(v.At) {
				t.Errorf("seed %d: refuted at %v, but g is %.20g there", seed, v.At, g)
			}
		}
	}
	t.Log(counts)
	for _, k := range []string{"models refused", "statements refused", "proved", "refuted", "open"} {
		if counts[k] < *mutants/50 {
			t.Errorf("%d %s of %d: they are spoilt too much or too little", counts[k], k, *mutants)
		}
	}
}

// A spoiler changes a problem.
type spoiler struct {
	*rand.Rand
	*problem
}

// number returns another number.
func (s *spoiler) number(v float64) float64 {
	return []float64{
		math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e59, 1e30, -1e12, 1e-30, 5e-324, 0, math.Copysign(0, -1),
		-v, v * (1 + 0x1p-52), v * 1e3, v * -1e-3, v + s.NormFloat64(), v, s.NormFloat64(),
	}[s.IntN(18)]
}

// one spoils a number of a list.
func (s *spoiler) one(x []float64) {
	if len(x) > 0 {
		i := s.IntN(len(x))
		x[i] = s.number(x[i])
	}
}

// spoil changes something.
func (s *spoiler) spoil() {
	m := &s.model
	c := &m.Components[s.IntN(len(m.Components))]
	l := &m.Landmarks[s.IntN(len(m.Landmarks))]
	switch s.IntN(16) {
	case 0, 1:
		s.one(m.Coef[s.IntN(len(m.Coef))])
	case 2:
		s.one(m.Bias)
	case 3, 4:
		s.one(l.Point)
	case 5:
		s.one(l.Tangent)
		if s.IntN(4) == 0 {
			l.Order = s.IntN(5) - 1
		}
	case 6:
		c.Base.Width = s.number(c.Base.Width)
	case 7:
		c.Base.Period = s.number(c.Base.Period)
	case 8:
		c.Base.Slope = s.number(c.Base.Slope)
	case 9:
		c.Base.Kind = proof.Kind(s.IntN(7) - 1)
	case 10:
		p := &m.Products[s.IntN(len(m.Products))]
		if p.Weight = s.number(p.Weight); s.IntN(2) == 0 {
			p.Of[s.IntN(len(p.Of))] = s.IntN(len(m.Components)+2) - 1
		}
	case 11:
		s.shapes(l)
	case 12, 13:
		s.columns(c, l)
	case 14:
		s.said()
	case 15:
		s.where()
	}
}

// shapes makes a length wrong.
func (s *spoiler) shapes(l *proof.Landmark) {
	m := &s.model
	i := s.IntN(len(m.Coef))
	switch s.IntN(6) {
	case 0:
		l.Point = l.Point[:len(l.Point)-1]
	case 1:
		m.Coef[i] = append(m.Coef[i], 1)
	case 2:
		m.Coef = m.Coef[:max(i, 1)]
	case 3:
		m.Columns += s.IntN(3) - 1
	case 4:
		m.Bias = append(m.Bias, 0)
	default:
		m.Landmarks = m.Landmarks[:1+s.IntN(len(m.Landmarks))]
	}
}

// columns exchanges columns of a component or a landmark, or rows of coefficients.
func (s *spoiler) columns(c *proof.Component, l *proof.Landmark) {
	m := &s.model
	swap := func(x []float64) {
		if len(x) > 1 {
			i, j := s.IntN(len(x)), s.IntN(len(x))
			x[i], x[j] = x[j], x[i]
		}
	}
	switch s.IntN(4) {
	case 0:
		c.Value = s.IntN(m.Columns+2) - 1
	case 1:
		swap(l.Point)
	case 2:
		i, j := s.IntN(len(m.Coef)), s.IntN(len(m.Coef))
		m.Coef[i], m.Coef[j] = m.Coef[j], m.Coef[i]
	default:
		if len(c.Masks) > 0 {
			c.Masks[s.IntN(len(c.Masks))] = s.IntN(m.Columns+2) - 1
		}
	}
}

// said changes what a statement says.
func (s *spoiler) said() {
	of := &s.statement
	t := &of.Terms[s.IntN(len(of.Terms))]
	column := s.IntN(s.model.Columns+2) - 1
	switch s.IntN(6) {
	case 0:
		of.Constant = s.number(of.Constant)
	case 1:
		t.Coef = s.number(t.Coef)
	case 2:
		t.Label = s.IntN(4) - 1
	case 3:
		t.Derive = append(t.Derive, column)
	case 4:
		t.Move = append(slices.Clone(t.Move), statement.Move{Column: column, From: s.IntN(s.model.Columns), Mul: s.number(1), Add: s.number(0)})
	default:
		of.Terms = of.Terms[:max(len(of.Terms)-1, 1)]
	}
}

// where changes a region.
func (s *spoiler) where() {
	r := &s.statement.Region[s.IntN(len(s.statement.Region))]
	switch s.IntN(5) {
	case 0:
		r.Low = s.number(r.Low)
	case 1:
		r.High = s.number(r.High)
	case 2:
		r.Columns[s.IntN(len(r.Columns))] = s.IntN(s.model.Columns+2) - 1
	case 3:
		if len(r.Points) > 0 {
			s.one(r.Points[s.IntN(len(r.Points))])
		}
	default:
		r.Points = nil
	}
}

// centre shifts a spoilt statement so that its minimum is near 0.
func (s *spoiler) centre() {
	s.memo = nil // of the sound model
	if _, least := s.minimum(s.Rand, 60, 1); math.Abs(least) < 1e50 {
		s.statement.Constant -= least - 1e-3*s.NormFloat64()*math.Abs(least)
	}
}

// suspects returns points of the region where g may be least.
func (s *spoiler) suspects() [][]float64 {
	s.memo = nil // of the sound model
	x, _ := s.minimum(s.Rand, 60, 3)
	return append([][]float64{x}, s.point(s.Rand), s.point(s.Rand), s.grid(3)[0])
}
