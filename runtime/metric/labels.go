package metric

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Hamming returns the share of equal elements of two n×m matrices.
func Hamming(truth, predicted *mat.Dense) float64 {
	n, m := truth.Dims()
	equal := 0
	for i := range n {
		for y := range m {
			if truth.At(i, y) == predicted.At(i, y) {
				equal++
			}
		}
	}
	return float64(equal) / float64(n*m)
}

// exactMatch returns the share of equal rows.
func exactMatch(truth, predicted *mat.Dense) float64 {
	n, _ := truth.Dims()
	equal := 0
	for i := range n {
		if slices.Equal(truth.RawRowView(i), predicted.RawRowView(i)) {
			equal++
		}
	}
	return float64(equal) / float64(n)
}

// majorityHamming returns the hamming accuracy of giving each label the value that most training rows have, absent on
// a tie.
func majorityHamming(truth, train *mat.Dense) float64 {
	n, m := truth.Dims()
	rows, _ := train.Dims()
	constant := mat.NewDense(n, m, nil)
	for y := range m {
		if 2*mat.Sum(train.ColView(y)) > float64(rows) {
			for i := range n {
				constant.Set(i, y, 1)
			}
		}
	}
	return Hamming(truth, constant)
}

// MicroAverageF1 returns the F1 of all n·m decisions together.
func MicroAverageF1(truth, predicted *mat.Dense) float64 {
	all := countAll(truth, predicted)
	return all.f1()
}

// countAll counts the decisions about all labels as if they were about one.
func countAll(truth, predicted *mat.Dense) (all Class) {
	n, m := truth.Dims()
	for i := range n {
		for y := range m {
			all.add(truth.At(i, y) > 0, predicted.At(i, y) > 0)
		}
	}
	return all
}

// areaUnderCurve returns the average precision of all scores together, without those of roots. Equal scores count at
// once, so the order among them does not matter. It returns NaN if nothing is positive.
func areaUnderCurve(truth, scores *mat.Dense, roots []bool) float64 {
	type decision struct{ score, truth float64 }
	n, m := truth.Dims()
	all := make([]decision, 0, n*m)
	var positives float64
	for i := range n {
		for y := range m {
			if len(roots) > 0 && roots[y] {
				continue
			}
			all = append(all, decision{scores.At(i, y), truth.At(i, y)})
			positives += truth.At(i, y)
		}
	}
	if positives == 0 {
		return math.NaN()
	}
	slices.SortFunc(all, func(a, b decision) int { return cmp.Compare(b.score, a.score) })
	var area, found, foundBefore float64
	for k, d := range all {
		found += d.truth
		// Until the last of equal scores.
		if k+1 < len(all) && all[k+1].score == d.score {
			continue
		}
		area += (found - foundBefore) / positives * found / float64(k+1)
		foundBefore = found
	}
	return area
}
