package gauge

import "math"

// The level of a group of leaves with magnitudes v ≥ 0, under κ > 0, is the s ≥ 0 with
//
//	Σ_j [v_j − s]₊ = κ s,   s = max over subsets G of Σ_{j∈G} v_j / (|G| + κ).
//
// Any subset bounds it from below. From such a bound, Newton's iteration takes the mean over the v_j that lie above it;
// these subsets shrink, so that it ends at the level itself. Groups of one size are done side by side, one a lane. All
// ways add up in the same order, and give the same bits.

// A float is a precision in which proximal maps are computed.
type float interface{ float32 | float64 }

// A levels function finds the levels of as many groups of m leaves as it has lanes, the g-th at u[at[g]]. It sets t
// to min(|u|, level) with the sign of u, or to min(u, level) if the leaves are one-sided. keep masks the bits of u
// that make its magnitude. scratch has m numbers a lane.
type levels[F float] func(m int, t, u *F, at *int32, keep, kappa F, level, scratch *F)

// lanes are a way to find levels in one precision, and how many groups it does at once.
type lanes[F float] struct {
	count int
	run   levels[F] // nil means group by group
}

// A leveler is a way to find levels in both precisions.
type leveler struct {
	double lanes[float64]
	single lanes[float32]
}

// portable finds levels without assembly.
var portable = leveler{double: lanes[float64]{count: 1}, single: lanes[float32]{count: 1}}

// maxLanes is the largest number of lanes of any way.
const maxLanes = 16

// keepBits returns a mask for the bits of a number that make its magnitude, all of them for one-sided leaves. The
// assembly takes it as a number of the type, and then the maximum with 0.
func keepBits[F float](pos bool) F {
	var keep F
	switch p := any(&keep).(type) {
	case *float64:
		*p = math.Float64frombits(math.MaxUint64 >> shift(pos))
	case *float32:
		*p = math.Float32frombits(math.MaxUint32 >> shift(pos))
	}
	return keep
}

// shift returns 1 if the sign is not part of the magnitude, and 0 otherwise.
func shift(pos bool) int {
	if pos {
		return 0
	}
	return 1
}

// levelOf returns the level of one group and sets t. It starts from the larger of two lower bounds: the subset of all
// leaves, and the largest leaf alone.
func levelOf[F float](t, u []F, pos bool, kappa F) F {
	var sum, top F
	for _, x := range u {
		v := magnitude(x, pos)
		sum += v
		top = max(top, v)
	}
	// Both are values of the second formula above, for the whole group and for its largest leaf.
	s := max(sum/kappaPlus(kappa, len(u)), top/(1+kappa))
	// Steps rise until the subset is that of the level. A step that does not rise is rounding error.
	for next := climb(u, pos, kappa, s); next > s; next = climb(u, pos, kappa, s) {
		s = next
	}
	for i, x := range u {
		v := min(magnitude(x, pos), s)
		switch {
		case pos && x < 0:
			t[i] = x
		case x < 0:
			t[i] = -v
		default:
			t[i] = v
		}
	}
	return s
}

// climb returns a step of Newton's iteration from s: the mean over the leaves at or above s.
func climb[F float](u []F, pos bool, kappa, s F) F {
	var sum F
	count := kappa
	for _, x := range u {
		if v := magnitude(x, pos); v >= s {
			sum += v
			count++
		}
	}
	return sum / count
}

// kappaPlus returns κ + m. It adds one by one as the lanes do, since a single sum may round otherwise.
func kappaPlus[F float](kappa F, m int) F {
	for range m {
		kappa++
	}
	return kappa
}

// magnitude returns |x|, or [x]₊ for one-sided leaves.
func magnitude[F float](x F, pos bool) F {
	if x < 0 {
		if pos {
			return 0
		}
		return -x
	}
	return x
}
