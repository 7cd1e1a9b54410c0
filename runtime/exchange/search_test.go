package exchange_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/exchange"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// A bumpy is a sum of bumps over a box of amounts, one for each place.
type bumpy struct {
	centres [][]float64
	heights []float64
}

// newBumpy draws a function of some amounts.
func newBumpy(r *rand.Rand, dimension int) bumpy {
	var b bumpy
	for range 4 {
		centre := make([]float64, dimension)
		for k := range centre {
			centre[k] = 1.4*r.Float64() - 0.2 // beyond the box, too, as worst moves often are at its corners
		}
		b.centres, b.heights = append(b.centres, centre), append(b.heights, 0.5+r.Float64())
	}
	return b
}

// at returns the function at some amounts.
func (b bumpy) at(a []float64) (sum float64) {
	for i, c := range b.centres {
		d := 0.0
		for k := range a {
			d += (a[k] - c[k]) * (a[k] - c[k])
		}
		sum += b.heights[i] * math.Exp(-4*d)
	}
	return sum
}

// largest returns the largest value of the function on a fine grid.
func (b bumpy) largest(dimension, steps int) (most float64) {
	a := make([]float64, dimension)
	for i := range int(math.Pow(float64(steps+1), float64(dimension))) {
		for k := range a {
			a[k] = float64(i%(steps+1)) / float64(steps)
			i /= steps + 1
		}
		most = max(most, b.at(a))
	}
	return most
}

// problem is an orbit whose elements have as many places each as functions.
type problem struct {
	dimension int
	of        [][]bumpy // by element and place
	asked     int       // moves of elements
}

// orbits returns the orbit, with one member of each element.
func (p *problem) orbits() []regularizer.Orbit {
	o := regularizer.Orbit{Key: "o", Dimension: p.dimension, Members: make([][]float64, len(p.of))}
	for e := range o.Members {
		o.Members[e] = make([]float64, p.dimension)
	}
	return []regularizer.Orbit{o}
}

// evaluate implements exchange.Evaluate.
func (p *problem) evaluate(_ context.Context, moves exchange.Moves) ([]regularizer.Maximum, error) {
	var out []regularizer.Maximum
	for e, own := range moves["o"] {
		p.asked += len(own) / p.dimension
		for _, b := range p.of[e] {
			m := regularizer.Maximum{Orbit: "o", Element: e}
			for at := 0; at < len(own); at += p.dimension {
				m.Values = append(m.Values, b.at(own[at:at+p.dimension]))
			}
			out = append(out, m)
		}
	}
	return out, nil
}

// newProblem draws a problem of so many elements and places.
func newProblem(seed uint64, dimension, elements, places int) *problem {
	r := rand.New(rand.NewPCG(seed, 1))
	p := &problem{dimension: dimension, of: make([][]bumpy, elements)}
	for e := range p.of {
		for range places {
			p.of[e] = append(p.of[e], newBumpy(r, dimension))
		}
	}
	return p
}

// search searches a problem as a fit does.
func search(t interface{ Fatal(args ...any) }, p *problem, atOnce int) []exchange.Place {
	s := exchange.Search{Orbits: p.orbits(), At: p.evaluate, Seed: 3, Design: 64, Starts: 3, Steps: 4, AtOnce: atOnce}
	found, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The worst move of nine places in ten is within 2 per cent of the largest value on a fine grid, that of all within 10, at no more evaluations than the search may take.
func TestSearchFindsWorstMoves(t *testing.T) {
	for _, dimension := range []int{1, 2, 3, 4} {
		p := newProblem(uint64(dimension), dimension, 20, 2)
		short, steps := 0, map[int]int{1: 400, 2: 100, 3: 40, 4: 20}[dimension]
		places := search(t, p, 100)
		if len(places) != 40 {
			t.Fatalf("%d places, want 40", len(places))
		}
		for i, place := range places {
			b := p.of[place.Element][i%2]
			if math.Abs(place.Peaks[0].Value-b.at(place.Peaks[0].Amounts)) > 1e-12 {
				t.Fatalf("place %d: the value of a move is that of another", i)
			}
			want := b.largest(dimension, steps)
			if share := place.Peaks[0].Value / want; share < 0.9 {
				t.Errorf("%d amounts, place %d: %v is found, and the largest value is %v", dimension, i, place.Peaks[0].Value, want)
			} else if share < 0.98 {
				short++
			}
		}
		if short > 4 {
			t.Errorf("%d amounts: %d of 40 places fall short by more than 2 per cent", dimension, short)
		}
		if most := 20 * (1 + 1<<dimension + 64 + 4*8*(2*dimension+2)); p.asked > most {
			t.Errorf("%d amounts: %d evaluations, want %d at most", dimension, p.asked, most)
		}
	}
}

// What is found depends neither on how many moves are evaluated at once, nor on anything but the seed.
func TestSearchIsDeterministic(t *testing.T) {
	want := fmt.Sprint(search(t, newProblem(9, 3, 7, 2), 1))
	for _, atOnce := range []int{1, 50, 1 << 20} {
		if got := fmt.Sprint(search(t, newProblem(9, 3, 7, 2), atOnce)); got != want {
			t.Errorf("%d at once find\n%s\nwant\n%s", atOnce, got, want)
		}
	}
}

// A search ends with its context.
func TestSearchEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := newProblem(1, 2, 2, 1)
	s := exchange.Search{Orbits: p.orbits(), At: p.evaluate, Design: 8, Starts: 1, Steps: 1, AtOnce: 1}
	if _, err := s.Run(ctx); err == nil || p.asked > 0 {
		t.Errorf("%d evaluations, and the error %v", p.asked, err)
	}
}

// Members only grow, as many as are said to be added. The maximum over the members of a place never falls at a fixed function.
func TestMembersGrow(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dimension := rapid.IntRange(1, 3).Draw(r, "dimension")
		p := newProblem(rapid.Uint64().Draw(r, "problem"), dimension, 4, 2)
		orbits := p.orbits()
		m := exchange.NewMembers(orbits)
		before := make([]float64, 8)
		for range 4 {
			now, _ := p.evaluate(context.Background(), m.Moves)
			for i := range now {
				if at := slices.Max(now[i].Values); at < before[i] {
					r.Fatalf("place %d falls from %v to %v", i, before[i], at)
				} else {
					before[i] = at
				}
			}
			m.Note(now)
			kept := m.Clone()
			orbits[0].Members = slices.Clone(m.Moves["o"])
			s := exchange.Search{Orbits: orbits, At: p.evaluate, Seed: 3, Design: 16, Starts: 2, Steps: 3, AtOnce: 100}
			places, err := s.Run(context.Background())
			if err != nil {
				r.Fatal(err)
			}
			added := m.Add(orbits, now, places)
			was, _, _ := m.Count(orbits)
			orbits[0].Members = slices.Clone(m.Moves["o"])
			members, active, elements := m.Count(orbits)
			if members != was+added || active > members || elements != 4 {
				r.Fatalf("%d members of which %d were active, after %d and %d more, of %d elements", members, active, was, added, elements)
			}
			for e, own := range kept.Moves["o"] {
				if !slices.Equal(own, m.Moves["o"][e][:len(own)]) {
					r.Fatalf("members of element %d changed", e)
				}
			}
			if added == 0 {
				break
			}
		}
	})
}
