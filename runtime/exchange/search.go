package exchange

import (
	"context"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/regularizer"
)

const (
	// firstStep is the first step of a local search, as a share of each interval. Steps halve.
	firstStep = 0.2
	// apart is how far two starts of a place differ at least, in some amount.
	apart = 0.15
	// mostCentres bounds the points of an element around which a step looks. A place has some of its own.
	mostCentres = 8
)

// Moves are moves of orbits by their keys and by element: the amounts of one move after another, as shares of their intervals.
type Moves map[string][][]float64

// An Evaluate returns what some moves come to at a function, in the same order whatever the moves.
type Evaluate func(ctx context.Context, moves Moves) ([]regularizer.Maximum, error)

// A Search says how worst moves are searched.
type Search struct {
	// Orbits are searched, each from its members on.
	Orbits []regularizer.Orbit
	At     Evaluate
	Seed   uint64
	Design int // moves of each element beside members and corners that are looked at first
	Starts int // of which so many are improved at each place
	Steps  int // of a local search
	AtOnce int // moves of all elements that are evaluated at once
}

// A Place is a place of an expression at which a maximum over an orbit is taken. It has the worst moves found there, the worst first. No two of them
// are near each other.
type Place struct {
	Orbit   string // its key
	Element int
	Peaks   []Peak
}

// A Peak is a move and what it comes to.
type Peak struct {
	Amounts []float64
	Value   float64
	better  []float64 // a move that is hoped to be better still; nil: there is none
}

// Run returns the worst moves that it finds at each place. It is the same for the same seed.
func (s *Search) Run(ctx context.Context) ([]Place, error) {
	places, err := s.starts(ctx)
	if err != nil {
		return nil, err
	}
	for step, k := firstStep, 0; k < s.Steps; step, k = step/2, k+1 {
		for _, by := range []float64{step, 0} { // 0 looks at what the step hopes for
			if err := s.improve(ctx, places, by); err != nil {
				return nil, err
			}
		}
	}
	for i := range places {
		places[i].Peaks = distinct(places[i].Peaks, s.Starts, 1e-3)
	}
	return places, nil
}

// starts returns all places with the best of their members, of the corners and of a design.
func (s *Search) starts(ctx context.Context) ([]Place, error) {
	moves := Moves{}
	for i := range s.Orbits {
		o := &s.Orbits[i]
		moves[o.Key] = s.first(o)
	}
	var places []Place
	err := s.each(ctx, moves, func(i int, m *regularizer.Maximum, amounts []float64, value float64) {
		for len(places) <= i {
			places = append(places, Place{})
		}
		p := &places[i]
		p.Orbit, p.Element = m.Orbit, m.Element
		p.Peaks = append(p.Peaks, Peak{Amounts: amounts, Value: value})
	})
	for i := range places {
		places[i].Peaks = distinct(places[i].Peaks, s.Starts, apart)
	}
	return places, err
}

// distinct returns the best of some moves, at most so many, that are so far apart. Their order is that of their values.
func distinct(all []Peak, most int, apart float64) []Peak {
	slices.SortStableFunc(all, func(a, b Peak) int {
		switch {
		case a.Value > b.Value:
			return -1
		case a.Value < b.Value:
			return 1
		}
		return 0
	})
	var out []Peak
	for _, p := range all {
		if len(out) == most {
			break
		}
		if !slices.ContainsFunc(out, func(q Peak) bool { return distance(p.Amounts, q.Amounts) < apart }) {
			out = append(out, p)
		}
	}
	return out
}

// distance returns by how much two moves differ in the amount in which they differ most.
func distance(a, b []float64) (most float64) {
	for k, v := range a {
		most = max(most, math.Abs(v-b[k]))
	}
	return most
}

// improve looks a step away from each peak in each amount, and at what the step before hoped for. Each peak goes on to the best of these.
func (s *Search) improve(ctx context.Context, places []Place, step float64) error {
	moves, centres := Moves{}, map[string][][][]float64{}
	for i := range s.Orbits {
		o := &s.Orbits[i]
		moves[o.Key], centres[o.Key] = make([][]float64, len(o.Members)), make([][][]float64, len(o.Members))
	}
	for _, p := range ranked(places) { // the worst of an element first
		own, to := &centres[p.place.Orbit][p.place.Element], &moves[p.place.Orbit][p.place.Element]
		if len(*own) >= mostCentres {
			continue
		}
		*to = append(*to, p.peak.better...)
		if step > 0 && !slices.ContainsFunc(*own, func(c []float64) bool { return slices.Equal(c, p.peak.Amounts) }) {
			*own = append(*own, p.peak.Amounts)
			*to = around(p.peak.Amounts, step, *to)
		}
	}
	looked := make([][]Peak, len(places))
	err := s.each(ctx, moves, func(i int, _ *regularizer.Maximum, amounts []float64, value float64) {
		looked[i] = append(looked[i], Peak{Amounts: amounts, Value: value})
	})
	for i := range places {
		for k := range places[i].Peaks {
			places[i].Peaks[k].climb(looked[i], step)
		}
	}
	return err
}

// A ranking is a peak of a place.
type ranking struct {
	place *Place
	peak  *Peak
}

