package tree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// OrbitWord begins a set of transformations whose amounts run through intervals.
const OrbitWord = "orbit"

// The numbers of moves that an orbit is drawn by.
const (
	MovesUnlessTold = 24
	MostMoves       = 4096
)

// OrbitArgs are the arguments of an orbit.
var OrbitArgs = []plugins.Arg{
	{Name: "moves", Kind: plugins.KindCount, Default: fmt.Sprint(MovesUnlessTold), Min: 1, Max: MostMoves, Doc: "how many moves are drawn for each element"},
	SeedArg,
}

// An Orbit is a set of compositions t = t_k ∘ … ∘ t_1 of transformations, whose amounts run through
// intervals. It has as many members as there are numbers, and a sample of moves stands for it:
//
//	rms over x of rms over t in orbit {rotate([-15deg, 15deg]), shift(dx = [-2, 2])} of |f(t(x)) - f(x)|
//
// Each x has draws of its own. So the axis of t lists places of a sample, and not transformations.
type Orbit struct {
	Steps []*Step
	Moves int    // of the sample
	Seed  *Value // nil: the run's own
	Text  string
	Point *Axis // whose elements have draws of their own; nil while the orbit moves no point of an expression
}

// A Step is a transformation whose amounts run from those of Low to those of High. Both have the
// same arguments otherwise.
type Step struct {
	Low, High *Mapping
	Free      []string // the arguments that run
	Text      string
}

// A Draw is a place in the sample of an orbit.
type Draw struct {
	Orbit  *Orbit
	Number int
}

// Maps returns the places of the orbit's sample, as transformations.
func (o *Orbit) Maps(from Origin) []*Mapping {
	out := make([]*Mapping, o.Moves)
	for i := range out {
		out[i] = &Mapping{Drawn: &Draw{Orbit: o, Number: i}, From: from, Text: fmt.Sprintf("move %d of %s", i+1, o.Text)}
	}
	return out
}

// Key identifies what an orbit draws: equal keys draw the same moves.
func (o *Orbit) Key() string {
	var b strings.Builder
	b.WriteString(OrbitWord)
	for _, s := range o.Steps {
		fmt.Fprintf(&b, " %s.%s%s%s", s.Low.Fam.Name, s.Low.Schema.Name, ArgsKey(s.Low.Args), ArgsKey(s.High.Args))
	}
	if o.Seed != nil {
		fmt.Fprintf(&b, " by %v", o.Seed.Quantity.Value)
	}
	return b.String()
}

// Dimension returns how many amounts a move has.
func (o *Orbit) Dimension() int {
	n := 0
	for _, s := range o.Steps {
		n += len(s.Free)
	}
	return n
}

// Ends returns the transformations of which a mapping is made: itself, or for one drawn from an
// orbit those between whose amounts its steps run.
func (m *Mapping) Ends() []*Mapping {
	if m.Drawn == nil {
		return []*Mapping{m}
	}
	var out []*Mapping
	for _, s := range m.Drawn.Orbit.Steps {
		out = append(out, s.Low, s.High)
	}
	return out
}

// Named returns what a reader is told of a mapping: an orbit in the place of its draws.
func (m *Mapping) Named() string {
	if m.Drawn != nil {
		return m.Drawn.Orbit.Text
	}
	return m.Text
}

// NamedMaps returns what a reader is told of transformations, each orbit once.
func NamedMaps(maps []*Mapping) []string {
	var out []string
	for _, m := range maps {
		if m.Drawn == nil || m.Drawn.Number == 0 {
			out = append(out, m.Named())
		}
	}
	return out
}

// Moves returns how many moves of an orbit a form ranges over, of several orbits the most. It is 0 where it ranges over none.
func (f *Form) Moves() int {
	moves := 0
	for k := range f.All() {
		moves = max(moves, k.Quant.moves())
		if k.Linear == nil {
			continue
		}
		for n := range k.Linear.All() {
			moves = max(moves, n.Quant.moves())
		}
	}
	return moves
}

// moves returns how many moves of an orbit a quantifier ranges over; nil ranges over none.
func (q *Quantifier) moves() int {
	moves := 0
	if q != nil {
		for _, a := range q.Axes {
			if a.Orbit != nil {
				moves = max(moves, a.Orbit.Moves)
			}
		}
	}
	return moves
}

// MeansOfSquares reports whether the square of a form is linear in its means over orbits. What stands around these is then
// made of roots of sums or means of squares.
func (f *Form) MeansOfSquares() bool {
	if f.Linear == nil && f.Op == gauge.Norm && f.P == 2 {
		return !slices.ContainsFunc(f.Kids, func(k *Form) bool { return !k.MeansOfSquares() })
	}
	return f.Moves() == 0
}
