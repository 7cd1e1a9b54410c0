package gauge

import "math"

// root finds where the increasing function f crosses zero between lo and hi, by Newton's iteration kept inside a
// bracket. f returns its value and its derivative. The last evaluation of f is at the root, to the last digits, which
// lets f leave its results behind. If an end is infinite, growing steps search for it, and the unknown is taken for a
// logarithm.
func root(lo, hi, at float64, f func(float64) (value, slope float64)) {
	if !(at > lo && at < hi) {
		at = between(lo, hi, at)
	}
	unit := 0.0 // where the search is unbounded, the unknown is a logarithm
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		unit = 1
	}
	last := math.Inf(1)
	reach := 1.0
	for range 300 {
		v, slope := f(at)
		if v == 0 {
			return
		}
		// f increases, so its sign tells on which side of at the root lies.
		lo, hi = narrowed(lo, hi, at, v)
		next := at - v/slope
		// A step that does not halve |f| is not yet in Newton's quadratic phase; bisection makes progress there.
		slow := math.Abs(v) > 0.5*last
		last = math.Abs(v)
		if math.Abs(next-at) <= 2.3e-16*max(math.Abs(at), unit) {
			return
		}
		if !(next > lo && next < hi) || slow {
			next = between(lo, hi, at)
			if unbounded := math.IsInf(lo, 0) || math.IsInf(hi, 0); unbounded {
				next = at + math.Copysign(reach, -v)
				reach *= 2
			}
			last = math.Inf(1)
		}
		if next == at || next <= lo || next >= hi { // neighbours in floating point
			return
		}
		at = next
	}
}

// narrowed returns the bracket after f(at) = v.
func narrowed(lo, hi, at, v float64) (l, h float64) {
	if v < 0 {
		return at, hi
	}
	return lo, at
}

// between returns a point inside the bracket: its middle, or one step from its only finite end.
func between(lo, hi, at float64) float64 {
	switch {
	case math.IsInf(lo, -1) && math.IsInf(hi, 1):
		if math.IsNaN(at) || math.IsInf(at, 0) {
			return 0
		}
		return at
	case math.IsInf(lo, -1):
		return hi - 1
	case math.IsInf(hi, 1):
		return lo + 1
	}
	return lo + (hi-lo)/2
}
