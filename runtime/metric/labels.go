package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Hamming returns the share of equal elements of two n×m matrices. A row counts by its weight; nil means ones.
func Hamming(truth, predicted *mat.Dense, weight []float64) float64 {
	n, m := truth.Dims()
	equal := 0.0
	for i := range n {
		for y := range m {
			if truth.At(i, y) == predicted.At(i, y) {
				equal += weightOf(weight, i)
			}
		}
	}
	return equal / (totalOf(weight, n) * float64(m))
}

// exactMatch returns the share of equal rows.
func exactMatch(truth, predicted *mat.Dense, weight []float64) float64 {
	n, _ := truth.Dims()
	equal := 0.0
	for i := range n {
		if slices.Equal(truth.RawRowView(i), predicted.RawRowView(i)) {
			equal += weightOf(weight, i)
		}
	}
	return equal / totalOf(weight, n)
}

// majorityLabels returns the value of each label that most rows have, absent on a tie.
func majorityLabels(train *mat.Dense, weight []float64) []float64 {
	rows, m := train.Dims()
	out := make([]float64, m)
	for y := range m {
		have := 0.0
		for i := range rows {
			have += weightOf(weight, i) * train.At(i, y)
		}
		if 2*have > totalOf(weight, rows) {
			out[y] = 1
		}
	}
	return out
}

// majorityHamming returns the hamming accuracy of giving each label the value that most training rows have.
func majorityHamming(truth, train *mat.Dense, of Weights) float64 {
	n, m := truth.Dims()
	constant, values := mat.NewDense(n, m, nil), majorityLabels(train, of.Train)
	for i := range n {
		constant.SetRow(i, values)
	}
	return Hamming(truth, constant, of.Rows)
}

// MicroAverageF1 returns the F1 of all n·m decisions together. A row counts by its weight; nil means ones.
func MicroAverageF1(truth, predicted *mat.Dense, weight []float64) float64 {
	all := countAll(truth, predicted, weight)
	return all.f1()
}

// countAll counts the decisions about all labels as if they were about one.
func countAll(truth, predicted *mat.Dense, weight []float64) (all tally) {
	n, m := truth.Dims()
	for i := range n {
		for y := range m {
			all.add(truth.At(i, y) > 0, predicted.At(i, y) > 0, weightOf(weight, i))
		}
	}
	return all
}

// areaUnderCurve returns the average precision of all scores together, without those of roots. Equal scores count at
// once, so the order among them does not matter. It returns NaN if nothing is positive.
func areaUnderCurve(truth, scores *mat.Dense, roots []bool, by Weights) float64 {
	_, m := truth.Dims()
	all := flat(scores)
	order, positives := ascending(all), 0.0
	counts := func(d int32) bool { return len(roots) == 0 || !roots[int(d)%m] }
	at := func(d int32) (have, weight float64) {
		i, y := int(d)/m, int(d)%m
		return truth.At(i, y), weightOf(by.Rows, i)
	}
	for _, d := range order {
		if counts(d) {
			have, weight := at(d)
			positives += weight * have
		}
	}
	if positives == 0 {
		return math.NaN()
	}
	var area, found, foundBefore, passed float64
	for k := len(order) - 1; k >= 0; k-- {
		d := order[k]
		if counts(d) {
			have, weight := at(d)
			found += weight * have
			passed += weight
		}
		// Until the last of equal scores.
		if k > 0 && all[order[k-1]] == all[d] {
			continue
		}
		if found > foundBefore {
			area += (found - foundBefore) / positives * found / passed
			foundBefore = found
		}
	}
	return area
}

// flat returns the numbers of a matrix row after row.
func flat(m *mat.Dense) []float64 {
	n, columns := m.Dims()
	out := make([]float64, 0, n*columns)
	for i := range n {
		out = append(out, m.RawRowView(i)...)
	}
	return out
}
