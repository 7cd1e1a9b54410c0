package verify

import "math"

// Motion is what the check of derivatives has seen move. Where nothing does, every derivative is zero, and right.
type motion struct {
	still []*subject // under which nothing moved
	moves map[string]bool
}

// saw takes note of a subject along which something moves, or nothing does.
func (m *motion) saw(of *subject, moves bool) {
	if m.moves == nil {
		m.moves = map[string]bool{}
	}
	if m.moves[of.name()] = m.moves[of.name()] || moves; !moves {
		m.still = append(m.still, of)
	}
}

// motionless reports the domains and maps along which nothing has moved in any call, and notes the calls of others.
func motionless(s *suite) {
	for _, sub := range s.motion.still {
		what := "along its path"
		if sub.of != nil {
			what = "under it"
		}
		if s.motion.moves[sub.name()] {
			s.notef("%v: nothing moves %s, so its derivative tells nothing", sub, what)
			continue
		}
		s.faultf(sub, "", "nothing moves %s, so its derivative cannot be tried; let it move, or give the arguments defaults with which it does", what)
	}
}

// apart tells whether values differ by more than rounding.
func apart(a, b []float64) bool {
	for i := range a {
		if i < len(b) && math.Abs(a[i]-b[i]) > 1e-8 {
			return true
		}
	}
	return false
}
