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

// A confusion counts the decisions about a label.
type confusion struct{ truePositive, falsePositive, falseNegative float64 }

// add counts a decision; both arguments are 0 or 1.
func (c *confusion) add(truth, predicted float64) {
	c.truePositive += truth * predicted
	c.falsePositive += (1 - truth) * predicted
	c.falseNegative += truth * (1 - predicted)
}

// f1 returns 2 TP/(2 TP + FP + FN), and 0 if TP is 0, even if nothing is there and nothing is predicted.
func (c *confusion) f1() float64 {
	if c.truePositive == 0 {
		return 0
	}
	return 2 * c.truePositive / (2*c.truePositive + c.falsePositive + c.falseNegative)
}

// precision returns TP/(TP + FP), NaN if nothing is decided.
func (c *confusion) precision() float64 { return c.truePositive / (c.truePositive + c.falsePositive) }

// recall returns TP/(TP + FN), NaN if nothing is there.
func (c *confusion) recall() float64 { return c.truePositive / (c.truePositive + c.falseNegative) }

// MicroAverageF1 returns the F1 of all n·m decisions together.
func MicroAverageF1(truth, predicted *mat.Dense) float64 {
	all := countAll(truth, predicted)
	return all.f1()
}

// countAll counts the decisions about all labels.
func countAll(truth, predicted *mat.Dense) confusion {
	n, m := truth.Dims()
	var all confusion
	for i := range n {
		for y := range m {
			all.add(truth.At(i, y), predicted.At(i, y))
		}
	}
	return all
}

// macroAverageF1 returns the mean of F1 over the labels.
func macroAverageF1(truth, predicted *mat.Dense) float64 {
	n, m := truth.Dims()
	var sum float64
	for y := range m {
		var one confusion
		for i := range n {
			one.add(truth.At(i, y), predicted.At(i, y))
		}
		sum += one.f1()
	}
	return sum / float64(m)
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
