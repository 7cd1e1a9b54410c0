package metric

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Class says how well one class, or one label, is told apart from the rest. It counts rows; its figures take them by their weights.
type Class struct {
	Name string `json:"name"`
	// Rows is the number of test rows of the class.
	Rows          int `json:"rows"`
	TruePositive  int `json:"true_positive"`
	FalsePositive int `json:"false_positive"`
	FalseNegative int `json:"false_negative"`
	TrueNegative  int `json:"true_negative"`
	// Decided counts how the class's rows are decided, by the name of the class decided for; nil for a label.
	Decided map[string]int `json:"decided,omitempty"`
	// Figures are precision, recall, f1 and auc, each of the class against the rest.
	Figures Figures `json:"figures"`
}

// A tally has the weights of the rows that a class counts. Its figures are made of these.
type tally struct{ tp, fp, fn float64 }

// add counts a decision.
func (c *Class) add(truth, decided bool) {
	switch {
	case truth && decided:
		c.TruePositive++
	case decided:
		c.FalsePositive++
	case truth:
		c.FalseNegative++
	default:
		c.TrueNegative++
	}
	if truth {
		c.Rows++
	}
}

// add counts a decision about a row of a weight.
func (c *tally) add(truth, decided bool, weight float64) {
	switch {
	case truth && decided:
		c.tp += weight
	case decided:
		c.fp += weight
	case truth:
		c.fn += weight
	}
}

// finish sets the figures. The area is taken over the scores that decide about the class.
func (c *Class) finish(of *tally, scores []float64, truth []bool, weight []float64, order []int32) {
	c.Figures = Figures{{Precision, of.precision()}, {Recall, of.recall()}, {F1, of.f1()}, {AUC, rankArea(scores, truth, weight, order)}}
}

// f1 returns 2 TP/(2 TP + FP + FN), and 0 if TP is 0, even if nothing is there and nothing is predicted.
func (c *tally) f1() float64 {
	if c.tp == 0 {
		return 0
	}
	return 2 * c.tp / (2*c.tp + c.fp + c.fn)
}

// precision returns TP/(TP + FP), NaN if nothing is decided.
func (c *tally) precision() float64 {
	return c.tp / (c.tp + c.fp)
}

// recall returns TP/(TP + FN), NaN if nothing is there.
func (c *tally) recall() float64 {
	return c.tp / (c.tp + c.fn)
}

// perClass measures each class against the rest, and tells which occur. truth and predicted are indices into names. ranking is n×m, or n×1
// with scores of the second of two classes.
func perClass(names []string, truth, predicted []int, ranking *mat.Dense, by Weights) (out []Class, there []bool) {
	weight := by.Rows
	out, there = make([]Class, len(names)), make([]bool, len(names))
	is, scores := make([]bool, len(truth)), make([]float64, len(truth))
	_, columns := ranking.Dims()
	for k, name := range names {
		c, of := &out[k], &tally{}
		c.Name, c.Decided = name, map[string]int{}
		for i, t := range truth {
			is[i] = t == k
			c.add(is[i], predicted[i] == k)
			of.add(is[i], predicted[i] == k, weightOf(weight, i))
			if is[i] {
				c.Decided[names[predicted[i]]]++
			}
			if columns > 1 {
				scores[i] = ranking.At(i, k)
			} else { // small scores speak for the first class
				scores[i] = float64(2*k-1) * ranking.At(i, 0)
			}
		}
		c.finish(of, scores, is, weight, ascending(scores))
		there[k] = of.occurs()
	}
	return out, there
}

// perLabel measures each label, and tells which count: all but those whose rows all have the weight 0, as in draws that miss them. truth and
// predicted are n×m of 0 and 1, scores n×m.
func perLabel(names []string, truth, predicted, scores *mat.Dense, by Weights) (out []Class, counts []bool) {
	n, _ := truth.Dims()
	weight := by.Rows
	out, counts = make([]Class, len(names)), make([]bool, len(names))
	is := make([]bool, n)
	for k, name := range names {
		c, of := &out[k], &tally{}
		c.Name = name
		for i := range n {
			is[i] = truth.At(i, k) > 0
			c.add(is[i], predicted.At(i, k) > 0)
			of.add(is[i], predicted.At(i, k) > 0, weightOf(weight, i))
		}
		column := mat.Col(nil, k, scores)
		c.finish(of, column, is, weight, ascending(column))
		counts[k] = of.occurs() || c.TruePositive+c.FalsePositive+c.FalseNegative == 0
	}
	return out, counts
}

// meanOf returns the mean of a figure over the classes where it is defined and counts; NaN if there are no such
// classes.
func meanOf(classes []Class, name string, counts []bool) float64 {
	var sum, n float64
	for k := range classes {
		if v, _ := classes[k].Figures.Get(name); !math.IsNaN(v) && counts[k] {
			sum += v
			n++
		}
	}
	return sum / n
}

// occurs reports whether a class is the truth or the decision of some row with a weight above 0.
func (c *tally) occurs() bool { return c.tp+c.fp+c.fn > 0 }
