package polar

import "math"

// A task is one right-hand side while it is being solved.
type task struct {
	chunk      *chunk    // where its result belongs
	at         int       // its row there
	a          []float64 // the right-hand side over 2^exponent
	exponent   int
	cert       certificate
	level      int // β = step(level)
	moves      int // how often the level has changed
	moved      int // iteration at which it last did
	iterations int
	precise    int // of these, before they were in float64, or began anew
	newton     int
	work       float64  // multiplications so far
	tried      int      // the iteration at which the finish was last tried
	fresh      bool     // z is new, and t and AV do not belong to it
	descent    *descent // nil when the alternating directions go on
	plain      bool     // it begins without a descent
	residual   float64  // of the fixed point, relative
	watch      watch
	missed     int // how often an estimate promised too much
	status     Status
	done       bool
	leaves     bool // for the batch in double precision
	cut        int  // proximal maps that were: see [gauge.Prox.Cut]
}

// restart forgets everything except the iterations that were spent.
func (t *task) restart() {
	t.level, t.moves, t.moved, t.precise, t.residual = 0, 0, t.iterations, t.iterations, math.Inf(1)
	t.descent, t.plain = nil, true
	t.watch = newWatch()
	t.watch.next, t.watch.bestAt = t.iterations+firstLook, t.iterations
}

// due reports whether a gap is to be bounded.
func (t *task) due() bool {
	if t.descent != nil {
		return t.descent.claims || t.leaves
	}
	return t.iterations >= t.watch.next
}

// A gapAt is the gap at an iteration.
type gapAt struct {
	iteration int
	gap       float64
}

// A watch decides when to bound a gap, which costs about as much as an iteration.
type watch struct {
	gaps   []gapAt
	next   int     // the iteration at which to look again
	best   float64 // the gap when it last fell by a tenth
	bestAt int     // and the iteration
}

// Looks come when the gap can be expected to be reached, but neither at once nor too late.
const (
	firstLook   = 5
	soonest     = 2
	latest      = 20
	firstDecay  = 0.25 // of log gap per iteration, as long as nothing is known
	anticipated = 0.9
)

// newWatch returns a watch that has seen nothing.
func newWatch() watch { return watch{next: firstLook, best: math.Inf(1)} }

// decay returns by how much log gap falls per iteration, judged by the second half of the iterations.
func (w *watch) decay() float64 {
	n := len(w.gaps)
	if n < 2 {
		return firstDecay
	}
	last := w.gaps[n-1]
	from := w.gaps[n-2]
	for k := n - 2; k >= 0 && 2*w.gaps[k].iteration >= last.iteration; k-- {
		from = w.gaps[k]
	}
	return math.Log(from.gap/last.gap) / float64(last.iteration-from.iteration)
}

// saw files a gap, and decides when to look again: when most of the way to the target should be done. It waits at
// least soonest and at most latest iterations.
func (w *watch) saw(iteration int, gap, target float64) {
	if gap < 0.9*w.best {
		w.best, w.bestAt = gap, iteration
	}
	wait := float64(latest)
	if !math.IsInf(gap, 0) {
		w.gaps = append(w.gaps, gapAt{iteration, gap})
		if decay := w.decay(); decay > 0 {
			wait = math.Ceil(anticipated * math.Log(gap/target) / decay)
		}
	} else {
		wait = firstLook
	}
	w.next = iteration + int(min(max(wait, soonest), latest))
}

// remaining estimates the iterations that are left, +Inf if the gap does not fall.
func (w *watch) remaining(target float64) float64 {
	n := len(w.gaps)
	if n == 0 {
		return math.Inf(1)
	}
	if decay := w.decay(); decay > 0 {
		return math.Log(w.gaps[n-1].gap/target) / decay
	}
	return math.Inf(1)
}

// A chunk is a run of right-hand sides that are read, and handed back, together.
type chunk struct {
	lo   int
	part *Result
	open int // tasks that are not done
}
