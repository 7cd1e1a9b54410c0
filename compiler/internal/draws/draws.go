// Package draws says which moves stand for an orbit, a set of transformations whose amounts run
// through intervals. Each element of the index set whose points are moved has moves of its own. The
// amounts of move m of element e are
//
//	a_k = low_k + u_k (high_k − low_k),   u_k uniform in [0, 1) by (seed, e, m),
//
// independent for all e, m and k. They depend on nothing else: more moves begin with the same ones,
// and more elements leave those of the others as they are.
//
// A maximum over an orbit is taken over members. These are moves that somebody found, each element's own, and elements may differ in
// their number. An orbit without any begins with corners of its box of amounts (Start).
package draws

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
)

// A Sample says which moves of orbits are drawn. The zero value is the sample that a fit takes.
type Sample struct {
	// Fresh numbers samples that are independent of each other, and of the one that a fit takes, which is 0.
	Fresh int
	// Moves is how many moves each element has; 0 stands for the number that the orbit says.
	Moves int
	// First is the number of the first element, where elements are a part of others. Each has the moves that it has among all.
	First int
	// Members are those of orbits over which maxima are taken, by the orbits' keys. An orbit that has no key here begins with corners.
	Members map[string]Members
}

// Members are moves by element: the amounts of one move after another, as shares of their intervals.
type Members [][]float64

// most returns how many moves the element has that has most of them.
func (m Members) most(dimension int) int {
	most := 0
	for _, amounts := range m {
		most = max(most, len(amounts)/dimension)
	}
	return most
}

// Of returns how many moves of an orbit each element has in the sample. Of members it returns the most that one has.
func (s Sample) Of(o *tree.Orbit) int {
	if o.Worst {
		if own, ok := s.Members[o.Key()]; ok {
			return own.most(o.Dimension())
		}
		return Starts(o.Dimension())
	}
	if s.Moves > 0 {
		return min(s.Moves, o.Moves)
	}
	return o.Moves
}

// A Drawer draws the moves of an orbit.
type Drawer struct {
	orbit   *tree.Orbit
	seed    uint64
	first   int
	members Members // of a maximum; nil: corners
}

// New returns the drawer of an orbit in a sample. Its seed is made of the run's, or of the orbit's own where it
// gives one, and of what the orbit is. So equal orbits draw the same moves, and different ones are independent.
func New(o *tree.Orbit, s Sample, run uint64) *Drawer {
	key := o.Key()
	if s.Fresh > 0 {
		key += " afresh " + strconv.Itoa(s.Fresh)
	}
	if o.Seed != nil {
		run = uint64(o.Seed.Quantity.Value)
	}
	return &Drawer{o, Seed(run, key), s.First, s.Members[key]}
}

// Seed returns a seed that is made of another one and of what is drawn.
func Seed(run uint64, key string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // never fails
	return run ^ h.Sum64()
}

// Has reports whether an element has a move of a number.
func (d *Drawer) Has(element, move int) bool {
	return !d.orbit.Worst || d.members == nil || element < len(d.members) && move < len(d.members[element])/d.orbit.Dimension()
}

// Amounts appends where in its interval each amount of a move lies, as numbers in [0, 1). Those of a member may be 1.
func (d *Drawer) Amounts(element, move int, to []float64) []float64 {
	switch n := d.orbit.Dimension(); {
	case d.orbit.Worst && d.members != nil:
		return append(to, d.members[element][move*n:(move+1)*n]...)
	case d.orbit.Worst:
		return Corner(n, move, to)
	}
	r := rand.New(rand.NewPCG(d.seed, uint64(d.first+element)<<16|uint64(move)))
	r.Uint64() // neighbours begin with numbers that are alike in many bits
	for range d.orbit.Dimension() {
		to = append(to, r.Float64())
	}
	return to
}

// Text returns a move with its amounts, for a reader: rotate(-7.31deg), then shift(dx = 0.52).
func (d *Drawer) Text(element, move int) string {
	u := d.Amounts(element, move, nil)
	var steps []string
	for _, s := range d.orbit.Steps {
		steps = append(steps, stepText(s, u))
		u = u[len(s.Free):]
	}
	return strings.Join(steps, ", then ")
}

// stepText returns a step with its amounts. Arguments that have their default are left out.
func stepText(s *tree.Step, u []float64) string {
	var args []string
	for i, low := range s.Low.Args {
		if low == nil {
			continue
		}
		text := low.Text
		switch k := slices.Index(s.Free, low.Arg.Name); {
		case k >= 0:
			text = amountText(low.Quantity, u[k]*(s.High.Args[i].Quantity.Value-low.Quantity.Value))
		case low.Arg.Default != "" && amountText(low.Quantity, 0) == low.Arg.Default:
			continue
		case text == "":
			text = amountText(low.Quantity, 0)
		}
		if low.Arg.Default != "" {
			text = low.Arg.Name + " = " + text
		}
		args = append(args, text)
	}
	return s.Low.Schema.Name + "(" + strings.Join(args, ", ") + ")"
}

// amountText writes a quantity and what is added to it with four digits. Angles are kept in radians, and shown in degrees.
func amountText(q tree.Quantity, more float64) string {
	v := q.Value + more
	if q.Unit == tree.Degrees {
		v *= 180 / math.Pi
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + q.Unit
}
