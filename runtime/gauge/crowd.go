package gauge

import "math"

// A crowd is a maximum of positive parts and of PosTops of two, the largest violation among siblings of several groups. With κ_b(s)
// the multiplier that brings part b down to the level s, its proximal point has the level of
//
//	Σ_b κ_b(s) = τs.
//
// Every κ_b is convex, piecewise linear and falling, so that Newton's iteration from below ends at the level. From below it
// starts, for κ_b falls no slower than by 1/2 where a PosTop is left and by 1 where a leaf is.
type crowd struct {
	at    int     // its first leaf
	gain  float64 // (v_b w)², w the common weight
	parts []crowdPart
}

type crowdPart struct {
	at    int // from the crowd's first leaf
	m     int
	pairs bool
}

// asCrowd says whether a plan is a crowd, and its common weight.
func (pl *plan) asCrowd() (parts []crowdPart, weight float64, ok bool) {
	if pl.op != Max || pl.isLeaf() {
		return nil, 0, false
	}
	for i := range pl.n {
		kid, at := pl.childAt(i, 0)
		kind, ok := kid.asGroup(1)
		if !ok || (!kind.pos && !kind.pairs) {
			return nil, 0, false
		}
		w := pl.weight(i)
		if !kid.isLeaf() {
			w *= kid.weight(0)
		}
		if i == 0 {
			weight = w
		}
		if w != weight {
			return nil, 0, false
		}
		parts = append(parts, crowdPart{at: at, m: kind.m, pairs: kind.pairs})
	}
	return parts, weight, true
}

// crowding is the memory in which crowds are done.
type crowding struct {
	height []float64 // of the parts
	first  []int     // their largest leaves
	crowds []float64 // levels of the crowds
}

// squareCrowds does crowds, and returns Σ_b v_b² ρ_b(t)² over them.
func squareCrowds[F float](c *crowding, crowds []crowd, t, u []F, tau float64) float64 {
	total := 0.0
	c.crowds = c.crowds[:0]
	for i := range crowds {
		w := &crowds[i]
		s := squareCrowd(c, w, t[w.at:], u[w.at:], tau*w.gain)
		c.crowds = append(c.crowds, s)
		total += w.gain * s * s
	}
	return total
}

func squareCrowd[F float](c *crowding, w *crowd, t, u []F, tau float64) float64 {
	s := lowest(c, w, u, tau)
	for s > 0 {
		kappa, slope := 0.0, 0.0
		for b, p := range w.parts {
			if c.height[b] > s {
				q := bringDown(u[p.at:p.at+p.m], p.pairs, c.first[b], s)
				kappa += q.kappa
				slope += q.slope
			}
		}
		next := s + (kappa-tau*s)/(slope+tau)
		if !(next > s*(1+0x1p-52)) {
			break
		}
		s = next
	}
	for b, p := range w.parts {
		from, to := u[p.at:p.at+p.m], t[p.at:p.at+p.m]
		if c.height[b] <= s {
			copy(to, from)
			continue
		}
		q := bringDown(from, p.pairs, c.first[b], s)
		for i, x := range from {
			to[i] = min(x, F(q.theta))
		}
		if q.capped {
			to[c.first[b]] = from[c.first[b]] - F(q.kappa)
		}
		if p.pairs {
			inside(to, from, 2)
		}
	}
	return s
}

// lowest sets the heights and returns a lower bound of the level, NaN where a leaf is.
func lowest[F float](c *crowding, w *crowd, u []F, tau float64) float64 {
	c.height, c.first = c.height[:0], c.first[:0]
	bound, sum := 0.0, F(0)
	for _, p := range w.parts {
		part := u[p.at : p.at+p.m]
		first, most, second := 0, part[0], F(math.Inf(-1))
		sum += most
		for i, x := range part[1:] {
			sum += x
			if x > most {
				first, most, second = i+1, x, most
			} else if x > second {
				second = x
			}
		}
		height, fall := float64(most), 1.0
		if p.pairs {
			height, fall = height+float64(second), 2
		}
		c.height, c.first = append(c.height, height), append(c.first, first)
		bound = max(bound, height/(1+fall*tau))
	}
	if sum != sum { //nolint:gocritic // NaN
		return math.NaN()
	}
	return bound
}

// A descent says how a part comes down to a level: leaves above θ to θ, but for the first of a PosTop that is capped, which loses
// κ. Slope is −dκ/ds.
type descent struct {
	theta, kappa, slope float64
	capped              bool
}

func bringDown[F float](u []F, pairs bool, first int, s float64) descent {
	if !pairs {
		sum, n := above(u, s, -1, 0)
		return descent{theta: s, kappa: sum - n*s, slope: n}
	}
	most := float64(u[first])
	sum, n := above(u, s/2, -1, 0)
	if kappa := (sum - n*s/2) / 2; most-s/2 <= kappa {
		return descent{theta: s / 2, kappa: kappa, slope: n / 4}
	}
	// Σ_{j≠first} [u_j + u_first − φ]₊ = κ = φ − s, from below.
	phi := s
	for {
		sum, n = above(u, phi, first, most)
		next := (sum + s) / (n + 1)
		if !(next > phi) {
			break
		}
		phi = next
	}
	return descent{theta: phi - most, kappa: phi - s, slope: n / (n + 1), capped: true}
}

// above is the sum of all u_j + shift that are larger than a level, and their number, without one of them.
func above[F float](u []F, level float64, without int, shift float64) (sum, n float64) {
	for i, x := range u {
		if v := float64(x) + shift; v > level && i != without {
			sum += v
			n++
		}
	}
	return sum, n
}
