package exchange

import (
	"slices"

	"github.com/sipc-ml/sipc/runtime/regularizer"
)

const (
	// worthAdding is by what share a move exceeds the members of its place where it becomes one. Below the share negligible of the largest
	// maximum nothing is worth it.
	worthAdding = 0.01
	negligible  = 1e-3
	// mostAdded bounds the moves that a place adds in a round, and mostMembers the members of an element.
	mostAdded   = 2
	mostMembers = 96
	// attains is the share of its place's maximum that an active member has at least.
	attains = 0.99
	// sameMove is how near a move is to a member that is the same.
	sameMove = 1e-6
)

// Members are those of orbits, as they grow round by round.
type Members struct {
	Moves Moves
	// active says of each member, by orbit and element, whether it ever attained a maximum.
	active map[string][][]bool
}

// NewMembers returns those that orbits begin with.
func NewMembers(orbits []regularizer.Orbit) *Members {
	m := &Members{Moves: Moves{}, active: map[string][][]bool{}}
	m.Begin(orbits)
	return m
}

// Begin takes in the members of orbits that have none yet.
func (m *Members) Begin(orbits []regularizer.Orbit) {
	for _, o := range orbits {
		if _, known := m.Moves[o.Key]; !known {
			m.Moves[o.Key] = slices.Clone(o.Members)
			m.active[o.Key] = make([][]bool, len(o.Members))
		}
	}
}

// Note takes down which members attain maxima.
func (m *Members) Note(maxima []regularizer.Maximum) {
	for i := range maxima {
		own := maxima[i].Values
		if len(own) == 0 || slices.Max(own) <= 0 {
			continue
		}
		active := &m.active[maxima[i].Orbit][maxima[i].Element]
		for k, v := range own {
			for len(*active) <= k {
				*active = append(*active, false)
			}
			(*active)[k] = (*active)[k] || v >= attains*slices.Max(own)
		}
	}
}

// Add adds the worst moves of places to the members, where they exceed what members come to there, and returns how many it added.
func (m *Members) Add(orbits []regularizer.Orbit, now []regularizer.Maximum, places []Place) (added int) {
	least := 0.0
	for i := range now {
		least = max(least, largest(now[i].Values))
	}
	for i := range places {
		p := &places[i]
		dimension := orbits[slices.IndexFunc(orbits, func(o regularizer.Orbit) bool { return o.Key == p.Orbit })].Dimension
		own, enough := &m.Moves[p.Orbit][p.Element], (1+worthAdding)*largest(now[i].Values)+negligible*least
		for _, peak := range p.Peaks[:min(mostAdded, len(p.Peaks))] {
			if peak.Value > enough && len(*own) < mostMembers*dimension && !holds(*own, peak.Amounts) {
				*own = append(slices.Clip(*own), peak.Amounts...)
				added++
			}
		}
	}
	return added
}

// largest returns the largest of some values, 0 of none.
func largest(values []float64) (most float64) {
	for _, v := range values {
		most = max(most, v)
	}
	return most
}

// holds reports whether a move is among some, one after another.
func holds(all, move []float64) bool {
	for at := 0; at < len(all); at += len(move) {
		if distance(all[at:at+len(move)], move) < sameMove {
			return true
		}
	}
	return false
}

// Count returns how many members orbits have, how many of them ever attained a maximum, and how many elements there are. The members are the first of
// those that have grown.
func (m *Members) Count(orbits []regularizer.Orbit) (members, active, elements int) {
	for _, o := range orbits {
		for e, own := range o.Members {
			count := len(own) / o.Dimension
			members += count
			elements++
			for k, a := range m.active[o.Key][e] {
				if a && k < count {
					active++
				}
			}
		}
	}
	return members, active, elements
}

// Clone returns members that grow by themselves.
func (m *Members) Clone() *Members {
	out := &Members{Moves: Moves{}, active: map[string][][]bool{}}
	for key, own := range m.Moves {
		out.Moves[key] = slices.Clone(own) // whose amounts are appended to copies
		for _, active := range m.active[key] {
			out.active[key] = append(out.active[key], slices.Clone(active))
		}
	}
	return out
}
