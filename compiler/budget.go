package compiler

// Each attempt at a mend compiles an invariance again, and each counterexample evaluates a part of it some thousand times. A spec
// with a few faults has them all; in one with thousands, the first faults have them, so that the work stays in proportion to its
// length.
const (
	attemptsPerInvariance        = 24
	attemptsPerSpec              = 600
	counterexamplesPerInvariance = 12
	counterexamplesPerSpec       = 200
)

// A budget is what was spent on a spec.
type budget struct {
	attempts, counterexamples spent
}

// A spent counts within an invariance and within the spec.
type spent struct{ invariance, spec int }

// take takes one more, where there is one.
func (s *spent) take(perInvariance, perSpec int) bool {
	if s.invariance >= perInvariance || s.spec >= perSpec {
		return false
	}
	s.invariance++
	s.spec++
	return true
}

// next begins another invariance.
func (b *budget) next() { b.attempts.invariance, b.counterexamples.invariance = 0, 0 }

// shows reports whether a counterexample may be looked for: nobody reads those of trials.
func (p *pass) shows() bool {
	return !p.trial && p.budget.counterexamples.take(counterexamplesPerInvariance, counterexamplesPerSpec)
}
