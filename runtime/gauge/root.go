package gauge

import "math"

// mostSteps bounds the evaluations of a search.
const mostSteps = 100

// farthest bounds a step where an end is infinite: the exponential of a few such steps is still a number.
const farthest = 50

// After patience bisections that found the root on the same side the next ones are bolder.
const patience = 2

// mostWork bounds the evaluations of inner nodes in one proximal map, for each of these nodes. Searches within searches
// multiply: those of random trees of depth 4 took 127 a node in the median, and 4094 at most.
const mostWork = 1 << 13

// An effort counts the searches of one proximal map.
type effort struct {
	maps   int     // how many maps were asked for so far
	search int     // how many points were searched for so far
	work   int     // evaluations of inner nodes for the last of them
	most   int     // at which searches end
	spent  float64 // multiplications of all maps, about
	cut    int     // the maps before this one that took more than most
}

// begin starts the searches of another map. These take nothing from the last one, whose rows depend on the threads.
func (e *effort) begin() {
	if e.work > e.most {
		e.cut++
	}
	e.maps, e.search, e.work = e.maps+1, e.search+1, 0
}

// root finds where the increasing function f crosses zero between lo and hi, by Newton's iteration kept inside a
// bracket. f returns its value and its derivative. The last evaluation of f is at the root, to the last digits, which
// lets f leave its results behind. If an end is infinite, growing steps search for it, and the unknown is taken for a
// logarithm. When the map has used up its work, root stops after one evaluation. The point may then lie far off its
// curve, which may cost callers the gap that was asked for. The bounds that they prove do not rest on it.
//
// Where Newton's step fails, the search bisects towards an end. The bits that it halves away double every time that the
// root lies on the same side (Bentley and Yao 1976). So it finds roots that lie many decades nearer to an end than to the
// middle, as those of curves that logarithms compare.
func (e *effort) root(lo, hi, at float64, f func(float64) (value, slope float64)) {
	if !(at > lo && at < hi) {
		at = between(lo, hi, at)
	}
	unit := 0.0 // where the search is unbounded, the unknown is a logarithm
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		unit = 1
	}
	from, to := lo, hi
	last, above, same := math.Inf(1), false, 0
	for range mostSteps {
		v, slope := f(at)
		if v == 0 || e.work > e.most {
			return
		}
		// f increases, so its sign tells on which side of at the root lies.
		lo, hi = narrowed(lo, hi, at, v)
		next := stepped(at, v/slope, lo, hi, from, to)
		// A step that does not halve |f| is not yet in Newton's quadratic phase; bisection makes progress there.
		slow := math.Abs(v) > 0.5*last
		last = math.Abs(v)
		if math.Abs(next-at) <= 2.3e-16*max(math.Abs(at), unit) {
			return
		}
		if !(next > lo && next < hi) || slow {
			same++
			if above != (v < 0) {
				above, same = v < 0, 0
			}
			next = bisected(lo, hi, at, v/slope, same)
			last = math.Inf(1)
		}
		if next == at || next <= lo || next >= hi { // neighbours in floating point
			return
		}
		at = next
	}
}

// stepped returns Newton's point. A step beyond one of the first ends is taken in the logarithm of the distance to it.
func stepped(at, step, lo, hi, from, to float64) float64 {
	next := at - step
	switch {
	case math.IsInf(lo, 0) || math.IsInf(hi, 0):
		return min(max(next, at-farthest), at+farthest)
	case next <= lo && lo == from:
		return beside(at, lo, (at-lo)*math.Exp(-step/(at-lo)))
	case next >= hi && hi == to:
		return beside(at, hi, (at-hi)*math.Exp(step/(hi-at)))
	}
	return next
}

// bisected returns a point inside the bracket, at being one end of it. The root has lain on the same side of so many
// points before at.
func bisected(lo, hi, at, step float64, same int) float64 {
	end := lo
	if at == lo {
		end = hi
	}
	halvings := 1 << max(0, same-patience)
	switch {
	case math.IsInf(end, 0):
		if step = math.Abs(step); !(step > 0) {
			step = 1
		}
		return at + math.Copysign(min(math.Ldexp(step, 1+same), farthest), end)
	case lo == 0 && end == 0:
		halvings = 1 << min(same, 10)
	case lo > 0 && hi > 4*lo && same <= patience:
		return math.Sqrt(lo) * math.Sqrt(hi)
	}
	return beside(at, end, math.Ldexp(at-end, -halvings))
}

// beside returns end + distance, or the end's neighbour if that is the end itself in floating point.
func beside(at, end, distance float64) float64 {
	if next := end + distance; next != end {
		return next
	}
	return math.Nextafter(end, at)
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

const (
	// deepest is the number of levels without a closed form up to which a search is as fast as sweeps.
	deepest = 1
	// mostSweeps bounds the sweeps, and each level of the tree allows one more.
	mostSweeps = 48
	// Half of a ring of sweeps makes full steps, the other half shorter ones.
	ring = 14
	// The sweeps end where promises are kept up to kept, or up to keptRoughly after a sweep that kept them nearly.
	kept, keptRoughly, keptNearly = 1e-14, 1e-12, 1e-9
	// small is the share of the ends of a curve below which numbers are compared with the ends.
	small = 1e-3
)

// Sweeps are the sweeps of a tracer. While they are on, each node makes a step in place of a search.
type sweeps struct {
	on      bool
	off     float64 // how far the nodes of this sweep came to from what was promised
	last    float64 // and those of the last
	damping float64 // the share of a step that is made
	// The least of these distances when it was last halved, and the sweeps since: steep norms end in rounding errors.
	least float64
	idle  int
	ended bool
}

// begin prepares the k-th sweep. Kinks may lead Newton's steps round in a ring, which shorter ones leave.
func (w *sweeps) begin(k int) {
	if w.last = w.off; k == 0 {
		w.last, w.least, w.idle = math.Inf(1), math.Inf(1), 0
	}
	w.on, w.off, w.damping = true, 0, 1
	if k%ring >= ring/2 && w.last > small {
		w.damping = 0.5
	}
}

// done reports whether the sweeps are at the end. They have ended, too, where a ring has brought them no nearer.
func (w *sweeps) done() bool {
	if w.idle++; w.off < w.least/2 {
		w.least, w.idle = w.off, 0
	}
	there := w.off <= kept || w.off <= keptRoughly && w.last <= keptNearly || w.off <= noisy && w.idle >= mostIdle
	w.ended = there || w.idle >= ring
	return there
}

// compare notes how far a sweep has come to from what was promised, as a share of the promise. Where that is near 0 it
// takes a share of the end of the curve.
func (w *sweeps) compare(come, promised, end float64) {
	w.off = max(w.off, math.Abs(come-promised)/max(promised, small*end))
}
