package names

// Each attempt at a mend compiles an invariance again, and each counterexample evaluates a part of
// it some thousand times. A spec with a few faults has them all. In one with thousands, only the
// first faults have them, so that the work stays in proportion to its length.
const (
	AttemptsPerInvariance        = 24
	AttemptsPerSpec              = 600
	CounterexamplesPerInvariance = 12
	CounterexamplesPerSpec       = 200
)

// A budget holds what was spent on a spec. It bounds time by counts and not by a clock, so that the
// same spec gets the same messages on every machine.
type budget struct {
	Attempts, counterexamples spent
}

// A spent counts within an invariance and within the spec.
type spent struct{ invariance, Spec int }

// Take takes one more, and returns false where there is none left, within the invariance or within
// the spec.
func (s *spent) Take(perInvariance, perSpec int) bool {
	if s.invariance >= perInvariance || s.Spec >= perSpec {
		return false
	}
	s.invariance++
	s.Spec++
	return true
}

// Next begins another invariance, which has its own share again.
func (b *budget) Next() { b.Attempts.invariance, b.counterexamples.invariance = 0, 0 }

// Shows reports whether a counterexample may be looked for: nobody reads those of trials.
func (p *Pass) Shows() bool {
	return !p.Trial && p.Budget.counterexamples.Take(CounterexamplesPerInvariance, CounterexamplesPerSpec)
}
