package metric

import (
	"math"
	"slices"
	"sort"
)

// ascending returns the positions of scores from the smallest on.
func ascending(scores []float64) []int32 {
	order := make([]int32, len(scores))
	for i := range order {
		order[i] = int32(i) //nolint:gosec // rows are fewer
	}
	sort.SliceStable(order, func(i, j int) bool { return scores[order[i]] < scores[order[j]] })
	return order
}

// rankArea returns the area under the ROC curve. That is the share of pairs, a row of the class and one of the rest,
// in which the former has the larger score. Equal scores count half (Mann and Whitney 1947). It is NaN if either has
// no row. A row counts by its weight; nil means ones. Order has the positions of ascending scores.
func rankArea(scores []float64, is []bool, weight []float64, order []int32) float64 {
	positives := 0.0
	for i := range is {
		if is[i] {
			positives += weightOf(weight, i)
		}
	}
	negatives := totalOf(weight, len(scores)) - positives
	if !slices.Contains(is, true) || !slices.Contains(is, false) {
		return math.NaN()
	}
	var wins, below float64 // negatives with smaller scores
	for first := 0; first < len(order); {
		last, up, down := first, 0.0, 0.0
		for ; last < len(order) && scores[order[last]] == scores[order[first]]; last++ {
			if is[order[last]] {
				up += weightOf(weight, int(order[last]))
			} else {
				down += weightOf(weight, int(order[last]))
			}
		}
		wins += up * (below + down/2)
		below += down
		// A NaN equals nothing, not even itself.
		first = max(last, first+1)
	}
	return wins / (positives * negatives)
}
