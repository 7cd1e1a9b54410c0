package curve

import (
	"fmt"
	"math"
)

// A Run is curves among the leaves of a gauge, at equal distances. Value k of curve i is that of leaf
//
//	First + i·Step + k·Stride,   i < Count, k < Nodes.
//
// All leaves of a curve stand under one maximum with equal weights, so that only their largest value counts. Or they
// stand under one p-norm, whose weights are the p-th roots of those of Clenshaw and Curtis, times a common factor.
type Run struct {
	First  int `json:"first"`
	Step   int `json:"step"`
	Stride int `json:"stride"`
	Nodes  int `json:"nodes"`
	Count  int `json:"count"`
	// OneSided says that the leaves are [·]₊, not |·|.
	OneSided bool `json:"one_sided,omitempty"`
	// Straight says that points and labels are affine in the parameter, and tangents constant.
	Straight bool `json:"straight,omitempty"`
	// Degree is that of the polynomials of the parameter that multiply the terms of its functionals.
	Degree int `json:"degree"`
	// P is that of the norm over the interval, 1 for its integral; 0 means the maximum.
	P float64 `json:"p"`
}

// Integral reports whether the curves stand under an integral.
func (r *Run) Integral() bool { return r.P != 0 }

// Leaf returns the leaf of node k of curve i.
func (r *Run) Leaf(i, k int) int { return r.First + i*r.Step + k*r.Stride }

// Validate returns an error that says what is wrong with a run among so many leaves, or nil.
func (r *Run) Validate(leaves int) error {
	switch {
	case r.Nodes < 2 || r.Nodes > MostNodes:
		return fmt.Errorf("curve: %d nodes; there must be at least 2 and at most %d", r.Nodes, MostNodes)
	case r.Degree < 0:
		return fmt.Errorf("curve: factors of degree %d", r.Degree)
	case r.P != 0 && !(r.P >= 1) || math.IsInf(r.P, 1):
		return fmt.Errorf("curve: the norm of %v", r.P)
	case r.Count < 1 || r.First < 0 || r.Stride < 1 || (r.Count > 1 && r.Step < 1):
		return fmt.Errorf("curve: %d curves from leaf %d on, with steps of %d and %d", r.Count, r.First, r.Step, r.Stride)
	// The first three keep Leaf from overflowing.
	case r.Count > leaves || r.Step > leaves || r.Stride > leaves || r.Leaf(r.Count-1, r.Nodes-1) >= leaves:
		return fmt.Errorf("curve: %d curves of %d nodes from leaf %d on exceed %d leaves", r.Count, r.Nodes, r.First, leaves)
	}
	return nil
}

// Append adds curves to a list, as part of its last run if they continue that one.
func Append(list []Run, r Run) []Run {
	if len(list) > 0 {
		last := &list[len(list)-1]
		alike := last.Nodes == r.Nodes && last.Stride == r.Stride && last.OneSided == r.OneSided && last.Straight == r.Straight && last.Degree == r.Degree && last.P == r.P
		step := r.First - last.Leaf(last.Count-1, 0)
		if alike && step > 0 && (last.Count == 1 || last.Step == step) && (r.Count == 1 || r.Step == step) {
			last.Step = step
			last.Count += r.Count
			return list
		}
	}
	return append(list, r)
}

// Moved returns the run with leaves counted from another one.
func (r Run) Moved(by int) Run {
	r.First += by
	return r
}

// Count returns how many curves a list holds.
func Count(list []Run) int {
	total := 0
	for i := range list {
		total += list[i].Count
	}
	return total
}
