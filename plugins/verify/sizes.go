package verify

import "time"

// sizes say how much the checks ask for.
type sizes struct {
	rows     int           // that make answers of many megabytes
	points   int           // that a map's call brings
	chunk    int64         // bytes that a chunk may hold
	large    int           // numbers of large data
	patience time.Duration // how long a family may go on with a call that is cancelled
}

// sizes returns those that the options ask for. A chunk may hold 64 MiB: the host refuses four times as much, and a
// family cannot stop within one.
func (o *Options) sizes() sizes {
	s := sizes{rows: 2000, points: 20000, chunk: 64 << 20, large: 8 << 20, patience: 2 * time.Second}
	switch {
	case o.small:
		return sizes{rows: 600, points: 2000, chunk: 4 << 20, large: 1 << 16, patience: time.Second}
	case o.Quick:
		s.large /= 16
	}
	return s
}
