package risk

import (
	"fmt"
	"slices"
	"sort"
)

// An elimination is Cholesky's factorization M = LDLᵀ of matrices that are nonzero where two labels are in one set.
// Labels of few sets go first. On the paths of a tree these are the labels farthest from the root, and then nothing
// fills in: m labels on paths of length p cost m·p².
type elimination struct {
	// order is that of labels.
	order []int32
	// later lists for each step the steps after it that it touches.
	later [][]int32
	// start is where the entries of a step begin: its diagonal, then those of later.
	start []int32
	// hits has for each step the entry that changes for every pair of later (i ≤ j).
	hits [][]int32
	// sets has for each set the entries of all pairs of its labels.
	sets [][]int32
}

// mostHits bounds the changes of entries that are listed: 64 MiB.
const mostHits = 1 << 24

// newElimination finds which entries there are. It fails if sets have so much in common that most labels touch each
// other.
func newElimination(m int, sets [][]int32) (*elimination, error) {
	e := &elimination{order: fewSetsFirst(m, sets), later: make([][]int32, m), start: make([]int32, m+1), hits: make([][]int32, m)}
	step := make([]int32, m)
	for k, y := range e.order {
		step[y] = int32(k)
	}
	e.fill(m, sets, step)
	hits := 0
	for _, later := range e.later {
		hits += len(later) * (len(later) + 1) / 2
	}
	if hits > mostHits {
		return nil, fmt.Errorf("risk: %d label sets of %d labels have too much in common for softmax under this R; take one of squares (rms, hypot, norm(2) of "+
			"absolute values), or svm, logistic or ridge", len(sets), m)
	}
	for k := range m {
		e.start[k+1] = e.start[k] + 1 + int32(len(e.later[k]))
	}
	for k, later := range e.later {
		for a, i := range later {
			for _, j := range later[a:] {
				e.hits[k] = append(e.hits[k], e.entry(i, j))
			}
		}
	}
	for _, labels := range sets {
		var entries []int32
		for a, y := range labels {
			for _, z := range labels[a:] {
				entries = append(entries, e.entry(step[y], step[z]))
			}
		}
		e.sets = append(e.sets, entries)
	}
	return e, nil
}

// fewSetsFirst orders labels by the number of sets that have them.
func fewSetsFirst(m int, sets [][]int32) []int32 {
	count, order := make([]int, m), make([]int32, m)
	for _, labels := range sets {
		for _, y := range labels {
			count[y]++
		}
	}
	for y := range order {
		order[y] = int32(y)
	}
	sort.SliceStable(order, func(i, j int) bool { return count[order[i]] < count[order[j]] })
	return order
}

// fill finds the later steps that each step touches, including those that elimination adds.
func (e *elimination) fill(m int, sets [][]int32, step []int32) {
	touches := make([][]bool, m)
	for k := range touches {
		touches[k] = make([]bool, m)
	}
	for _, labels := range sets {
		for _, y := range labels {
			for _, z := range labels {
				touches[step[y]][step[z]] = true
			}
		}
	}
	for k := range m {
		for j := k + 1; j < m; j++ {
			if touches[k][j] {
				e.later[k] = append(e.later[k], int32(j))
			}
		}
		for a, i := range e.later[k] {
			for _, j := range e.later[k][a+1:] {
				// Eliminating step k couples all that it touches.
				touches[i][j] = true
			}
		}
	}
}

// entry returns where the entry of two steps lies.
func (e *elimination) entry(i, j int32) int32 {
	if i == j {
		return e.start[i]
	}
	i, j = min(i, j), max(i, j)
	at, _ := slices.BinarySearch(e.later[i], j)
	return e.start[i] + 1 + int32(at)
}

// factor sets the entries to those of L and D. M is the identity plus k Σ_sets p 1_set 1_setᵀ.
func (e *elimination) factor(entries, p []float64, k float64) {
	clear(entries)
	for step := range e.order {
		entries[e.start[step]] = 1
	}
	for s, hits := range e.sets {
		w := k * p[s]
		for _, at := range hits {
			entries[at] += w
		}
	}
	for step, later := range e.later {
		own := entries[e.start[step]:e.start[step+1]]
		hit := 0
		for a := range later {
			share := own[1+a] / own[0]
			for b := a; b < len(later); b++ {
				entries[e.hits[step][hit]] -= share * own[1+b]
				hit++
			}
		}
		for a := range later {
			own[1+a] /= own[0]
		}
	}
}

// solve sets x to M⁻¹ b, both in the order of labels. room has one number for each label.
func (e *elimination) solve(x, b, entries, room []float64) {
	for k, y := range e.order {
		room[k] = b[y]
	}
	for k, later := range e.later {
		for a, j := range later {
			room[j] -= entries[e.start[k]+1+int32(a)] * room[k]
		}
	}
	for k := len(e.later) - 1; k >= 0; k-- {
		room[k] /= entries[e.start[k]]
		for a, j := range e.later[k] {
			room[k] -= entries[e.start[k]+1+int32(a)] * room[j]
		}
	}
	for k, y := range e.order {
		x[y] = room[k]
	}
}