// ranked returns all peaks, those first that are the first of their place, and of these the highest.
func ranked(places []Place) []ranking {
	var out []ranking
	for k, more := 0, true; more; k++ {
		more = false
		from := len(out)
		for i := range places {
			if k < len(places[i].Peaks) {
				more = true
				out = append(out, ranking{&places[i], &places[i].Peaks[k]})
			}
		}
		slices.SortStableFunc(out[from:], func(a, b ranking) int {
			switch {
			case a.peak.Value > b.peak.Value:
				return -1
			case a.peak.Value < b.peak.Value:
				return 1
			}
			return 0
		})
	}
	return out
}

// around appends the moves a step away from one, in each amount to both sides. Where a side is outside of the box, half a step is made to the other.
func around(centre []float64, step float64, to []float64) []float64 {
	for k, v := range centre {
		for _, by := range []float64{step, -step} {
			if v+by < 0 || v+by > 1 {
				by /= -2
			}
			at := slices.Clone(centre)
			at[k] = min(max(v+by, 0), 1)
			to = append(to, at...)
		}
	}
	return to
}

// climb goes on to the best of the moves looked at that are no more than a step away. It hopes for the move at the top of the parabolas through the values in each
// amount.
func (p *Peak) climb(looked []Peak, step float64) {
	centre, value, hoped := p.Amounts, p.Value, p.better
	sides := make([][]Peak, len(centre))
	for _, q := range looked {
		if distance(centre, q.Amounts) > step+1e-12 && !slices.Equal(q.Amounts, hoped) {
			continue
		}
		if q.Value > p.Value {
			p.Amounts, p.Value = q.Amounts, q.Value
		}
		if k, along := alongOne(centre, q.Amounts); along && (len(sides[k]) == 0 || sides[k][0].Amounts[k] != q.Amounts[k]) {
			sides[k] = append(sides[k], q)
		}
	}
	hope := slices.Clone(centre)
	for k, own := range sides {
		if len(own) > 1 {
			hope[k] = min(max(centre[k]+top(own[0].Amounts[k]-centre[k], own[0].Value-value, own[1].Amounts[k]-centre[k], own[1].Value-value, step), 0), 1)
		}
	}
	if p.better = nil; !slices.Equal(hope, centre) && !slices.Equal(hope, p.Amounts) {
		p.better = hope
	}
}

// top returns where a parabola through 0 and two points is largest, no more than a step away.
func top(x1, v1, x2, v2, step float64) float64 {
	bend := (v1/x1 - v2/x2) / (x1 - x2)
	slope := v1/x1 - bend*x1
	switch {
	case bend < 0:
		return min(max(-slope/(2*bend), -step), step)
	case v1 > max(v2, 0):
		return x1
	case v2 > 0:
		return x2
	}
	return 0
}

// alongOne returns the one amount in which two moves differ.
func alongOne(a, b []float64) (k int, one bool) {
	count := 0
	for j := range a {
		if a[j] != b[j] {
			k, count = j, count+1
		}
	}
	return k, count == 1
}

// each evaluates moves, so many at once, and calls take for each place that has them.
func (s *Search) each(ctx context.Context, moves Moves, take func(place int, m *regularizer.Maximum, amounts []float64, value float64)) error {
	most, elements := 0, 1
	for i := range s.Orbits {
		o := &s.Orbits[i]
		for _, amounts := range moves[o.Key] {
			most = max(most, len(amounts)/o.Dimension)
		}
		elements = max(elements, len(o.Members))
	}
	step := max(1, s.AtOnce/elements)
	for lo := 0; lo < most; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := Moves{}
		for i := range s.Orbits {
			o := &s.Orbits[i]
			part[o.Key] = cut(moves[o.Key], lo*o.Dimension, (lo+step)*o.Dimension)
		}
		found, err := s.At(ctx, s.filled(part))
		if err != nil {
			return err
		}
		for i := range found {
			m := &found[i]
			own := part[m.Orbit][m.Element]
			for k := range own {
				if d := s.dimension(m.Orbit); k < len(own)/d {
					take(i, m, own[k*d:(k+1)*d], m.Values[k])
				}
			}
		}
	}
	return nil
}

// dimension returns that of an orbit.
func (s *Search) dimension(key string) int {
	return s.Orbits[slices.IndexFunc(s.Orbits, func(o regularizer.Orbit) bool { return o.Key == key })].Dimension
}

// cut returns part of each element's amounts.
func cut(all [][]float64, lo, hi int) [][]float64 {
	out := make([][]float64, len(all))
	for e, own := range all {
		out[e] = own[min(lo, len(own)):min(hi, len(own))]
	}
	return out
}

// filled returns moves in which each orbit has one at least, as an orbit without any has no functionals.
func (s *Search) filled(moves Moves) Moves {
	out := Moves{}
	for i := range s.Orbits {
		o := &s.Orbits[i]
		out[o.Key] = moves[o.Key]
		if len(o.Members) > 0 && !slices.ContainsFunc(moves[o.Key], func(own []float64) bool { return len(own) > 0 }) {
			out[o.Key] = slices.Clone(moves[o.Key])
			out[o.Key][0] = make([]float64, o.Dimension)
		}
	}
	return out
}
